/* a triangular solve from the right */
// values: mt=4 nt=5
// call: trsm_right(4, 5, A, B)
#include "ptg/loops/kernels.h"

void trsm_right(int mt, int nt, tile A[16][16], tile B[16][16])
{
    for (int k = 0; k < nt; k++)
        for (int m = 0; m < mt; m++) {
            trsm(&A[k][k], &B[m][k]);
            for (int n = k + 1; n < nt; n++)
                gemm(&B[m][k], &A[k][n], &B[m][n]);
        }
}
