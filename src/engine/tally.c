/* How many tasks of a graph there are: sums over what each worker has counted.
 *
 * Only workers that have touched the graph are asked. They are known by groups, 64 at most, so that
 * a mask of one word names them. */
#include "engine/engine.h"

static int group_size(const twill_graph *g)
{
    return (g->tw->workers + 1 + 63) / 64;
}

void tw_tally_count(twill_graph *g, int worker)
{
    g->tally[worker].counted = true;
    /* Before the count itself: whoever sees that, by way of the task, sees the bit. */
    atomic_fetch_or_explicit(&g->counted, (uint64_t)1 << worker / group_size(g),
                             memory_order_relaxed);
}

typedef void visit(tw_tally *tally, void *arg);

static void each_tally(const twill_graph *g, visit *visit, void *arg)
{
    int size = group_size(g), n = g->tw->workers + 1;
    uint64_t groups = atomic_load_explicit(&g->counted, memory_order_acquire);
    for (; groups; groups &= groups - 1) {
        int first = __builtin_ctzll(groups) * size;
        for (int i = first; i < first + size && i < n; i++)
            visit(&g->tally[i], arg);
    }
}

/* ---- sums -------------------------------------------------------------------------------- */

typedef struct sum {
    int first, last; /* phases */
    int64_t n;
} sum;

static void add_retired(tw_tally *tally, void *arg)
{
    sum *s = arg;
    for (int p = s->first; p <= s->last; p++)
        s->n += atomic_load_explicit(&tally->retired[p], memory_order_acquire);
}

static void add_added(tw_tally *tally, void *arg)
{
    sum *s = arg;
    for (int p = s->first; p <= s->last; p++)
        s->n += atomic_load_explicit(&tally->added[p], memory_order_relaxed);
}

/* All retirements are read before any addition. Both only grow, so if the sums are equal, then at
 * the moment between the two passes everything added had been retired. */
static void count(const twill_graph *g, int first, int last, int64_t *added, int64_t *retired)
{
    sum in = {first, last, 0}, out = in;
    each_tally(g, add_retired, &out);
    tw_fence();
    each_tally(g, add_added, &in);
    *added = in.n;
    *retired = out.n;
}

bool tw_graph_idle(const twill_graph *g)
{
    int64_t added, retired;
    count(g, 0, 1, &added, &retired);
    return added == retired;
}

bool tw_graph_drained(const twill_graph *g, int64_t phase)
{
    int64_t added, retired;
    count(g, (int)(phase & 1), (int)(phase & 1), &added, &retired);
    return added == retired;
}

void twill_graph_progress(const twill_graph *g, int64_t *added, int64_t *done)
{
    count(g, 0, 1, added, done);
}

int64_t tw_graph_in_flight(const twill_graph *g)
{
    int64_t added, done;
    count(g, 0, 1, &added, &done);
    return added - done;
}

/* ---- phases ------------------------------------------------------------------------------ */

int64_t tw_graph_next_phase(twill_graph *g)
{
    tw_lock_take(&g->lock);
    int64_t phase = atomic_load_explicit(&g->phase, memory_order_relaxed);
    bool free = tw_graph_drained(g, phase - 1);
    if (free) /* release: whoever sees it sees that the phase before this one has drained */
        atomic_store_explicit(&g->phase, phase + 1, memory_order_release);
    tw_unlock(&g->lock);
    /* The primary worker, asleep, may wait for the phase before, and would look for it in vain. */
    if (free && atomic_load_explicit(&g->phase_waiters, memory_order_relaxed) > 1)
        tw_unpark(&g->tw->worker[0].parker);
    return free ? phase : -1;
}

bool tw_graph_phase_over(const twill_graph *g, int64_t phase)
{
    return atomic_load_explicit(&g->phase, memory_order_acquire) > phase + 1 ||
           tw_graph_drained(g, phase);
}

static void clear(tw_tally *tally, void *arg)
{
    (void)arg;
    for (int p = 0; p < 2; p++) {
        atomic_store_explicit(&tally->added[p], 0, memory_order_relaxed);
        atomic_store_explicit(&tally->retired[p], 0, memory_order_relaxed);
    }
    tally->countdown = 0;
    tally->counted = false;
}

void tw_tallies_clear(twill_graph *g)
{
    each_tally(g, clear, NULL);
    atomic_store_explicit(&g->counted, 0, memory_order_relaxed);
    atomic_store_explicit(&g->phase, 0, memory_order_relaxed);
}
