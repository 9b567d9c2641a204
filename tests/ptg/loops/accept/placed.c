/* where tasks run and which go first, by pragma */
// values: n=6
// call: placed(6, A, B)
#include "ptg/loops/kernels.h"

void placed(int n, tile A[16], tile B[16])
{
    for (int i = 0; i < n; i++) {
#pragma twill on(B[n - 1 - i]) priority(n - i)
        step(&A[i]);
        for (int j = 0; j < i; j++)
#pragma twill priority(j == 0)
            row(&A[j], &A[i]);
        copy(&A[i], &B[i]);
    }
}
