/* Powers of a matrix in tiles whose size their type says; all of a step waits for the one before,
 * and one array is only read. Called twice. */
// function: step
#include <stdio.h>
#define NT 5
#define NB 6

typedef double matrix[NT][NT][NB * NB];

void multiply(const double *a, const double *b, double *c);
void move(double *c, double *b);

void multiply(const double *a, const double *b, double *c)
{
    for (int j = 0; j < NB; j++)
        for (int k = 0; k < NB; k++)
            for (int i = 0; i < NB; i++)
                c[i + j * NB] += a[i + k * NB] * b[k + j * NB];
}

void move(double *c, double *b)
{
    for (int k = 0; k < NB * NB; k++) {
        b[k] = c[k] / NT;
        c[k] = 0;
    }
}

static int step(int rounds, double a[NT][NT][NB * NB], double b[NT][NT][NB * NB],
                double c[NT][NT][NB * NB])
{
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < NT; i++)
            for (int j = 0; j < NT; j++)
                for (int k = 0; k < NT; k++) {
#pragma omp task depend(in : a[i][k], b[k][j]) depend(inout : c[i][j])
                    multiply(a[i][k], b[k][j], c[i][j]);
                }
#pragma omp taskwait
        for (int i = 0; i < NT; i++)
            for (int j = 0; j < NT; j++) {
#pragma omp task depend(inout : c[i][j]) depend(out : b[i][j])
                move(c[i][j], b[i][j]);
            }
#pragma omp taskwait
    }
    return rounds;
}

int main(void)
{
    static matrix a, b, c;
    for (int k = 0; k < NT * NT * NB * NB; k++) {
        (&a[0][0][0])[k] = (k * 7 % 11) / 11.0;
        (&b[0][0][0])[k] = (k * 5 % 17) / 17.0;
    }
    int rounds = step(2, a, b, c);
    rounds += step(1, a, b, c);
    double sum = 0;
    for (int k = 0; k < NT * NT * NB * NB; k++)
        sum = sum * 0.9 + (&b[0][0][0])[k];
    printf("%d %.17g\n", rounds, sum);
    return 0;
}
