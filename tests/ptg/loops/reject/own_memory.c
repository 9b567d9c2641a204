#include "ptg/loops/kernels.h"
#include <stdlib.h>
void f(int n, tile A[16])
{
    tile *w = malloc(sizeof(tile));
    for (int k = 0; k < n; k++)
        row(w, &A[k]);
}

// clang-format off
//! error 5:11 'malloc(sizeof(tile))' comes from a function that may do more than compute where a tile is
