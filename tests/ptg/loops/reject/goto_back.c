#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++) {
        if (i == 3)
            goto end;
        step(&A[i]);
    }
end:
    step(&A[0]);
}

// clang-format off
//! error 6:13 goto is not understood: only for, if, continue and return may direct the course of a function of tiles
