#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int k = 0; k < n; k++) {
        double half = k;
        if (half / 2 * 2 == k)
            step(&A[k]);
    }
}

// clang-format off
//! error 6:9 the condition '((((double)k) / 2) * 2) == k' is converted to a type that may not hold it
