/* The file of capabilities.
 *
 *     twill-capability 1
 *     kind NAME
 *     SIZE EXPONENT SECONDS CLASS        any number of these, and then the next kind
 *     sum HEX
 *
 * A kind's name says what it was measured with; nobody asks for one that is there no more. So the
 * oldest of those that are not in use are dropped when the file becomes long. */
#include "base/stored.h"
#include "device/capability.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20, OTHERS = MOST / 4 };

static const char head[] = "twill-capability 1";

static int known_kind(const tw_capability *c, const char *name)
{
    for (int i = 0; i < tw_capability_kinds(c); i++)
        if (strcmp(tw_capability_kind_name(c, i), name) == 0)
            return i;
    return -1;
}

static bool read_estimate(tw_capability *c, int kind, const char *line)
{
    int size, at = 0;
    double exponent, seconds;
    return sscanf(line, "%d %lf %lf %n", &size, &exponent, &seconds, &at) == 3 && line[at] &&
           tw_capability_recall(c, kind, line + at, exponent, size, seconds);
}

bool tw_capability_load(tw_capability *c, const char *file)
{
    tw_stored t = {0}, *others = tw_capability_others(c);
    char *rest = NULL;
    bool good = tw_stored_read(&t, file, MOST);
    char *line = good ? strtok_r(t.bytes, "\n", &rest) : NULL;
    good = line && strcmp(line, head) == 0;
    int kind = -1;
    while (good && (line = strtok_r(NULL, "\n", &rest))) {
        bool begins = strncmp(line, "kind ", 5) == 0;
        if (begins)
            kind = known_kind(c, line + 5);
        if (kind < 0)
            tw_stored_add(others, "%s\n", line);
        else if (!begins)
            good = read_estimate(c, kind, line);
    }
    tw_stored_free(&t);
    return good;
}

static void add_estimate(void *arg, const char *cls, double exponent, int size, double seconds)
{
    if (!strchr(cls, '\n'))
        tw_stored_add(arg, "%d %.4g %.5g %s\n", size, exponent, seconds, cls);
}

/* Those that were used last stand first. */
static void add_others(tw_stored *t, const tw_stored *others)
{
    const char *end = others->bytes ? others->bytes + others->size : NULL;
    if (others->size > OTHERS) {
        end = others->bytes + OTHERS;
        while (end > others->bytes && end[-1] != '\n')
            end--;
    }
    if (end)
        tw_stored_add(t, "%.*s", (int)(end - others->bytes), others->bytes);
}

twill_status tw_capability_save(tw_capability *c, const char *file)
{
    tw_stored t = {0};
    tw_stored_add(&t, "%s\n", head);
    for (int i = 0; i < tw_capability_kinds(c); i++) {
        tw_stored_add(&t, "kind %s\n", tw_capability_kind_name(c, i));
        tw_capability_each(c, i, add_estimate, &t);
    }
    add_others(&t, tw_capability_others(c));
    twill_status status = tw_stored_write(&t, file);
    tw_stored_free(&t);
    return status;
}
