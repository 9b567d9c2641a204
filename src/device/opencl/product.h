/* Products, of which everything else is made. */
#ifndef TW_DEVICE_OPENCL_PRODUCT_H
#define TW_DEVICE_OPENCL_PRODUCT_H

#include "device/opencl/call.h"

/* C := alpha op(A) op(B) + beta C. */
void tw_ocl_product(tw_ocl_call *call, int ta, int tb, int64_t m, int64_t n, int64_t k,
                    tw_ocl_scalar alpha, tw_ocl_matrix a, tw_ocl_matrix b, tw_ocl_scalar beta,
                    tw_ocl_matrix c);

/* The same for one triangle of an n by n matrix, with a real diagonal if it is Hermitian. */
void tw_ocl_product_part(tw_ocl_call *call, int part, bool hermitian, int ta, int tb, int64_t n,
                         int64_t k, tw_ocl_scalar alpha, tw_ocl_matrix a, tw_ocl_matrix b,
                         tw_ocl_scalar beta, tw_ocl_matrix c);

#endif
