/* LAPACK's test ratio of a Cholesky factorization: |A - L L^H| / (n |A| eps), 1-norm. */
#include "la/fit.h"
#include "la/matrix/uplo.h"

#include "la/kernel/blocks.h"

#include <float.h>
#include <string.h>

/* ---- A - L L^H --------------------------------------------------------------------------- */

/* The triangle of a diagonal tile, zeros elsewhere. */
static void copy_triangle(const twill_task *t, int arg, char uplo, char *to)
{
    size_t element = twill_array_element(twill_task_array(t, arg));
    int64_t n = twill_task_rows(t, arg), ld = twill_task_ld(t, arg);
    const char *from = twill_task_data(t, arg);
    memset(to, 0, (size_t)(n * n) * element);
    for (int64_t j = 0; j < n; j++) {
        int64_t first = uplo == 'L' ? j : 0, end = uplo == 'L' ? n : j + 1;
        memcpy(to + (size_t)(first + j * n) * element, from + (size_t)(first + j * ld) * element,
               (size_t)(end - first) * element);
    }
}

/* One factor as the product needs it: the tile, or the triangle of a diagonal one. */
static const void *factor(const twill_task *t, int arg, bool triangle, char uplo, int scratch,
                          int *ld)
{
    *ld = (int)twill_task_ld(t, arg);
    if (!triangle)
        return twill_task_data(t, arg);
    *ld = (int)twill_task_rows(t, arg);
    copy_triangle(t, arg, uplo, twill_task_data(t, scratch));
    return twill_task_data(t, scratch);
}

/* R(i,j) -= L(i,k) L(j,k)^H, or U(k,i)^H U(k,j); bits 0 and 1 of argument 4 mark diagonal factors.
 */
static twill_outcome subtract_body(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    char uplo = (char)twill_task_int(t, 3);
    int64_t triangles = twill_task_int(t, 4);
    int lda, ldb, ldc = (int)twill_task_ld(t, 0);
    const void *a = factor(t, 1, triangles & 1, uplo, 5, &lda);
    const void *b = factor(t, 2, triangles & 2, uplo, 6, &ldb);
    int m = (int)twill_task_rows(t, 0), n = (int)twill_task_cols(t, 0);
    int inner = (int)(uplo == 'L' ? twill_task_cols(t, 1) : twill_task_rows(t, 1));
    tw_block_gemm(k, uplo == 'L' ? 'N' : 'C', uplo == 'L' ? 'C' : 'N', m, n, inner, k->minus_one, a,
                  lda, b, ldb, k->one, twill_task_data(t, 0), ldc);
    return TWILL_DONE;
}

static const twill_class subtract = {
    .size = sizeof(twill_class), .name = "residual", .chores = {TWILL_CPU(subtract_body)}};

typedef struct call {
    twill_uplo uplo;
    twill_array *a, *factor;
} call;

static twill_tile *at(const call *o, twill_array *x, int64_t i, int64_t j)
{
    return o->uplo == TWILL_LOWER ? twill_tile_at(x, i, j) : twill_tile_at(x, j, i);
}

/* Tile (i, j), i >= j, of the difference, or its mirror image. */
static twill_status insert_difference(twill_graph *g, const call *o, int64_t i, int64_t j)
{
    const twill_pattern *p = twill_array_pattern(o->a);
    int64_t n = p->block[0] < p->extent[0] ? p->block[0] : p->extent[0];
    size_t size = (size_t)(n * n) * twill_array_element(o->a);
    twill_status status = TWILL_OK;
    bool lower = o->uplo == TWILL_LOWER;
    int64_t first = lower ? i : j, second = lower ? j : i;
    for (int64_t k = 0; k <= j && status == TWILL_OK; k++) {
        int64_t triangles = (first == k) | (second == k) << 1;
        status = twill_insert(
            g, &subtract, TWILL_RW(at(o, o->a, i, j)), TWILL_R(at(o, o->factor, first, k)),
            TWILL_R(at(o, o->factor, second, k)), TWILL_INT(o->uplo), TWILL_INT(triangles),
            TWILL_SCRATCH(triangles & 1 ? size : 1), TWILL_SCRATCH(triangles & 2 ? size : 1));
    }
    return status;
}

/* ---- the ratio ---------------------------------------------------------------------------- */

static twill_status insert_residual(twill_graph *g, void *arg)
{
    call *o = arg;
    tw_fit x[] = {tw_fit_of(&o->a, TWILL_READ_WRITE, o->uplo, 0, 0),
                  tw_fit_of(&o->factor, TWILL_READ, o->uplo, 0, 0)};
    twill_status status = tw_fit_begin(g, x, 2);
    int64_t nt = tw_la_nt(o->a);
    for (int64_t j = 0; j < nt; j++)
        for (int64_t i = j; i < nt && status == TWILL_OK; i++)
            status = insert_difference(g, o, i, j);
    return tw_fit_end(g, x, 2, status);
}

static twill_status compute(call *o, double *ratio)
{
    twill *tw = twill_array_context(o->a);
    int64_t n = twill_array_pattern(o->a)->extent[0];
    double norm = 0.0, difference = 0.0;
    twill_status status = twill_norm_symmetric(TWILL_NORM_ONE, o->uplo, o->a, &norm);
    if (status == TWILL_OK)
        status = tw_la_run(tw, insert_residual, o, NULL);
    if (status == TWILL_OK)
        status = twill_norm_symmetric(TWILL_NORM_ONE, o->uplo, o->a, &difference);
    twill_type type = twill_array_type(o->a);
    double eps =
        type == TWILL_FLOAT32 || type == TWILL_COMPLEX64 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    if (status == TWILL_OK)
        *ratio = n == 0 || (norm == 0.0 && difference == 0.0)
                     ? 0.0
                     : difference / ((double)n * norm * eps);
    return status;
}

twill_status twill_potrf_residual(twill_uplo uplo, twill_array *a, twill_array *l, double *ratio)
{
    twill_status status = tw_la_check_blas("potrf_residual", a);
    if (status == TWILL_OK)
        status = tw_la_check_square("potrf_residual", l);
    if (status != TWILL_OK)
        return status;
    const twill_pattern *p = twill_array_pattern(a);
    bool alike =
        memcmp(p, twill_array_pattern(l), sizeof *p) == 0 ||
        (p->extent[0] == twill_array_pattern(l)->extent[0] && (a->tiles_chosen || l->tiles_chosen));
    if (!alike || twill_array_type(a) != twill_array_type(l) ||
        (uplo != TWILL_LOWER && uplo != TWILL_UPPER))
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "potrf_residual: the matrices differ in type, size or tile "
                       "size, or uplo is not a triangle");
    status = tw_uplo_resolve("potrf_residual", 1, a, &uplo);
    if (status == TWILL_OK)
        status = tw_uplo_resolve("potrf_residual", 1, l, &uplo);
    return status != TWILL_OK ? status : compute(&(call){uplo, a, l}, ratio);
}
