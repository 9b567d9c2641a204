/* a triangular solve from the left, backwards */
// values: mt=5 nt=4
// call: trsm_left(5, 4, A, B)
#include "ptg/loops/kernels.h"

void trsm_left(int mt, int nt, tile A[16][16], tile B[16][16])
{
    for (int k = mt - 1; k >= 0; k--)
        for (int n = 0; n < nt; n++) {
            trsm(&A[k][k], &B[k][n]);
            for (int m = 0; m < k; m++)
                gemm(&A[m][k], &B[k][n], &B[m][n]);
        }
}
