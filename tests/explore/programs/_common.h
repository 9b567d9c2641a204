/* What the exploring programs share: a context, numbers that belong to the seed, checks.
 *
 * Each program is one run: it does a little work, checks its result exactly and returns 0. Workers
 * and scheduler come from the environment (TWILL_WORKERS, TWILL_SCHED). Without the exploring
 * runtime a program runs as it is, its numbers drawn by rand. */
#ifndef EXPLORE_PROGRAMS_COMMON_H
#define EXPLORE_PROGRAMS_COMMON_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <twill/ptg.h>
#include <twill/twill.h>

#include "explore.h"

/* A number below n. */
static inline unsigned draw(unsigned n)
{
    return explore_random ? explore_random(n) : (unsigned)rand() % n;
}

/* Something was achieved: the run is not an endless one. */
static inline void progress(void)
{
    if (explore_progress)
        explore_progress();
}

/* The result is wrong: the run ends here. */
static inline void wrong(const char *what)
{
    if (explore_wrong)
        explore_wrong(what);
    fprintf(stderr, "wrong: %s (%s)\n", what, twill_message());
    exit(1);
}

static inline void must(bool good, const char *what)
{
    if (!good)
        wrong(what);
}

static inline void succeed(twill_status status, const char *what)
{
    must(status == TWILL_OK, what);
}

static inline void nap_ns(long ns)
{
    nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
}

/* A context whose workers soon sleep: long searches make long runs, and find nothing more. */
static inline twill *start_with(twill_options o)
{
    char seed[16];
    twill *tw = NULL;
    snprintf(seed, sizeof seed, "%u", draw(1000));
    o.size = sizeof o;
    o.bind = "off";
    o.sched_seed = seed;
    if (!o.spin_us)
        o.spin_us = 1 + draw(3);
    succeed(twill_start(&tw, &o), "twill_start");
    return tw;
}

static inline twill *start(void)
{
    return start_with((twill_options){0});
}

static inline twill_graph *begin(twill *tw)
{
    twill_graph *g = NULL;
    succeed(twill_stf_begin(tw, &g), "twill_stf_begin");
    return g;
}

/* An array of 64-bit integers, one to a tile, zero at first. */
static inline twill_array *integers(twill *tw, int64_t n)
{
    twill_array *a = NULL;
    twill_pattern p = twill_tiled(n, 1, 1, 1);
    succeed(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a), "twill_array_create");
    return a;
}

static inline int64_t read_integer(twill_array *a, int64_t i)
{
    void *data = NULL;
    int64_t ld;
    twill_view v = twill_view_tile(a, i, 0);
    succeed(twill_map(v, TWILL_READ, &data, &ld), "twill_map");
    int64_t value = *(int64_t *)data;
    succeed(twill_unmap(v, data), "twill_unmap");
    return value;
}

static inline pthread_t thread(void *(*body)(void *), void *arg)
{
    pthread_t t;
    must(pthread_create(&t, NULL, body, arg) == 0, "pthread_create");
    return t;
}

/* Every one of n counts is 1: each task ran once. */
static inline void each_once(const atomic_int *count, int n)
{
    for (int i = 0; i < n; i++)
        must(atomic_load(&count[i]) == 1, count[i] ? "a task ran twice" : "a task did not run");
}

#endif
