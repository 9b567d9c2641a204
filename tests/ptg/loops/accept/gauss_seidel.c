/* Gauss-Seidel in one dimension, in place */
// values: n=7 t=4
// call: gauss_seidel(7, 4, A)
#include "ptg/loops/kernels.h"

void gauss_seidel(int n, int t, tile A[16])
{
    for (int s = 0; s < t; s++)
        for (int i = 1; i < n - 1; i++)
            between(&A[i - 1], &A[i + 1], &A[i]);
}
