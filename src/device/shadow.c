/* A second memory that every machine has: to find what relies on there being one only. */
#include "base/lock.h"
#include "base/mix.h"
#include "base/status.h"
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

typedef struct shadow {
    tw_device device; /* first: what others see */
    tw_space space;
    double share, fail;
    uint64_t delay;
    tw_lock lock; /* of what follows */
    uint64_t random;
    tw_copy *late; /* copies under way: their words say for how many polls more */
} shadow;

/* ---- chance ------------------------------------------------------------------------------ */

static uint64_t next_random(shadow *s)
{
    return tw_mix(++s->random);
}

static bool happens(shadow *s, double share)
{
    return (double)(next_random(s) >> 11) < share * 9007199254740992.0;
}

static bool wants(tw_device *device, const twill_item *item)
{
    (void)item;
    shadow *s = (shadow *)device;
    tw_lock_take(&s->lock);
    bool wanted = happens(s, s->share);
    tw_unlock(&s->lock);
    return wanted;
}

/* ---- memory and copies ------------------------------------------------------------------- */

static shadow *shadow_of(tw_space *space)
{
    return (shadow *)(void *)((char *)space - offsetof(shadow, space));
}

static void *shadow_alloc(const tw_space *space, size_t bytes)
{
    (void)space;
    return tw_host.alloc(&tw_host, bytes);
}

static void shadow_free(const tw_space *space, void *memory, size_t bytes)
{
    (void)space;
    tw_host.free(&tw_host, memory, bytes);
}

static void start(tw_space *space, tw_copy *copy)
{
    shadow *s = shadow_of(space);
    tw_lock_take(&s->lock);
    copy->word = next_random(s) % (s->delay + 1);
    copy->next = s->late;
    s->late = copy;
    tw_unlock(&s->lock);
}

/* Those whose time has come leave the list. */
static tw_copy *take_due(shadow *s)
{
    tw_copy *due = NULL;
    tw_lock_take(&s->lock);
    for (tw_copy **link = &s->late; *link;) {
        tw_copy *copy = *link;
        if (copy->word-- > 0) {
            link = &copy->next;
            continue;
        }
        *link = copy->next;
        copy->word = happens(s, s->fail);
        copy->next = due;
        due = copy;
    }
    tw_unlock(&s->lock);
    return due;
}

static bool poll(tw_space *space, void *poller)
{
    tw_copy *due = take_due(shadow_of(space)), *next;
    bool some = due;
    for (tw_copy *copy = due; copy; copy = next) {
        next = copy->next; /* before: it is gone when it is done */
        if (!copy->word)
            tw_host.copy_2d(&tw_host, copy->to, copy->ld_to, copy->from, copy->ld_from, copy->rows,
                            copy->cols);
        copy->done(copy, copy->word ? TWILL_ERR_SYSTEM : TWILL_OK, poller);
    }
    return some;
}

/* ---- the option -------------------------------------------------------------------------- */

static void shadow_close(tw_device *device)
{
    free(device);
}

/* `name=NUMBER`; false when the text is something else. */
static bool take_number(const char **text, const char *name, double most, double *number)
{
    size_t length = strlen(name);
    char *end;
    if (strncmp(*text, name, length) != 0)
        return false;
    double x = strtod(*text + length, &end);
    if (end == *text + length || (*end && *end != ',') || !(x >= 0 && x <= most))
        return false;
    *text = end;
    *number = x;
    return true;
}

static bool parse(shadow *s, const char *text)
{
    double room = 0x1p60, seed = 1, delay = 8;
    bool known = take_number(&text, "", 1, &s->share);
    while (known && *text++ == ',')
        known = take_number(&text, "room=", 0x1p60, &room) ||
                take_number(&text, "fail=", 1, &s->fail) ||
                take_number(&text, "delay=", 1e6, &delay) ||
                take_number(&text, "seed=", 0x1p53, &seed);
    s->space.room = (size_t)room;
    s->delay = (uint64_t)delay;
    s->random = tw_mix((uint64_t)seed);
    return known;
}

twill_status tw_shadow_open(const char *text, tw_device **device)
{
    shadow *s = calloc(1, sizeof *s);
    if (!s)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a shadow device");
    s->space = (tw_space){.name = "shadow",
                          .alloc = shadow_alloc,
                          .free = shadow_free,
                          .copy_2d = tw_host.copy_2d,
                          .no_queue = true, /* bodies there may open nested graphs */
                          .start = start,
                          .poll = poll};
    s->device =
        (tw_device){.name = "shadow", .space = &s->space, .wants = wants, .close = shadow_close};
    if (!parse(s, text)) {
        free(s);
        return tw_fail(TWILL_ERR_OPTION,
                       "option shadow (TWILL_SHADOW): '%s' is neither off nor a share from 0 to 1 "
                       "with room=BYTES, fail=SHARE, delay=POLLS or seed=NUMBER after commas",
                       text);
    }
    *device = &s->device;
    return TWILL_OK;
}
