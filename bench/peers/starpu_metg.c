/*
 * Peer of `bench metg`: the patterns as StarPU tasks, inserted by the main thread. Data are of the
 * void interface, so that dependencies are all that StarPU has to manage.
 */
#define _GNU_SOURCE
#include "metg.h"
#include "starpu_begin.h"

#include <starpu.h>
#include <stdlib.h>

static starpu_data_handle_t handles[PATTERN_ROWS * PATTERN_WIDTH];

struct point {
    const pattern_graph *graph;
    long step;
    long iterations;
    int point;
};

static void run_point(void *buffers[], void *argument)
{
    const struct point *p = argument;

    (void)buffers;
    metg_point(p->graph, p->step, p->point, p->iterations);
}

static struct starpu_codelet point_codelet = {
    .where = STARPU_CPU,
    .cpu_funcs = {run_point},
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
};

static void submit(struct starpu_task *task)
{
    int failed = starpu_task_submit(task);

    if (failed)
        peer_die("starpu_task_submit: %s", strerror(-failed));
}

static void *allocate(size_t count, size_t size)
{
    void *storage = calloc(count, size);

    if (!storage)
        peer_die("no memory");
    return storage;
}

static void set_access(struct starpu_task *task, int k, starpu_data_handle_t handle,
                       enum starpu_data_access_mode mode)
{
    STARPU_TASK_SET_HANDLE(task, handle, k);
    STARPU_TASK_SET_MODE(task, mode, k);
}

static void insert_point(const pattern_graph *graph, long step, int point, long iterations)
{
    int inputs[PATTERN_WIDTH];
    int count = pattern_inputs(graph, step, point, inputs);
    struct starpu_task *task = starpu_task_create();
    struct point *p = allocate(1, sizeof(*p));

    *p = (struct point){graph, step, iterations, point};
    task->cl = &point_codelet;
    task->cl_arg = p;
    task->cl_arg_size = sizeof(*p);
    task->cl_arg_free = 1;
    task->nbuffers = count + 1;
    if (task->nbuffers > STARPU_NMAXBUFS) {
        task->dyn_handles = allocate((size_t)task->nbuffers, sizeof(*task->dyn_handles));
        task->dyn_modes = allocate((size_t)task->nbuffers, sizeof(*task->dyn_modes));
    }
    for (int k = 0; k < count; k++)
        set_access(task, k, handles[pattern_place(graph, step - 1, inputs[k])], STARPU_R);
    set_access(task, count, handles[pattern_place(graph, step, point)], STARPU_W);
    submit(task);
}

static double time_graph(const pattern_graph *graph, long iterations)
{
    double begin = peer_seconds();

    for (long step = 0; step < graph->steps; step++) {
        int first = pattern_first(graph, step);
        for (int p = first; p < first + pattern_count(graph, step); p++)
            insert_point(graph, step, p, iterations);
    }
    starpu_task_wait_for_all();
    return peer_seconds() - begin;
}

struct lap {
    long iterations;
    double seconds;
};

static void run_loop(void *buffers[], void *argument)
{
    struct lap *lap = argument;

    (void)buffers;
    lap->seconds = metg_loop(lap->iterations);
}

static struct starpu_codelet loop_codelet = {
    .where = STARPU_CPU,
    .cpu_funcs = {run_loop},
};

static double time_plain(int threads, long iterations)
{
    struct lap *laps = allocate((size_t)threads, sizeof(*laps));
    double sum = 0.0;

    for (int t = 0; t < threads; t++) {
        struct starpu_task *task = starpu_task_create();
        laps[t].iterations = iterations;
        task->cl = &loop_codelet;
        task->cl_arg = &laps[t];
        task->cl_arg_size = sizeof(laps[t]);
        submit(task);
    }
    starpu_task_wait_for_all();
    for (int t = 0; t < threads; t++)
        sum += laps[t].seconds;
    free(laps);
    return sum / threads;
}

int main(int argc, char **argv)
{
    int threads;
    pattern_graph graph = metg_parse(argc, argv, &threads);
    const struct metg_system starpu = {time_graph, time_plain};

    starpu_begin(argv[4]);
    for (int i = 0; i < graph.rows * graph.width; i++)
        starpu_void_data_register(&handles[i]);
    metg_serve(&starpu, graph, threads);
    /* Unregistering and shutting down would only take time from the next program. */
    _Exit(0);
}
