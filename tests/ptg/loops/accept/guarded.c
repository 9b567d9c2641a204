/* Conditions on arguments alone, around loops, a call outside of any, and two of a kind. */
// values: n=4 m=7
// call: guarded(4, 7, A)
#include "ptg/loops/kernels.h"

void guarded(int n, int m, tile A[16])
{
    if (m > 2 * n)
        return;
    step(&A[n]);
    if (m % 2 == 1)
        for (int i = 0; i < n; i++)
            relax(&A[i]);
    if (n > 5)
        for (int i = 0; i < m; i++)
            row(&A[i], &A[i + 1]);
    for (int i = m; i > 0; i -= 2) {
        if (i % 2 == 0)
            continue;
        row(&A[n - 1], &A[i + n]);
    }
}
