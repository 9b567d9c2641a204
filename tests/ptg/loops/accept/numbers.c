/* What kernels get beside tiles has the value that C gives it */
// values: n=6 half=3.0
// call: f(6, A)
#include "ptg/loops/kernels.h"

#include <stdbool.h>

void f(int n, tile A[16][16])
{
    const double half = n / 2;
    for (int k = 0; k < n; k++) {
        double x = k;
        float y = 0.1;
        const bool odd = k % 2;
        scaled(x / 2 + half / 4, &A[k][0]);
        scaled(y, &A[k << 1][1]);
        scaled(k - 3u, &A[k >> 1][2]);
        (void)checked(&A[0][odd]);
        if (odd == 1)
            step(&A[(k - 4) / 3 + 2][k < 2 ? 3 : 4]);
    }
}
