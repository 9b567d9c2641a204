/* a stencil of five points in place */
// values: n=5 t=3
// call: stencil_2d(5, 3, A)
#include "ptg/loops/kernels.h"

void stencil_2d(int n, int t, tile A[16][16])
{
    for (int s = 0; s < t; s++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++) {
                cross(&A[i - 1][j], &A[i][j - 1], &A[i + 1][j], &A[i][j]);
                between(&A[i][j + 1], &A[i - 1][j - 1], &A[i][j]);
            }
}
