/* twill bench critical: what a reserved set gains, in virtual runs with times measured here. */
#include "bench/bench.h"
#include "bench/critical/figures.h"
#include "command/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    const char *op, *workers, *plots, *sched, *speedup;
    int64_t n, from, to, step;
    bool json, all, quick;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_CHOICE("op", "both|trsm|potrf", "which study (both)", AT(op)),
    OPTION_IS_INTEGER("n", "N", "only this order", AT(n), 100, 20000),
    OPTION_IS_TEXT("workers", "P,P,...", "workers of the virtual machines (7,14,21,28)",
                   AT(workers)),
    OPTION_IS_INTEGER("from", "NB", "smallest tile size (40)", AT(from), 10, 1000),
    OPTION_IS_INTEGER("to", "NB", "largest tile size (500)", AT(to), 10, 1000),
    OPTION_IS_INTEGER("step", "NB", "from one to the next (20)", AT(step), 10, 1000),
    OPTION_IS_TEXT("sched", "NAME", "scheduler (prio)", AT(sched)),
    OPTION_IS_CHOICE("speedup", "measured|seed",
                     "of teams: as measured with two workers, and Amdahl's law beyond, or the "
                     "efficiencies of the paper (measured)",
                     AT(speedup)),
    OPTION_IS_TEXT("plots", "DIR", "write figures 2, 3 and 5 to 8 of the paper there, as SVG",
                   AT(plots)),
    OPTION_IS_FLAG("quick", "few and small: is it all there?", AT(quick)),
    OPTION_IS_FLAG("all", "with --json: every virtual run, not only the best of each mode",
                   AT(all)),
    OPTION_IS_FLAG("json", "one JSON object per virtual run that is the best of its mode",
                   AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "bench critical",
    .about = "Reserved workers for the critical path: tables 2 and 3 of the PCP report, virtual.",
    .tables = {own_options}};

enum { MACHINES = 16 };

typedef struct session {
    const values *v;
    twill *tw;
    int64_t workers[MACHINES];
    int machines;
    const study *s;
    study_tile tiles[STUDY_TILES];
    int ntiles;
} session;

/* The best of all tile sizes. */
typedef struct best {
    double seconds;
    int64_t nb;
    int q;
} best;

static void print_kernel(const session *x, const study_tile *t, twill_kernel kernel)
{
    double speed = study_speed(x->s, t, kernel), efficiency = study_efficiency(t, kernel);
    if (!x->v->json) {
        printf("  %7.1f  %5.1f %%", speed, 100 * efficiency);
        return;
    }
    json j;
    bench_open(&j, "critical", "kernel", "twill", speed, "GFLOP/s");
    json_text(&j, "op", x->s->name);
    json_text(&j, "kernel", study_kernel(kernel));
    json_integer(&j, "nb", t->nb);
    if (isfinite(efficiency))
        json_real(&j, "efficiency", efficiency);
    bench_close(&j);
}

static int measure(session *x)
{
    x->ntiles = 0;
    for (int64_t nb = x->v->from; nb <= x->v->to && x->ntiles < STUDY_TILES; nb += x->v->step) {
        progress_part((int)(nb - x->v->from), (int)(x->v->to - x->v->from + 1));
        study_tile *t = &x->tiles[x->ntiles++];
        twill_status status = study_measure(x->s, x->tw, nb, t);
        if (status != TWILL_OK)
            return complain_library(options.command, status, NULL);
        t->measured &= *x->v->speedup == 'm';
    }
    return STATUS_OK;
}

/* What was measured: s(b) and E(b, 2). */
static void print_kernels(const session *x)
{
    progress_hide();
    if (!x->v->json)
        printf("\n%s: speed s(b) of one worker in GFLOP/s, efficiency E(b, 2) of two\n       b",
               x->s->name);
    for (int k = 0; k < x->s->nkernels && !x->v->json; k++)
        printf("  %-16s", study_kernel(x->s->kernels[k]));
    for (int i = 0; i < x->ntiles; i++) {
        if (!x->v->json)
            printf("\n%8" PRId64, x->tiles[i].nb);
        for (int k = 0; k < x->s->nkernels; k++)
            print_kernel(x, &x->tiles[i], x->s->kernels[k]);
    }
    if (!x->v->json)
        printf("\n");
}

/* Tiles so small that a model of Cholesky would have a million tasks are not the best ones. */
static bool is_too_fine(const session *x, const study_tile *t, int64_t n)
{
    int64_t most = x->s->columns ? 400 : 70;
    return (n + t->nb - 1) / t->nb > most || t->nb > n;
}

static twill_status run_all(const session *x, figure_runs *f)
{
    twill_status status = TWILL_OK;
    int sets = x->s->most + 2;
    for (int i = 0; i < x->ntiles && status == TWILL_OK; i++) {
        twill_model *model = NULL;
        for (int q = 0; q < sets; q++)
            f->run[q][i] = (twill_simulated){.seconds = NAN};
        if (is_too_fine(x, &x->tiles[i], f->n))
            continue;
        status = twill_model_make(&model);
        if (status == TWILL_OK)
            status = x->s->build(model, &x->tiles[i], f->n);
        for (int q = 0; q < sets && status == TWILL_OK; q++)
            status =
                study_run(x->s, &x->tiles[i], model, f->workers, q, x->v->sched, &f->run[q][i]);
        twill_model_free(model);
    }
    return status;
}

static best best_of(const figure_runs *f, int first, int last)
{
    best b = {INFINITY, 0, 0};
    for (int q = first; q <= last; q++)
        for (int i = 0; i < f->ntiles; i++)
            if (f->run[q][i].seconds < b.seconds)
                b = (best){f->run[q][i].seconds, f->tiles[i].nb, q};
    return b;
}

static void print_json(const figure_runs *f, const best *b)
{
    if (!isfinite(b->seconds))
        return;
    json j;
    bench_open(&j, "critical", f->study->table, "twill", b->seconds, "s");
    json_text(&j, "op", f->study->name);
    json_integer(&j, "n", f->n);
    json_integer(&j, "nb", b->nb);
    json_integer(&j, "workers", f->workers);
    json_text(&j, "mode", study_mode(f->study, b->q));
    if (!study_is_adaptive(f->study, b->q))
        json_integer(&j, "reserved", b->q);
    json_bool(&j, "virtual", true);
    bench_close(&j);
}

static void print_all_json(const figure_runs *f)
{
    for (int q = 0; q <= f->study->most + 1; q++)
        for (int i = 0; i < f->ntiles; i++)
            print_json(f, &(best){f->run[q][i].seconds, f->tiles[i].nb, q});
}

/* A cell of the table: speed-up of fixed mode, the two best tile sizes, and the best q; speed-up of
 * adaptive mode, and its best tile size. */
static void print_cell(const best *regular, const best *fixed, const best *adaptive)
{
    char text[64];
    snprintf(text, sizeof text, "%.3f (%" PRId64 "/%" PRId64 ":%d) %.3f (%" PRId64 ")",
             regular->seconds / fixed->seconds, regular->nb, fixed->nb, fixed->q,
             regular->seconds / adaptive->seconds, adaptive->nb);
    printf("  %-30s", text);
    fflush(stdout);
}

static void print(const session *x, const figure_runs *f)
{
    int most = f->study->most;
    best regular = best_of(f, 0, 0), fixed = best_of(f, 1, most),
         adaptive = best_of(f, most + 1, most + 1);
    progress_hide();
    if (!x->v->json) {
        print_cell(&regular, &fixed, &adaptive);
    } else if (x->v->all) {
        print_all_json(f);
    } else {
        print_json(f, &regular);
        print_json(f, &fixed);
        print_json(f, &adaptive);
    }
}

static int row(const session *x, figure_runs *f, int64_t n)
{
    if (!x->v->json)
        printf("%8" PRId64, n);
    for (int m = 0; m < x->machines; m++) {
        *f = (figure_runs){.study = x->s,
                           .tiles = x->tiles,
                           .ntiles = x->ntiles,
                           .workers = (int)x->workers[m],
                           .n = n};
        twill_status status = run_all(x, f);
        if (status != TWILL_OK)
            return complain_library(options.command, status, NULL);
        print(x, f);
    }
    if (!x->v->json)
        printf("\n");
    return STATUS_OK;
}

static int table(const session *x)
{
    figure_runs *f = malloc(sizeof *f);
    int status = f ? STATUS_OK : STATUS_SYSTEM;
    if (f && !x->v->json) {
        printf("\n%s: speed-up of fixed mode over regular mode (best tile sizes of both : best q), "
               "and of adaptive\nmode (best tile size); virtual runs\n%8s",
               x->s->name, "n");
        for (int m = 0; m < x->machines; m++)
            printf("  p = %-26" PRId64, x->workers[m]);
        printf("\n");
    }
    for (int i = 0; status == STATUS_OK && x->s->sizes[i]; i++)
        if (!x->v->n || i == 0)
            status = row(x, f, x->v->n ? x->v->n : x->s->sizes[i]);
    free(f);
    return status;
}

static int plot(const session *x)
{
    figure_runs *f = malloc(sizeof *f);
    if (!f)
        return STATUS_SYSTEM;
    *f = (figure_runs){.study = x->s,
                       .tiles = x->tiles,
                       .ntiles = x->ntiles,
                       .workers = (int)x->workers[x->machines - 1],
                       .n = x->s->order};
    twill_status ran = run_all(x, f);
    int status = ran == TWILL_OK ? figures_runs(x->v->plots, f)
                                 : complain_library(options.command, ran, NULL);
    if (status == STATUS_OK)
        status = figures_efficiency(x->v->plots, x->s, x->tiles, x->ntiles);
    if (status == STATUS_OK && x->s == &study_trsm)
        status = figures_speed(x->v->plots, x->s, x->tiles, x->ntiles);
    if (status == STATUS_OK && x->s == &study_trsm)
        status = figures_bounds(x->v->plots, x->tiles, x->ntiles);
    free(f);
    return status;
}

static int run_study(session *x, const study *s)
{
    x->s = s;
    int status = measure(x);
    if (status == STATUS_OK) {
        print_kernels(x);
        status = table(x);
    }
    return status == STATUS_OK && x->v->plots ? plot(x) : status;
}

static int run(int argc, char **argv)
{
    values v = {.op = "both",
                .workers = "7,14,21,28",
                .sched = "prio",
                .speedup = "measured",
                .from = 40,
                .to = 500,
                .step = 20};
    session *x = calloc(1, sizeof *x);
    int status = STATUS_SYSTEM;
    if (!x || !options_parse(&options, argc, argv, &v, &status)) {
        free(x);
        return status;
    }
    if (v.quick) {
        v.n = v.n ? v.n : 1200;
        v.from = 80;
        v.to = 240;
        v.step = 80;
    }
    x->v = &v;
    x->machines = parse_list(v.workers, 2, x->workers, MACHINES);
    if (x->machines < 1) {
        complain(options.command, "--workers %s: numbers from 2 up, separated by commas",
                 v.workers);
        free(x);
        return STATUS_USAGE;
    }
    status = context_alone(options.command, 0, &x->tw);
    if (status == STATUS_OK) {
        if (*v.op != 'p')
            status = run_study(x, &study_trsm);
        if (status == STATUS_OK && *v.op != 't')
            status = run_study(x, &study_potrf);
        context_stop(x->tw);
    }
    free(x);
    return status;
}

const bench bench_critical = {"critical", &options, run};
