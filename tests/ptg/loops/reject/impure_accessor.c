#include "ptg/loops/kernels.h"
static int count;
static tile *at(tile *a, int i)
{
    int x = (count += 1);
    return a + i + x;
}
void f(int n, tile *a)
{
    for (int i = 0; i < n; i++)
        step(at(a, i));
}

// clang-format off
//! error 11:9 argument 1 of step, 'at(a, i)', comes from a function that may do more than compute where a tile is
