/* What is known of an argument that only later loops have */
// values: n=4 m=5
// call: f(4, 5, A, B)
#include "ptg/loops/kernels.h"

void f(int n, unsigned long m, tile A[16][16], tile B[16][16])
{
    for (int i = 0; i < n; i++)
        step(&A[i][i]);
    for (unsigned long u = 0; u < m; u++)
        row(&A[0][0], &B[u][0]);
}
