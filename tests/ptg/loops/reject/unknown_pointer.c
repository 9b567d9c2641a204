#include "ptg/loops/kernels.h"
void track(tile *x, int *count);
int counter;
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++)
        track(&A[i], &counter);
}

// clang-format off
//! error 7:9 argument 2 of track, '&counter', is no tile of an array that stays where it is; the kernel may write there
