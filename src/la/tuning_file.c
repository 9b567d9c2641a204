/* The tuning file: lines of text, the last one a sum over those before.
 *
 *     twill-tune 1
 *     cpu NAME
 *     blas SIZE SECONDS NANOSECONDS PATH      the file, and when it was changed
 *     lapack SIZE SECONDS NANOSECONDS PATH
 *     kernels NAME
 *     one-tile N
 *     tile TYPE WORKERS N NB                  any number of these
 *     sum HEX
 *
 * It is written by one version of this file and read by any other, so what is not exactly like that
 * is not there. */
#include "base/status.h"
#include "base/stored.h"
#include "la/tuning.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16384 };

/* ---- writing ----------------------------------------------------------------------------- */

static twill_status add_library(tw_stored *t, const char *what, const char *path)
{
    char now[1024];
    if (!*path)
        return TWILL_OK;
    if (!tw_stored_library(path, now, sizeof now))
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_tune_set: there is no library %s", path);
    tw_stored_add(t, "%s %s\n", what, now);
    return TWILL_OK;
}

static twill_status compose(tw_stored *t, const char *cpu, const twill_tuning *tuning)
{
    tw_stored_add(t, "twill-tune 1\ncpu %s\n", cpu);
    twill_status status = add_library(t, "blas", tuning->blas);
    if (status == TWILL_OK)
        status = add_library(t, "lapack", tuning->lapack);
    if (*tuning->kernels)
        tw_stored_add(t, "kernels %s\n", tuning->kernels);
    if (tuning->one_tile)
        tw_stored_add(t, "one-tile %" PRId64 "\n", tuning->one_tile);
    for (int i = 0; i < tuning->tiles; i++) {
        const twill_tuned_tile *tile = &tuning->tile[i];
        tw_stored_add(t, "tile %c %d %" PRId64 " %" PRId64 "\n", tile->type, tile->workers, tile->n,
                      tile->nb);
    }
    return status;
}

twill_status tw_tuning_write(const char *file, const char *cpu, const twill_tuning *tuning)
{
    tw_stored t = {0};
    twill_status status = compose(&t, cpu, tuning);
    if (status == TWILL_OK)
        status = tw_stored_write(&t, file);
    tw_stored_free(&t);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* The rest of a line that begins with `key`; NULL when it does not. */
static const char *after(const char *line, const char *key)
{
    size_t length = strlen(key);
    return strncmp(line, key, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

/* What follows `blas` or `lapack`: the path, if the file is as it was. */
static bool read_library(const char *rest, char *path, size_t size)
{
    char now[1024], there[512];
    if (sscanf(rest, "%*s %*s %*s %511[^\n]", there) != 1 ||
        !tw_stored_library(there, now, sizeof now) || strcmp(now, rest) != 0)
        return false;
    snprintf(path, size, "%s", there);
    return true;
}

static bool read_tile(const char *rest, twill_tuning *t)
{
    twill_tuned_tile tile;
    char end;
    if (t->tiles == TWILL_TUNED_TILES ||
        sscanf(rest, "%c %d %" SCNd64 " %" SCNd64 "%c", &tile.type, &tile.workers, &tile.n,
               &tile.nb, &end) != 4 ||
        tile.n < 1 || tile.nb < 1)
        return false;
    t->tile[t->tiles++] = tile;
    return true;
}

static bool read_line(const char *line, const char *cpu, twill_tuning *t)
{
    const char *rest;
    if ((rest = after(line, "cpu")))
        return strcmp(rest, cpu) == 0;
    if ((rest = after(line, "blas")))
        return read_library(rest, t->blas, sizeof t->blas);
    if ((rest = after(line, "lapack")))
        return read_library(rest, t->lapack, sizeof t->lapack);
    if ((rest = after(line, "kernels")))
        return snprintf(t->kernels, sizeof t->kernels, "%s", rest) < (int)sizeof t->kernels;
    if ((rest = after(line, "one-tile")))
        return (t->one_tile = atoll(rest)) > 0;
    rest = after(line, "tile");
    return rest && read_tile(rest, t);
}

bool tw_tuning_read(const char *file, const char *cpu, twill_tuning *tuning)
{
    tw_stored t = {0};
    twill_tuning found = {.size = sizeof(twill_tuning)};
    char *rest = NULL;
    bool good = tw_stored_read(&t, file, MOST);
    char *line = good ? strtok_r(t.bytes, "\n", &rest) : NULL;
    good = line && strcmp(line, "twill-tune 1") == 0;
    bool has_cpu = false;
    while (good && (line = strtok_r(NULL, "\n", &rest))) {
        has_cpu |= after(line, "cpu") != NULL;
        good = read_line(line, cpu, &found);
    }
    tw_stored_free(&t);
    if (good && has_cpu)
        *tuning = found;
    return good && has_cpu;
}
