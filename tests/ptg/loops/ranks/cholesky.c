/* Tile Cholesky as people write it with OpenMP tasks: pointers to tiles, whose size an option says.
 */
// function: cholesky_blocked
// options: --tile Ah=ts*ts
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void omp_potrf(double *const a, int ts)
{
    for (int j = 0; j < ts; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < ts; i++)
                a[i + j * ts] -= a[i + k * ts] * a[j + k * ts];
        double p = sqrt(a[j + j * ts]);
        for (int i = j; i < ts; i++)
            a[i + j * ts] /= p;
    }
}

static void omp_trsm(double *const l, double *const c, int ts)
{
    for (int j = 0; j < ts; j++) {
        for (int k = 0; k < j; k++)
            for (int i = 0; i < ts; i++)
                c[i + j * ts] -= c[i + k * ts] * l[j + k * ts];
        for (int i = 0; i < ts; i++)
            c[i + j * ts] /= l[j + j * ts];
    }
}

static void omp_gemm(double *const a, double *const b, double *const c, int ts)
{
    for (int j = 0; j < ts; j++)
        for (int k = 0; k < ts; k++)
            for (int i = 0; i < ts; i++)
                c[i + j * ts] -= a[i + k * ts] * b[j + k * ts];
}

static void omp_syrk(double *const a, double *const c, int ts)
{
    omp_gemm(a, a, c, ts);
}

void cholesky_blocked(const int ts, const int nt, double *Ah[nt][nt])
{
    for (int k = 0; k < nt; k++) {
#pragma omp task depend(inout : Ah[k][k])
        omp_potrf(Ah[k][k], ts);
        for (int i = k + 1; i < nt; i++) {
#pragma omp task depend(in : Ah[k][k]) depend(inout : Ah[k][i])
            omp_trsm(Ah[k][k], Ah[k][i], ts);
        }
        for (int i = k + 1; i < nt; i++) {
            for (int j = k + 1; j < i; j++) {
#pragma omp task depend(in : Ah[k][i], Ah[k][j]) depend(inout : Ah[j][i])
                omp_gemm(Ah[k][i], Ah[k][j], Ah[j][i], ts);
            }
#pragma omp task depend(in : Ah[k][i]) depend(inout : Ah[i][i])
            omp_syrk(Ah[k][i], Ah[i][i], ts);
        }
    }
#pragma omp taskwait
}

int main(void)
{
    enum { NT = 9, TS = 20, N = NT * TS };
    static double memory[NT][NT][TS * TS];
    static double *tiles[NT][NT];
    for (int k = 0; k < NT; k++)
        for (int i = k; i < NT; i++) {
            tiles[k][i] = memory[k][i];
            for (int x = 0; x < TS * TS; x++) {
                int row = i * TS + x % TS, col = k * TS + x / TS;
                memory[k][i][x] = row == col ? N : 1.0 / (1 + (row * 7 + col * 7) % 13);
            }
        }
#pragma omp parallel
#pragma omp single
    cholesky_blocked(TS, NT, tiles);
    unsigned long long h = 0;
    for (int k = 0; k < NT * NT * TS * TS; k++)
        h = (h ^ (unsigned long long)((&memory[0][0][0])[k] * 1e9)) * 0x9E3779B97F4A7C15ull;
    printf("%llx\n", h);
    return 0;
}
