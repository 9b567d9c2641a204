/*
 * Peer of the benchmarks of linear algebra: the threaded routines of OpenBLAS itself, on
 * column-major matrices.
 */
#define _GNU_SOURCE
#include "bind.h"
#include "la.h"
#include "peer.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the library ------------------------------------------------------------------------- */

/* Fortran passes the length of every character argument at the end. */
static void (*dpotrf)(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
static void (*dgetrf)(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
static void (*dgeqrf)(const int *m, const int *n, double *a, const int *lda, double *tau,
                      double *work, const int *lwork, int *info);
static void (*dgemm)(const char *ta, const char *tb, const int *m, const int *n, const int *k,
                     const double *alpha, const double *a, const int *lda, const double *b,
                     const int *ldb, const double *beta, double *c, const int *ldc, size_t, size_t);

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);

    if (!found)
        peer_die("%s", dlerror());
    return found;
}

static void load(const char *path, const char *kernels)
{
    /* OpenBLAS chooses its kernels while it is loaded. */
    if (strcmp(kernels, "auto") != 0)
        setenv("OPENBLAS_CORETYPE", kernels, 1);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        peer_die("%s", dlerror());
    /* The form that POSIX gives: ISO C has no conversion from void * to a function pointer. */
    *(void **)&dpotrf = symbol(library, "dpotrf_");
    *(void **)&dgetrf = symbol(library, "dgetrf_");
    *(void **)&dgeqrf = symbol(library, "dgeqrf_");
    *(void **)&dgemm = symbol(library, "dgemm_");
}

/* ---- matrices ---------------------------------------------------------------------------- */

struct matrix {
    int rows, cols;
    double diagonal; /* added to it */
    double *entries;
};

static double entry(const struct matrix *a, int i, int j)
{
    return la_entry(a->diagonal, i, j);
}

struct share {
    pthread_t thread;
    const struct matrix *a;
    int first, step; /* its columns are first, first + step, and so on */
};

static void *fill_share(void *argument)
{
    const struct share *share = argument;
    const struct matrix *a = share->a;

    for (int j = share->first; j < a->cols; j += share->step)
        for (int i = 0; i < a->rows; i++)
            a->entries[(size_t)j * (size_t)a->rows + (size_t)i] = entry(a, i, j);
    return NULL;
}

/* In parallel, so that on first touch the pages spread over the memories of the machine. */
static void fill(const struct matrix *a, int threads)
{
    struct share *shares = calloc((size_t)threads, sizeof(*shares));

    if (!shares)
        peer_die("no memory");
    for (int t = 0; t < threads; t++) {
        shares[t] = (struct share){.a = a, .first = t, .step = threads};
        if (pthread_create(&shares[t].thread, NULL, fill_share, &shares[t]))
            peer_die("cannot create a thread");
    }
    for (int t = 0; t < threads; t++)
        pthread_join(shares[t].thread, NULL);
    free(shares);
}

/* y += f(i, j) x[j] for the entries of a part: 'U' on and above the diagonal, 'L' below it, or 'G'
 * all; rows = 0: the matrix as it was filled. */
static void multiply(const struct matrix *a, int original, char part, const double *x, double *y)
{
    for (int j = 0; j < a->cols; j++)
        for (int i = 0; i < a->rows; i++) {
            if ((part == 'U' && i > j) || (part == 'L' && i <= j))
                continue;
            y[i] +=
                (original ? entry(a, i, j) : a->entries[(size_t)j * (size_t)a->rows + (size_t)i]) *
                x[j];
        }
}

/* ---- routines ---------------------------------------------------------------------------- */

struct problem {
    int m, n, threads;
    struct matrix a, b, c;
    int *ipiv;
    double *tau, *work;
    int lwork;
    double *x, *y, *z; /* vectors of the check */
};

static int larger(const struct problem *p)
{
    return p->m > p->n ? p->m : p->n;
}

static int run_potrf(struct problem *p)
{
    int info = 0;

    dpotrf("L", &p->n, p->a.entries, &p->n, &info, 1);
    return info;
}

static int run_getrf(struct problem *p)
{
    int info = 0;

    dgetrf(&p->m, &p->n, p->a.entries, &p->m, p->ipiv, &info);
    return info;
}

static int run_geqrf(struct problem *p)
{
    int info = 0;

    dgeqrf(&p->m, &p->n, p->a.entries, &p->m, p->tau, p->work, &p->lwork, &info);
    return info;
}

static int run_gemm(struct problem *p)
{
    static const double one = 1.0;

    dgemm("N", "N", &p->m, &p->n, &p->n, &one, p->a.entries, &p->m, p->b.entries, &p->n, &one,
          p->c.entries, &p->m, 1, 1);
    return 0;
}

/* The checks leave in y what the result does to x, and in z what it should. */

static void check_potrf(const struct problem *p)
{
    const double *l = p->a.entries;
    double *t = calloc((size_t)p->n, sizeof(*t));

    if (!t)
        peer_die("no memory");
    for (int j = 0; j < p->n; j++)
        for (int i = j; i < p->n; i++)
            t[j] += l[(size_t)j * (size_t)p->n + (size_t)i] * p->x[i];
    for (int j = 0; j < p->n; j++)
        for (int i = j; i < p->n; i++)
            p->y[i] += l[(size_t)j * (size_t)p->n + (size_t)i] * t[j];
    multiply(&p->a, 1, 'G', p->x, p->z);
    free(t);
}

static void check_getrf(const struct problem *p)
{
    int steps = p->m < p->n ? p->m : p->n;
    double *t = calloc((size_t)larger(p), sizeof(*t));

    if (!t)
        peer_die("no memory");
    multiply(&p->a, 0, 'U', p->x, t);
    memcpy(p->y, t, (size_t)p->m * sizeof(*t));
    multiply(&p->a, 0, 'L', t, p->y);
    for (int i = steps - 1; i >= 0; i--) {
        double swapped = p->y[i];
        p->y[i] = p->y[p->ipiv[i] - 1];
        p->y[p->ipiv[i] - 1] = swapped;
    }
    multiply(&p->a, 1, 'G', p->x, p->z);
    free(t);
}

static double length(const double *x, int n)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* Q keeps lengths. */
static void check_geqrf(const struct problem *p)
{
    multiply(&p->a, 0, 'U', p->x, p->y);
    multiply(&p->a, 1, 'G', p->x, p->z);
    double of_result = length(p->y, p->m), of_input = length(p->z, p->m);
    memset(p->y, 0, (size_t)p->m * sizeof(*p->y));
    memset(p->z, 0, (size_t)p->m * sizeof(*p->z));
    p->y[0] = of_result;
    p->z[0] = of_input;
}

static void check_gemm(const struct problem *p)
{
    double *t = calloc((size_t)p->n, sizeof(*t));

    if (!t)
        peer_die("no memory");
    multiply(&p->c, 0, 'G', p->x, p->y);
    multiply(&p->b, 1, 'G', p->x, t);
    multiply(&p->a, 1, 'G', t, p->z);
    multiply(&p->c, 1, 'G', p->x, p->z);
    free(t);
}

static const struct routine {
    const char *name;
    int (*run)(struct problem *p); /* returns info */
    void (*check)(const struct problem *p);
    double (*flops)(double m, double n);
} routines[] = {
    {"potrf", run_potrf, check_potrf, la_flops_potrf},
    {"getrf", run_getrf, check_getrf, la_flops_getrf},
    {"geqrf", run_geqrf, check_geqrf, la_flops_geqrf},
    {"gemm", run_gemm, check_gemm, la_flops_gemm},
};

static const struct routine *find_routine(const char *name)
{
    for (size_t i = 0; i < sizeof(routines) / sizeof(*routines); i++)
        if (strcmp(routines[i].name, name) == 0)
            return &routines[i];
    peer_die("no routine '%s'", name);
}

/* ---- repetitions ------------------------------------------------------------------------- */

static struct matrix allocate(int rows, int cols, double diagonal)
{
    size_t bytes = (size_t)rows * (size_t)cols * sizeof(double);

    return (struct matrix){rows, cols, diagonal, peer_allocate(bytes)};
}

static void allocate_all(struct problem *p, const struct routine *r)
{
    size_t most = (size_t)larger(p);
    double *vectors = calloc(4 * most, sizeof(*vectors));

    p->a = allocate(p->m, p->n, r->run == run_potrf ? p->n : 0.0);
    if (r->run == run_gemm) {
        p->a.diagonal = p->n; /* so that results stand out of rounding */
        p->b = allocate(p->n, p->n, p->n);
        p->c = allocate(p->m, p->n, 0.0);
    }
    p->lwork = 128 * p->n;
    p->ipiv = calloc(most, sizeof(*p->ipiv));
    p->work = calloc((size_t)p->lwork, sizeof(*p->work));
    if (!vectors || !p->ipiv || !p->work)
        peer_die("no memory");
    p->x = vectors;
    p->y = vectors + most;
    p->z = vectors + 2 * most;
    p->tau = vectors + 3 * most;
}

static void fill_all(const struct problem *p)
{
    fill(&p->a, p->threads);
    if (p->b.entries)
        fill(&p->b, p->threads);
    if (p->c.entries)
        fill(&p->c, p->threads);
}

/* A library that errs in parallel does so without saying anything. */
static void check(const struct problem *p, const struct routine *r)
{
    double worst = 0.0, size = 0.0;

    memset(p->y, 0, (size_t)larger(p) * sizeof(*p->y));
    memset(p->z, 0, (size_t)larger(p) * sizeof(*p->z));
    for (int i = 0; i < p->n; i++)
        p->x[i] = 1.0 + i % 7;
    r->check(p);
    for (int i = 0; i < p->m; i++) {
        worst = fmax(worst, fabs(p->y[i] - p->z[i]));
        size = fmax(size, fabs(p->z[i]));
    }
    if (!(worst <= 1e-9 * (size + 1))) /* a comparison that NaN fails too */
        peer_die("wrong result: off by %g of %g", worst, size);
}

/* Once on fresh matrices, in GFLOP/s. The check takes long, so only the first result is looked at.
 */
static double repetition(struct problem *p, const struct routine *r, int checked)
{
    fill_all(p);
    double begin = peer_seconds();
    int info = r->run(p);
    double seconds = peer_seconds() - begin;
    if (info)
        peer_die("%s failed (info %d)", r->name, info);
    if (checked)
        check(p, r);
    return 1e-9 * r->flops(p->m, p->n) / seconds;
}

int main(int argc, char **argv)
{
    if (argc != 8)
        peer_die("usage: ROUTINE M N THREADS REPEAT BLASPATH KERNELS");
    const struct routine *r = find_routine(argv[1]);
    struct problem p = {
        .m = (int)peer_number(argv[2], "M", 1, 10000000),
        .n = (int)peer_number(argv[3], "N", 1, 1000000),
        .threads = (int)peer_number(argv[4], "THREADS", 1, 4096),
    };
    long repeat = peer_number(argv[5], "REPEAT", 0, 1000000);

    for (long round = 0; peer_next_round(repeat, round); round++) {
        /* Not before the first request: until then somebody else may be measuring. */
        if (round == 0) {
            allocate_all(&p, r);
            /* First touch comes before binding, which later fills inherit from this thread. */
            fill_all(&p);
            setenv("OPENBLAS_NUM_THREADS", argv[4], 1);
            load(argv[6], argv[7]);
            bind_threads();
            repetition(&p, r, 1);
        }
        peer_answer(repeat, repetition(&p, r, 0));
    }
    return 0;
}
