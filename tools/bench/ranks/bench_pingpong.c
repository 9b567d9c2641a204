/* twill bench pingpong: what a message between two ranks costs, from the body of one task to the
 * body of the next, beside MPI itself in the same processes. */
#include "bench/bench.h"
#include "bench/ranks/sizes_plot.h"
#include "bench/ranks/watch.h"
#include "mpi/raw.h"

#include "pingpong.h" /* what twillc makes needs the types above */

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    int64_t smallest, largest, rounds, repeat;
    const char *plot;
    bool json;
} values;

#define AT(field) offsetof(values, field)

enum { SMALLEST = 8, LARGEST = 16 << 20, MOST = 1 << 30, FACTOR = 2 };

static const option own_options[] = {
    OPTION_IS_INTEGER("from", "BYTES", "smallest message (8)", AT(smallest), SMALLEST, MOST),
    OPTION_IS_INTEGER("to", "BYTES", "largest message (16777216)", AT(largest), SMALLEST, MOST),
    OPTION_IS_INTEGER("rounds", "N", "rounds of a run (some milliseconds' worth)", AT(rounds), 1,
                      1000000),
    OPTION_IS_INTEGER("repeat", "R", "interleaved runs, of which the median counts (15)",
                      AT(repeat), 1, BENCH_RUNS),
    OPTION_IS_TEXT("plot", "PREFIX",
                   "where the plots go: PREFIX-latency.svg, PREFIX-bandwidth.svg (pingpong)",
                   AT(plot)),
    OPTION_IS_FLAG("json", "JSON objects instead of a table", AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "bench pingpong",
    .about = "Latency and bandwidth between tasks of two ranks (mpirun -np 2), beside MPI.",
    .tables = {own_options}};

/* One rank. */
typedef struct player {
    twill *tw;
    const values *v;
    const mpi_raw *raw;
    void *bytes; /* for MPI */
} player;

/* Medians for messages of one size. */
typedef struct outcome {
    int64_t bytes;
    double twill_us, mpi_us; /* half a round */
} outcome;

/* So many that a run takes some milliseconds. */
static int rounds_of(const values *v, int64_t bytes)
{
    enum { SMALL = 1000, AMOUNT = 64 << 20, FEW = 8 };
    int64_t n = AMOUNT / bytes;
    if (v->rounds)
        return (int)v->rounds;
    return n > SMALL ? SMALL : n < FEW ? FEW : (int)n;
}

static double half_round(double seconds, int rounds)
{
    return 1e6 * seconds / (2.0 * rounds);
}

/* ---- Twill ------------------------------------------------------------------------------- */

static twill_status run_graph(const player *p, twill_array *a, int rounds, double *us)
{
    pingpong_watch watch = {0};
    twill_graph *graph;
    twill_status status = twill_pingpong_new(p->tw, a, rounds + 1, &watch, &graph);
    if (status != TWILL_OK)
        return status;
    status = twill_ptg_run(graph);
    if (status == TWILL_OK)
        status = twill_wait(graph);
    twill_graph_free(graph);
    *us = half_round(watch.end - watch.start, rounds);
    return status;
}

static twill_status run_twill(const player *p, int64_t bytes, double *us)
{
    const int64_t n = bytes / SMALLEST;
    twill_pattern pattern = twill_block_cyclic(2 * n, 1, n, 1, 2, 1);
    twill_array *a;
    twill_status status = twill_array_create(p->tw, &pattern, TWILL_BYTES, SMALLEST, &a);
    if (status == TWILL_OK) {
        status = run_graph(p, a, rounds_of(p->v, bytes), us);
        twill_array_free(a);
    }
    return status;
}

/* ---- both -------------------------------------------------------------------------------- */

static bool run_mpi(const player *p, int64_t bytes, double *us)
{
    int rounds = rounds_of(p->v, bytes);
    double seconds = 0;
    int code = p->raw->pingpong(p->bytes, (int)bytes, rounds, &seconds);
    *us = half_round(seconds, rounds);
    if (code)
        complain(options.command, "%s: error %d in a ping-pong without Twill", p->raw->name, code);
    return code == 0;
}

/* Runs in turn; the first of each only warms up. */
static int measure(const player *p, int64_t bytes, outcome *o)
{
    double own[BENCH_RUNS], raw[BENCH_RUNS], warm_up;
    int n = (int)p->v->repeat;
    *o = (outcome){.bytes = bytes};
    for (int i = -1; i < n; i++) {
        twill_status status = run_twill(p, bytes, i < 0 ? &warm_up : &own[i]);
        if (status != TWILL_OK)
            return complain_library(options.command, status, NULL);
        if (!run_mpi(p, bytes, i < 0 ? &warm_up : &raw[i]))
            return STATUS_SYSTEM;
    }
    o->twill_us = bench_median(own, n);
    o->mpi_us = bench_median(raw, n);
    return STATUS_OK;
}

static double gigabytes(const outcome *o, double us)
{
    return 1e-3 * (double)o->bytes / us;
}

static void print_object(const outcome *o, const char *which, const char *system, double value,
                         const char *unit)
{
    json j;
    bench_open(&j, "pingpong", which, system, value, unit);
    json_integer(&j, "bytes", o->bytes);
    bench_close(&j);
}

static void print(const values *v, const outcome *o)
{
    if (!v->json) {
        printf("%10" PRId64 " %10.2f %10.2f %8.2f %12.3f %10.3f %8.1f%%\n", o->bytes, o->twill_us,
               o->mpi_us, o->twill_us - o->mpi_us, gigabytes(o, o->twill_us),
               gigabytes(o, o->mpi_us), 100 * o->mpi_us / o->twill_us);
        fflush(stdout);
        return;
    }
    print_object(o, "latency", "twill", o->twill_us, "us");
    print_object(o, "latency", "mpi", o->mpi_us, "us");
    print_object(o, "bandwidth", "twill", gigabytes(o, o->twill_us), "GB/s");
    print_object(o, "bandwidth", "mpi", gigabytes(o, o->mpi_us), "GB/s");
}

static int refuse_plot(const char *path)
{
    complain(options.command, "--plot: %s: %s", path, strerror(errno));
    return STATUS_SYSTEM;
}

/* One size makes no line. */
static bool draws(const values *v)
{
    return FACTOR * v->smallest <= v->largest;
}

/* Known before the runs rather than after them. */
static int try_plots(const values *v)
{
    char path[PATH_MAX];
    for (int which = 0; which < SIZES_PLOTS && draws(v); which++) {
        sizes_plot_path(v->plot, which, path);
        FILE *file = fopen(path, "a");
        if (!file || fclose(file) != 0)
            return refuse_plot(path);
    }
    return STATUS_OK;
}

static int plot(const values *v, const sizes_figure *f)
{
    char path[PATH_MAX];
    for (int which = 0; which < SIZES_PLOTS; which++) {
        sizes_plot_path(v->plot, which, path);
        if (!sizes_plot(f, which, path))
            return refuse_plot(path);
        if (!v->json)
            printf("plot: %s\n", path);
    }
    return STATUS_OK;
}

/* Every rank measures, rank 0 has the times. */
static int run_sizes(const player *p)
{
    const values *v = p->v;
    sizes_figure figure = {
        .titles = {"Latency between tasks of two ranks", "Bandwidth between tasks of two ranks"},
        .labels = {"half a round in µs", "GB/s"},
        .sizes = "message",
        .systems = 2,
        .name = {"twill", p->raw->name}};
    bool first = twill_rank(p->tw) == 0;
    int status = STATUS_OK;
    if (first && !v->json)
        printf("%s, median of %" PRId64 " runs in turn\n%10s %10s %10s %8s %12s %10s %9s\n",
               p->raw->name, v->repeat, "bytes", "twill us", "mpi us", "more", "twill GB/s",
               "mpi GB/s", "ratio");
    for (int64_t bytes = v->smallest; bytes <= v->largest && status == STATUS_OK; bytes *= FACTOR) {
        outcome o;
        status = measure(p, bytes, &o);
        if (!first || status != STATUS_OK)
            continue;
        print(v, &o);
        sizes_plot_add(&figure, bytes, (const double[]){o.twill_us, o.mpi_us});
    }
    return first && status == STATUS_OK && draws(v) ? plot(v, &figure) : status;
}

/* ---- the ranks --------------------------------------------------------------------------- */

static int refuse(const player *p, const char *why)
{
    if (twill_rank(p->tw) == 0)
        complain(options.command,
                 "%s: start it by 'mpirun -np 2 --bind-to core twill bench pingpong'", why);
    return STATUS_USAGE;
}

static int play(player *p)
{
    char why[BENCH_CASE];
    int ranks = twill_ranks(p->tw);
    snprintf(why, sizeof why, "it takes 2 ranks, and there %s %d", ranks == 1 ? "is" : "are",
             ranks);
    if (ranks != 2)
        return refuse(p, why);
    p->raw = dlsym(RTLD_DEFAULT, MPI_RAW_MODULE);
    if (!p->raw)
        return refuse(p, "these ranks are not connected by MPI");
    p->bytes = malloc((size_t)p->v->largest);
    if (!p->bytes)
        return complain_library(options.command, TWILL_ERR_MEMORY, NULL);
    memset(p->bytes, 0, (size_t)p->v->largest);
    int status = twill_rank(p->tw) == 0 ? try_plots(p->v) : STATUS_OK;
    double refused = status;
    if (twill_sum(p->tw, &refused, 1) == TWILL_OK && refused == STATUS_OK)
        status = run_sizes(p);
    free(p->bytes);
    return status;
}

static int run(int argc, char **argv)
{
    values v = {.smallest = SMALLEST, .largest = LARGEST, .repeat = 15, .plot = "pingpong"};
    twill_options start = {.size = sizeof start, .workers = 1};
    player p = {.v = &v};
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    twill_status started = twill_start(&p.tw, &start);
    if (started != TWILL_OK)
        return complain_library(options.command, started, NULL);
    status = play(&p);
    twill_stop(p.tw);
    return status;
}

const bench bench_pingpong = {"pingpong", &options, run};
