/* Heat in a rod: two arrays, whose parts the depend lists name with their lengths. */
// function: heat
#include <stdio.h>
#include <stdlib.h>

static void relax(const double *left, const double *here, const double *right, double *to, int nb)
{
    for (int i = 0; i < nb; i++) {
        double l = i ? here[i - 1] : left[nb - 1], r = i < nb - 1 ? here[i + 1] : right[0];
        to[i] = (l + 2 * here[i] + r) / 4;
    }
}

static void edge(const double *from, double *to, int nb)
{
    for (int i = 0; i < nb; i++)
        to[i] = from[i];
}

static void heat(int n, int nb, int steps, double *u, double *v)
{
    for (int t = 0; t < steps; t++) {
#pragma omp task depend(in : u [0:nb]) depend(out : v [0:nb])
        edge(&u[0], &v[0], nb);
        for (int i = 1; i < n - 1; i++) {
#pragma omp task depend(in                                                         \
                        : u [(i - 1) * nb:nb], u [i * nb:nb], u [(i + 1) * nb:nb]) \
    depend(out                                                                     \
           : v [i * nb:nb])
            relax(&u[(i - 1) * nb], &u[i * nb], &u[(i + 1) * nb], &v[i * nb], nb);
        }
#pragma omp task depend(in : u [(n - 1) * nb:nb]) depend(out : v [(n - 1) * nb:nb])
        edge(&u[(n - 1) * nb], &v[(n - 1) * nb], nb);
        for (int i = 0; i < n; i++) {
#pragma omp task depend(in : v [i * nb:nb]) depend(out : u [i * nb:nb])
            edge(&v[i * nb], &u[i * nb], nb);
        }
    }
}

int main(void)
{
    enum { N = 11, NB = 16 };
    double *u = calloc(N * NB, sizeof *u), *v = calloc(N * NB, sizeof *v);
    for (int i = 0; i < N * NB; i++)
        u[i] = i % 23;
    heat(N, NB, 12, u, v);
    double sum = 0;
    for (int i = 0; i < N * NB; i++)
        sum = sum * 1.01 + u[i] - v[i] / 3;
    printf("%.17g\n", sum);
    free(u);
    free(v);
    return 0;
}
