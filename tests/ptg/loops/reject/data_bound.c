#include "ptg/loops/kernels.h"
void f(const int *n, tile A[16])
{
    for (int i = 0; i < n[0]; i++)
        step(&A[i]);
}

// clang-format off
//! error 4:5 the loop runs while 'i < n[0]', which is read from memory, which tasks may change
