/* Pointers that go on from other tiles */
// values: n=5
// call: f(5, a)
#include "ptg/loops/kernels.h"

void f(int n, tile *a)
{
    for (int i = 0; i < n; i++) {
        tile *p = a + i, *q = &a[i + 1];
        for (int j = 0; j < n; j++)
            row(&p[j], &(q + 1)[j]);
        step(&(&a[i])[1]);
    }
}
