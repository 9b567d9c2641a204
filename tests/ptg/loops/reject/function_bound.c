#include "ptg/loops/kernels.h"
int size(int i);
void f(int n, tile A[16])
{
    for (int i = 0; i < size(n); i++)
        step(&A[i]);
}

// clang-format off
//! error 5:5 the loop runs while 'i < size(n)', which calls a function, whose value is not known
