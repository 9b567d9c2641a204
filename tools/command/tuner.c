/* Providers and kernel sets, in turns, and then tile sizes with the best of them. */
#include "command/tuner.h"
#include "bench/bench.h"
#include "bench/la_cases.h"
#include "command/progress.h"
#include "command/system.h"

#include <math.h>
#include <string.h>

enum { PROVIDER_ORDER = 1500, ROUNDS = 25, PARTS = 3 };

/* ---- providers --------------------------------------------------------------------------- */

static bool anywhere(void)
{
    return true;
}

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

static bool has_bf16(void)
{
    return has_avx512() && __builtin_cpu_supports("avx512bf16");
}
#else
static bool has_avx2(void)
{
    return false;
}

static bool has_avx512(void)
{
    return false;
}

static bool has_bf16(void)
{
    return false;
}
#endif

/* A kernel set that the processor cannot run ends the process, so ask it first. */
static const struct {
    const char *blas, *kernels;
    bool (*runs)(void);
    bool full; /* only with --full */
} all[] = {
    {"openblas", "auto", anywhere, false},      {"openblas", "Haswell", has_avx2, false},
    {"openblas", "Zen", has_avx2, true},        {"openblas", "SkylakeX", has_avx512, false},
    {"openblas", "Cooperlake", has_bf16, true}, {"blis", "auto", anywhere, false},
    {"mkl", "auto", anywhere, false},           {"reference", "auto", anywhere, true},
};

/* Is the same file with the same kernels there already? */
static bool is_known(const tuner *t, const tuner_candidate *c)
{
    for (int i = 0; i < t->candidates; i++)
        if (!strcmp(t->candidate[i].path, c->path) && !strcmp(t->candidate[i].kernels, c->kernels))
            return true;
    return false;
}

/* A context for it; without one, what is missing is not measured. */
static void open_candidate(tuner *t, const char *blas, const char *kernels)
{
    twill_options options = {.size = sizeof(twill_options),
                             .workers = (int)t->workers,
                             .blas = blas,
                             .kernels = kernels,
                             .lapack = "auto",
                             .tune = "off"};
    tuner_candidate c = {.blas = blas, .wanted = kernels};
    twill_blas info = {.size = sizeof info};
    if (twill_start(&c.tw, &options) != TWILL_OK)
        return;
    bool works = twill_blas_info(c.tw, &info) == TWILL_OK;
    if (works) {
        snprintf(c.path, sizeof c.path, "%s", info.path);
        snprintf(c.lapack, sizeof c.lapack, "%s", info.lapack);
        snprintf(c.provider, sizeof c.provider, "%s", info.provider);
        snprintf(c.kernels, sizeof c.kernels, "%s", info.kernels);
    }
    if (works && !is_known(t, &c))
        t->candidate[t->candidates++] = c;
    else
        twill_stop(c.tw);
}

static int open_candidates(tuner *t)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].runs() && (t->full || !all[i].full))
            open_candidate(t, all[i].blas, all[i].kernels);
    if (t->candidates > 0)
        return STATUS_OK;
    complain("tune", "no BLAS was found; 'twill info' says what is missing");
    return STATUS_SYSTEM;
}

/* Measure all of them in turns while there is time, at least three times. */
static int compare_candidates(tuner *t)
{
    double rates[TUNER_CANDIDATES][ROUNDS], end = system_seconds() + t->seconds;
    la_work work[TUNER_CANDIDATES] = {0};
    const la_case *potrf = la_case_at(0);
    twill_status status = TWILL_OK;
    int rounds = 0;
    for (int i = 0; i < t->candidates && status == TWILL_OK; i++)
        status = la_open(&work[i], potrf, t->candidate[i].tw, PROVIDER_ORDER, 0);
    for (; status == TWILL_OK && rounds < ROUNDS && (rounds < 3 || system_seconds() < end);
         rounds++) {
        progress_part((double)rounds / ROUNDS, PARTS);
        for (int i = 0; i < t->candidates && status == TWILL_OK; i++)
            status = la_run(&work[i], potrf, 0, &rates[i][rounds]);
    }
    for (int i = 0; i < t->candidates; i++) {
        la_close(&work[i]);
        t->candidate[i].gflops = status == TWILL_OK ? bench_median(rates[i], rounds) : 0;
        if (t->candidate[i].gflops > t->candidate[t->best].gflops)
            t->best = i;
    }
    return status == TWILL_OK ? STATUS_OK : complain_library("tune", status, NULL);
}

/* ---- tile sizes -------------------------------------------------------------------------- */

static const int64_t tiles[] = {96, 128, 160, 192, 224, 256, 288, 320, 384, 448, 512};
static const char *const routines[] = {"potrf", "getrf"};
enum { ROUTINES = sizeof routines / sizeof *routines };

static twill *best_context(const tuner *t)
{
    return t->candidate[t->best].tw;
}

/* What the library would choose. */
static int64_t usual_tile(const tuner *t, int64_t n)
{
    twill_array *a;
    if (twill_matrix_create(best_context(t), TWILL_FLOAT64, n, n, &a) != TWILL_OK)
        return 0;
    int64_t nb = twill_array_pattern(a)->block[0];
    twill_array_free(a);
    return nb;
}

/* The usual one comes first. */
static void list_tiles(const tuner *t, tuner_size *s)
{
    s->usual = usual_tile(t, s->n);
    if (s->usual)
        s->nb[s->count++] = s->usual;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        bool tried = t->full || i % 2 == 1; /* every other one will do for a quick look */
        if (tried && tiles[i] != s->usual && 3 * tiles[i] <= s->n)
            s->nb[s->count++] = tiles[i];
    }
}

/* One run of each routine; adds the logarithms of their rates. */
static twill_status run_routines(const tuner *t, const tuner_size *s, int64_t nb, double *score)
{
    twill_status status = TWILL_OK;
    *score = 0;
    for (int r = 0; r < ROUTINES && status == TWILL_OK; r++) {
        const la_case *c = la_case_named("tune", routines[r]);
        la_work work;
        double rate = 1;
        status = la_open(&work, c, best_context(t), s->n, nb);
        if (status == TWILL_OK)
            status = la_run(&work, c, 0, &rate);
        la_close(&work);
        *score += log(rate) / ROUTINES;
    }
    return status;
}

/* `round` is how long it takes to go through them once. */
static twill_status compare_tiles(tuner *t, tuner_size *s, double seconds, double *round)
{
    double scores[TUNER_TILES][ROUNDS], begin = system_seconds(), end = begin + seconds;
    twill_status status = TWILL_OK;
    int rounds = 0;
    list_tiles(t, s);
    for (; status == TWILL_OK && rounds < ROUNDS && (rounds < 2 || system_seconds() < end);
         rounds++)
        for (int i = 0; i < s->count && status == TWILL_OK; i++)
            status = run_routines(t, s, s->nb[i], &scores[i][rounds]);
    *round = (system_seconds() - begin) / (rounds ? rounds : 1);
    for (int i = 0; i < s->count && status == TWILL_OK; i++) {
        s->score[i] = exp(bench_median(scores[i], rounds));
        if (s->score[i] > s->score[s->best])
            s->best = i;
    }
    s->usual_score = s->usual ? s->score[0] : 0;
    return status;
}

/* Twice the order takes eight times as long: what would take more than twice the time that was
 * given is left out, but not the first one. */
static int compare_sizes(tuner *t)
{
    static const int64_t orders[] = {1000, 2000, 4000, 8000};
    int count = t->full ? 4 : 3;
    double limit = system_seconds() + 2 * t->seconds, round = 0;
    twill_status status = TWILL_OK;
    for (int i = 0; i < count && status == TWILL_OK; i++) {
        if (i > 0 && system_seconds() + 2 * 8 * round > limit)
            break;
        progress_part(1 + (double)i / count, PARTS);
        t->size[t->sizes] = (tuner_size){.n = orders[i]};
        status = compare_tiles(t, &t->size[t->sizes++], t->seconds / count, &round);
    }
    return status == TWILL_OK ? STATUS_OK : complain_library("tune", status, NULL);
}

/* ---- one tile ---------------------------------------------------------------------------- */

enum { SMALL_ROUNDS = 15 };

static twill_status small_rate(const tuner *t, int64_t n, int64_t nb, double *rate)
{
    const la_case *potrf = la_case_at(0);
    double rates[SMALL_ROUNDS];
    la_work work;
    twill_status status = la_open(&work, potrf, best_context(t), n, nb);
    for (int r = 0; r < SMALL_ROUNDS && status == TWILL_OK; r++)
        status = la_run(&work, potrf, 0, &rates[r]);
    la_close(&work);
    *rate = status == TWILL_OK ? bench_median(rates, SMALL_ROUNDS) : 0;
    return status;
}

/* Go up until tiles win. */
static int find_one_tile(tuner *t)
{
    twill_status status = TWILL_OK;
    bool one = true;
    t->one_tile = 128;
    for (int64_t n = 192; n <= 640 && one && status == TWILL_OK; n += 64) {
        double whole, many, most = 0;
        status = small_rate(t, n, n, &whole);
        for (int64_t nb = 64; nb <= 128 && status == TWILL_OK; nb += 32) {
            status = small_rate(t, n, nb, &many);
            most = many > most ? many : most;
        }
        progress_part(2 + (double)(n - 192) / 448, PARTS);
        one = whole >= most;
        if (one && status == TWILL_OK)
            t->one_tile = n;
    }
    return status == TWILL_OK ? STATUS_OK : complain_library("tune", status, NULL);
}

/* ---- all of it --------------------------------------------------------------------------- */

int tuner_run(tuner *t)
{
    int status = open_candidates(t);
    if (status == STATUS_OK)
        status = compare_candidates(t);
    if (status == STATUS_OK)
        status = compare_sizes(t);
    return status == STATUS_OK ? find_one_tile(t) : status;
}

void tuner_close(tuner *t)
{
    for (int i = 0; i < t->candidates; i++)
        twill_stop(t->candidate[i].tw);
}

twill_tuning tuner_result(const tuner *t)
{
    const tuner_candidate *c = &t->candidate[t->best];
    twill_tuning result = {.size = sizeof(twill_tuning), .one_tile = t->one_tile};
    if (c->path[0] == '/') { /* a linked library has no file */
        snprintf(result.blas, sizeof result.blas, "%s", c->path);
        snprintf(result.lapack, sizeof result.lapack, "%s", c->lapack);
        snprintf(result.kernels, sizeof result.kernels, "%s", c->wanted);
    }
    for (int i = 0; i < t->sizes; i++)
        result.tile[result.tiles++] = (twill_tuned_tile){.type = 'd',
                                                         .workers = twill_workers(c->tw),
                                                         .n = t->size[i].n,
                                                         .nb = t->size[i].nb[t->size[i].best]};
    return result;
}
