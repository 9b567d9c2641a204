/* Which mode the critical set is in: from options, or changed by the program. */
#include "engine/critical/critical.h"

#include "base/abi.h"
#include "base/minmax.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [TWILL_MODE_REGULAR] = "regular",
    [TWILL_MODE_FIXED] = "fixed",
    [TWILL_MODE_ADAPTIVE] = "adaptive",
    [TWILL_MODE_PRESCRIBED] = "prescribed",
};
enum { MODES = sizeof names / sizeof *names, MOST_SIZES = 1 << 20 };

/* ---- making ------------------------------------------------------------------------------ */

static twill_status no_memory(void)
{
    return tw_fail(TWILL_ERR_MEMORY, "no memory for a critical set");
}

static tw_critical *make(twill *tw)
{
    size_t size = sizeof(tw_critical) + (size_t)tw->workers * sizeof(tw_member);
    tw_critical *c = aligned_alloc(TW_LINE, tw_whole_lines(size));
    if (!c)
        return NULL;
    memset(c, 0, size);
    c->tw = tw;
    atomic_init(&c->told, -1);
    return c;
}

static void discard(tw_critical *c)
{
    tw_heap_close(&c->heap);
    free(c->prescribed);
    free(c);
}

/* ---- changing ---------------------------------------------------------------------------- */

static twill_status check(const twill_critical *wanted)
{
    if ((int)wanted->mode < 0 || (int)wanted->mode >= MODES)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_critical_set: there is no mode %d",
                       (int)wanted->mode);
    if (wanted->reserved < 0)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_critical_set: %d workers cannot be reserved",
                       wanted->reserved);
    if (wanted->mode != TWILL_MODE_PRESCRIBED)
        return TWILL_OK;
    if (wanted->prescribed_count < 1 || !wanted->prescribed)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_critical_set: mode prescribed needs a size for at least one task");
    for (int64_t i = 0; i < wanted->prescribed_count; i++)
        if (wanted->prescribed[i] < 0)
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "twill_critical_set: size %d is prescribed for task %lld",
                           wanted->prescribed[i], (long long)i);
    return TWILL_OK;
}

static int first_size(const twill_critical *wanted)
{
    switch (wanted->mode) {
    case TWILL_MODE_FIXED:
        return wanted->reserved;
    case TWILL_MODE_PRESCRIBED:
        return wanted->prescribed[0];
    case TWILL_MODE_REGULAR:
    case TWILL_MODE_ADAPTIVE:
        break;
    }
    return 0;
}

/* Take over what is wanted; `sizes` is a copy of what is prescribed. Under the lock. */
static void adopt(tw_critical *c, const twill_critical *wanted, int *sizes)
{
    atomic_store_explicit(&c->mode, (int)wanted->mode, memory_order_relaxed);
    free(c->prescribed);
    c->prescribed = sizes;
    c->sizes = sizes ? wanted->prescribed_count : 0;
    c->next = 0;
    c->wanted = first_size(wanted);
    c->resized = wanted->resized;
    c->resized_arg = wanted->arg;
}

/* Workers that have nothing in hand are prompt at once. While the world is stopped, or before
 * workers have begun. */
static void summon_idle(tw_critical *c)
{
    tw_set s = tw_critical_look(c);
    uint32_t number = (uint32_t)(atomic_load_explicit(&c->order, memory_order_relaxed) >> 32);
    for (int w = s.first > 1 ? s.first : 1; w < s.first + s.size; w++) {
        tw_member *m = &c->member[w];
        if (atomic_load_explicit(&m->present, memory_order_relaxed) ||
            atomic_load_explicit(&c->tw->worker[w].running, memory_order_relaxed))
            continue;
        m->seen = number;
        atomic_store_explicit(&m->present, true, memory_order_relaxed);
    }
    tw_critical_settle(c);
}

/* While the world is stopped, or before workers have begun. */
static void change(tw_critical *c, const twill_critical *wanted, int *sizes)
{
    tw_lock_take(&c->lock);
    adopt(c, wanted, sizes);
    tw_critical_retarget(c);
    summon_idle(c);
    tw_unlock(&c->lock);
    if (wanted->mode == TWILL_MODE_REGULAR)
        tw_critical_empty(c);
}

static twill_status copy_sizes(const twill_critical *wanted, int **sizes)
{
    *sizes = NULL;
    if (wanted->mode != TWILL_MODE_PRESCRIBED)
        return TWILL_OK;
    size_t bytes = (size_t)wanted->prescribed_count * sizeof **sizes;
    *sizes = malloc(bytes);
    if (!*sizes)
        return no_memory();
    memcpy(*sizes, wanted->prescribed, bytes);
    return TWILL_OK;
}

/* Stands before the scheduler from now on. While the world is stopped. */
static tw_critical *install(twill *tw, tw_critical *c)
{
    if (tw->critical) {
        if (c)
            discard(c);
        return tw->critical;
    }
    tw->critical = c;
    tw_critical_install(c);
    for (int w = 0; w <= tw->workers; w++)
        tw_startup_give(&tw->worker[w]);
    return c;
}

twill_status twill_critical_set(twill *tw, const twill_critical *given)
{
    twill_critical wanted = {.size = sizeof wanted};
    if (!tw || !given)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_critical_set: an argument is NULL");
    if (tw_in_task(tw))
        return tw_fail(TWILL_ERR_STATE, "twill_critical_set: not inside a task");
    twill_status status = TW_ABI_IN(twill_critical, arg, &wanted, given);
    if (status == TWILL_OK)
        status = check(&wanted);
    if (status != TWILL_OK || tw->policy->immediate)
        return status; /* tasks run where they are inserted: there is nobody to reserve */
    int *sizes;
    status = copy_sizes(&wanted, &sizes);
    if (status != TWILL_OK)
        return status;
    tw_critical *c = make(tw);
    if (!c) {
        free(sizes);
        return no_memory();
    }
    tw_world_stop(tw);
    c = install(tw, c);
    change(c, &wanted, sizes);
    tw_set s = tw_critical_look(c);
    tw_world_start(tw);
    tw_critical_wake(c);
    tw_critical_tell(c, s.size);
    return TWILL_OK;
}

twill_status twill_critical_get(twill *tw, twill_critical_info *info)
{
    if (!tw || !info)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_critical_get: an argument is NULL");
    twill_critical_info now = {.size = sizeof now};
    tw_worker *w = tw_enter(tw);
    tw_critical *c = tw->critical;
    if (c) {
        tw_lock_take(&c->lock);
        tw_set s = tw_critical_look(c);
        now.mode = (twill_mode)atomic_load_explicit(&c->mode, memory_order_relaxed);
        now.reserved = s.size;
        now.first = s.members ? s.leader : s.first;
        now.members = s.members;
        now.tasks = atomic_load_explicit(&c->tasks, memory_order_relaxed);
        now.teams = atomic_load_explicit(&c->teams, memory_order_relaxed);
        now.changes = atomic_load_explicit(&c->changes, memory_order_relaxed);
        tw_unlock(&c->lock);
    }
    tw_exit(w);
    return TW_ABI_OUT(twill_critical_info, changes, info, &now);
}

/* ---- options ----------------------------------------------------------------------------- */

/* "3,2,2": numbers; NULL when it is not a list of them. */
static int *parse_sizes(const char *text, int64_t *n)
{
    int *sizes = malloc((strlen(text) / 2 + 1) * sizeof *sizes);
    *n = 0;
    for (const char *at = text; sizes && *n < MOST_SIZES; at++) {
        char *end;
        long size = strtol(at, &end, 10);
        if (end == at || *at == '-' || *at == '+' || *at == ' ' || size > UINT16_MAX ||
            (*end && *end != ','))
            break;
        sizes[(*n)++] = (int)size;
        at = end;
        if (!*at)
            return sizes;
    }
    free(sizes);
    return NULL;
}

static twill_status read_options(const twill *tw, twill_critical *wanted, int **sizes)
{
    const tw_options *o = &tw->options;
    *sizes = NULL;
    *wanted = (twill_critical){.size = sizeof *wanted};
    while (strcmp(names[wanted->mode], o->text[TW_OPT_MODE]) != 0)
        wanted->mode++;
    wanted->reserved = (int)o->number[TW_OPT_RESERVED];
    if (wanted->reserved > 0 && wanted->mode != TWILL_MODE_FIXED)
        return tw_fail(TWILL_ERR_OPTION,
                       "option reserved (TWILL_RESERVED): a number of reserved workers is for mode "
                       "fixed, and the mode is %s",
                       o->text[TW_OPT_MODE]);
    if (wanted->mode == TWILL_MODE_FIXED && strcmp(o->origin[TW_OPT_RESERVED], "default") == 0)
        wanted->reserved = 1;
    if (wanted->mode != TWILL_MODE_PRESCRIBED)
        return TWILL_OK;
    *sizes = parse_sizes(o->text[TW_OPT_PRESCRIBED], &wanted->prescribed_count);
    wanted->prescribed = *sizes;
    return *sizes
               ? TWILL_OK
               : tw_fail(TWILL_ERR_OPTION,
                         "option prescribed (TWILL_PRESCRIBED): mode prescribed needs a size for "
                         "each critical task, such as 2,2,3, not '%s'",
                         o->text[TW_OPT_PRESCRIBED]);
}

twill_status tw_critical_open(twill *tw)
{
    twill_critical wanted;
    int *sizes;
    tw->policy = tw->sched;
    tw->policy_state = tw->sched_state;
    twill_status status = read_options(tw, &wanted, &sizes);
    if (status != TWILL_OK || tw->policy->immediate ||
        strcmp(tw->options.origin[TW_OPT_MODE], "default") == 0) {
        free(sizes);
        return status;
    }
    tw_critical *c = make(tw);
    if (!c) {
        free(sizes);
        return no_memory();
    }
    change(install(tw, c), &wanted, sizes);
    return TWILL_OK;
}

void tw_critical_close(twill *tw)
{
    if (tw->critical)
        discard(tw->critical);
    tw->critical = NULL;
}

/* ---- what others ask ----------------------------------------------------------------------- */

bool tw_is_reserved(const tw_worker *w)
{
    return w->tw->critical && tw_set_has(tw_critical_look(w->tw->critical), w->index);
}

int tw_reserved(const twill *tw)
{
    return tw->critical ? tw_critical_look(tw->critical).size : 0;
}

int tw_critical_sleepers(const twill *tw)
{
    int n = 0;
    for (int w = 0; tw->critical && w < tw->workers; w++)
        n += atomic_load_explicit(&tw->critical->member[w].parked, memory_order_relaxed);
    return n;
}

static void set_primary(twill *tw, bool primary)
{
    tw_critical *c = tw->critical;
    if (!c)
        return;
    tw_lock_take(&c->lock);
    c->primary = primary;
    if (!primary && atomic_load_explicit(&c->busy, memory_order_relaxed) == 1)
        atomic_store_explicit(&c->busy, 0, memory_order_relaxed);
    tw_critical_retarget(c);
    tw_unlock(&c->lock);
    tw_critical_wake(c);
}

void tw_critical_arrive(twill *tw)
{
    set_primary(tw, true);
}

void tw_critical_depart(twill *tw)
{
    set_primary(tw, false);
}
