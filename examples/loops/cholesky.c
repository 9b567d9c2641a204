/* OpenMP and nothing else: a tile Cholesky factorization that knows nothing of Twill.
 *
 *     twillc --from-c --distribute cholesky.c && cc cholesky_ptg.c -ltwill -lm
 *     mpirun -np 4 ./a.out
 *
 * The build makes it so, by twill_add_loops. Every process fills all of the matrix, runs its share
 * of the tasks, and has the whole factor afterwards. The pragma says how large tiles are, since
 * `double *` does not. */
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

#pragma twill tile(Ah, ts *ts)
static void cholesky_blocked(const int ts, const int nt, double *Ah[nt][nt])
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

static double entry(int row, int col)
{
    return row == col ? 1000 : 1.0 / (1 + (row * 7 + col * 7) % 13);
}

/* Of what is left when L L' is taken away from the matrix, the largest element. */
static double residual(int n, int nt, int ts, double *Ah[nt][nt])
{
    double largest = 0;
    for (int row = 0; row < n; row++)
        for (int col = 0; col <= row; col++) {
            double rest = entry(row, col);
            for (int k = 0; k <= col; k++)
                rest -= Ah[k / ts][row / ts][row % ts + k % ts * ts] *
                        Ah[k / ts][col / ts][col % ts + k % ts * ts];
            largest = fabs(rest) > largest ? fabs(rest) : largest;
        }
    return largest;
}

int main(void)
{
    enum { NT = 8, TS = 32, N = NT * TS };
    static double memory[NT][NT][TS * TS];
    static double *Ah[NT][NT];
    for (int k = 0; k < NT; k++)
        for (int i = 0; i < NT; i++) {
            Ah[k][i] = memory[k][i];
            for (int x = 0; x < TS * TS; x++)
                Ah[k][i][x] = entry(i * TS + x % TS, k * TS + x / TS);
        }
#pragma omp parallel
#pragma omp single
    cholesky_blocked(TS, NT, Ah);
    double worst = residual(N, NT, TS, Ah);
    printf("order %d, residual %.1e\n", N, worst);
    return worst < 1e-9 ? 0 : 1;
}
