/* three levels of a butterfly, each an affine one */
// values: n=3
// call: butterfly(3, X)
#include "ptg/loops/kernels.h"

void butterfly(int n, tile X[16])
{
    for (int i = 0; i < n; i++)
        exchange(&X[i], &X[i + n]);
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < n - 1; i += 2)
            exchange(&X[i + half * 3], &X[i + half * 3 + 1]);
}
