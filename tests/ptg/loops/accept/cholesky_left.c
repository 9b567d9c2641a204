/* Cholesky, left-looking, tiles by a macro */
// values: nt=6
// call: cholesky_left(6, 16, a)
#include "ptg/loops/kernels.h"

// column a
#define A(i, j) (&a[(i) + (j)*ld])
void cholesky_left(int nt, int ld, tile *a)
{
    for (int k = 0; k < nt; k++) {
        for (int j = 0; j < k; j++)
            syrk(A(k, j), A(k, k));
        potrf(A(k, k));
        for (int i = k + 1; i < nt; i++) {
            for (int j = 0; j < k; j++)
                gemm(A(i, j), A(k, j), A(i, k));
            trsm(A(k, k), A(i, k));
        }
    }
}
