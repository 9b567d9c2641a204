/* inverse of a lower triangle, in place */
// values: nt=6
// call: inverse(6, A)
#include "ptg/loops/kernels.h"

void inverse(int nt, tile A[16][16])
{
    for (int k = 0; k < nt; k++) {
        for (int m = k + 1; m < nt; m++)
            trsm(&A[k][k], &A[m][k]);
        for (int m = k + 1; m < nt; m++)
            for (int n = 0; n < k; n++)
                gemm(&A[m][k], &A[k][n], &A[m][n]);
        for (int n = 0; n < k; n++)
            trmm(&A[k][k], &A[k][n]);
        trtri(&A[k][k]);
    }
}
