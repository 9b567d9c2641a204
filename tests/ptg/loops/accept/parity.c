// values: N=6 T=5
// call: f(6, 5, A)
#include "ptg/loops/kernels.h"
/* Two arrays in turns, as one with another index; neighbours in a ring; kernels whose arguments are
 * arrays. */
void f(int N, int T, tile A[16][16])
{
    for (int t = 0; t < T; t++)
        for (int i = 0; i < N; i++)
            blend(&A[t % 2][i > 0 ? i - 1 : N - 1], &A[t % 2][i], &A[t % 2][i == N - 1 ? 0 : i + 1],
                  &A[(t + 1) % 2][i]);
}
