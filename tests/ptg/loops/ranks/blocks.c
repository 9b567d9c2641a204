/* LU without pivots, whose tasks are blocks: locals of their own, conditions, pointers made
 * outside. */
// function: lu
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#pragma twill tile(tile, a->nb * a->nb)

typedef struct matrix {
    int nt, nb;
    double *data;
} matrix;

static double *tile(const matrix *a, int i, int j)
{
    return a->data + ((size_t)i + (size_t)j * (size_t)a->nt) * (size_t)(a->nb * a->nb);
}

static int getrf(int nb, double *t)
{
    for (int k = 0; k < nb; k++)
        for (int i = k + 1; i < nb; i++) {
            t[i + k * nb] /= t[k + k * nb];
            for (int j = k + 1; j < nb; j++)
                t[i + j * nb] -= t[i + k * nb] * t[k + j * nb];
        }
    return t[0] == 0;
}

static void solve_left(int nb, const double *l, double *x, const double *shift)
{
    for (int j = 0; j < nb; j++)
        for (int k = 0; k < nb; k++)
            for (int i = k + 1; i < nb; i++)
                x[i + j * nb] -= (l[i + k * nb] + *shift) * x[k + j * nb];
}

static void axpy(int n, double f, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] -= f * x[i];
}

static void lu(const matrix *a, double weight)
{
    const int nb = a->nb;
    for (int k = 0; k < a->nt; k++) {
        double *kk = tile(a, k, k);
#pragma omp task depend(inout : *kk)
        {
            int info = getrf(nb, kk);
            if (info && k > 0)
                abort();
        }
        for (int j = k + 1; j < a->nt; j++) {
#pragma omp task depend(in : *kk) depend(inout : tile(a, k, j)[0])
            {
                double shift = j == k + 1 ? 0.0 : weight;
                double *x = tile(a, k, j);
                solve_left(nb, kk, x, &shift);
                for (int c = 0; c < nb; c++)
                    x[c + c * nb] *= 1 + (j - k) * weight;
            }
        }
        for (int i = k + 1; i < a->nt; i++) {
            double *ik = tile(a, i, k);
#pragma omp task depend(in : *kk) depend(inout : *ik)
            {
                const double *u = kk;
                double *x = ik;
                for (int c = 0; c < nb; c++) {
                    for (int p = 0; p < c; p++)
                        axpy(nb, u[p + c * nb], x + p * nb, &x[c * nb]);
                    if (u[c + c * nb] == 1)
                        continue;
                    for (int r = 0; r < nb; r++)
                        x[r + c * nb] /= u[c + c * nb];
                }
            }
        }
        for (int j = k + 1; j < a->nt; j++)
            for (int i = k + 1; i < a->nt; i++) {
#pragma omp task depend(in : tile(a, i, k)[0], tile(a, k, j)[0]) depend(inout : tile(a, i, j)[0])
                {
                    double *c = tile(a, i, j);
                    const double *l = tile(a, i, k), *u = tile(a, k, j);
                    for (int s = 0; s < nb; s++)
                        for (int p = 0; p < nb; p++)
                            axpy(nb, u[p + s * nb], l + p * nb, c + s * nb);
                }
            }
    }
}

int main(void)
{
    matrix a = {6, 10, NULL};
    int n = a.nt * a.nb;
    a.data = malloc(sizeof(double) * (size_t)(n * n));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            tile(&a, i / a.nb, j / a.nb)[i % a.nb + j % a.nb * a.nb] =
                i == j ? n : 1.0 / (1 + (i * 7 + j * 11) % 13);
    lu(&a, 0.001);
    double sum = 0;
    for (int i = 0; i < n * n; i++)
        sum = sum * 0.99 + a.data[i];
    printf("%.17g\n", sum);
    free(a.data);
    return 0;
}
