/* The cases, and running one of them. */
#include "bench/la_cases.h"
#include "command/system.h"
#include "operation/flops.h"

#include <string.h>

enum { SEED = 42 };

static twill_status matrix(la_work *w, int64_t rows, int64_t cols, int at)
{
    if (!w->nb)
        return twill_matrix_create(w->tw, TWILL_FLOAT64, rows, cols, &w->x[at]);
    twill_pattern p = twill_tiled(rows, cols, w->nb, w->nb);
    return twill_array_create(w->tw, &p, TWILL_FLOAT64, 0, &w->x[at]);
}

static twill_status make_one(la_work *w)
{
    return matrix(w, w->m, w->n, 0);
}

static twill_status fill_one(la_work *w)
{
    return twill_fill_random(w->x[0], SEED);
}

/* ---- potrf ------------------------------------------------------------------------------- */

static double count_potrf(int64_t m, int64_t n)
{
    (void)m;
    return flops_potrf(TWILL_FLOAT64, n);
}

static twill_status fill_spd(la_work *w)
{
    return twill_fill_spd(w->x[0], SEED);
}

static twill_status run_potrf(la_work *w)
{
    int64_t info;
    return twill_potrf(TWILL_LOWER, w->x[0], &info);
}

/* ---- getrf ------------------------------------------------------------------------------- */

static double count_getrf(int64_t m, int64_t n)
{
    return flops_getrf(TWILL_FLOAT64, m, n);
}

static twill_status make_getrf(la_work *w)
{
    twill_status status = make_one(w);
    return status == TWILL_OK ? twill_pivots_create(w->x[0], &w->ipiv) : status;
}

static twill_status run_getrf(la_work *w)
{
    int64_t info;
    return twill_getrf(w->x[0], w->ipiv, &info);
}

/* ---- geqrf ------------------------------------------------------------------------------- */

static double count_geqrf(int64_t m, int64_t n)
{
    return flops_geqrf(TWILL_FLOAT64, m, n);
}

static twill_status make_geqrf(la_work *w)
{
    twill_status status = make_one(w);
    return status == TWILL_OK ? twill_reflectors_create(w->tw, NULL, &w->h) : status;
}

static twill_status run_geqrf(la_work *w)
{
    return twill_geqrf(w->x[0], w->h);
}

/* ---- gemm -------------------------------------------------------------------------------- */

static double count_gemm(int64_t m, int64_t n)
{
    return 2.0 * (double)m * (double)n * (double)n;
}

static twill_status make_gemm(la_work *w)
{
    twill_status status = make_one(w);
    if (status == TWILL_OK)
        status = matrix(w, w->n, w->n, 1);
    return status == TWILL_OK ? matrix(w, w->m, w->n, 2) : status;
}

static twill_status fill_gemm(la_work *w)
{
    twill_status status = TWILL_OK;
    for (int i = 0; i < 3 && status == TWILL_OK; i++)
        status = twill_fill_random(w->x[i], SEED + (uint64_t)i);
    return status;
}

static twill_status run_gemm(la_work *w)
{
    return twill_gemm(TWILL_NO_TRANS, TWILL_NO_TRANS, twill_real(1), w->x[0], w->x[1],
                      twill_real(1), w->x[2]);
}

static twill_status run_summa(la_work *w)
{
    return twill_summa(twill_real(1), w->x[0], w->x[1], twill_real(1), w->x[2]);
}

/* ---- posv in mixed precision ----------------------------------------------------------------- */

static double count_posv(int64_t m, int64_t n)
{
    return count_potrf(m, n) + flops_getrs(TWILL_FLOAT64, n, 1);
}

static twill_status make_posv(la_work *w)
{
    twill_status status = make_one(w);
    if (status == TWILL_OK)
        status = matrix(w, w->n, 1, 1);
    return status == TWILL_OK ? matrix(w, w->n, 1, 2) : status;
}

static twill_status fill_posv(la_work *w)
{
    twill_status status = fill_spd(w);
    return status == TWILL_OK ? twill_fill_random(w->x[1], SEED) : status;
}

static twill_status run_mixed(la_work *w)
{
    int64_t iterations, info;
    return twill_posv_mixed(TWILL_LOWER, w->x[0], w->x[1], w->x[2], TWILL_REFINE_CLASSIC,
                            &iterations, &info);
}

static twill_status run_posv(la_work *w)
{
    int64_t info;
    return twill_posv(TWILL_LOWER, w->x[0], w->x[1], &info);
}

/* ---- factor, solve and multiply ------------------------------------------------------------ */

/* A X = B with a quarter as many right-hand sides as unknowns, then Y := D X. */
static int64_t right_hand_sides(int64_t n)
{
    return n >= 4 ? n / 4 : 1;
}

static double count_async(int64_t m, int64_t n)
{
    int64_t r = right_hand_sides(n);
    return count_getrf(m, n) + flops_getrs(TWILL_FLOAT64, n, r) +
           2.0 * (double)n * (double)n * (double)r;
}

static twill_status make_async(la_work *w)
{
    int64_t r = right_hand_sides(w->n);
    twill_status status = make_getrf(w);
    if (status == TWILL_OK)
        status = matrix(w, w->n, r, 1);
    if (status == TWILL_OK)
        status = matrix(w, w->n, w->n, 2);
    return status == TWILL_OK ? matrix(w, w->n, r, 3) : status;
}

static twill_status fill_async(la_work *w)
{
    twill_status status = TWILL_OK;
    for (int i = 0; i < 4 && status == TWILL_OK; i++)
        status = twill_fill_random(w->x[i], SEED + (uint64_t)i);
    return status;
}

static twill_status run_async(la_work *w)
{
    twill_graph *g;
    twill_status status = twill_stf_begin(w->tw, &g);
    if (status != TWILL_OK)
        return status;
    status = twill_getrf_insert(g, w->x[0], w->ipiv, NULL);
    if (status == TWILL_OK)
        status = twill_getrs_insert(g, TWILL_NO_TRANS, w->x[0], w->ipiv, w->x[1], NULL);
    if (status == TWILL_OK)
        status = twill_gemm_insert(g, TWILL_NO_TRANS, TWILL_NO_TRANS, twill_real(1), w->x[2],
                                   w->x[1], twill_real(0), w->x[3], NULL);
    twill_status ended = twill_wait(g);
    twill_graph_free(g);
    return status == TWILL_OK ? ended : status;
}

static twill_status run_calls(la_work *w)
{
    twill_status status = run_getrf(w);
    if (status == TWILL_OK)
        status = twill_getrs(TWILL_NO_TRANS, w->x[0], w->ipiv, w->x[1]);
    return status == TWILL_OK ? twill_gemm(TWILL_NO_TRANS, TWILL_NO_TRANS, twill_real(1), w->x[2],
                                           w->x[1], twill_real(0), w->x[3])
                              : status;
}

/* ---- all of them ------------------------------------------------------------------------- */

#define SIZES "2000,4000,8000"

static const la_case cases[] = {
    {.name = "potrf",
     .about = "Cholesky",
     .sizes = SIZES,
     .tall = 1,
     .routine = "potrf",
     .openmp = true,
     .flops = count_potrf,
     .make = make_one,
     .fill = fill_spd,
     .ways = {{"twill", run_potrf}}},
    {.name = "getrf",
     .about = "LU with partial pivoting",
     .sizes = SIZES,
     .tall = 1,
     .routine = "getrf",
     .flops = count_getrf,
     .make = make_getrf,
     .fill = fill_one,
     .ways = {{"twill", run_getrf}}},
    {.name = "geqrf",
     .about = "QR",
     .sizes = SIZES,
     .tall = 1,
     .routine = "geqrf",
     .flops = count_geqrf,
     .make = make_geqrf,
     .fill = fill_one,
     .ways = {{"twill", run_geqrf}}},
    {.name = "gemm",
     .about = "product",
     .sizes = SIZES,
     .tall = 1,
     .routine = "gemm",
     .flops = count_gemm,
     .make = make_gemm,
     .fill = fill_gemm,
     .ways = {{"twill", run_gemm}}},
    {.name = "summa",
     .about = "product by one-sided copies",
     .sizes = SIZES,
     .tall = 1,
     .routine = "gemm",
     .flops = count_gemm,
     .make = make_gemm,
     .fill = fill_gemm,
     .ways = {{"twill", run_summa}, {"twill-gemm", run_gemm}}},
    {.name = "tall",
     .about = "QR with 100 times as many rows as columns",
     .sizes = "200",
     .tall = 100,
     .routine = "geqrf",
     .flops = count_geqrf,
     .make = make_geqrf,
     .fill = fill_one,
     .ways = {{"twill", run_geqrf}}},
    {.name = "mixed",
     .about = "solve by Cholesky in mixed precision, and in double",
     .sizes = "8000",
     .tall = 1,
     .flops = count_posv,
     .make = make_posv,
     .fill = fill_posv,
     .ways = {{"twill", run_mixed}, {"twill-double", run_posv}}},
    {.name = "async",
     .about = "LU, solve and multiply as one graph, and as three calls",
     .sizes = "2000",
     .tall = 1,
     .flops = count_async,
     .make = make_async,
     .fill = fill_async,
     .ways = {{"twill", run_async}, {"twill-calls", run_calls}}},
};

const la_case *la_case_at(int i)
{
    return i >= 0 && i < (int)(sizeof cases / sizeof *cases) ? &cases[i] : NULL;
}

const la_case *la_case_named(const char *who, const char *name)
{
    tw_nearest_search search = nearest_to(name);
    const la_case *c;
    for (int i = 0; (c = la_case_at(i)); i++) {
        if (strcmp(c->name, name) == 0)
            return c;
        tw_nearest_offer(&search, c->name);
    }
    complain(who, "--case %s: unknown; did you mean '%s'?", name, search.best);
    return NULL;
}

twill_status la_open(la_work *w, const la_case *c, twill *tw, int64_t n, int64_t nb)
{
    *w = (la_work){.tw = tw, .m = c->tall * n, .n = n, .nb = nb};
    return c->make(w);
}

void la_close(la_work *w)
{
    twill_reflectors_free(w->h);
    twill_array_free(w->ipiv);
    for (int i = 0; i < LA_MATRICES; i++)
        twill_array_free(w->x[i]);
    *w = (la_work){0};
}

int64_t la_tile(const la_work *w)
{
    return twill_array_pattern(w->x[0])->block[0];
}

twill_status la_run(la_work *w, const la_case *c, int way, double *gflops)
{
    twill_status status = c->fill(w);
    if (status != TWILL_OK)
        return status;
    double start = system_seconds();
    status = c->ways[way].run(w);
    *gflops = 1e-9 * c->flops(w->m, w->n) / (system_seconds() - start);
    return status;
}
