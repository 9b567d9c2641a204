/* Routines of linear algebra on OpenCL. */
#include "device/opencl/product.h"

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

const tw_device_blas tw_ocl_blas = {.gemm = gemm};
