#include "ptg/loops/kernels.h"
void f(int n, tile A[16][16])
{
    for (int i = 0; i < n; i++) {
        step(&A[i][0]);
        step(A[i]);
    }
}

//! error 6:9 'A' has 1 indices here and 2 elsewhere
