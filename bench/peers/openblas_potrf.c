/*
 * Peer of the Cholesky benchmark: the threaded dpotrf of OpenBLAS itself, on a column-major
 * matrix.
 */
#define _GNU_SOURCE
#include "openblas.h"
#include "peer.h"
#include "potrf.h"

#include <stdlib.h>

struct matrix {
    int n;
    int threads;
    double *entries;
};

static void fill(const struct matrix *a)
{
    openblas_fill(a->entries, a->n, a->threads, 1, potrf_entry);
}

static double factor_entry(const void *holder, int i, int j)
{
    const struct matrix *a = holder;

    return a->entries[(size_t)i + (size_t)j * (size_t)a->n];
}

/* One factorization of a fresh matrix, in GFLOP/s. */
static double repetition(const struct matrix *a, const struct blas *blas)
{
    int info = 0;

    fill(a);
    double begin = peer_seconds();
    blas->potrf("L", &a->n, a->entries, &a->n, &info, 1);
    double seconds = peer_seconds() - begin;
    if (info)
        peer_die("the matrix is not positive definite (info %d)", info);
    potrf_check(a->n, factor_entry, a);
    return potrf_gflops(a->n, seconds);
}

int main(int argc, char **argv)
{
    if (argc != 6)
        peer_die("usage: N THREADS REPEAT BLASPATH KERNELS");
    struct matrix a = {
        .n = (int)peer_number(argv[1], "N", 1, 1000000),
        .threads = (int)peer_number(argv[2], "THREADS", 1, 4096),
    };
    long repeat = peer_number(argv[3], "REPEAT", 0, 1000000);
    struct blas blas = {0};

    for (long round = 0; peer_next_round(repeat, round); round++) {
        /* Not before the first request: until then somebody else may be measuring. */
        if (round == 0) {
            a.entries = peer_allocate((size_t)a.n * (size_t)a.n * sizeof(double));
            /* First touch comes before binding, which later fills inherit from this thread. */
            fill(&a);
            setenv("OPENBLAS_NUM_THREADS", argv[2], 1);
            blas = blas_load(argv[4], argv[5]);
            openblas_bind();
            repetition(&a, &blas);
        }
        peer_answer(repeat, repetition(&a, &blas));
    }
    return 0;
}
