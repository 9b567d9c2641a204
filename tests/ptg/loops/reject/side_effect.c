#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    int at = 0;
    for (int i = 0; i < n; i++)
        step(&A[at++]);
}

// clang-format off
//! error 6:9 'at++' changes something while it is computed; make it a statement of its own
