/* Unsigned loops that never wrap around, up and down */
// values: n=6
// call: f(6, A)
#include "ptg/loops/kernels.h"

#include <stddef.h>

void f(size_t n, tile A[16][16])
{
    for (size_t k = n; k > 0; k--)
        for (size_t i = 0; i + 1 < k; i += 2)
            row(&A[k][i], &A[i][k]);
    for (unsigned k = 1; k < n && k != 4; k++)
        step(&A[k][0]);
}
