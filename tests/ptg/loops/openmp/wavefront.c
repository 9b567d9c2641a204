/* A wavefront in OpenMP tasks, whose depend lists name other things than the bodies use. */
// function: sweep
#include <stdio.h>

enum { N = 30 };
static unsigned long values[N][N];
static char token[N][N];

static void sweep(int n, int rounds)
{
    for (int r = 0; r < rounds; r++)
        for (int i = n - 1; i > 0; i--)
            for (int j = 1; j < n; j++) {
#pragma omp task depend(in : token[i - 1][j], token[i][j - 1]) depend(out : token[i][j])
                {
                    unsigned long sum = values[i - 1][j] * 3 + values[i][j - 1];
                    for (int k = 0; k < 200; k++)
                        sum = sum * 1103515245u + 12345u + (unsigned long)r;
                    values[i][j] = sum;
                }
            }
#pragma omp taskwait
}

int main(void)
{
    for (int i = 0; i < N; i++)
        values[0][i] = values[i][0] = (unsigned long)i;
#pragma omp parallel
#pragma omp single
    sweep(N, 3);
    unsigned long h = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            h = (h ^ values[i][j]) * 0x9E3779B97F4A7C15ul;
    printf("%lx\n", h);
    return 0;
}
