/* twill bench trace: how much slower a run is while it is recorded. */
#include "bench/bench.h"
#include "command/system.h"

#include <inttypes.h>

typedef struct values {
    int64_t n, tasks, workers, repeat;
    const char *which;
    bool json;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_CHOICE("case", "potrf|tasks", "only this one", AT(which)),
    OPTION_IS_INTEGER("n", "N", "order of the matrix of potrf (4000)", AT(n), 1, 1000000),
    OPTION_IS_INTEGER("tasks", "N", "tasks of 1 us (200000)", AT(tasks), 1, 1000000000),
    OPTION_IS_INTEGER("workers", "P", "workers (one per core)", AT(workers), 1, 1024),
    OPTION_IS_INTEGER("repeat", "R", "pairs of runs, of which the median counts (15)", AT(repeat),
                      1, BENCH_RUNS),
    OPTION_IS_FLAG("json", "one JSON object per case", AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "bench trace",
    .about = "Slow-down by recording: pairs of runs, without and with it, in turn.",
    .tables = {own_options}};

/* One case: what to do once, and how long that took. */
typedef struct subject {
    twill *tw;
    const values *v;
    twill_array *a;
    int64_t rounds; /* of the loop that takes 1 us */
} subject;

typedef twill_status run_once(const subject *s, double *seconds);

/* ---- potrf --------------------------------------------------------------------------------- */

static twill_status run_potrf(const subject *s, double *seconds)
{
    int64_t info;
    twill_status status = twill_fill_spd(s->a, 42);
    if (status != TWILL_OK)
        return status;
    double start = system_seconds();
    status = twill_potrf(TWILL_LOWER, s->a, &info);
    *seconds = system_seconds() - start;
    return status;
}

/* ---- tasks of 1 us ------------------------------------------------------------------------- */

static uint64_t spin(int64_t rounds)
{
    uint64_t x = 88172645463325252u;
    for (int64_t i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

static twill_outcome spin_body(twill_task *task)
{
    /* never true, which the compiler does not know */
    return spin(twill_task_int(task, 0)) ? TWILL_DONE : TWILL_ERROR;
}

static const twill_class spin_class = {.size = sizeof(twill_class),
                                       .name = "spin",
                                       .chores = {TWILL_CPU(spin_body)},
                                       .parameters = "rounds"};

/* How many rounds take a microsecond: the best of some tries, since the machine may be busy. */
static int64_t calibrate(void)
{
    enum { ROUNDS = 200000, TRIES = 10 };
    double best = 1;
    uint64_t sum = 0;
    for (int i = 0; i < TRIES; i++) {
        double start = system_seconds();
        sum += spin(ROUNDS);
        double seconds = system_seconds() - start;
        best = seconds < best && seconds > 0 ? seconds : best;
    }
    int64_t rounds = (int64_t)(ROUNDS * 1e-6 / best);
    return rounds > 0 && sum ? rounds : 1;
}

static twill_status run_tasks(const subject *s, double *seconds)
{
    twill_graph *graph;
    twill_status status = twill_stf_begin(s->tw, &graph);
    if (status != TWILL_OK)
        return status;
    double start = system_seconds();
    for (int64_t i = 0; i < s->v->tasks && status == TWILL_OK; i++)
        status = twill_insert(graph, &spin_class, TWILL_INT(s->rounds));
    twill_status waited = twill_wait(graph);
    *seconds = system_seconds() - start;
    twill_graph_free(graph);
    return status == TWILL_OK ? waited : status;
}

/* ---- pairs --------------------------------------------------------------------------------- */

/* Medians over the pairs. */
typedef struct outcome {
    double off, on, slowdown; /* seconds, seconds, and per cent */
    int64_t tasks, lost;
} outcome;

static twill_status run_recorded(const subject *s, run_once *once, double *seconds, outcome *o)
{
    twill_stats stats = {.size = sizeof(twill_stats)};
    twill_trace *trace;
    twill_status status = twill_trace_begin(s->tw);
    if (status != TWILL_OK)
        return status;
    status = once(s, seconds);
    twill_status ended = twill_trace_end(s->tw, &trace);
    if (ended != TWILL_OK)
        return ended;
    twill_trace_stats(trace, &stats);
    o->tasks = stats.tasks;
    o->lost += stats.lost;
    twill_trace_free(trace);
    return status;
}

static twill_status measure(const subject *s, run_once *once, outcome *o)
{
    double off[BENCH_RUNS], on[BENCH_RUNS], ratio[BENCH_RUNS], warm_up;
    int n = (int)s->v->repeat;
    *o = (outcome){0};
    twill_status status = once(s, &warm_up);
    for (int i = 0; i < n && status == TWILL_OK; i++) {
        bool first = i % 2; /* take turns in going first */
        if (first)
            status = run_recorded(s, once, &on[i], o);
        if (status == TWILL_OK)
            status = once(s, &off[i]);
        if (!first && status == TWILL_OK)
            status = run_recorded(s, once, &on[i], o);
        ratio[i] = status == TWILL_OK ? on[i] / off[i] : 1;
    }
    if (status != TWILL_OK)
        return status;
    o->off = bench_median(off, n);
    o->on = bench_median(on, n);
    o->slowdown = 100 * (bench_median(ratio, n) - 1);
    return TWILL_OK;
}

static void print(const values *v, const char *which, const outcome *o)
{
    if (!v->json) {
        printf("%-12s %10.3f ms %10.3f ms %+9.2f%%  %9" PRId64 " tasks", which, 1e3 * o->off,
               1e3 * o->on, o->slowdown, o->tasks);
        if (o->lost)
            printf("  %" PRId64 " records lost", o->lost);
        printf("\n");
        fflush(stdout);
        return;
    }
    json j;
    bench_open(&j, "trace", which, "twill", o->slowdown, "%");
    json_real(&j, "off", o->off);
    json_real(&j, "on", o->on);
    json_integer(&j, "tasks", o->tasks);
    json_integer(&j, "lost", o->lost);
    bench_close(&j);
}

static twill_status run_cases(subject *s)
{
    const values *v = s->v;
    outcome o;
    char which[BENCH_CASE];
    twill_status status = TWILL_OK;
    if (!v->json)
        printf("%d workers, median of %" PRId64 " pairs\n%-12s %13s %13s %10s\n",
               twill_workers(s->tw), v->repeat, "case", "off", "on", "slow-down");
    if (!v->which || v->which[0] == 'p') {
        snprintf(which, sizeof which, "potrf n=%" PRId64, v->n);
        status = twill_matrix_create(s->tw, TWILL_FLOAT64, v->n, v->n, &s->a);
        if (status == TWILL_OK)
            status = measure(s, run_potrf, &o);
        twill_array_free(s->a);
        if (status == TWILL_OK)
            print(v, which, &o);
    }
    if (status == TWILL_OK && (!v->which || v->which[0] == 't')) {
        s->rounds = calibrate();
        status = measure(s, run_tasks, &o);
        if (status == TWILL_OK)
            print(v, "tasks 1 us", &o);
    }
    return status;
}

static int run(int argc, char **argv)
{
    values v = {.n = 4000, .tasks = 200000, .repeat = 15};
    subject s = {.v = &v};
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    status = context_start(options.command, v.workers, NULL, &s.tw);
    if (status != STATUS_OK)
        return status;
    twill_status done = run_cases(&s);
    status = done == TWILL_OK ? STATUS_OK : complain_library(options.command, done, NULL);
    twill_stop(s.tw);
    return status;
}

const bench bench_trace = {"trace", &options, run};
