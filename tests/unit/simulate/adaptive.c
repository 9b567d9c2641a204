/* What the controller of mode adaptive comes to: the two studies of the critical path in virtual
 * time, beside regular mode and every fixed size, each with its best tile size. */
#include "support/test.h"

#include <twill/simulate.h>

#include <math.h>
#include <string.h>

enum { MOST = 5, COLUMNS = 500, TILES = 128 };

/* How fast a task is: 20 GFLOP/s in tiles without end, half of that in tiles of order `half`. */
typedef struct speed {
    double half;
    int64_t nb;
} speed;

static double seconds(const speed *s, double flops)
{
    double nb = (double)s->nb;
    return flops * (nb + s->half) / nb / 20e9;
}

static int64_t add(twill_model *m, const char *cls, double time)
{
    int64_t task;
    OK(twill_model_task(m, cls, time, &task));
    return task;
}

static int64_t tiles(const speed *s, int64_t n)
{
    return (n + s->nb - 1) / s->nb;
}

/* Row after row: products in any order, then the solve. */
static twill_model *solve(const speed *s, int64_t n)
{
    twill_model *m;
    int64_t solves[TILES], updates[TILES], nt = tiles(s, n);
    double b = (double)s->nb;
    OK(twill_model_make(&m));
    for (int64_t i = 0; i < nt; i++) {
        for (int64_t j = 0; j < i; j++) {
            updates[j] = add(m, "gemm", seconds(s, 2 * b * b * COLUMNS));
            OK(twill_model_edge(m, solves[j], updates[j]));
        }
        solves[i] = add(m, "trsm", seconds(s, b * b * COLUMNS));
        for (int64_t j = 0; j < i; j++)
            OK(twill_model_edge(m, updates[j], solves[i]));
    }
    return m;
}

typedef struct cholesky {
    twill_model *m;
    const speed *s;
    int64_t writer[TILES][TILES];
} cholesky;

/* Changes tile (i, j), after what wrote that and tiles (a, k) and (b, k). */
static void step(cholesky *c, const char *cls, double flops, int64_t i, int64_t j, int64_t k,
                 int64_t a, int64_t b)
{
    int64_t task = add(c->m, cls, seconds(c->s, flops));
    const int64_t before[] = {c->writer[i][j], a < 0 ? -1 : c->writer[a][k],
                              b < 0 ? -1 : c->writer[b][k]};
    for (int e = 0; e < COUNT(before); e++)
        if (before[e] >= 0)
            OK(twill_model_edge(c->m, before[e], task));
    c->writer[i][j] = task;
}

static twill_model *factor(const speed *s, int64_t n)
{
    static cholesky c;
    int64_t nt = tiles(s, n);
    double b = (double)s->nb, cube = b * b * b;
    c.s = s;
    OK(twill_model_make(&c.m));
    memset(c.writer, -1, sizeof c.writer);
    for (int64_t k = 0; k < nt; k++) {
        step(&c, "potrf", cube / 3, k, k, k, -1, -1);
        for (int64_t i = k + 1; i < nt; i++)
            step(&c, "trsm", cube, i, k, k, k, -1);
        for (int64_t j = k + 1; j < nt; j++)
            for (int64_t i = j; i < nt; i++)
                step(&c, i == j ? "herk" : "gemm", i == j ? cube : 2 * cube, i, j, k, j,
                     i == j ? -1 : i);
    }
    return c.m;
}

/* Seconds in regular mode, with the best fixed size, and in mode adaptive; each with the best of
 * the tile sizes. */
typedef struct times {
    double regular, fixed, adaptive;
} times;

typedef struct study {
    twill_model *(*build)(const speed *s, int64_t n);
    const char *sched;
    double half,
        alone; /* alone: Amdahl's law with that share; negative: the paper's efficiencies */
    int workers, from, to, step;
} study;

static double simulate(const study *x, const twill_model *m, const char *mode, int reserved)
{
    double alone = x->alone;
    twill_simulated cost = {.size = sizeof cost};
    twill_simulation s = {.size = sizeof s,
                          .sched = x->sched,
                          .workers = x->workers,
                          .mode = mode,
                          .reserved = reserved,
                          .team = alone < 0 ? twill_simulate_seed : twill_simulate_amdahl,
                          .arg = &alone,
                          .dispatch = 2e-7,
                          .wake = 2e-6,
                          .barrier = 1.5e-7};
    OK(twill_simulate(m, &s, &cost));
    return cost.seconds;
}

static times run(const study *x, int64_t n)
{
    times t = {INFINITY, INFINITY, INFINITY};
    for (int nb = x->from; nb <= x->to; nb += x->step) {
        speed s = {x->half, nb};
        if (tiles(&s, n) > TILES)
            continue;
        twill_model *m = x->build(&s, n);
        t.regular = fmin(t.regular, simulate(x, m, "regular", 0));
        t.adaptive = fmin(t.adaptive, simulate(x, m, "adaptive", 0));
        for (int q = 1; q <= MOST; q++)
            t.fixed = fmin(t.fixed, simulate(x, m, "fixed", q));
        twill_model_free(m);
    }
    return t;
}

static void at_most(const study *x, int64_t n, const char *what, double time, double limit)
{
    if (time > limit)
        fail_msg("%s with %d workers, n = %d, %s, half %g, alone %g: %s, %.4g ms and not %.4g",
                 x->build == solve ? "trsm" : "potrf", x->workers, (int)n, x->sched, x->half,
                 x->alone, what, 1e3 * time, 1e3 * limit);
}

static const double models[] = {-1, 0.1}; /* `alone`: see study */
static const char *const policies[] = {"prio", "lws"};

/* Where the path is the limit: nobody had to say how many workers it wants. */
TEST(a_solve_gains_from_a_set_and_the_controller_finds_its_size)
{
    double most = 0;
    for (int p = 0; p < COUNT(policies); p++)
        for (int i = 0; i < COUNT(models); i++)
            for (int workers = 14; workers <= 28; workers += 14)
                for (int64_t n = 2000; n <= 6000; n += 2000) {
                    const study x = {solve, policies[p], 60, models[i], workers, 40, 280, 20};
                    times t = run(&x, n);
                    most = fmax(most, t.regular / t.fixed);
                    at_most(&x, n, "adaptive beside the best fixed size", t.adaptive,
                            1.05 * t.fixed);
                    at_most(&x, n, "adaptive beside regular", t.adaptive, 1.03 * t.regular);
                }
    assert_true(most > 1.4);
}

/* Where it is not: the controller leaves it alone, with every tile size. */
TEST(cholesky_loses_nothing)
{
    for (int p = 0; p < COUNT(policies); p++)
        for (int i = 0; i < COUNT(models); i++)
            for (int workers = 7; workers <= 28; workers += 7)
                for (int64_t n = 1000; n <= 4000; n += 1500)
                    for (int nb = 60; nb <= 300; nb += 80) {
                        const study x = {factor, policies[p], 60, models[i], workers, nb, nb, 1};
                        times t = run(&x, n);
                        at_most(&x, n, "adaptive beside regular", t.adaptive, 1.03 * t.regular);
                    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solve_gains_from_a_set_and_the_controller_finds_its_size),
        cmocka_unit_test(cholesky_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
