/*
 * What the Cholesky peers share: the matrix they factor, the flops they are credited with, and
 * the Fortran routines of the BLAS library they are told to load.
 */
#ifndef TWILL_BENCH_PEERS_POTRF_H
#define TWILL_BENCH_PEERS_POTRF_H

#include <stddef.h>
#include <stdint.h>

/* Fortran passes the length of every character argument at the end. */
typedef void potrf_fn(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
typedef void trsm_fn(const char *side, const char *uplo, const char *trans, const char *diag,
                     const int *m, const int *n, const double *alpha, const double *a,
                     const int *lda, double *b, const int *ldb, size_t, size_t, size_t, size_t);
typedef void syrk_fn(const char *uplo, const char *trans, const int *n, const int *k,
                     const double *alpha, const double *a, const int *lda, const double *beta,
                     double *c, const int *ldc, size_t, size_t);
typedef void gemm_fn(const char *transa, const char *transb, const int *m, const int *n,
                     const int *k, const double *alpha, const double *a, const int *lda,
                     const double *b, const int *ldb, const double *beta, double *c, const int *ldc,
                     size_t, size_t);

struct blas {
    potrf_fn *potrf;
    trsm_fn *trsm;
    syrk_fn *syrk;
    gemm_fn *gemm;
};

/*
 * Loads the library at path with the named OpenBLAS kernels ("auto": those it picks itself); ends
 * the process when that fails.
 */
struct blas blas_load(const char *path, const char *kernels);

/* What a factorization of order n in that time amounts to. */
double potrf_gflops(int n, double seconds);

/* Entry (i, j), i >= j, of the factor that a program holds in its own layout. */
typedef double potrf_factor_fn(const void *holder, int i, int j);

/*
 * Ends the process unless the factor L is right: L (L' x) must agree with A x for some vector x.
 * A library that is not safe to call from several threads at once errs without saying so.
 */
void potrf_check(int n, potrf_factor_fn *factor, const void *holder);

/* Entry (i, j) of a symmetric, diagonally dominant matrix; i >= j. */
static inline double potrf_entry(int n, int i, int j)
{
    uint64_t mixed = ((uint64_t)i << 32 | (uint64_t)j) * UINT64_C(0x9e3779b97f4a7c15);
    double small = (double)(mixed >> 40) / (double)(1 << 24) - 0.5;

    return i == j ? small + n : small;
}

#endif
