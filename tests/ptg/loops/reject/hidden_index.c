#include "ptg/loops/kernels.h"
void f(int n, int lda, tile *A)
{
    for (int i = 0; i < n; i++)
        step(&A[i * lda + n * n]);
}

// clang-format off
//! error 5:9 the index '(i * lda) + (n * n)' of 'A' is not linear: it multiplies two things that vary
