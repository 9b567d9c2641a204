/* Product of a triangular matrix with its conjugate transpose, in its place: A := L^H L, the lower
 * form being that of the formulas:
 *
 *   step k:  A(n,n) += A(k,n)^H A(k,n)        n < k
 *            A(m,n) += A(k,m)^H A(k,n)        n < m < k
 *            A(k,n) := A(k,k)^H A(k,n)        n < k
 *            A(k,k) := A(k,k)^H A(k,k)
 *
 * The upper form, A := U U^H, is its mirror image. */
#include "la/cholesky/triangle.h"
#include "la/kernel/blocks.h"
#include "la/kernel/inverse.h"
#include "la/kernel/tiles.h"

typedef struct plan {
    twill_array *a;
    twill_uplo uplo;
    bool priority;
    int64_t nt;
} plan;

/* ---- tasks ------------------------------------------------------------------------------- */

static twill_outcome lauum_body(twill_task *t)
{
    twill_flow a = tw_la_tile(t, 0);
    tw_tile_lauum(tw_la_kernels(t, 0), (char)twill_task_int(t, 1), &a);
    return TWILL_DONE;
}

static twill_outcome trmm_body(twill_task *t)
{
    twill_flow a = tw_la_tile(t, 0), b = tw_la_tile(t, 1);
    tw_tile_trmm(tw_la_kernels(t, 0), (char)twill_task_int(t, 2), &a, &b);
    return TWILL_DONE;
}

/* C += A^H A or A A^H. */
static twill_outcome herk_body(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    twill_flow a = tw_la_tile(t, 0), c = tw_la_tile(t, 1);
    char uplo = (char)twill_task_int(t, 2);
    int n = (int)c.rows, inner = (int)(uplo == 'L' ? a.rows : a.cols);
    int lda = (int)a.ld, ldc = (int)c.ld;
    tw_block_herk(k, uplo, uplo == 'L' ? 'C' : 'N', n, inner, k->one, a.data, lda, k->one, c.data,
                  ldc);
    return TWILL_DONE;
}

/* C += A^H B, or A B^H in the upper form. */
static twill_outcome gemm_body(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    twill_flow a = tw_la_tile(t, 0), b = tw_la_tile(t, 1), c = tw_la_tile(t, 2);
    bool lower = twill_task_int(t, 3) == TWILL_LOWER;
    tw_tile_product(k, lower ? 'C' : 'N', lower ? 'N' : 'C', k->one, &a, &b, &c);
    return TWILL_DONE;
}

static const twill_class lauum = {
    .size = sizeof(twill_class), .name = "lauum", .chores = {TWILL_CPU(lauum_body)}};
static const twill_class trmm = {
    .size = sizeof(twill_class), .name = "trmm", .chores = {TWILL_CPU(trmm_body)}};
static const twill_class herk = {
    .size = sizeof(twill_class), .name = "herk", .chores = {TWILL_CPU(herk_body)}};
static const twill_class gemm = {
    .size = sizeof(twill_class), .name = "gemm", .chores = {TWILL_CPU(gemm_body)}};

/* ---- the algorithm ----------------------------------------------------------------------- */

static twill_tile *tile(const plan *p, int64_t i, int64_t j)
{
    return tw_triangle_tile(p->a, p->uplo, i, j);
}

static twill_arg urgency(const plan *p, int64_t k, int64_t bonus)
{
    return TWILL_PRIORITY(p->priority ? 2 * (p->nt - k) + bonus : 0);
}

static twill_status insert_update(twill_graph *g, const plan *p, int64_t m, int64_t n, int64_t k)
{
    bool lower = p->uplo == TWILL_LOWER;
    twill_arg uplo = TWILL_INT(p->uplo), cost = tw_triangle_cost(p->a, m, n, k, 1.0);
    if (m == n)
        return twill_insert(g, &herk, TWILL_R(tile(p, k, n)), TWILL_RW(tile(p, n, n)), uplo,
                            urgency(p, k, 1), tw_triangle_cost(p->a, m, n, k, 0.5));
    /* tile (n, m) of the upper form is A(n,k) A(m,k)^H */
    return twill_insert(g, &gemm, TWILL_R(tile(p, k, lower ? m : n)),
                        TWILL_R(tile(p, k, lower ? n : m)), TWILL_RW(tile(p, m, n)), uplo,
                        urgency(p, k, 1), cost);
}

static twill_status insert_step(twill_graph *g, const plan *p, int64_t k)
{
    twill_arg uplo = TWILL_INT(p->uplo);
    twill_status status = TWILL_OK;
    for (int64_t n = 0; n < k; n++)
        for (int64_t m = n; m < k && status == TWILL_OK; m++)
            status = insert_update(g, p, m, n, k);
    for (int64_t n = 0; n < k && status == TWILL_OK; n++)
        status = twill_insert(g, &trmm, TWILL_R(tile(p, k, k)), TWILL_RW(tile(p, k, n)), uplo,
                              urgency(p, k, 0), tw_triangle_cost(p->a, k, n, k, 0.5));
    if (status == TWILL_OK)
        status = twill_insert(g, &lauum, TWILL_RW(tile(p, k, k)), uplo, urgency(p, k, 0),
                              tw_triangle_cost(p->a, k, k, k, 1.0 / 6));
    return status;
}

twill_status twill_lauum_insert(twill_graph *g, twill_uplo uplo, twill_array *a,
                                const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    twill_status status = tw_triangle_check(NULL, "lauum", uplo, a);
    plan p = {a, uplo, !options || !options->no_priority, status == TWILL_OK ? tw_la_nt(a) : 0};
    for (int64_t k = 0; k < p.nt && status == TWILL_OK; k++)
        status = insert_step(g, &p, k);
    /* what comes before it in the graph may have failed: twill_wait will say so */
    return status == TWILL_ERR_NUMERICAL ? TWILL_OK : status;
}

static twill_status insert_all(twill_graph *g, void *arg)
{
    const plan *p = arg;
    return twill_lauum_insert(g, p->uplo, p->a, NULL);
}

int64_t tw_lauum_whole(const tw_kernels *k, const twill_flow *x, const void *uplo)
{
    tw_tile_lauum(k, *(const char *)uplo, x);
    return 0;
}

twill_status twill_lauum(twill_uplo uplo, twill_array *a)
{
    char option = (char)uplo;
    tw_direct d = {"lauum", tw_lauum_whole, &option, {{a, TWILL_READ_WRITE}}};
    twill_status status = tw_triangle_check(NULL, "lauum", uplo, a);
    if (status != TWILL_OK || tw_direct_done(&d, NULL, &status))
        return status;
    return tw_la_run(twill_array_context(a), insert_all, &(plan){.a = a, .uplo = uplo}, NULL);
}
