/* Cholesky factorization: A = L L^H or A = U^H U. The graph is in potrf.jdf; insertion is here. */
#include "la/cholesky/potrf_about.h"
#include "la/cholesky/triangle.h"
#include "la/device/on_device.h"
#include "la/kernel/tiles.h"
#include "la/matrix/uplo.h"

#include <twill/device.h>

#include "la/cholesky/potrf_graph.h" /* what twillc makes needs the types above */

/* ---- by insertion: the four tasks -------------------------------------------------------- */

static twill_outcome potrf_body(twill_task *t)
{
    twill_flow a = tw_la_tile(t, 0);
    int info = tw_tile_potrf(tw_la_kernels(t, 0), (char)twill_task_int(t, 1), &a);
    return info ? twill_task_numerical(t, twill_task_int(t, 2) + info) : TWILL_DONE;
}

static twill_outcome trsm_body(twill_task *t)
{
    twill_flow l = tw_la_tile(t, 0), c = tw_la_tile(t, 1);
    tw_tile_trsm(tw_la_kernels(t, 0), (char)twill_task_int(t, 2), &l, &c);
    return TWILL_DONE;
}

static twill_outcome herk_body(twill_task *t)
{
    twill_flow a = tw_la_tile(t, 0), c = tw_la_tile(t, 1);
    const tw_chol_step *step = twill_task_data(t, 3);
    tw_tile_herk(t, tw_la_kernels(t, 0), (char)twill_task_int(t, 2), *step, &a, &c);
    return TWILL_DONE;
}

static twill_outcome gemm_body(twill_task *t)
{
    twill_flow a = tw_la_tile(t, 0), b = tw_la_tile(t, 1), c = tw_la_tile(t, 2);
    const tw_chol_step *step = twill_task_data(t, 4);
    tw_tile_gemm(t, tw_la_kernels(t, 0), (char)twill_task_int(t, 3), *step, &a, &b, &c);
    return TWILL_DONE;
}

/* ---- on devices -------------------------------------------------------------------------- */

/* What the routine has found, when the lane is done. */
static twill_outcome look_at_pivots(twill_task *t)
{
    int info = tw_on_device_info(t);
    return info ? twill_task_numerical(t, twill_task_int(t, 2) + info) : TWILL_DONE;
}

static twill_outcome potrf_on_device(twill_task *t, void *queue)
{
    (void)queue;
    const tw_on_device d = tw_on_device_of(t, 0);
    twill_task_then(t, look_at_pivots);
    return tw_on_device_end(t, d.blas->potrf(d.launch, d.type, (char)twill_task_int(t, 1),
                                             twill_task_rows(t, 0), tw_on_device_at(t, 0)));
}

static twill_outcome trsm_on_device(twill_task *t, void *queue)
{
    (void)queue;
    const tw_on_device d = tw_on_device_of(t, 1);
    const tw_element one = tw_la_element(d.type, twill_real(1));
    char uplo = (char)twill_task_int(t, 2);
    return tw_on_device_end(t, d.blas->trsm(d.launch, d.type, uplo == 'L' ? 'R' : 'L', uplo, 'C',
                                            'N', twill_task_rows(t, 1), twill_task_cols(t, 1), &one,
                                            tw_on_device_at(t, 0), tw_on_device_at(t, 1)));
}

static twill_outcome herk_on_device(twill_task *t, void *queue)
{
    (void)queue;
    const tw_on_device d = tw_on_device_of(t, 1);
    const tw_element one = tw_la_element(d.type, twill_real(1)),
                     minus = tw_la_element(d.type, twill_real(-1));
    char uplo = (char)twill_task_int(t, 2);
    bool lower = uplo == 'L';
    return tw_on_device_end(
        t, d.blas->herk(d.launch, d.type, true, uplo, lower ? 'N' : 'C', twill_task_rows(t, 1),
                        lower ? twill_task_cols(t, 0) : twill_task_rows(t, 0), &minus,
                        tw_on_device_at(t, 0), &one, tw_on_device_at(t, 1)));
}

static twill_outcome gemm_on_device(twill_task *t, void *queue)
{
    (void)queue;
    const tw_on_device d = tw_on_device_of(t, 2);
    const tw_element one = tw_la_element(d.type, twill_real(1)),
                     minus = tw_la_element(d.type, twill_real(-1));
    bool lower = twill_task_int(t, 3) == 'L';
    const tw_place a = tw_on_device_at(t, 0), b = tw_on_device_at(t, 1);
    return tw_on_device_end(t, d.blas->gemm(d.launch, d.type, lower ? 'N' : 'C', lower ? 'C' : 'N',
                                            twill_task_rows(t, 2), twill_task_cols(t, 2),
                                            lower ? twill_task_cols(t, 0) : twill_task_rows(t, 0),
                                            &minus, lower ? a : b, lower ? b : a, &one,
                                            tw_on_device_at(t, 2)));
}

static const twill_class potrf = {.size = sizeof(twill_class),
                                  .name = "potrf",
                                  .chores = {TWILL_CPU(potrf_body), TW_ON_DEVICES(potrf_on_device)},
                                  .parameters = "k",
                                  .describe = tw_about_potrf};
static const twill_class trsm = {.size = sizeof(twill_class),
                                 .name = "trsm",
                                 .chores = {TWILL_CPU(trsm_body), TW_ON_DEVICES(trsm_on_device)},
                                 .parameters = "m k",
                                 .describe = tw_about_trsm};
static const twill_class herk = {.size = sizeof(twill_class),
                                 .name = "herk",
                                 .chores = {TWILL_CPU(herk_body), TW_ON_DEVICES(herk_on_device)},
                                 .parameters = "m k",
                                 .describe = tw_about_herk};
static const twill_class gemm = {.size = sizeof(twill_class),
                                 .name = "gemm",
                                 .chores = {TWILL_CPU(gemm_body), TW_ON_DEVICES(gemm_on_device)},
                                 .parameters = "m n k",
                                 .describe = tw_about_gemm};

/* ---- the algorithm ----------------------------------------------------------------------- */

typedef struct plan {
    twill_array *a;
    twill_uplo uplo;
    bool priority;
    int64_t nt;
} plan;

/* Tile (i, j), i >= j, of the lower triangle, or its mirror image. */
static twill_tile *tile(const plan *p, int64_t i, int64_t j)
{
    return p->uplo == TWILL_LOWER ? twill_tile_at(p->a, i, j) : twill_tile_at(p->a, j, i);
}

/* Tasks on the way to the next panels come first: what column j needs, the earlier the column. */
static twill_arg urgency(const plan *p, int64_t j, int64_t bonus)
{
    return TWILL_PRIORITY(p->priority ? 3 * (p->nt - j) + bonus : 0);
}

static twill_status insert_update(twill_graph *g, const plan *p, int64_t m, int64_t n, int64_t k)
{
    twill_arg uplo = TWILL_INT(p->uplo);
    tw_chol_step step = {m, n, k, p->nt};
    if (m == n)
        return twill_insert(g, &herk, TWILL_R(tile(p, m, k)), TWILL_RW(tile(p, m, m)), uplo,
                            TWILL_VALUE(step), urgency(p, n, 1));
    return twill_insert(g, &gemm, TWILL_R(tile(p, m, k)), TWILL_R(tile(p, n, k)),
                        TWILL_RW(tile(p, m, n)), uplo, TWILL_VALUE(step), urgency(p, n, 0));
}

static twill_status insert_step(twill_graph *g, const plan *p, int64_t k)
{
    twill_arg uplo = TWILL_INT(p->uplo);
    int64_t nb = twill_array_pattern(p->a)->block[0];
    twill_status status =
        twill_insert(g, &potrf, TWILL_RW(tile(p, k, k)), uplo, TWILL_INT(k * nb), urgency(p, k, 2));
    for (int64_t m = k + 1; m < p->nt && status == TWILL_OK; m++)
        status = twill_insert(g, &trsm, TWILL_R(tile(p, k, k)), TWILL_RW(tile(p, m, k)), uplo,
                              urgency(p, k, 1));
    for (int64_t n = k + 1; n < p->nt; n++)
        for (int64_t m = n; m < p->nt && status == TWILL_OK; m++)
            status = insert_update(g, p, m, n, k);
    return status;
}

static twill_status check(int64_t *info, twill_uplo uplo, twill_array *a)
{
    if (uplo != TWILL_LOWER && uplo != TWILL_UPPER)
        return tw_la_bad(info, "potrf", 1, "(uplo) must be TWILL_LOWER or TWILL_UPPER");
    twill_status status = tw_la_check_blas("potrf", a);
    return status == TWILL_OK ? tw_uplo_resolve("potrf", 1, a, &uplo) : status;
}

twill_status twill_potrf_insert(twill_graph *g, twill_uplo uplo, twill_array *a,
                                const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    twill_status status = check(NULL, uplo, a);
    plan p = {a, uplo, !options || !options->no_priority, status == TWILL_OK ? tw_la_nt(a) : 0};
    for (int64_t k = 0; k < p.nt && status == TWILL_OK; k++)
        status = insert_step(g, &p, k);
    /* a pivot may fail while we still insert: the graph knows, and twill_wait will say so */
    return status == TWILL_ERR_NUMERICAL ? TWILL_OK : status;
}

/* ---- as a graph -------------------------------------------------------------------------- */

twill_status twill_potrf_graph(twill_uplo uplo, twill_array *a, const twill_la_options *options,
                               twill_graph **g)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    const tw_blas *blas;
    twill_status status = check(NULL, uplo, a);
    if (status == TWILL_OK && options && options->lookahead < 0)
        status = tw_fail(TWILL_ERR_ARGUMENT, "potrf: lookahead must not be negative");
    if (status == TWILL_OK)
        status = tw_blas_get(twill_array_context(a), &blas);
    if (status != TWILL_OK)
        return status;
    int ahead = options && options->lookahead ? options->lookahead : 1;
    return twill_potrf_new(twill_array_context(a), a, &blas->kernels[twill_array_type(a)],
                           (char)uplo, uplo == TWILL_LOWER, tw_la_nt(a),
                           twill_array_pattern(a)->block[0],
                           options && options->no_priority ? 0 : ahead, g);
}

/* ---- at once ----------------------------------------------------------------------------- */

/* Below this order LAPACK's own routine is faster than recursion. */
enum { RECURSE_FROM = 128 };

int64_t tw_potrf_whole(const tw_kernels *k, const twill_flow *x, const void *uplo)
{
    return x->rows < RECURSE_FROM ? tw_tile_potrf_lapack(k, *(const char *)uplo, x)
                                  : tw_tile_potrf(k, *(const char *)uplo, x);
}

typedef struct call {
    twill_uplo uplo;
    twill_array *a;
} call;

static twill_status insert_all(twill_graph *g, void *arg)
{
    const call *c = arg;
    return twill_potrf_insert(g, c->uplo, c->a, NULL);
}

/* On devices by insertion: its tiles stay there, those of a parameterised graph come home after
 * each task. */
twill_status twill_potrf(twill_uplo uplo, twill_array *a, int64_t *info)
{
    twill_graph *g;
    char option = (char)uplo;
    tw_direct small = {"potrf", tw_potrf_whole, &option, {{a, TWILL_READ_WRITE}}};
    twill_status status = check(info, uplo, a);
    if (status != TWILL_OK || tw_direct_done(&small, info, &status))
        return status;
    if (tw_on_devices(twill_array_context(a))) {
        status = tw_la_run(twill_array_context(a), insert_all, &(call){uplo, a}, info);
        return status == TWILL_ERR_NUMERICAL ? TWILL_OK : status;
    }
    status = twill_potrf_graph(uplo, a, NULL, &g);
    if (status == TWILL_OK)
        status = tw_la_run_graph(g, info);
    return status;
}
