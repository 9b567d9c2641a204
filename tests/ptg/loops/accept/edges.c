/* Locals that are no indices: sizes of tiles at the edges, and where they begin */
// values: n=17 nb=4 nt=5
// call: f(17, 4, 5, A)
#include "ptg/loops/kernels.h"

void f(int n, int nb, int nt, tile A[16][16])
{
    for (int k = 0; k < nt; k++) {
        const int rows = k == nt - 1 ? n - k * nb : nb;
        int begin = k * nb;
        scaled(rows, &A[k][k]);
        for (int m = k + 1; m < nt; m++) {
            int left = n - m * nb < nb ? n - m * nb : nb;
            scaled(begin * nb + left / 2, &A[m][k]);
            gemm(&A[k][k], &A[m][k], &A[m][m]);
        }
    }
}
