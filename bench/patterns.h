/*
 * The graphs of `bench metg`, after Task Bench (Slaughter et al., SC 2020), as Twill and its peers
 * all run them: steps of `width` points; point i of step t reads some points of step t - 1 and
 * then computes for a given number of iterations. Nothing here depends on a runtime.
 */
#ifndef TWILL_BENCH_PATTERNS_H
#define TWILL_BENCH_PATTERNS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    PATTERN_WIDTH = 64,  /* most points of a step */
    PATTERN_ROWS = 1024, /* most rows */
    PATTERN_RADIX = 5,   /* points that nearest, spread and random_nearest reach for */
    PATTERN_PERIOD = 3   /* steps after which spread and random_nearest repeat */
};

typedef struct pattern pattern;

typedef struct pattern_graph {
    const pattern *pattern;
    int width;
    int rows; /* where steps put their results in turn, at least 2 */
    long steps;
} pattern_graph;

/* A pattern lists the points of the step before that a point would like to read; those that the
 * step before does not have are dropped afterwards. */
struct pattern {
    const char *name;
    int (*wishes)(const pattern_graph *g, long step, int point, int *list);
    bool wraps; /* may list a point twice */
    enum { PATTERN_FULL, PATTERN_DIAMOND, PATTERN_DOUBLING } shape;
};

static inline int pattern_range(int first, int last, int *list)
{
    int n = 0;
    for (int p = first; p <= last; p++)
        list[n++] = p;
    return n;
}

static inline int pattern_none(const pattern_graph *g, long step, int point, int *list)
{
    (void)g, (void)step, (void)point, (void)list;
    return 0;
}

static inline int pattern_self(const pattern_graph *g, long step, int point, int *list)
{
    (void)g, (void)step;
    return pattern_range(point, point, list);
}

static inline int pattern_neighbours(const pattern_graph *g, long step, int point, int *list)
{
    (void)g, (void)step;
    return pattern_range(point - 1, point + 1, list);
}

static inline int pattern_ring(const pattern_graph *g, long step, int point, int *list)
{
    (void)step;
    list[0] = point > 0 ? point - 1 : g->width - 1;
    list[1] = point;
    list[2] = point < g->width - 1 ? point + 1 : 0;
    return 3;
}

static inline int pattern_sweep(const pattern_graph *g, long step, int point, int *list)
{
    (void)g, (void)step;
    return pattern_range(point - 1, point, list);
}

static inline int pattern_parent(const pattern_graph *g, long step, int point, int *list)
{
    (void)g, (void)step;
    return pattern_range(point / 2, point / 2, list);
}

static inline int pattern_butterfly(const pattern_graph *g, long step, int point, int *list)
{
    int levels = 1;
    while (1 << levels < g->width)
        levels++;
    int distance = 1 << ((step - 1) % levels);
    list[0] = point - distance;
    list[1] = point;
    list[2] = point + distance;
    return 3;
}

static inline int pattern_everybody(const pattern_graph *g, long step, int point, int *list)
{
    (void)step, (void)point;
    return pattern_range(0, g->width - 1, list);
}

static inline int pattern_near(const pattern_graph *g, long step, int point, int *list)
{
    (void)g, (void)step;
    return pattern_range(point - PATTERN_RADIX / 2, point + PATTERN_RADIX / 2, list);
}

static inline int pattern_spread(const pattern_graph *g, long step, int point, int *list)
{
    int shift = (int)(step % PATTERN_PERIOD);
    for (int k = 0; k < PATTERN_RADIX; k++)
        list[k] = (point + k * g->width / PATTERN_RADIX + (k ? shift : 0)) % g->width;
    return PATTERN_RADIX;
}

/* One of four pairs of neighbours, always the same ones. */
static inline bool pattern_drawn(long set, int point, int other)
{
    uint64_t x = (uint64_t)set << 32 | (uint64_t)(point << 16 | other);
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (x >> 32) % 4 == 0;
}

static inline int pattern_some_near(const pattern_graph *g, long step, int point, int *list)
{
    int near[PATTERN_RADIX], n = 0, all = pattern_near(g, step, point, near);
    for (int k = 0; k < all; k++)
        if (near[k] == point ||
            (near[k] >= 0 && pattern_drawn(step % PATTERN_PERIOD, point, near[k])))
            list[n++] = near[k];
    return n;
}

static const pattern patterns[] = {
    {"trivial", pattern_none, false, PATTERN_FULL},
    {"no_comm", pattern_self, false, PATTERN_FULL},
    {"stencil_1d", pattern_neighbours, false, PATTERN_FULL},
    {"stencil_1d_periodic", pattern_ring, true, PATTERN_FULL},
    {"dom", pattern_sweep, false, PATTERN_DIAMOND},
    {"tree", pattern_parent, false, PATTERN_DOUBLING},
    {"fft", pattern_butterfly, false, PATTERN_FULL},
    {"all_to_all", pattern_everybody, false, PATTERN_FULL},
    {"nearest", pattern_near, false, PATTERN_FULL},
    {"spread", pattern_spread, true, PATTERN_FULL},
    {"random_nearest", pattern_some_near, false, PATTERN_FULL},
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

/* NULL when there is none of that name. */
static inline const pattern *pattern_find(const char *name)
{
    for (int i = 0; i < PATTERNS; i++)
        if (strcmp(patterns[i].name, name) == 0)
            return &patterns[i];
    return NULL;
}

static inline long pattern_least(long a, long b)
{
    return a < b ? a : b;
}

/* The points of a step: the first of them, and how many there are. */
static inline int pattern_first(const pattern_graph *g, long step)
{
    long first = step + g->width - g->steps;
    return g->pattern->shape == PATTERN_DIAMOND && first > 0 ? (int)first : 0;
}

static inline int pattern_count(const pattern_graph *g, long step)
{
    long count = g->width;
    if (g->pattern->shape == PATTERN_DIAMOND)
        count = pattern_least(count, pattern_least(step + 1, g->steps - step));
    else if (g->pattern->shape == PATTERN_DOUBLING)
        count = pattern_least(count, 1L << pattern_least(step, 30));
    return (int)count;
}

static inline int64_t pattern_tasks(const pattern_graph *g)
{
    int64_t tasks = 0;
    for (long t = 0; t < g->steps; t++)
        tasks += pattern_count(g, t);
    return tasks;
}

/* The points of the step before that a point reads, each once; returns how many. */
static inline int pattern_inputs(const pattern_graph *g, long step, int point, int *inputs)
{
    if (step == 0)
        return 0;
    int first = pattern_first(g, step - 1), end = first + pattern_count(g, step - 1);
    int wishes = g->pattern->wishes(g, step, point, inputs), n = 0;
    for (int k = 0; k < wishes; k++) {
        bool take = inputs[k] >= first && inputs[k] < end;
        for (int m = 0; m < n && g->pattern->wraps; m++)
            take &= inputs[m] != inputs[k];
        inputs[n] = inputs[k];
        n += take;
    }
    return n;
}

/* What a point hands to the next step. A line each, since neighbours run on different cores. */
typedef struct pattern_cell {
    _Alignas(64) long step; /* that wrote it last, counted from 1 */
} pattern_cell;

/* Where the result of a point is, among rows * width of them. */
static inline int pattern_place(const pattern_graph *g, long step, int point)
{
    return (int)(step % g->rows) * g->width + point;
}

/* The kernel: multiply-adds in registers. A function of its own, so that it is the same code in a
 * task as in a plain loop. */
__attribute__((noinline, unused)) static void pattern_compute(long iterations)
{
    enum { LANES = 16 };
    double lane[LANES];
    for (int l = 0; l < LANES; l++)
        lane[l] = l;
    for (long k = 0; k < iterations; k++)
        for (int l = 0; l < LANES; l++)
            lane[l] = lane[l] * 0.5 + 0.25;
    for (int l = 0; l < LANES; l++)
        __asm__ volatile("" : : "x"(lane[l]));
}

#endif
