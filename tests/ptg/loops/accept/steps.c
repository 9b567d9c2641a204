/* steps of 2 and 3, up and down */
// values: n=11
// call: steps(11, A)
#include "ptg/loops/kernels.h"

void steps(int n, tile A[16])
{
    for (int i = 0; i < n; i += 2)
        step(&A[i]);
    for (int i = n - 1; i >= 0; i -= 3)
        relax(&A[i]);
    for (int i = 1; i < n; i = i + 2)
        between(&A[i - 1], &A[i + 1], &A[i]);
}
