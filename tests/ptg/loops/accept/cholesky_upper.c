/* Cholesky, upper triangle, a table of pointers, counted down in the update */
// values: nt=6
// call: cholesky_upper(6, A)
#include "ptg/loops/kernels.h"

// table A
void cholesky_upper(int nt, tile *A[16][16])
{
    for (int k = 0; k < nt; ++k) {
        tile *diagonal = A[k][k];
        potrf(diagonal);
        for (int n = k + 1; n < nt; n = n + 1)
            trsm_row(diagonal, A[k][n]);
        for (int n = nt - 1; n > k; n--) {
            syrk(A[k][n], A[n][n]);
            for (int m = n - 1; m > k; m -= 1)
                gemm(A[k][m], A[k][n], A[m][n]);
        }
    }
}
