#include "ptg/loops/kernels.h"
void f(int n, tile *a)
{
    for (int i = 0; i < n; i++) {
        step(&a[i]);
        step((tile *)&((int32_t *)a)[2 * i]);
    }
}

// clang-format off
//! error 6:9 'a' is once an array of one type and once, by a cast, of another
