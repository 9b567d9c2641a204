/* Products. */
#include "device/opencl/product.h"

enum { GROUP_ROWS = 32, GROUP_COLS = 16 }; /* of C, for one group of the kernel */

static void multiply(tw_ocl_call *call, int part, bool hermitian, int ta, int tb, int64_t m,
                     int64_t n, int64_t k, tw_ocl_scalar alpha, tw_ocl_matrix a, tw_ocl_matrix b,
                     tw_ocl_scalar beta, tw_ocl_matrix c)
{
    tw_ocl_enqueue(call, TW_OCL_MULTIPLY, (m + GROUP_ROWS - 1) / GROUP_ROWS,
                   (n + GROUP_COLS - 1) / GROUP_COLS, "llliiemimiem", m, n, k, part, (int)hermitian,
                   &alpha, a, ta, b, tb, &beta, c);
}

void tw_ocl_product(tw_ocl_call *call, int ta, int tb, int64_t m, int64_t n, int64_t k,
                    tw_ocl_scalar alpha, tw_ocl_matrix a, tw_ocl_matrix b, tw_ocl_scalar beta,
                    tw_ocl_matrix c)
{
    multiply(call, TW_OCL_WHOLE, false, ta, tb, m, n, k, alpha, a, b, beta, c);
}

void tw_ocl_product_part(tw_ocl_call *call, int part, bool hermitian, int ta, int tb, int64_t n,
                         int64_t k, tw_ocl_scalar alpha, tw_ocl_matrix a, tw_ocl_matrix b,
                         tw_ocl_scalar beta, tw_ocl_matrix c)
{
    multiply(call, part, hermitian, ta, tb, n, n, k, alpha, a, b, beta, c);
}
