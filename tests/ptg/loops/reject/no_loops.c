#include "ptg/loops/kernels.h"
void f(tile A[16])
{
    step(&A[0]);
}

// clang-format off
//! error 0:0 no function here has loops that call kernels
