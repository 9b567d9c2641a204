/*
 * The programs behind `bench metg`, as far as they do not depend on the system that runs the
 * patterns: the command line PATTERN WIDTH ROWS THREADS, and the server loop. A request is a line
 * ITERATIONS STEPS. The answer is the time of the graph in microseconds; without steps it is the
 * rate of the kernel in a plain loop, in iterations per microsecond of all threads together.
 */
#ifndef TWILL_BENCH_PEERS_METG_H
#define TWILL_BENCH_PEERS_METG_H

#include "patterns.h"
#include "peer.h"

#include <stdio.h>

/* What a system does: both return seconds, of the graph and of one thread's loop on average. */
struct metg_system {
    double (*graph)(const pattern_graph *graph, long iterations);
    double (*plain)(int threads, long iterations);
};

static inline pattern_graph metg_parse(int argc, char **argv, int *threads)
{
    pattern_graph graph = {0};

    if (argc != 5)
        peer_die("usage: PATTERN WIDTH ROWS THREADS");
    graph.pattern = pattern_find(argv[1]);
    if (!graph.pattern)
        peer_die("no pattern '%s'", argv[1]);
    graph.width = (int)peer_number(argv[2], "WIDTH", 1, PATTERN_WIDTH);
    graph.rows = (int)peer_number(argv[3], "ROWS", 2, PATTERN_ROWS);
    *threads = (int)peer_number(argv[4], "THREADS", 1, 4096);
    return graph;
}

static inline void metg_serve(const struct metg_system *system, pattern_graph graph, int threads)
{
    char line[128];
    long iterations;

    while (fgets(line, sizeof(line), stdin)) {
        if (sscanf(line, "%ld %ld", &iterations, &graph.steps) != 2 || iterations < 1)
            peer_die("a request is ITERATIONS STEPS, not %s", line);
        if (graph.steps > 0)
            printf("%.3f\n", 1e6 * system->graph(&graph, iterations));
        else
            printf("%.3f\n",
                   1e-6 * threads * (double)iterations / system->plain(threads, iterations));
        fflush(stdout);
    }
}

static pattern_cell metg_cells[PATTERN_ROWS * PATTERN_WIDTH];

/* The body of a task. Ends the process when what it reads is not of the step before. */
static inline void metg_point(const pattern_graph *graph, long step, int point, long iterations)
{
    int inputs[PATTERN_WIDTH];
    int count = pattern_inputs(graph, step, point, inputs);

    for (int k = 0; k < count; k++) {
        if (metg_cells[pattern_place(graph, step - 1, inputs[k])].step != step)
            peer_die("a task of step %ld read something else", step);
    }
    pattern_compute(iterations);
    metg_cells[pattern_place(graph, step, point)].step = step + 1;
}

static inline double metg_loop(long iterations)
{
    double begin = peer_seconds();

    pattern_compute(iterations);
    return peer_seconds() - begin;
}

#endif
