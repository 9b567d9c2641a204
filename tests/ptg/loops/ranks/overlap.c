/* Tiles that share memory: all ranks run the sequential program. */
// function: chain
// options: --tile x=4 --tile y=4
#include <stdio.h>

static double memory[40];

static void grow(double *x, int i)
{
    for (int k = 0; k < 4; k++)
        x[k] = x[k] * 2 + i;
}

static void add(const double *x, double *y)
{
    for (int k = 0; k < 4; k++)
        y[k] = x[k] + y[k] * 3;
}

static void chain(int n, double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        grow(&x[4 * i], i);
        add(&x[4 * i], &y[4 * i]);
    }
}

int main(void)
{
    for (int i = 0; i < 40; i++)
        memory[i] = i;
    chain(4, memory, memory + 18);
    chain(4, memory, memory + 6);
    double sum = 0;
    for (int i = 0; i < 40; i++)
        sum = sum * 1.5 + memory[i];
    printf("%.17g\n", sum);
    return 0;
}
