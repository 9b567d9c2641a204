/* Level 3 on OpenCL: what is stored in part is made whole in workspace, and then multiplied. */
#include "device/opencl/blas.h"

static twill_status gemm(tw_launch *l, twill_type type, char ta, char tb, int64_t m, int64_t n,
                         int64_t k, const void *alpha, tw_place a, tw_place b, const void *beta,
                         tw_place c)
{
    tw_ocl_call call = tw_ocl_call_of("enqueue gemm", l, type);
    tw_ocl_product(&call, tw_ocl_trans(ta), tw_ocl_trans(tb), m, n, k,
                   tw_ocl_read(type, false, alpha), tw_ocl_at(&call, a), tw_ocl_at(&call, b),
                   tw_ocl_read(type, false, beta), tw_ocl_at(&call, c));
    return tw_ocl_finish(&call);
}

/* How A and B are taken in A op(B), or, transposed, in op(A) B. */
static int flag(bool is_op, bool hermitian)
{
    return !is_op ? TW_OCL_PLAIN : hermitian ? TW_OCL_CONJUGATED : TW_OCL_TRANSPOSED;
}

static twill_status herk(tw_launch *l, twill_type type, bool hermitian, char uplo, char trans,
                         int64_t n, int64_t k, const void *alpha, tw_place a, const void *beta,
                         tw_place c)
{
    tw_ocl_call call = tw_ocl_call_of("enqueue herk", l, type);
    tw_ocl_matrix am = tw_ocl_at(&call, a);
    tw_ocl_product_part(&call, tw_ocl_part(uplo), hermitian, flag(trans != 'N', hermitian),
                        flag(trans == 'N', hermitian), n, k, tw_ocl_read(type, hermitian, alpha),
                        am, am, tw_ocl_read(type, hermitian, beta), tw_ocl_at(&call, c));
    return tw_ocl_finish(&call);
}

static tw_ocl_scalar conjugate(twill_type type, tw_ocl_scalar x)
{
    if (tw_ocl_is_double(type))
        x.f64[1] = -x.f64[1];
    else
        x.f32[1] = -x.f32[1];
    return x;
}

static twill_status her2k(tw_launch *l, twill_type type, bool hermitian, char uplo, char trans,
                          int64_t n, int64_t k, const void *alpha, tw_place a, tw_place b,
                          const void *beta, tw_place c)
{
    tw_ocl_call call = tw_ocl_call_of("enqueue her2k", l, type);
    const tw_ocl_matrix am = tw_ocl_at(&call, a), bm = tw_ocl_at(&call, b),
                        cm = tw_ocl_at(&call, c);
    const tw_ocl_scalar x = tw_ocl_read(type, false, alpha);
    const int part = tw_ocl_part(uplo), ta = flag(trans != 'N', hermitian),
              tb = flag(trans == 'N', hermitian);
    tw_ocl_product_part(&call, part, hermitian, ta, tb, n, k, x, am, bm,
                        tw_ocl_read(type, hermitian, beta), cm);
    tw_ocl_product_part(&call, part, hermitian, ta, tb, n, k, hermitian ? conjugate(type, x) : x,
                        bm, am, tw_ocl_number(type, 1), cm);
    return tw_ocl_finish(&call);
}

static twill_status symm(tw_launch *l, twill_type type, bool hermitian, char side, char uplo,
                         int64_t m, int64_t n, const void *alpha, tw_place a, tw_place b,
                         const void *beta, tw_place c)
{
    tw_ocl_call call = tw_ocl_call_of("enqueue symm", l, type);
    const bool left = side == 'L';
    const int64_t order = left ? m : n;
    const tw_ocl_matrix whole = tw_ocl_room(&call, order, order), bm = tw_ocl_at(&call, b);
    tw_ocl_expand(&call, order, order, tw_ocl_number(type, 1),
                  hermitian ? TW_OCL_HERMITIAN : TW_OCL_SYMMETRIC, tw_ocl_part(uplo), TW_OCL_PLAIN,
                  tw_ocl_at(&call, a), TW_OCL_WHOLE, whole);
    tw_ocl_product(&call, TW_OCL_PLAIN, TW_OCL_PLAIN, m, n, order, tw_ocl_read(type, false, alpha),
                   left ? whole : bm, left ? bm : whole, tw_ocl_read(type, false, beta),
                   tw_ocl_at(&call, c));
    return tw_ocl_finish(&call);
}

static twill_status trsm(tw_launch *l, twill_type type, char side, char uplo, char trans, char diag,
                         int64_t m, int64_t n, const void *alpha, tw_place a, tw_place b)
{
    tw_ocl_call call = tw_ocl_call_of("enqueue trsm", l, type);
    const bool left = side == 'L';
    const tw_ocl_triangle t = {tw_ocl_at(&call, a), left ? m : n, tw_ocl_part(uplo), diag == 'U'};
    tw_ocl_solve(&call, left, tw_ocl_trans(trans), t, left ? n : m, tw_ocl_read(type, false, alpha),
                 tw_ocl_at(&call, b));
    return tw_ocl_finish(&call);
}

static twill_status trmm(tw_launch *l, twill_type type, char side, char uplo, char trans, char diag,
                         int64_t m, int64_t n, const void *alpha, tw_place a, tw_place b)
{
    tw_ocl_call call = tw_ocl_call_of("enqueue trmm", l, type);
    const bool left = side == 'L';
    const int64_t order = left ? m : n;
    const tw_ocl_matrix bm = tw_ocl_at(&call, b), copy = tw_ocl_copy_of(&call, m, n, bm),
                        whole = tw_ocl_room(&call, order, order);
    tw_ocl_expand(&call, order, order, tw_ocl_number(type, 1),
                  diag == 'U' ? TW_OCL_UNIT : TW_OCL_TRIANGULAR, tw_ocl_part(uplo),
                  tw_ocl_trans(trans), tw_ocl_at(&call, a), TW_OCL_WHOLE, whole);
    tw_ocl_product(&call, TW_OCL_PLAIN, TW_OCL_PLAIN, m, n, order, tw_ocl_read(type, false, alpha),
                   left ? whole : copy, left ? copy : whole, tw_ocl_number(type, 0), bm);
    return tw_ocl_finish(&call);
}

const tw_device_blas tw_ocl_blas = {.gemm = gemm,
                                    .herk = herk,
                                    .her2k = her2k,
                                    .symm = symm,
                                    .trsm = trsm,
                                    .trmm = trmm,
                                    .potrf = tw_ocl_potrf,
                                    .trtri = tw_ocl_trtri,
                                    .getrf = tw_ocl_getrf,
                                    .laswp = tw_ocl_laswp,
                                    .geqrf = tw_ocl_geqrf,
                                    .unmqr = tw_ocl_unmqr};
