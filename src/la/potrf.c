/* Cholesky factorization by insertion: A = L L^H or A = U^H U, tile by tile. */
#include "la/la.h"
#include "la/recursive.h"

#include <complex.h>
#include <math.h>

/* ---- the four tasks ---------------------------------------------------------------------- */

/* Diagonal entry j of a tile as a real number. */
static double diagonal(const twill_task *t, int j)
{
    int64_t at = j + j * twill_task_ld(t, 0);
    const void *a = twill_task_data(t, 0);
    switch (twill_array_type(twill_task_array(t, 0))) {
    case TWILL_F32:
        return ((const float *)a)[at];
    case TWILL_C32:
        return crealf(((const float complex *)a)[at]);
    case TWILL_C64:
        return creal(((const double complex *)a)[at]);
    default:
        return ((const double *)a)[at];
    }
}

/* LAPACK stops at a pivot that is NaN; some libraries compute on. */
static int first_nan(const twill_task *t, int n)
{
    for (int j = 0; j < n; j++)
        if (isnan(diagonal(t, j)))
            return j + 1;
    return 0;
}

static twill_outcome potrf_body(twill_task *t)
{
    char uplo = (char)twill_task_int(t, 1);
    int n = (int)twill_task_rows(t, 0), ld = (int)twill_task_ld(t, 0);
    int info = tw_potrf_recursive(tw_la_kernels(t, 0), uplo, n, twill_task_data(t, 0), ld);
    if (info == 0)
        info = first_nan(t, n);
    if (info != 0)
        return twill_task_numerical(t, twill_task_int(t, 2) + info);
    return TWILL_DONE;
}

/* Lower: A(m,k) := A(m,k) L(k,k)^-H. Upper: A(k,n) := U(k,k)^-H A(k,n). */
static twill_outcome trsm_body(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    char uplo = (char)twill_task_int(t, 2);
    tw_trsm_recursive(k, (tw_triangle){uplo == 'L' ? 'R' : 'L', uplo, 'C', 'N'},
                      (int)twill_task_rows(t, 1), (int)twill_task_cols(t, 1), k->one,
                      twill_task_data(t, 0), (int)twill_task_ld(t, 0), twill_task_data(t, 1),
                      (int)twill_task_ld(t, 1));
    return TWILL_DONE;
}

/* Lower: A(m,m) -= A(m,k) A(m,k)^H. Upper: A(n,n) -= A(k,n)^H A(k,n). */
static twill_outcome herk_body(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    char uplo = (char)twill_task_int(t, 2);
    int n = (int)twill_task_rows(t, 1);
    int inner = (int)(uplo == 'L' ? twill_task_cols(t, 0) : twill_task_rows(t, 0));
    int lda = (int)twill_task_ld(t, 0), ldc = (int)twill_task_ld(t, 1);
    k->herk(&uplo, uplo == 'L' ? "N" : "C", &n, &inner, k->minus_one, twill_task_data(t, 0), &lda,
            k->one, twill_task_data(t, 1), &ldc, 1, 1);
    return TWILL_DONE;
}

/* Lower: A(m,n) -= A(m,k) A(n,k)^H. Upper: A(m,n) -= A(k,m)^H A(k,n). */
static twill_outcome gemm_body(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    bool lower = twill_task_int(t, 3) == 'L';
    int m = (int)twill_task_rows(t, 2), n = (int)twill_task_cols(t, 2);
    int inner = (int)(lower ? twill_task_cols(t, 0) : twill_task_rows(t, 0));
    int lda = (int)twill_task_ld(t, 0), ldb = (int)twill_task_ld(t, 1);
    int ldc = (int)twill_task_ld(t, 2);
    k->gemm(lower ? "N" : "C", lower ? "C" : "N", &m, &n, &inner, k->minus_one,
            twill_task_data(t, 0), &lda, twill_task_data(t, 1), &ldb, k->one, twill_task_data(t, 2),
            &ldc, 1, 1);
    return TWILL_DONE;
}

static const twill_class potrf = {.name = "potrf", .cpu = potrf_body};
static const twill_class trsm = {.name = "trsm", .cpu = trsm_body};
static const twill_class herk = {.name = "herk", .cpu = herk_body};
static const twill_class gemm = {.name = "gemm", .cpu = gemm_body};

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
    if (m == n)
        return twill_insert(g, &herk, TWILL_R(tile(p, m, k)), TWILL_RW(tile(p, m, m)), uplo,
                            urgency(p, n, 1));
    /* the upper form multiplies A(k,n)^H A(k,m): the factor of the row comes first */
    int64_t first = p->uplo == TWILL_LOWER ? m : n, second = p->uplo == TWILL_LOWER ? n : m;
    return twill_insert(g, &gemm, TWILL_R(tile(p, first, k)), TWILL_R(tile(p, second, k)),
                        TWILL_RW(tile(p, m, n)), uplo, urgency(p, n, 0));
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

static twill_status check(twill_uplo uplo, twill_array *a)
{
    if (uplo != TWILL_LOWER && uplo != TWILL_UPPER)
        return tw_fail(TWILL_ERR_ARGUMENT, "potrf: uplo must be TWILL_LOWER or TWILL_UPPER");
    return tw_la_check_blas("potrf", a);
}

twill_status twill_potrf_insert(twill_graph *g, twill_uplo uplo, twill_array *a,
                                const twill_potrf_options *options)
{
    twill_status status = check(uplo, a);
    plan p = {a, uplo, !options || !options->no_priority, status == TWILL_OK ? tw_la_nt(a) : 0};
    for (int64_t k = 0; k < p.nt && status == TWILL_OK; k++)
        status = insert_step(g, &p, k);
    /* a pivot may fail while we still insert: the graph knows, and twill_wait will say so */
    return status == TWILL_ERR_NUMERICAL ? TWILL_OK : status;
}

static twill_status insert_whole(twill_graph *g, void *arg)
{
    const plan *p = arg;
    return twill_potrf_insert(g, p->uplo, p->a, NULL);
}

twill_status twill_potrf(twill_uplo uplo, twill_array *a, int64_t *info)
{
    int64_t where = 0;
    twill_status status = check(uplo, a);
    if (status == TWILL_OK)
        status =
            tw_la_run(twill_array_context(a), insert_whole, &(plan){.a = a, .uplo = uplo}, &where);
    if (status == TWILL_ERR_NUMERICAL)
        status = TWILL_OK;
    if (status == TWILL_OK && info)
        *info = where;
    return status;
}
