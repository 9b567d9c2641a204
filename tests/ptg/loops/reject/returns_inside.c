#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++) {
        if (i == 5)
            return;
        step(&A[i]);
    }
}

// clang-format off
//! error 6:13 the function returns from inside a loop; how far it gets is then not known
