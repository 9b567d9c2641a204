/* a stencil in three dimensions, in place */
// values: n=4
// call: stencil_3d(4, A)
#include "ptg/loops/kernels.h"

// no memory
void stencil_3d(int n, tile A[8][8][8])
{
    for (int t = 0; t < 2; t++)
        for (int i = 1; i < n; i++)
            for (int j = 1; j < n; j++)
                for (int k = 1; k < n; k++)
                    corner(&A[i - 1][j][k], &A[i][j - 1][k], &A[i][j][k - 1], &A[i][j][k]);
}
