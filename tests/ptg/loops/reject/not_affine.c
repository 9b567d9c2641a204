#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            row(&A[i * j], &A[i]);
}

// clang-format off
//! error 6:13 the index 'i * j' of 'A' is not linear: it multiplies two things that vary
