/* LU without pivoting */
// values: n=6
// call: lu(6, A)
#include "ptg/loops/kernels.h"

void lu(int n, tile A[16][16])
{
    for (int k = 0; k < n; k++) {
        getrf(&A[k][k]);
        for (int j = k + 1; j < n; j++)
            trsm_row(&A[k][k], &A[k][j]);
        for (int i = k + 1; i < n; i++) {
            trsm(&A[k][k], &A[i][k]);
            for (int j = k + 1; j < n; j++)
                gemm(&A[i][k], &A[k][j], &A[i][j]);
        }
    }
}
