/* a product of matrices */
// values: m=3 n=4 l=5
// call: gemm_tiles(3, 4, 5, A, B, C)
#include "ptg/loops/kernels.h"

void gemm_tiles(int m, int n, int l, tile A[16][16], tile B[16][16], tile C[16][16])
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < l; k++)
                gemm(&A[i][k], &B[k][j], &C[i][j]);
}
