/*
 * The cases of `bench tasks`, as far as they do not depend on the system that runs them: their
 * sizes, the data that the random case draws, and the command line CASE TASKS THREADS.
 */
#ifndef TWILL_BENCH_PEERS_TASKS_H
#define TWILL_BENCH_PEERS_TASKS_H

#include "peer.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    CHAINS = 64,
    STENCIL_WIDTH = 64,
    FAN_READERS = 64,
    RANDOM_DATA = 256,
    WARM_UP_TASKS = 1000,
};

/* A case inserts that many tasks and returns without waiting for them. */
struct task_case {
    const char *name;
    void (*insert)(long tasks);
};

struct task_run {
    const struct task_case *chosen;
    long tasks;
    int threads;
};

static inline struct task_run task_run_parse(int argc, char **argv, const struct task_case *cases)
{
    struct task_run run = {0};

    if (argc != 4)
        peer_die("usage: CASE TASKS THREADS");
    for (const struct task_case *c = cases; c->name; c++) {
        if (strcmp(c->name, argv[1]) == 0)
            run.chosen = c;
    }
    if (!run.chosen)
        peer_die("no case '%s'", argv[1]);
    run.tasks = peer_number(argv[2], "TASKS", 1, 1000000000);
    run.threads = (int)peer_number(argv[3], "THREADS", 1, 4096);
    return run;
}

static inline void task_run_print(double seconds, long tasks)
{
    printf("%.1f\n", 1e9 * seconds / (double)tasks);
}

/* Numbers of the data that one task of the random case uses, all different. */
struct random_pick {
    unsigned read[2];
    unsigned update;
};

#define RANDOM_SEED UINT64_C(88172645463325252)

static inline unsigned random_draw(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return (unsigned)((x >> 33) % RANDOM_DATA);
}

static inline struct random_pick random_next(uint64_t *state)
{
    struct random_pick drawn;

    drawn.read[0] = random_draw(state);
    do {
        drawn.read[1] = random_draw(state);
    } while (drawn.read[1] == drawn.read[0]);
    do {
        drawn.update = random_draw(state);
    } while (drawn.update == drawn.read[0] || drawn.update == drawn.read[1]);
    return drawn;
}

#endif
