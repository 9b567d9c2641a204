/* The shared part of the Cholesky peers; see potrf.h. */
#define _GNU_SOURCE
#include "potrf.h"

#include "peer.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);

    if (!found)
        peer_die("%s", dlerror());
    return found;
}

struct blas blas_load(const char *path, const char *kernels)
{
    struct blas blas;

    /* OpenBLAS chooses its kernels while it is loaded. */
    if (strcmp(kernels, "auto") != 0)
        setenv("OPENBLAS_CORETYPE", kernels, 1);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        peer_die("%s", dlerror());
    /* The form that POSIX gives: ISO C has no conversion from void * to a function pointer. */
    *(void **)&blas.potrf = symbol(library, "dpotrf_");
    *(void **)&blas.trsm = symbol(library, "dtrsm_");
    *(void **)&blas.syrk = symbol(library, "dsyrk_");
    *(void **)&blas.gemm = symbol(library, "dgemm_");
    return blas;
}

double potrf_gflops(int n, double seconds)
{
    double order = n;

    return 1e-9 * (order * order * order / 3 + order * order / 2 + order / 6) / seconds;
}

/* Adds what column j contributes to L (L' x) - A x. */
static void add_column(int n, int j, potrf_factor_fn *factor, const void *holder, const double *x,
                       double *difference)
{
    double product = 0.0;

    for (int i = j; i < n; i++)
        product += factor(holder, i, j) * x[i];
    for (int i = j; i < n; i++) {
        double entry = potrf_entry(n, i, j);
        difference[i] += factor(holder, i, j) * product - entry * x[j];
        if (i != j)
            difference[j] -= entry * x[i];
    }
}

void potrf_check(int n, potrf_factor_fn *factor, const void *holder)
{
    double *x = calloc(2 * (size_t)n, sizeof(*x));
    double *difference = x + n;
    double worst = 0.0;

    if (!x)
        peer_die("no memory");
    for (int i = 0; i < n; i++)
        x[i] = 1.0 + i % 7;
    for (int j = 0; j < n; j++)
        add_column(n, j, factor, holder, x, difference);
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(difference[i]));
    free(x);
    /* Entries of A x are of order n; a comparison that NaN fails too. */
    if (!(worst <= 1e-9 * n))
        peer_die("wrong factor: L L' x is off by %g", worst);
}
