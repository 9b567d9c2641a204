#include "ptg/loops/kernels.h"
void f(int n, void (*kernel)(tile *), tile A[16])
{
    for (int i = 0; i < n; i++)
        kernel(&A[i]);
}

// clang-format off
//! error 5:9 a kernel is called by its name, and 'kernel' is no function that is declared
