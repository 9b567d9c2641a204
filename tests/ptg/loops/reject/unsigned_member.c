#include "ptg/loops/kernels.h"
struct sizes {
    unsigned long n;
};
void f(const struct sizes *s, tile A[16])
{
    for (int k = 0; k < 9; k++)
        if (k - 3 < s->n)
            step(&A[k]);
}

// clang-format off
//! error 8:9 the condition '(k - 3) < s->n' compares an unsigned number with one that may be negative
