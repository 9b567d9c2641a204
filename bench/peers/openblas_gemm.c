/*
 * Peer of the product benchmark: the threaded dgemm of OpenBLAS itself, on column-major matrices.
 */
#define _GNU_SOURCE
#include "openblas.h"
#include "peer.h"
#include "potrf.h"

#include <math.h>
#include <stdlib.h>

struct product {
    int n;
    int threads;
    double *a, *b, *c;
};

static double first_entry(int n, int i, int j)
{
    (void)n;
    return 1.0 / (1.0 + (i + 2 * j) % 11);
}

static double second_entry(int n, int i, int j)
{
    (void)n;
    return 1.0 / (1.0 + (2 * i + j) % 13) - 0.25;
}

/* Ends the process unless C x = A (B x) for some vector x. */
static void check(const struct product *p)
{
    int n = p->n;
    double *x = calloc(3 * (size_t)n, sizeof(*x)), *bx = x + n, *difference = x + 2 * n;
    double worst = 0.0;

    if (!x)
        peer_die("no memory");
    for (int i = 0; i < n; i++)
        x[i] = 1.0 + i % 7;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            bx[i] += p->b[(size_t)i + (size_t)j * (size_t)n] * x[j];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)i + (size_t)j * (size_t)n;
            difference[i] += p->a[at] * bx[j] - p->c[at] * x[j];
        }
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(difference[i]));
    free(x);
    /* Entries of A B x are of order n^2; a comparison that NaN fails too. */
    if (!(worst <= 1e-10 * n * n))
        peer_die("wrong product: A B x is off by %g", worst);
}

/* One product, in GFLOP/s. */
static double repetition(const struct product *p, const struct blas *blas)
{
    const double one = 1.0, zero = 0.0;
    double begin = peer_seconds();

    blas->gemm("N", "N", &p->n, &p->n, &p->n, &one, p->a, &p->n, p->b, &p->n, &zero, p->c, &p->n, 1,
               1);
    double seconds = peer_seconds() - begin;
    return 2e-9 * (double)p->n * (double)p->n * (double)p->n / seconds;
}

static struct product make(int n, int threads)
{
    size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    struct product p = {n, threads, peer_allocate(bytes), peer_allocate(bytes),
                        peer_allocate(bytes)};

    openblas_fill(p.a, n, threads, 0, first_entry);
    openblas_fill(p.b, n, threads, 0, second_entry);
    openblas_fill(p.c, n, threads, 0, second_entry);
    return p;
}

int main(int argc, char **argv)
{
    if (argc != 6)
        peer_die("usage: N THREADS REPEAT BLASPATH KERNELS");
    int n = (int)peer_number(argv[1], "N", 1, 1000000);
    int threads = (int)peer_number(argv[2], "THREADS", 1, 4096);
    long repeat = peer_number(argv[3], "REPEAT", 0, 1000000);
    struct product p = {0};
    struct blas blas = {0};

    for (long round = 0; peer_next_round(repeat, round); round++) {
        /* Not before the first request: until then somebody else may be measuring. */
        if (round == 0) {
            /* First touch comes before binding, which new threads would inherit. */
            p = make(n, threads);
            setenv("OPENBLAS_NUM_THREADS", argv[2], 1);
            blas = blas_load(argv[4], argv[5]);
            openblas_bind();
            repetition(&p, &blas);
            check(&p);
        }
        peer_answer(repeat, repetition(&p, &blas));
    }
    return 0;
}
