#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++)
        step(&A[i]);
}
void g(int n, tile A[16])
{
    for (int i = 0; i < n; i++)
        step(&A[i]);
}

// clang-format off
//! error 7:6 both f and g have loops that call functions; say which with --function
