/* tile LQ */
// values: mt=4 nt=5
// call: lq(4, 5, A)
#include "ptg/loops/kernels.h"

#define MIN(a, b) ((a) < (b) ? (a) : (b))
void lq(int mt, int nt, tile A[16][16])
{
    int steps = MIN(mt, nt);
    for (int k = 0; k < steps; k++) {
        geqrt(&A[k][k]);
        for (int m = k + 1; m < mt; m++)
            unmqr(&A[k][k], &A[m][k]);
        for (int n = k + 1; n < nt; n++) {
            tsqrt(&A[k][k], &A[k][n]);
            for (int m = k + 1; m < mt; m++)
                tsmqr(&A[k][n], &A[m][k], &A[m][n]);
        }
    }
}
