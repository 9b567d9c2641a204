/* Cholesky, inverses of triangles, and LU on OpenCL: by recursion, so that most is products. */
#include "device/opencl/blas.h"

/* ---- Cholesky ---------------------------------------------------------------------------- */

static void potrf(tw_ocl_call *call, int part, int64_t n, tw_ocl_matrix a, int64_t before)
{
    if (n <= TW_OCL_BLOCK) {
        tw_ocl_enqueue(call, TW_OCL_CHOLESKY, n > 0, 1, "limlb", n, part, a, before,
                       tw_ocl_info(call->lane));
        return;
    }
    const bool lower = part == TW_OCL_LOWER;
    const int64_t n1 = tw_ocl_half(n, TW_OCL_BLOCK), n2 = n - n1;
    const tw_ocl_matrix off = lower ? tw_ocl_sub(a, n1, 0) : tw_ocl_sub(a, 0, n1);
    const tw_ocl_triangle t = {a, n1, part, false};
    potrf(call, part, n1, a, before);
    tw_ocl_solve(call, !lower, TW_OCL_CONJUGATED, t, n2, tw_ocl_number(call->type, 1), off);
    tw_ocl_product_part(call, part, true, lower ? TW_OCL_PLAIN : TW_OCL_CONJUGATED,
                        lower ? TW_OCL_CONJUGATED : TW_OCL_PLAIN, n2, n1,
                        tw_ocl_number(call->type, -1), off, off, tw_ocl_number(call->type, 1),
                        tw_ocl_sub(a, n1, n1));
    potrf(call, part, n2, tw_ocl_sub(a, n1, n1), before + n1);
}

twill_status tw_ocl_potrf(tw_launch *l, twill_type type, char uplo, int64_t n, tw_place a)
{
    tw_ocl_call call = tw_ocl_call_of("enqueue potrf", l, type);
    potrf(&call, tw_ocl_part(uplo), n, tw_ocl_at(&call, a), 0);
    return tw_ocl_finish(&call);
}

twill_status tw_ocl_trtri(tw_launch *l, twill_type type, char uplo, char diag, int64_t n,
                          tw_place a)
{
    tw_ocl_call call = tw_ocl_call_of("enqueue trtri", l, type);
    const tw_ocl_triangle t = {tw_ocl_at(&call, a), n, tw_ocl_part(uplo), diag == 'U'};
    tw_ocl_invert(&call, t, 0);
    return tw_ocl_finish(&call);
}

/* ---- LU ---------------------------------------------------------------------------------- */

enum { PANEL = 16, SWAP_COLS = 16 };

static void swap(tw_ocl_call *call, bool forward, int64_t n, tw_ocl_matrix a, int64_t from,
                 int64_t to, tw_ocl_matrix ipiv)
{
    tw_ocl_enqueue(call, TW_OCL_SWAP_ROWS, (n + SWAP_COLS - 1) / SWAP_COLS, 1, "limllm", n,
                   (int)forward, a, from, to, ipiv);
}

/* Columns j to j + n - 1 are to follow what rows k to k + n1 - 1 of the columns below did. */
static void follow(tw_ocl_call *call, tw_ocl_matrix a, int64_t k, int64_t n1, int64_t j, int64_t n,
                   tw_ocl_matrix ipiv)
{
    const tw_ocl_triangle l = {tw_ocl_sub(a, k, k), n1, TW_OCL_LOWER, true};
    swap(call, true, n, tw_ocl_sub(a, 0, j), k, k + n1, ipiv);
    tw_ocl_solve(call, true, TW_OCL_PLAIN, l, n, tw_ocl_number(call->type, 1), tw_ocl_sub(a, k, j));
}

/* Columns k to k + n - 1 of m rows, from row k on; m - k is not less than n. */
static void getrf(tw_ocl_call *call, int64_t m, int64_t k, int64_t n, tw_ocl_matrix a,
                  tw_ocl_matrix ipiv)
{
    if (n <= PANEL) {
        tw_ocl_enqueue(call, TW_OCL_FACTOR_PANEL, n > 0, 1, "llmmlb", m - k, n, tw_ocl_sub(a, k, k),
                       tw_ocl_sub(ipiv, k, 0), k, tw_ocl_info(call->lane));
        return;
    }
    const int64_t n1 = tw_ocl_half(n, PANEL), n2 = n - n1, next = k + n1;
    getrf(call, m, k, n1, a, ipiv);
    follow(call, a, k, n1, next, n2, ipiv);
    tw_ocl_product(call, TW_OCL_PLAIN, TW_OCL_PLAIN, m - next, n2, n1,
                   tw_ocl_number(call->type, -1), tw_ocl_sub(a, next, k), tw_ocl_sub(a, k, next),
                   tw_ocl_number(call->type, 1), tw_ocl_sub(a, next, next));
    getrf(call, m, next, n2, a, ipiv);
    swap(call, true, n1, tw_ocl_sub(a, 0, k), next, next + n2, ipiv);
}

twill_status tw_ocl_getrf(tw_launch *l, twill_type type, int64_t m, int64_t n, tw_place a,
                          tw_place ipiv)
{
    tw_ocl_call call = tw_ocl_call_of("enqueue getrf", l, type);
    const int64_t k = m < n ? m : n;
    const tw_ocl_matrix am = tw_ocl_at(&call, a),
                        pivots = tw_ocl_at_size(&call, ipiv, sizeof(int64_t));
    getrf(&call, m, 0, k, am, pivots);
    if (n > k)
        follow(&call, am, 0, k, k, n - k, pivots);
    return tw_ocl_finish(&call);
}

twill_status tw_ocl_laswp(tw_launch *l, twill_type type, bool forward, int64_t n, tw_place a,
                          int64_t from, int64_t to, tw_place ipiv)
{
    tw_ocl_call call = tw_ocl_call_of("enqueue laswp", l, type);
    swap(&call, forward, n, tw_ocl_at(&call, a), from, to,
         tw_ocl_at_size(&call, ipiv, sizeof(int64_t)));
    return tw_ocl_finish(&call);
}
