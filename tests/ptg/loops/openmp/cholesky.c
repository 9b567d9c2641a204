/* Tile Cholesky in OpenMP tasks: tiles by a function, a helper that makes tasks, a body that is a
 * block. */
// function: cholesky
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define NB 24
struct matrix {
    int nt;
    double *data;
};
static double *tile(const struct matrix *a, int i, int j)
{
    return a->data + ((size_t)i + (size_t)j * (size_t)a->nt) * NB * NB;
}
static void potrf(double *t)
{
    for (int j = 0; j < NB; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < NB; i++)
                t[i + j * NB] -= t[i + k * NB] * t[j + k * NB];
        double p = sqrt(t[j + j * NB]);
        for (int i = j; i < NB; i++)
            t[i + j * NB] /= p;
    }
}
static void trsm(const double *l, double *c)
{
    for (int j = 0; j < NB; j++) {
        for (int k = 0; k < j; k++)
            for (int i = 0; i < NB; i++)
                c[i + j * NB] -= c[i + k * NB] * l[j + k * NB];
        for (int i = 0; i < NB; i++)
            c[i + j * NB] /= l[j + j * NB];
    }
}
static void gemm(const double *a, const double *b, double *c)
{
    for (int j = 0; j < NB; j++)
        for (int k = 0; k < NB; k++)
            for (int i = 0; i < NB; i++)
                c[i + j * NB] -= a[i + k * NB] * b[j + k * NB];
}
static void update(const struct matrix *a, int k)
{
    for (int n = k + 1; n < a->nt; n++)
        for (int m = n; m < a->nt; m++) {
            double *mk = tile(a, m, k), *nk = tile(a, n, k);
#pragma omp task depend(in : *mk, *nk) depend(inout : tile(a, m, n)[0]) firstprivate(mk)
            {
                double *c = tile(a, m, n);
                gemm(mk, nk, c);
            }
        }
}
static int cholesky(const struct matrix *a)
{
    if (a->nt <= 0)
        return 1;
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < a->nt; k++) {
#pragma omp task depend(inout : tile(a, k, k)[0]) priority(2)
        potrf(tile(a, k, k));
        for (int m = k + 1; m < a->nt; m++) {
#pragma omp task depend(in : tile(a, k, k)[0]) depend(inout : tile(a, m, k)[0])
            trsm(tile(a, k, k), tile(a, m, k));
        }
        update(a, k);
    }
    return 1;
}
int main(void)
{
    struct matrix a = {12, NULL};
    size_t count = (size_t)a.nt * (size_t)a.nt * NB * NB;
    a.data = malloc(count * sizeof *a.data);
    for (int j = 0; j < a.nt * NB; j++)
        for (int i = 0; i < a.nt * NB; i++)
            tile(&a, i / NB, j / NB)[i % NB + j % NB * NB] =
                i == j ? 1000 : 1.0 / (1 + (i * 7 + j * 7) % 13);
    int result = cholesky(&a);
    unsigned long long h = 0;
    for (size_t i = 0; i < count; i++)
        h = (h ^ (unsigned long long)(a.data[i] * 1e9)) * 0x9E3779B97F4A7C15ull;
    printf("%d %llx\n", result, h);
    free(a.data);
    return 0;
}
