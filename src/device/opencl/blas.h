/* The routines, by file, and what they have in common. */
#ifndef TW_DEVICE_OPENCL_BLAS_H
#define TW_DEVICE_OPENCL_BLAS_H

#include "device/opencl/structured.h"

/* factor.c */
twill_status tw_ocl_potrf(tw_launch *l, twill_type type, char uplo, int64_t n, tw_place a);
twill_status tw_ocl_trtri(tw_launch *l, twill_type type, char uplo, char diag, int64_t n,
                          tw_place a);
twill_status tw_ocl_getrf(tw_launch *l, twill_type type, int64_t m, int64_t n, tw_place a,
                          tw_place ipiv);
twill_status tw_ocl_laswp(tw_launch *l, twill_type type, bool forward, int64_t n, tw_place a,
                          int64_t from, int64_t to, tw_place ipiv);
/* orthogonal.c */
twill_status tw_ocl_geqrf(tw_launch *l, twill_type type, int64_t m, int64_t n, tw_place a,
                          tw_place tau);
twill_status tw_ocl_unmqr(tw_launch *l, twill_type type, char side, char trans, int64_t m,
                          int64_t n, int64_t k, tw_place a, tw_place tau, tw_place c);

#endif
