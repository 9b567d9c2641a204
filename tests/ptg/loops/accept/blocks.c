/* Loops whose step is a size, with a last block that is smaller; tiles of one large matrix */
// values: n=11 nb=3 ld=16 k_blocks=4 s_blocks=2
// call: f(11, 3, 16, &A[0][0][0])
// no memory
#include "ptg/loops/kernels.h"

void f(int n, int nb, long ld, tile *A)
{
    for (int k = 0; k < n; k += nb) {
        scaled(n - k < nb ? n - k : nb, &A[k + k * ld]);
        for (int m = k + nb; m < n; m = m + nb)
            trsm(&A[k + k * ld], &A[m + k * ld]);
        for (int j = k + nb; j < n; j += nb)
            for (int m = j; m < n; m += nb)
                gemm(&A[m + k * ld], &A[j + k * ld], &A[m + j * ld]);
        for (int j = 0; j <= k; j += nb)
            step(&A[j + k * ld]);
    }
    for (unsigned s = 0; s <= (unsigned)n; s += 2 * nb)
        scaled(s, &A[0]);
}
