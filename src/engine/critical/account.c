/* Statistics without a trace: beginning, and adding up at the end. Both while the world is stopped,
 * so that whoever reads sees what workers have written. */
#include "engine/critical/account.h"

#include "base/abi.h"

#include <stdlib.h>
#include <string.h>

static tw_account *make(twill *tw)
{
    size_t size = sizeof(tw_account) + (size_t)(tw->workers + 1) * sizeof(tw_account_worker);
    size = tw_whole_lines(size);
    tw_account *a = aligned_alloc(TW_LINE, size);
    if (!a) {
        tw_fail(TWILL_ERR_MEMORY, "no memory for statistics");
        return NULL;
    }
    memset(a, 0, size);
    a->sink.take = tw_account_take;
    a->tw = tw;
    return a;
}

void tw_account_clear(tw_account *a)
{
    tw_lengths_clear(&a->lengths);
    free(a->changes);
    a->changes = NULL;
    a->nchanges = a->room = 0;
    a->no_room = false;
    memset(a->worker, 0, (size_t)(a->tw->workers + 1) * sizeof *a->worker);
}

void tw_account_free(tw_account *a)
{
    if (a)
        tw_account_clear(a);
    free(a);
}

/* The context's; it stays until the context ends. Under graph_lock. */
static twill_status claim(twill *tw, tw_account **a)
{
    *a = atomic_load_explicit(&tw->account, memory_order_relaxed);
    if (!*a && !(*a = make(tw)))
        return TWILL_ERR_MEMORY;
    atomic_store_explicit(&tw->account, *a, memory_order_relaxed);
    if ((*a)->open)
        return tw_fail(TWILL_ERR_STATE, "twill_account_begin: it has begun already");
    (*a)->open = true;
    return TWILL_OK;
}

static twill_status check(const twill *tw, const char *who)
{
    if (!tw)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: an argument is NULL", who);
    return tw_in_task(tw) ? tw_fail(TWILL_ERR_STATE, "%s: not inside a task", who) : TWILL_OK;
}

static int64_t teams_so_far(const twill *tw)
{
    const tw_critical *c = tw_critical_of(tw);
    return c ? atomic_load_explicit(&c->teams, memory_order_relaxed) : 0;
}

twill_status twill_account_begin(twill *tw)
{
    tw_account *a;
    twill_status status = check(tw, "twill_account_begin");
    if (status != TWILL_OK)
        return status;
    tw_lock_take(&tw->graph_lock);
    status = claim(tw, &a);
    tw_unlock(&tw->graph_lock);
    if (status != TWILL_OK)
        return status;
    tw_world_stop(tw);
    tw_account_clear(a);
    a->teams = teams_so_far(tw);
    a->begin_seconds = tw_seconds();
    a->begin = tw_ticks();
    const tw_critical *c = tw_critical_of(tw);
    tw_account_resize(a, a->begin, c ? tw_critical_look(c).members : 0);
    tw_add_sink(tw, &a->sink);
    tw_world_start(tw);
    return TWILL_OK;
}

/* ---- adding up --------------------------------------------------------------------------- */

/* From the begin of the first task to the end of the last one; 0 and 0 if there is none. */
static void find_span(const tw_account *a, uint64_t *first, uint64_t *last)
{
    *first = *last = 0;
    for (int w = 0; w <= a->tw->workers; w++) {
        const tw_account_worker *r = &a->worker[w];
        if (r->first && (!*first || r->first < *first))
            *first = r->first;
        *last = r->last > *last ? r->last : *last;
    }
    *last = *last > *first ? *last : *first;
}

/* Members of the set, summed over the time from first to last. */
static double reserved_ticks(const tw_account *a, uint64_t first, uint64_t last)
{
    double sum = 0;
    for (int64_t i = 0; i < a->nchanges; i++) {
        uint64_t from = a->changes[i].ticks;
        uint64_t to = i + 1 < a->nchanges ? a->changes[i + 1].ticks : last;
        from = from > first ? from : first;
        to = to < last ? to : last;
        sum += to > from ? a->changes[i].members * (double)(to - from) : 0;
    }
    return sum;
}

static void add_workers(const tw_account *a, double tick, twill_account *sum)
{
    tw_length longest = {0};
    for (int w = 0; w <= a->tw->workers; w++) {
        const tw_account_worker *r = &a->worker[w];
        sum->tasks += r->tasks;
        sum->critical_tasks += r->critical_tasks;
        sum->busy_other += tick * (double)(r->busy[0][0] + r->busy[0][1]);
        sum->busy_reserved += tick * (double)(r->busy[1][0] + r->busy[1][1]);
        sum->busy_ordinary += tick * (double)(r->busy[0][0] + r->busy[1][0]);
        sum->busy_critical += tick * (double)(r->busy[0][1] + r->busy[1][1]);
        tw_length_join(&longest, &r->longest);
    }
    sum->longest_seconds = tick * (double)longest.ticks;
    sum->longest_tasks = longest.tasks;
    sum->critical_seconds = tick * (double)longest.critical;
}

static void add_up(const tw_account *a, double tick, twill_account *sum)
{
    uint64_t first, last;
    find_span(a, &first, &last);
    add_workers(a, tick, sum);
    sum->workers = a->tw->workers;
    sum->changes = (int)a->nchanges - 1;
    sum->teams = teams_so_far(a->tw) - a->teams;
    sum->seconds = tick * (double)(last - first);
    sum->cost = sum->workers * sum->seconds;
    sum->cost_reserved = tick * reserved_ticks(a, first, last);
    sum->cost_other = sum->cost - sum->cost_reserved;
    double busy = sum->busy_reserved + sum->busy_other;
    sum->utilisation = sum->cost > 0 ? busy / sum->cost : 0;
}

static double seconds_per_tick(const tw_account *a)
{
    double seconds = tw_seconds() - a->begin_seconds;
    uint64_t ticks = tw_ticks() - a->begin;
    return ticks > 0 ? seconds / (double)ticks : 0;
}

twill_status twill_account_end(twill *tw, twill_account *account)
{
    twill_account sum = {.size = sizeof sum};
    twill_status status = check(account ? tw : NULL, "twill_account_end");
    if (status != TWILL_OK)
        return status;
    tw_world_stop(tw);
    tw_account *a = atomic_load_explicit(&tw->account, memory_order_relaxed);
    bool open = a && a->open;
    bool whole =
        open && !a->no_room && !atomic_load_explicit(&a->lengths.incomplete, memory_order_relaxed);
    if (open) {
        tw_remove_sink(tw, &a->sink);
        add_up(a, seconds_per_tick(a), &sum);
        tw_account_clear(a);
        a->open = false;
    }
    tw_world_start(tw);
    if (!open)
        return tw_fail(TWILL_ERR_STATE, "twill_account_end: twill_account_begin comes first");
    if (!whole)
        return tw_fail(TWILL_ERR_MEMORY, "there was no memory for all statistics");
    return TW_ABI_OUT(twill_account, changes, account, &sum);
}
