#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++)
        switch (i) {
        case 1:
            step(&A[i]);
        }
}

// clang-format off
//! error 5:9 switch is not understood: only for, if, continue and return may direct the course of a function of tiles
