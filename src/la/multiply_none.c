/* No products of Twill's own for this processor: the library's are used. */
#include "la/multiply.h"

const char tw_multiply_name[] = "none";

tw_gemm *tw_multiply_gemm(bool single)
{
    (void)single;
    return NULL;
}

tw_herk *tw_multiply_syrk(bool single)
{
    (void)single;
    return NULL;
}

tw_grid_gemm *tw_multiply_grid(bool single)
{
    (void)single;
    return NULL;
}
