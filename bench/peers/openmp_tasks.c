/*
 * Peer of `bench tasks`: OpenMP tasks with depend clauses and empty bodies. Built once with each
 * compiler, since each brings its own runtime.
 */
#include "tasks.h"

/*
 * libgomp does not bound the number of tasks that wait for others, and every access walks the
 * unfinished earlier readers of its datum. One thread inserts nearly everything before it runs
 * anything, so the time is quadratic: minutes for the usual number of tasks.
 */
enum { ONE_THREAD_TASKS = 10000 };

struct datum {
    _Alignas(64) char bytes[64];
};

static struct datum data[RANDOM_DATA];
static struct datum rows[2][STENCIL_WIDTH];

/* Empty, but the compiler must believe that it is not. */
__attribute__((noinline)) static void body(void *datum)
{
    __asm__ volatile("" : : "r"(datum) : "memory");
}

static void insert_independent(long tasks)
{
    for (long n = 0; n < tasks; n++) {
#pragma omp task
        body(data);
    }
}

static void insert_chain(long tasks)
{
    for (long n = 0; n < tasks; n++) {
#pragma omp task depend(inout : data[0])
        body(data);
    }
}

static void insert_chains(long tasks)
{
    for (long n = 0; n < tasks; n++) {
        struct datum *own = &data[n % CHAINS];
#pragma omp task depend(inout : *own) firstprivate(own)
        body(own);
    }
}

static void insert_stencil(long tasks)
{
    for (long n = 0; n < tasks; n++) {
        long step = n / STENCIL_WIDTH;
        long i = n % STENCIL_WIDTH;
        struct datum *to = &rows[step % 2][i];
        struct datum *middle = &rows[(step + 1) % 2][i];
        struct datum *left = middle - (i > 0);
        struct datum *right = middle + (i < STENCIL_WIDTH - 1);

        if (left == middle) {
#pragma omp task depend(in : *middle, *right) depend(out : *to) firstprivate(to)
            body(to);
        } else if (right == middle) {
#pragma omp task depend(in : *left, *middle) depend(out : *to) firstprivate(to)
            body(to);
        } else {
#pragma omp task depend(in : *left, *middle, *right) depend(out : *to) firstprivate(to)
            body(to);
        }
    }
}

static void insert_fan(long tasks)
{
    for (long n = 0; n < tasks; n++) {
        if (n % (1 + FAN_READERS) == 0) {
#pragma omp task depend(inout : data[0])
            body(data);
        } else {
#pragma omp task depend(in : data[0])
            body(data);
        }
    }
}

static void insert_random(long tasks)
{
    uint64_t state = RANDOM_SEED;

    for (long n = 0; n < tasks; n++) {
        struct random_pick drawn = random_next(&state);
        struct datum *a = &data[drawn.read[0]];
        struct datum *b = &data[drawn.read[1]];
        struct datum *c = &data[drawn.update];
#pragma omp task depend(in : *a, *b) depend(inout : *c) firstprivate(c)
        body(c);
    }
}

static const struct task_case cases[] = {
    {"independent", insert_independent},
    {"chain", insert_chain},
    {"chains64", insert_chains},
    {"stencil", insert_stencil},
    {"fan", insert_fan},
    {"random", insert_random},
    {NULL, NULL},
};

static double time_tasks(const struct task_run *run)
{
    double seconds = 0.0;

#pragma omp parallel
#pragma omp single
    {
        run->chosen->insert(WARM_UP_TASKS);
#pragma omp taskwait
        double begin = peer_seconds();
        run->chosen->insert(run->tasks);
#pragma omp taskwait
        seconds = peer_seconds() - begin;
    }
    return seconds;
}

int main(int argc, char **argv)
{
    struct task_run run = task_run_parse(argc, argv, cases);
    const struct peer_setting settings[] = {
        {"OMP_NUM_THREADS", argv[3]}, {"OMP_DYNAMIC", "false"},      {"OMP_PLACES", "cores"},
        {"OMP_PROC_BIND", "close"},   {"OMP_WAIT_POLICY", "active"}, {NULL, NULL},
    };

    peer_environment(settings, argv);
    if (run.threads == 1 && run.tasks > ONE_THREAD_TASKS)
        run.tasks = ONE_THREAD_TASKS;
    task_run_print(time_tasks(&run), run.tasks);
    return 0;
}
