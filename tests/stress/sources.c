/* Random parameterised graphs with many tasks that wait for nobody: each task runs once, and after
 * those that it waits for.
 *
 *   SOURCE(i)      i = 0 .. n-1, on demand while others run
 *     CTL c -> c CHILD(i, 0 .. fan(i)-1)
 *   CHILD(i, k)
 *     CTL c <- c SOURCE(i)   -> c LAST(i)
 *   LAST(i)        fan(i) > 0
 *     CTL c <- c CHILD(i, 0 .. fan(i)-1)
 *
 * Startup tasks come to workers in portions of which they keep some to themselves; children are
 * stolen meanwhile. TW_PROGRAMS, TW_SEED, TW_SCHED and TW_WORKERS are those of stress.programs. */
#include "base/mix.h"
#include "support/limit.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 3000, FAN = 4, RUNS = 3, GRAPHS = 2, PER_CONTEXT = 8, SECONDS = 30 };

typedef struct counts {
    atomic_int source, children, last;
    atomic_bool early; /* somebody ran before a task that it waits for */
} counts;

typedef struct globals {
    int64_t n, fan;
    uint64_t seed;
    counts *of; /* i */
} globals;

static int64_t fan(const globals *g, int64_t i)
{
    return g->fan ? (int64_t)(tw_mix(g->seed ^ (uint64_t)i) % (uint64_t)(g->fan + 1)) : 0;
}

/* Some work, so that tasks end at different times. */
static void work(const globals *g, const int64_t *p)
{
    uint64_t r = tw_mix(g->seed + (uint64_t)(7 * p[0]));
    for (uint64_t i = 0; i < r % 64; i++)
        r = tw_mix(r);
    __asm__ volatile("" : : "r"(r));
}

/* ---- SOURCE ---------------------------------------------------------------------------------- */

static int64_t no_inputs(const void *g, const int64_t *p)
{
    (void)g, (void)p;
    return 0;
}

static bool next_source(const void *g_, int64_t *p, bool first)
{
    const globals *g = g_;
    p[0] = first ? 0 : p[0] + 1;
    return p[0] < g->n;
}

static void release_source(twill_ptg_outputs *out, const void *g_, const int64_t *p)
{
    const globals *g = g_;
    twill_ptg_output(out, 0);
    for (int64_t k = 0; k < fan(g, p[0]); k++)
        twill_ptg_send(out, 1, 0, (const int64_t[]){p[0], k});
}

static twill_outcome run_source(twill_task *t, const void *g_, const int64_t *p,
                                const twill_flow *flow)
{
    const globals *g = g_;
    (void)t, (void)flow;
    work(g, p);
    atomic_fetch_add(&g->of[p[0]].source, 1);
    return TWILL_DONE;
}

/* ---- CHILD ----------------------------------------------------------------------------------- */

static int64_t one_input(const void *g, const int64_t *p)
{
    (void)g, (void)p;
    return 1;
}

static void release_child(twill_ptg_outputs *out, const void *g, const int64_t *p)
{
    (void)g;
    twill_ptg_output(out, 0);
    twill_ptg_send(out, 2, 0, (const int64_t[]){p[0]});
}

static twill_outcome run_child(twill_task *t, const void *g_, const int64_t *p,
                               const twill_flow *flow)
{
    const globals *g = g_;
    counts *c = &g->of[p[0]];
    (void)t, (void)flow;
    if (atomic_load(&c->source) != 1)
        atomic_store(&c->early, true);
    work(g, p);
    atomic_fetch_add(&c->children, 1);
    return TWILL_DONE;
}

/* ---- LAST ------------------------------------------------------------------------------------ */

static int64_t fan_inputs(const void *g, const int64_t *p)
{
    return fan(g, p[0]);
}

static twill_outcome run_last(twill_task *t, const void *g_, const int64_t *p,
                              const twill_flow *flow)
{
    const globals *g = g_;
    counts *c = &g->of[p[0]];
    (void)t, (void)flow;
    if (atomic_load(&c->children) != fan(g, p[0]))
        atomic_store(&c->early, true);
    atomic_fetch_add(&c->last, 1);
    return TWILL_DONE;
}

/* ---- the graph ------------------------------------------------------------------------------- */

static const char *const names[] = {"i", "k"};
static const twill_ptg_flow flows[] = {{.name = "c", .mode = TWILL_FLOW_CTL}};
static const twill_ptg_class source = {.size = sizeof(twill_ptg_class),
                                       .name = "SOURCE",
                                       .parameters = 1,
                                       .flows = 1,
                                       .parameter = names,
                                       .flow = flows,
                                       .inputs = no_inputs,
                                       .startup = next_source,
                                       .release = release_source,
                                       .chores = {TWILL_CPU(run_source)}};
static const twill_ptg_class child = {.size = sizeof(twill_ptg_class),
                                      .name = "CHILD",
                                      .parameters = 2,
                                      .flows = 1,
                                      .parameter = names,
                                      .flow = flows,
                                      .single = true,
                                      .inputs = one_input,
                                      .release = release_child,
                                      .chores = {TWILL_CPU(run_child)}};
static const twill_ptg_class last = {.size = sizeof(twill_ptg_class),
                                     .name = "LAST",
                                     .parameters = 1,
                                     .flows = 1,
                                     .parameter = names,
                                     .flow = flows,
                                     .inputs = fan_inputs,
                                     .chores = {TWILL_CPU(run_last)}};
static const twill_ptg_graph graph = {.size = sizeof(twill_ptg_graph),
                                      .name = "sources",
                                      .classes = 3,
                                      .cls =
                                          (const twill_ptg_class *const[]){&source, &child, &last}};

/* ---- the test -------------------------------------------------------------------------------- */

static void check(const globals *g)
{
    for (int64_t i = 0; i < g->n; i++) {
        const counts *c = &g->of[i];
        int64_t children = fan(g, i);
        if (c->source != 1 || c->children != children || c->last != (children > 0) || c->early)
            fail_msg("%lld of %lld: SOURCE ran %d times, CHILD %d of %lld, LAST %d%s", (long long)i,
                     (long long)g->n, c->source, c->children, (long long)children, c->last,
                     c->early ? ", one of them early" : "");
    }
}

/* Two graphs take turns in handing out startup tasks, and run several times. */
static void run(uint64_t seed, twill *tw)
{
    twill_graph *graphs[GRAPHS];
    globals g[GRAPHS];
    for (int k = 0; k < GRAPHS; k++) {
        uint64_t r = tw_mix(2 * seed + (uint64_t)k);
        g[k] = (globals){(int64_t)(r % (r / 7 % 4 ? 200 : MOST)), (int64_t)(r / 64 % (FAN + 1)), r,
                         calloc(MOST, sizeof(counts))};
        assert_non_null(g[k].of);
        OK(twill_ptg_new(tw, &graph, &g[k], sizeof g[k], &graphs[k]));
    }
    for (int r = 0; r < RUNS; r++) {
        for (int k = 0; k < GRAPHS; k++) {
            memset(g[k].of, 0, MOST * sizeof(counts));
            OK(twill_ptg_run(graphs[k]));
        }
        for (int k = 0; k < GRAPHS; k++) {
            OK(twill_wait(graphs[k]));
            check(&g[k]);
        }
    }
    for (int k = 0; k < GRAPHS; k++) {
        twill_graph_free(graphs[k]);
        free(g[k].of);
    }
}

TEST(every_task_runs_once_and_in_order)
{
    static const char *const schedulers[] = {"lws", "prio", "eager", "rand"};
    uint64_t first = (uint64_t)limit_number("TW_SEED", 1);
    uint64_t end = first + (uint64_t)limit_number("TW_PROGRAMS", test_slow() ? 100 : 1000);
    const char *wanted = getenv("TW_SCHED");
    for (uint64_t seed = first; seed < end;) {
        uint64_t number = seed / PER_CONTEXT;
        const char *sched = wanted ? wanted : schedulers[number % COUNT(schedulers)];
        int workers = (int)limit_pick("TW_WORKERS", tw_mix(number), 1 + (int64_t)(number / 4 % 6));
        twill *tw = test_start(workers, sched);
        for (; seed < end && seed / PER_CONTEXT == number; seed++) {
            limit_begin(tw, SECONDS, "seed %llu, scheduler %s, %d workers",
                        (unsigned long long)seed, sched, workers);
            run(seed, tw);
        }
        twill_stop(tw);
        limit_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {LIMITED_TEST(every_task_runs_once_and_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
