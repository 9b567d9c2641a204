/* the lower triangle of a product with the transpose */
// values: n=5 l=4
// call: syrk_tiles(5, 4, A, C)
#include "ptg/loops/kernels.h"

void syrk_tiles(int n, int l, tile A[16][16], tile C[16][16])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < l; k++)
            for (int j = 0; j <= i; j++) {
                if (i == j)
                    syrk(&A[i][k], &C[i][i]);
                else
                    gemm(&A[i][k], &A[j][k], &C[i][j]);
            }
}
