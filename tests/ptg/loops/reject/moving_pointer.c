#include "ptg/loops/kernels.h"
void f(int n, tile *p)
{
    for (int i = 0; i < n; i++) {
        step(p);
        p++;
    }
}

// clang-format off
//! error 5:9 'p' is changed on the way here, so its value is not known
