/* twill tune: measure this machine, and remember what is best on it. */
#include "command/json.h"
#include "command/options.h"
#include "command/progress.h"
#include "command/tuner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    int64_t workers, seconds;
    const char *progress;
    bool full, dry_run, json;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_FLAG("full", "more kernel sets, tile sizes and orders; takes minutes", AT(full)),
    OPTION_IS_INTEGER("seconds", "S", "time for measuring (30; with --full 300)", AT(seconds), 1,
                      86400),
    OPTION_IS_INTEGER("workers", "P", "workers (one per core)", AT(workers), 1, 1024),
    OPTION_IS_FLAG("dry-run", "measure, and remember nothing", AT(dry_run)),
    OPTION_IS_CHOICE("progress", "auto|on|off", "progress bar (auto: on a terminal)", AT(progress)),
    OPTION_IS_FLAG("json", "one JSON object, and nothing else", AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "tune",
    .about = "Measure BLAS libraries, kernel sets and tile sizes here, and remember the best.",
    .tables = {own_options}};

static void print_candidates(const tuner *t)
{
    double best = t->candidate[t->best].gflops;
    printf("%-18s %-12s %9s\n", "provider", "kernels", "potrf");
    for (int i = 0; i < t->candidates; i++) {
        const tuner_candidate *c = &t->candidate[i];
        printf("%-18s %-12s %9.1f GFLOP/s %5.0f%%%s\n", c->provider, c->kernels, c->gflops,
               100 * c->gflops / best, i == t->best ? "  chosen" : "");
    }
}

static void print_sizes(const tuner *t)
{
    printf("\n%-8s %6s %9s %20s\n", "n", "nb", "rate", "without tuning");
    for (int i = 0; i < t->sizes; i++) {
        const tuner_size *s = &t->size[i];
        printf("%-8" PRId64 " %6" PRId64 " %9.1f GFLOP/s", s->n, s->nb[s->best], s->score[s->best]);
        printf("  nb %-5" PRId64 " %5.0f%%\n", s->usual, 100 * s->usual_score / s->score[s->best]);
    }
    printf("\none tile up to n = %" PRId64 "\n", t->one_tile);
}

static void write_candidates(json *j, const tuner *t)
{
    json_open(j, "providers", '[');
    for (int i = 0; i < t->candidates; i++) {
        const tuner_candidate *c = &t->candidate[i];
        json_open(j, NULL, '{');
        json_text(j, "provider", c->provider);
        json_text(j, "path", c->path);
        json_text(j, "lapack", c->lapack);
        json_text(j, "kernels", c->kernels);
        json_real(j, "gflops", c->gflops);
        json_bool(j, "chosen", i == t->best);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_sizes(json *j, const tuner *t)
{
    json_open(j, "tiles", '[');
    for (int i = 0; i < t->sizes; i++) {
        const tuner_size *s = &t->size[i];
        json_open(j, NULL, '{');
        json_integer(j, "n", s->n);
        json_integer(j, "nb", s->nb[s->best]);
        json_real(j, "gflops", s->score[s->best]);
        json_integer(j, "usual_nb", s->usual);
        json_real(j, "usual_gflops", s->usual_score);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void show(const tuner *t, const values *v, const char *file)
{
    if (!v->json) {
        print_candidates(t);
        print_sizes(t);
        if (*file)
            printf("remembered in %s\n", file);
        return;
    }
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    write_candidates(&j, t);
    write_sizes(&j, t);
    json_integer(&j, "one_tile", t->one_tile);
    json_text(&j, "file", file);
    json_close(&j, '}');
    json_end(&j);
}

/* Where it would be remembered; the context has all options of the environment. */
static int remember(const tuner *t, twill *tw)
{
    twill_tuning result = tuner_result(t);
    twill_status status = twill_tune_set(tw, &result);
    return status == TWILL_OK ? STATUS_OK : complain_library("tune", status, NULL);
}

/* Complain before the work, not after it. */
static int check_place(twill *tw, const values *v)
{
    if (v->dry_run || *twill_tune_file(tw))
        return STATUS_OK;
    complain("tune", "TWILL_TUNE is off, or neither XDG_CACHE_HOME nor HOME is set: there is no "
                     "file to remember anything in (--dry-run measures without)");
    return STATUS_USAGE;
}

static int measure(twill *tw, const values *v)
{
    tuner *t = calloc(1, sizeof *t);
    if (!t) {
        complain("tune", "no memory");
        return STATUS_SYSTEM;
    }
    double seconds = v->seconds ? (double)v->seconds : v->full ? 300 : 30;
    *t = (tuner){.workers = v->workers, .full = v->full, .seconds = seconds / 2};
    progress_phase("tune", 0);
    int status = tuner_run(t);
    progress_hide();
    if (status == STATUS_OK && !v->dry_run)
        status = remember(t, tw);
    if (status == STATUS_OK)
        show(t, v, v->dry_run ? "" : twill_tune_file(tw));
    tuner_close(t);
    free(t);
    return status;
}

static int run(int argc, char **argv)
{
    values v = {.progress = "auto"};
    twill *tw;
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    progress_mode(v.progress);
    status = context_start("tune", 1, NULL, &tw);
    if (status != STATUS_OK)
        return status;
    status = check_place(tw, &v);
    if (status == STATUS_OK)
        status = measure(tw, &v);
    context_stop(tw);
    return status;
}

static int help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return options_help(&options);
}

const command tune_command = {"tune", "measure BLAS and tile sizes here, and remember the best",
                              run, help};
