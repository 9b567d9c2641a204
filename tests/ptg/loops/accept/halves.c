/* Ranges by quotients of numbers that may be negative */
// values: N=5
// call: f(5, A)
#include "ptg/loops/kernels.h"

#include <twill/loops.h>

void f(int N, tile A[16][16])
{
    for (int i = N - 1; i >= 0; i -= 1)
        for (int j = N; j >= i + 1; j -= 3)
            for (int k = j + 1; k <= N - 1; k += 2)
                if (i + j < N)
                    copy(&A[i + k][2 * j], OUTPUT(&A[N + 1 - i][i]));
}
