/* a tile that every step begins afresh */
// values: n=5
// call: workspace(5, A, T)
#include "ptg/loops/kernels.h"

#include "twill/loops.h"
void workspace(int n, tile A[16], tile T[16])
{
    for (int k = 0; k < n; k++) {
        copy(INPUT(&A[k]), OUTPUT(&T[0]));
        for (int i = k + 1; i < n; i++)
            row(INPUT(&T[0]), INOUT(&A[i]));
    }
}
