/* trapezoids, imperfect nests, names that hide one another, locals */
// values: n=6 m=4
// call: trapezoid(6, 4, A, B)
#include "ptg/loops/kernels.h"

enum { LAST = 1 };
void trapezoid(int n, int m, tile A[16][16], tile B[16])
{
    for (int i = 0; i < n; i++) {
        const int width = i + m / 2;
        step(&B[i]);
        for (int j = i; j < width && j < n; j++) {
            int at = n - 1 - j;
            row(&B[i], &A[i][at]);
            if (at == LAST)
                relax(&A[i][at]);
            for (int i = j + 1; i <= at; i++)
                row(&A[j][i], &B[i]);
        }
    }
}
