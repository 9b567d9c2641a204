/* twill bench ep: independent products, against a plain loop on all cores. */
#include "bench/bench.h"
#include "bench/ep.h"
#include "bench/metg_twill.h"
#include "bench/settle.h"
#include "command/progress.h"
#include "command/svg.h"
#include "command/system.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct values {
    int64_t tasks, size, workers, repeat;
    const char *front, *plot;
    bool json;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_CHOICE("front", "stf|dag|ptg", "how the graph is made (stf)", AT(front)),
    OPTION_IS_INTEGER("tasks", "N", "only this many products (1000000)", AT(tasks), 1, 1000000000),
    OPTION_IS_INTEGER("size", "K", "only this size, 0 for empty tasks (0)", AT(size), 0, 2000),
    OPTION_IS_INTEGER("workers", "P", "workers (one per core)", AT(workers), 1, 1024),
    OPTION_IS_INTEGER("repeat", "R", "runs, of which the median counts (5; 1 from 10^7 tasks)",
                      AT(repeat), 1, BENCH_RUNS),
    OPTION_IS_TEXT("plot", "FILE", "where the plot of the whole sweep goes (ep.svg)", AT(plot)),
    OPTION_IS_FLAG("json", "one JSON object per size and number of tasks", AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "bench ep",
    .about = "Independent K by K products as tasks, against plain loops on all cores.",
    .tables = {own_options}};

/* Figure 4 of the DAGuE paper: sizes along the axis, a line for each number of products. */
static const double sizes[] = {4, 8, 12, 16, 20, 24, 30, 40, 50, 60, 80, 100};
static const int64_t counts[] = {1 << 8, 1 << 12, 1 << 16, 1 << 20};
enum { SIZES = sizeof sizes / sizeof *sizes, COUNTS = sizeof counts / sizeof *counts };

/* Seconds of core time above which a point is left out, and for which loops run at least. */
static const double longest = 0.5, loop_time = 0.01;
static const double most_ratio = 5;
enum { SMALL = 10000000 };

/* One size and number of tasks. */
typedef struct point {
    int64_t tasks, size;
    uint64_t sum;
    double seconds;
    double ratio; /* of this time to the ideal one; NAN for empty tasks */
} point;

typedef struct session {
    const values *v;
    const ep_front *front;
    twill *tw;
} session;

/* How many products a loop must make to be worth timing, and what one of them takes. */
static twill_status time_product(ep *e, int64_t *products, double *seconds)
{
    twill_status status;
    *products = 1;
    while ((status = ep_plain(e, *products, seconds)) == TWILL_OK &&
           *seconds * (double)*products < loop_time)
        *products *= 2;
    return status;
}

static int64_t repeats(const session *s, int64_t tasks)
{
    return s->v->repeat ? s->v->repeat : tasks < SMALL ? 5 : 1;
}

/* Loop and tasks take turns, so that both see the machine in the same state. */
static twill_status measure_pair(const session *s, ep *e, int64_t products, double *seconds,
                                 double *ratio)
{
    double product = NAN;
    twill_status status = e->size ? ep_plain(e, products, &product) : TWILL_OK;
    if (status == TWILL_OK)
        status = s->front->run(e, seconds);
    *ratio = *seconds / (product * (double)e->tasks / e->workers);
    return status;
}

static twill_status measure(const session *s, ep *e, int64_t products, point *p)
{
    double runs[BENCH_RUNS], ratios[BENCH_RUNS];
    int64_t repeat = repeats(s, p->tasks);
    twill_status status = TWILL_OK;
    e->tasks = p->tasks;
    ep_sum(e);
    for (int64_t r = 0; r < repeat && status == TWILL_OK; r++) {
        status = measure_pair(s, e, products, &runs[r], &ratios[r]);
        p->sum = ep_sum(e);
    }
    if (status != TWILL_OK)
        return status;
    p->seconds = bench_median(runs, (int)repeat);
    p->ratio = e->size ? bench_median(ratios, (int)repeat) : NAN;
    return TWILL_OK;
}

static double per_task_core(const session *s, const point *p)
{
    return 1e9 * p->seconds * twill_workers(s->tw) / (double)p->tasks;
}

static void print(const session *s, const point *p)
{
    double ns = per_task_core(s, p);
    progress_hide();
    char which[BENCH_CASE];
    if (!s->v->json) {
        printf("%6" PRId64 " %10" PRId64 " %12.2f", p->size, p->tasks, 1e-3 * ns);
        bench_cell(isfinite(p->ratio), p->ratio, 3);
        bench_cell(isfinite(p->ratio), 100 / p->ratio, 1);
        printf("\n");
        fflush(stdout);
        return;
    }
    json j;
    snprintf(which, sizeof which, "size=%" PRId64, p->size);
    bench_open(&j, "ep", which, s->front->system, ns, "ns/task/core");
    json_integer(&j, "tasks", p->tasks);
    json_integer(&j, "sum", (int64_t)p->sum);
    json_integer(&j, "size", p->size);
    json_real(&j, "ratio", p->ratio);
    json_real(&j, "rss_mib", system_peak_mib());
    bench_close(&j);
}

static void print_header(const session *s)
{
    if (!s->v->json)
        printf("%s, %d workers; ratio: time over that of plain loops on all of them\n"
               "%6s %10s %12s %12s %12s\n",
               s->front->system, twill_workers(s->tw), "size", "tasks", "us/task/core", "ratio",
               "efficiency %");
}

/* ---- one size and number ----------------------------------------------------------------- */

static int run_one(session *s)
{
    point p = {.tasks = s->v->tasks ? s->v->tasks : 1000000, .size = s->v->size};
    if (p.size < 0)
        p.size = 0;
    if (p.tasks > s->front->most) {
        complain(options.command, "--tasks %" PRId64 ": with --front %s at most %" PRId64, p.tasks,
                 s->front->name, s->front->most);
        return STATUS_USAGE;
    }
    ep e;
    twill_status status = ep_open(&e, s->tw, (int)p.size);
    progress_phase(options.command, p.tasks * repeats(s, p.tasks) * s->front->runs);
    if (status == TWILL_OK) {
        int64_t products = 0;
        double seconds;
        status = p.size ? time_product(&e, &products, &seconds) : TWILL_OK;
        if (status == TWILL_OK)
            status = measure(s, &e, products, &p);
        ep_close(&e);
    }
    if (status != TWILL_OK)
        return complain_library(options.command, status, NULL);
    print_header(s);
    print(s, &p);
    return STATUS_OK;
}

/* ---- the figure -------------------------------------------------------------------------- */

typedef struct figure {
    double product[SIZES]; /* seconds */
    double ratio[COUNTS][SIZES];
} figure;

static twill_status sweep_size(const session *s, figure *f, int k)
{
    ep e;
    twill_status status = ep_open(&e, s->tw, (int)sizes[k]);
    if (status != TWILL_OK)
        return status;
    int64_t products;
    status = time_product(&e, &products, &f->product[k]);
    for (int c = 0; c < COUNTS && status == TWILL_OK; c++) {
        point p = {.tasks = counts[c], .size = (int64_t)sizes[k]};
        f->ratio[c][k] = NAN;
        if ((double)p.tasks * f->product[k] > longest)
            continue;
        status = measure(s, &e, products, &p);
        f->ratio[c][k] = p.ratio;
        if (status == TWILL_OK)
            print(s, &p);
    }
    ep_close(&e);
    return status;
}

static int refuse_plot(const session *s)
{
    complain(options.command, "--plot %s: %s", s->v->plot, strerror(errno));
    return STATUS_SYSTEM;
}

/* Known before the sweep rather than after it. */
static int try_plot(const session *s)
{
    FILE *file = fopen(s->v->plot, "a");
    return file && fclose(file) == 0 ? STATUS_OK : refuse_plot(s);
}

static int plot(const session *s, const figure *f)
{
    char title[128], names[COUNTS][32], notes[SIZES][32];
    const char *note[SIZES];
    svg_series series[COUNTS];
    for (int k = 0; k < SIZES; k++) {
        snprintf(notes[k], sizeof notes[k], "%.3g", 1e6 * f->product[k]);
        note[k] = notes[k];
    }
    for (int c = 0; c < COUNTS; c++) {
        snprintf(names[c], sizeof names[c], "%" PRId64 " tasks", counts[c]);
        series[c] = (svg_series){.name = names[c], .x = sizes, .y = f->ratio[c], .count = SIZES};
    }
    snprintf(title, sizeof title, "Independent N×N products as tasks: %s, %d workers",
             s->front->system, twill_workers(s->tw));
    svg_plot p = {
        .title = title,
        .x = {.label = "N, and below it the time of one product in µs",
              .from = sizes[0],
              .to = sizes[SIZES - 1],
              .logarithmic = true,
              .ticks = sizes,
              .notes = note,
              .count = SIZES},
        .y = {.label = "time / ideal time", .from = 0.9, .to = most_ratio, .logarithmic = true},
        .series = series,
        .count = COUNTS,
        .ideal = 1};
    if (!svg_write(s->v->plot, &p))
        return refuse_plot(s);
    progress_hide();
    if (!s->v->json)
        printf("plot: %s\n", s->v->plot);
    return STATUS_OK;
}

static int run_sweep(session *s)
{
    figure f;
    metg_twill kernel = {.bench = options.command, .tw = s->tw};
    double rate;
    if (try_plot(s) != STATUS_OK || !settle(metg_twill_plain, &kernel, &rate))
        return STATUS_SYSTEM;
    print_header(s);
    for (int k = 0; k < SIZES; k++) {
        progress_part(k, SIZES);
        twill_status status = sweep_size(s, &f, k);
        if (status != TWILL_OK)
            return complain_library(options.command, status, NULL);
    }
    return plot(s, &f);
}

static int run(int argc, char **argv)
{
    values v = {.front = "stf", .size = -1, .plot = "ep.svg"};
    session s = {.v = &v};
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    for (int i = 0; !s.front; i++)
        if (strcmp(ep_front_at(i)->name, v.front) == 0)
            s.front = ep_front_at(i);
    status = context_start(options.command, v.workers, NULL, &s.tw);
    if (status != STATUS_OK)
        return status;
    status = v.tasks || v.size >= 0 ? run_one(&s) : run_sweep(&s);
    context_stop(s.tw);
    return status;
}

const bench bench_ep = {"ep", &options, run};
