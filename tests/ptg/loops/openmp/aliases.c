/* Two names for the same tiles: then the sequential program runs, in its order. */
// function: chain
#include <stdio.h>

static double memory[20];

static void chain(int n, double *x, double *y)
{
    for (int i = 0; i < n; i++) {
#pragma omp task depend(inout : x[i])
        x[i] = x[i] * 2 + i;
#pragma omp task depend(in : x[i]) depend(inout : y[i])
        y[i] = x[i] + y[i] * 3;
    }
}

int main(void)
{
    for (int i = 0; i < 20; i++)
        memory[i] = i;
    chain(10, memory, memory + 5);
    chain(5, memory, memory + 10);
    double sum = 0;
    for (int i = 0; i < 20; i++)
        sum = sum * 1.5 + memory[i];
    printf("%.17g\n", sum);
    return 0;
}
