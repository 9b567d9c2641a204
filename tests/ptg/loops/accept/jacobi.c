/* Jacobi with two arrays */
// values: n=7 t=3
// call: jacobi(7, 3, A, B)
#include "ptg/loops/kernels.h"

void jacobi(int n, int t, tile A[16], tile B[16])
{
    for (int s = 0; s < t; s++) {
        for (int i = 1; i < n - 1; i++)
            average(&A[i - 1], &A[i], &A[i + 1], &B[i]);
        for (int i = 1; i < n - 1; i++)
            copy(&B[i], &A[i]);
    }
}
