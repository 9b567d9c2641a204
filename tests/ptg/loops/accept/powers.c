/* powers of a matrix, and their sum */
// open: no race
// values: n=3 p=4
// call: powers(3, 4, A, P, S)
#include "ptg/loops/kernels.h"

void powers(int n, int p, tile A[16][16], tile P[16][16], tile S[16][16])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            copy(&A[i][j], &P[i][j]);
    for (int e = 1; e < p; e++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                for (int k = 0; k < n; k++)
                    if (k != j)
                        gemm(&P[i][k], &A[k][j], &P[i][j]);
                add(&P[i][j], &S[i][j]);
            }
}
