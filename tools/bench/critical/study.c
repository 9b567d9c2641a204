/* Measuring kernels, and virtual runs with what they take. */
#include "bench/critical/study.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {"gemm", "trsm", "herk", "potrf"};

static twill_status measure(twill *tw, twill_kernel kernel, int64_t nb, int64_t cols, int members,
                            double *seconds)
{
    return twill_kernel_seconds(tw, kernel, TWILL_FLOAT64, nb, cols, members, seconds);
}

/* On a machine that others use, too, the second worker may not come in time. */
static twill_status measure_pair(twill *tw, twill_kernel kernel, int64_t nb, int64_t cols,
                                 double *seconds)
{
    twill_status status = TWILL_ERR_SYSTEM;
    for (int i = 0; i < 20 && status == TWILL_ERR_SYSTEM; i++)
        status = measure(tw, kernel, nb, cols, 2, seconds);
    return status;
}

twill_status study_measure(const study *s, twill *tw, int64_t nb, study_tile *t)
{
    twill_status status = TWILL_OK;
    int64_t cols = s->columns ? s->columns : nb;
    bool pair = twill_workers(tw) > 1;
    *t = (study_tile){.nb = nb, .measured = pair};
    for (int i = 0; i < s->nkernels && status == TWILL_OK; i++) {
        study_times *times = &t->kernel[s->kernels[i]];
        status = measure(tw, s->kernels[i], nb, cols, 0, &times->whole);
        if (status == TWILL_OK)
            status = measure(tw, s->kernels[i], nb, cols, 1, &times->cut);
        if (status == TWILL_OK && pair)
            status = measure_pair(tw, s->kernels[i], nb, cols, &times->pair);
    }
    return status;
}

const char *study_kernel(twill_kernel kernel)
{
    return names[kernel];
}

double study_speed(const study *s, const study_tile *t, twill_kernel kernel)
{
    static const double operations[] = {2, 1, 1, 1.0 / 3};
    double nb = (double)t->nb, cols = s->columns ? (double)s->columns : nb;
    return 1e-9 * operations[kernel] * nb * nb * cols / t->kernel[kernel].whole;
}

double study_efficiency(const study_tile *t, twill_kernel kernel)
{
    const study_times *times = &t->kernel[kernel];
    return times->pair > 0 ? times->cut / (2 * times->pair) : NAN;
}

/* Amdahl's law, with the share that runs alone as two members have shown it. */
static double team(void *arg, const char *cls, double seconds, int members)
{
    const study_tile *t = arg;
    int kernel = 0;
    while (kernel + 1 < STUDY_KERNELS && strcmp(names[kernel], cls) != 0)
        kernel++;
    const study_times *times = &t->kernel[kernel];
    if (!t->measured || times->cut <= 0)
        return twill_simulate_seed(NULL, cls, seconds, members);
    double alone = 2 * times->pair / times->cut - 1;
    alone = alone < 0 ? 0 : alone > 1 ? 1 : alone;
    return twill_simulate_amdahl(&alone, cls, seconds, members);
}

twill_status study_run(const study *study, const study_tile *t, const twill_model *model,
                       int workers, int set, const char *sched, twill_simulated *result)
{
    study_tile tile = *t;
    const twill_simulation s = {.size = sizeof s,
                                .sched = sched,
                                .workers = workers,
                                .mode = study_mode(study, set),
                                .reserved = study_is_adaptive(study, set) ? 0 : set,
                                .team = team,
                                .arg = &tile,
                                .dispatch = 2e-7,
                                .wake = 2e-6,
                                .barrier = 1.5e-7};
    *result = (twill_simulated){.size = sizeof *result};
    return twill_simulate(model, &s, result);
}

/* ---- the graphs ---------------------------------------------------------------------------------
 */

/* A task on a tile that has only parts of its rows and columns: seconds by operations. */
static twill_status add(twill_model *m, const study_tile *t, twill_kernel kernel, bool critical,
                        double part, int64_t *task)
{
    const study_times *times = &t->kernel[kernel];
    return twill_model_task(m, names[kernel], part * (critical ? times->cut : times->whole), task);
}

/* What of a tile in row i there is. */
static double part_of(const study_tile *t, int64_t n, int64_t i)
{
    int64_t left = n - i * t->nb;
    return left < t->nb ? (double)left / (double)t->nb : 1;
}

static int64_t tiles(const study_tile *t, int64_t n)
{
    return (n + t->nb - 1) / t->nb;
}

/* Row after row: its products, which may come in any order, and its solve. */
static twill_status build_trsm(twill_model *m, const study_tile *t, int64_t n)
{
    enum { MOST = 1024 };
    int64_t nt = tiles(t, n), solve[MOST], update[MOST];
    twill_status status = nt <= MOST ? TWILL_OK : TWILL_ERR_ARGUMENT;
    for (int64_t i = 0; i < nt; i++) {
        double part = part_of(t, n, i);
        for (int64_t j = 0; j < i && status == TWILL_OK; j++) {
            status = add(m, t, TWILL_KERNEL_GEMM, j == i - 1, part, &update[j]);
            if (status == TWILL_OK)
                status = twill_model_edge(m, solve[j], update[j]);
        }
        if (status == TWILL_OK)
            status = add(m, t, TWILL_KERNEL_TRSM, true, part * part, &solve[i]);
        for (int64_t j = 0; j < i && status == TWILL_OK; j++)
            status = twill_model_edge(m, update[j], solve[i]);
    }
    return status;
}

enum { CHOLESKY_TILES = 128 };

/* Tasks that wrote tile (i, j) last. */
typedef struct cholesky {
    twill_model *m;
    const study_tile *t;
    int64_t n, nt;
    int64_t writer[CHOLESKY_TILES][CHOLESKY_TILES];
} cholesky;

/* A task that changes tile (i, j) and reads tiles a and b of column k; -1: it reads none. */
static twill_status step(cholesky *c, twill_kernel kernel, int64_t i, int64_t j, int64_t k,
                         int64_t a, int64_t b)
{
    double rows = part_of(c->t, c->n, i), cols = part_of(c->t, c->n, j);
    double inner =
        kernel < TWILL_KERNEL_TRSM || kernel == TWILL_KERNEL_HERK ? part_of(c->t, c->n, k) : cols;
    bool critical = i == j ? j - k <= 1 : kernel == TWILL_KERNEL_TRSM && i == j + 1;
    int64_t task;
    twill_status status = add(c->m, c->t, kernel, critical, rows * cols * inner, &task);
    const int64_t before[] = {c->writer[i][j], a < 0 ? -1 : c->writer[a][k],
                              b < 0 ? -1 : c->writer[b][k]};
    for (int e = 0; e < 3 && status == TWILL_OK; e++)
        if (before[e] >= 0)
            status = twill_model_edge(c->m, before[e], task);
    c->writer[i][j] = task;
    return status;
}

static twill_status build_potrf(twill_model *m, const study_tile *t, int64_t n)
{
    static _Thread_local cholesky c;
    c = (cholesky){.m = m, .t = t, .n = n, .nt = tiles(t, n)};
    twill_status status = c.nt <= CHOLESKY_TILES ? TWILL_OK : TWILL_ERR_ARGUMENT;
    memset(c.writer, -1, sizeof c.writer);
    for (int64_t k = 0; k < c.nt && status == TWILL_OK; k++) {
        status = step(&c, TWILL_KERNEL_POTRF, k, k, k, -1, -1);
        for (int64_t i = k + 1; i < c.nt && status == TWILL_OK; i++)
            status = step(&c, TWILL_KERNEL_TRSM, i, k, k, k, -1);
        for (int64_t j = k + 1; j < c.nt; j++)
            for (int64_t i = j; i < c.nt && status == TWILL_OK; i++)
                status = i == j ? step(&c, TWILL_KERNEL_HERK, j, j, k, j, -1)
                                : step(&c, TWILL_KERNEL_GEMM, i, j, k, i, j);
    }
    return status;
}

static const twill_kernel solve_kernels[] = {TWILL_KERNEL_GEMM, TWILL_KERNEL_TRSM};
static const twill_kernel cholesky_kernels[] = {TWILL_KERNEL_GEMM, TWILL_KERNEL_TRSM,
                                                TWILL_KERNEL_HERK, TWILL_KERNEL_POTRF};

const study study_trsm = {.table = "table2",
                          .name = "trsm",
                          .most = 3,
                          .figure = 5,
                          .order = 6000,
                          .sizes = {2000, 4000, 6000, 8000, 10000},
                          .kernels = solve_kernels,
                          .nkernels = 2,
                          .build = build_trsm,
                          .columns = 500};
const study study_potrf = {.table = "table3",
                           .name = "potrf",
                           .most = 5,
                           .figure = 7,
                           .order = 3000,
                           .sizes = {1000, 2000, 3000, 4000, 5000, 6000},
                           .kernels = cholesky_kernels,
                           .nkernels = 4,
                           .build = build_potrf};
