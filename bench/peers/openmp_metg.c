/*
 * Peer of `bench metg`: the patterns as OpenMP tasks with depend clauses. Built once with each
 * compiler, since each brings its own runtime.
 */
#include "metg.h"

static void insert_point(const pattern_graph *graph, long step, int point, long iterations)
{
    int inputs[PATTERN_WIDTH];
    int count = pattern_inputs(graph, step, point, inputs);
    const pattern_cell *from = &metg_cells[pattern_place(graph, step + graph->rows - 1, 0)];
    const pattern_cell *to = &metg_cells[pattern_place(graph, step, point)];

    (void)from; /* gcc does not count its use in a clause */
    (void)to;
    /* A list of no dependences would still cost the iterator. */
    if (count == 0) {
#pragma omp task depend(out : *to) firstprivate(graph, step, point, iterations)
        metg_point(graph, step, point, iterations);
        return;
    }
#pragma omp task depend(iterator(int k = 0               \
                                 : count),               \
                        in                               \
                        : from[inputs[k]]) depend(out    \
                                                  : *to) \
    firstprivate(graph, step, point, iterations)
    metg_point(graph, step, point, iterations);
}

static double time_graph(const pattern_graph *graph, long iterations)
{
    double seconds = 0.0;

#pragma omp parallel
#pragma omp single
    {
        double begin = peer_seconds();
        for (long step = 0; step < graph->steps; step++) {
            int first = pattern_first(graph, step);
            for (int p = first; p < first + pattern_count(graph, step); p++)
                insert_point(graph, step, p, iterations);
        }
#pragma omp taskwait
        seconds = peer_seconds() - begin;
    }
    return seconds;
}

static double time_plain(int threads, long iterations)
{
    double sum = 0.0;

#pragma omp parallel reduction(+ : sum)
    sum += metg_loop(iterations);
    return sum / threads;
}

int main(int argc, char **argv)
{
    int threads;
    pattern_graph graph = metg_parse(argc, argv, &threads);
    const struct peer_setting settings[] = {
        {"OMP_NUM_THREADS", argv[4]}, {"OMP_DYNAMIC", "false"},      {"OMP_PLACES", "cores"},
        {"OMP_PROC_BIND", "close"},   {"OMP_WAIT_POLICY", "active"}, {NULL, NULL},
    };
    const struct metg_system openmp = {time_graph, time_plain};

    peer_environment(settings, argv);
    metg_serve(&openmp, graph, threads);
    return 0;
}
