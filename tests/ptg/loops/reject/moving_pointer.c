#include "ptg/loops/kernels.h"
void f(int n, tile *p)
{
    for (int i = 0; i < n; i++) {
        step(p);
        p++;
    }
}

// clang-format off
//! error 5:9 'p' has no value here that is known
