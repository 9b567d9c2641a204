/* tile QR of a matrix with more rows than columns, or fewer */
// values: mt=6 nt=4
// call: qr(6, 4, A)
#include "ptg/loops/kernels.h"

#define MIN(a, b) ((a) < (b) ? (a) : (b))
void qr(int mt, int nt, tile A[16][16])
{
    for (int k = 0; k < MIN(mt, nt); k++) {
        geqrt(&A[k][k]);
        for (int n = k + 1; n < nt; n++)
            unmqr(&A[k][k], &A[k][n]);
        for (int m = k + 1; m < mt; m++) {
            tsqrt(&A[k][k], &A[m][k]);
            for (int n = k + 1; n < nt; n++) {
                unmqr(&A[m][k], &A[k][n]);
                tsmqr(&A[m][k], &A[k][n], &A[m][n]);
            }
        }
    }
}
