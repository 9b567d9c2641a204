#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i != n; i += 2)
        step(&A[i]);
}

// clang-format off
//! error 5:9 the conditions around step leave no ranges of loops; make them simpler
