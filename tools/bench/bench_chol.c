/* twill bench chol: the graph of the Cholesky factorization, with bodies that do nothing. */
#include "bench/bench.h"
#include "cholesky.h"
#include "command/progress.h"
#include "command/system.h"

#include <inttypes.h>
#include <string.h>

typedef struct values {
    int64_t nt, workers, repeat;
    const char *front;
    bool json;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_CHOICE("front", "stf|ptg", "how the graph is made (stf)", AT(front)),
    OPTION_IS_INTEGER("nt", "NT", "tiles in a row (100)", AT(nt), 1, 2000),
    OPTION_IS_INTEGER("workers", "P", "workers (one per core)", AT(workers), 1, 1024),
    OPTION_IS_INTEGER("repeat", "R", "runs, of which the median counts (5)", AT(repeat), 1,
                      BENCH_RUNS),
    OPTION_IS_FLAG("json", "JSON objects, and nothing else", AT(json)),
    OPTION_END};

static const option_set options = {.command = "bench chol",
                                   .about =
                                       "Time per task of the Cholesky graph with empty bodies.",
                                   .tables = {own_options}};

/* The algorithm of potrf, lower triangle. */
static twill_status insert(twill_graph *g, twill_array *a, int64_t nt)
{
    const twill_class *empty = &bench_empty;
    twill_status status = TWILL_OK;
    for (int64_t k = 0; k < nt && status == TWILL_OK; k++) {
        twill_tile *pivot = twill_tile_at(a, k, k);
        status = twill_insert(g, empty, TWILL_RW(pivot));
        for (int64_t i = k + 1; i < nt && status == TWILL_OK; i++)
            status = twill_insert(g, empty, TWILL_R(pivot), TWILL_RW(twill_tile_at(a, i, k)));
        for (int64_t i = k + 1; i < nt && status == TWILL_OK; i++) {
            twill_tile *row = twill_tile_at(a, i, k);
            status = twill_insert(g, empty, TWILL_R(row), TWILL_RW(twill_tile_at(a, i, i)));
            for (int64_t j = k + 1; j < i && status == TWILL_OK; j++)
                status = twill_insert(g, empty, TWILL_R(row), TWILL_R(twill_tile_at(a, j, k)),
                                      TWILL_RW(twill_tile_at(a, i, j)));
        }
    }
    return status;
}

/* One run. */
typedef struct timing {
    double seconds;
    int64_t pending; /* most instances that waited at one time; -1: nobody counts them */
} timing;

static twill_status run_stf(twill *tw, twill_array *a, int64_t nt, timing *t)
{
    twill_graph *graph;
    twill_status status = twill_stf_begin(tw, &graph);
    if (status != TWILL_OK)
        return status;
    double start = system_seconds();
    status = insert(graph, a, nt);
    twill_status waited = twill_wait(graph);
    *t = (timing){system_seconds() - start, -1};
    twill_graph_free(graph);
    return status == TWILL_OK ? waited : status;
}

static twill_status run_ptg(twill *tw, twill_array *a, int64_t nt, timing *t)
{
    twill_graph *graph;
    twill_status status = twill_cholesky_new(tw, a, nt, &graph);
    if (status != TWILL_OK)
        return status;
    double start = system_seconds();
    status = twill_ptg_run(graph);
    if (status == TWILL_OK)
        status = twill_wait(graph);
    *t = (timing){system_seconds() - start, twill_ptg_most_pending(graph)};
    twill_graph_free(graph);
    return status;
}

typedef struct front {
    const char *name, *system;
    twill_status (*run)(twill *tw, twill_array *a, int64_t nt, timing *t);
} front;

static const front fronts[] = {{"stf", "twill", run_stf}, {"ptg", "twill-ptg", run_ptg}};

static const front *front_of(const values *v)
{
    const front *f = fronts;
    while (strcmp(f->name, v->front) != 0)
        f++;
    return f;
}

static void print_object(const values *v, int64_t tasks, double value, const char *unit)
{
    char which[BENCH_CASE];
    json j;
    snprintf(which, sizeof which, "nt=%" PRId64, v->nt);
    bench_open(&j, "chol", which, front_of(v)->system, value, unit);
    json_integer(&j, "tasks", tasks);
    bench_close(&j);
}

static void print(const values *v, const twill *tw, int64_t tasks, const timing *t)
{
    double ns = 1e9 * t->seconds / (double)tasks, rate = (double)tasks / t->seconds;
    if (v->json) {
        print_object(v, tasks, ns, "ns/task");
        print_object(v, tasks, rate, "tasks/s");
        if (t->pending >= 0)
            print_object(v, tasks, (double)t->pending, "pending");
        return;
    }
    printf("nt %" PRId64 "  %" PRId64 " tasks  %d workers  %s  %.1f ns/task  %.3g tasks/s", v->nt,
           tasks, twill_workers(tw), v->front, ns, rate);
    if (t->pending >= 0)
        printf("  at most %" PRId64 " pending (%.2f NT^2)", t->pending,
               (double)t->pending / (double)(v->nt * v->nt));
    printf("\n");
}

/* The median time, and the most that ever waited. */
static twill_status measure(const values *v, twill *tw, twill_array *a, timing *t)
{
    double seconds[BENCH_RUNS];
    const front *f = front_of(v);
    int64_t pending = -1;
    twill_status status = f->run(tw, a, v->nt < 20 ? v->nt : 20, t);
    for (int64_t r = 0; r < v->repeat && status == TWILL_OK; r++) {
        status = f->run(tw, a, v->nt, t);
        seconds[r] = t->seconds;
        pending = t->pending > pending ? t->pending : pending;
    }
    if (status == TWILL_OK)
        *t = (timing){bench_median(seconds, (int)v->repeat), pending};
    return status;
}

static int run_all(const values *v, twill *tw)
{
    timing t;
    int64_t tasks = v->nt * (v->nt + 1) * (v->nt + 2) / 6;
    twill_array *a;
    twill_pattern pattern = twill_tiled(v->nt, v->nt, 1, 1);
    twill_status status = twill_array_create(tw, &pattern, TWILL_BYTES, 8, &a);
    if (status != TWILL_OK)
        return complain_library(options.command, status, "--nt");
    progress_phase(options.command, tasks * v->repeat);
    status = measure(v, tw, a, &t);
    twill_array_free(a);
    if (status != TWILL_OK)
        return complain_library(options.command, status, NULL);
    progress_hide();
    print(v, tw, tasks, &t);
    return STATUS_OK;
}

static int run(int argc, char **argv)
{
    values v = {.nt = 100, .repeat = 5, .front = "stf"};
    twill *tw;
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    status = context_start(options.command, v.workers, NULL, &tw);
    if (status != STATUS_OK)
        return status;
    status = run_all(&v, tw);
    context_stop(tw);
    return status;
}

const bench bench_chol = {"chol", &options, run};
