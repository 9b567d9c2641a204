/* product of a triangle with its transpose, in place */
// values: nt=6
// call: lauum_tiles(6, A)
#include "ptg/loops/kernels.h"

void lauum_tiles(int nt, tile A[16][16])
{
    for (int k = 0; k < nt; k++) {
        for (int n = 0; n < k; n++) {
            syrk(&A[k][n], &A[n][n]);
            for (int m = n + 1; m < k; m++)
                gemm(&A[k][m], &A[k][n], &A[m][n]);
        }
        for (int n = 0; n < k; n++)
            trmm(&A[k][k], &A[k][n]);
        lauum(&A[k][k]);
    }
}
