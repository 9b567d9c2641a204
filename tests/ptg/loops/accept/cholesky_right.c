/* Cholesky, right-looking, as Figure 7 of the DAGuE paper has it */
// values: NT=7
// call: cholesky_right(7, A)
#include "ptg/loops/kernels.h"

void cholesky_right(int NT, tile A[16][16])
{
    for (int k = 0; k < NT; k++) {
        potrf(&A[k][k]);
        for (int m = k + 1; m < NT; m++)
            trsm(&A[k][k], &A[m][k]);
        for (int n = k + 1; n < NT; n++) {
            syrk(&A[n][k], &A[n][n]);
            for (int m = n + 1; m < NT; m++)
                gemm(&A[m][k], &A[n][k], &A[m][n]);
        }
    }
}
