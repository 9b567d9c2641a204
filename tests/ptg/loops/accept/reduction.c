/* a reduction into one tile, and its use */
// values: n=8
// call: reduction(8, A, S)
#include "ptg/loops/kernels.h"

void reduction(int n, tile A[16], tile *S)
{
    for (int i = 0; i < n; i++)
        add(&A[i], S);
    for (int i = n - 1; i >= 0; i--)
        row(S, &A[i]);
}
