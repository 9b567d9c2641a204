/*
 * Peer of the Cholesky benchmark: the threaded dpotrf of OpenBLAS itself, on a column-major
 * matrix.
 */
#define _GNU_SOURCE
#include "peer.h"
#include "potrf.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

struct matrix {
    int n;
    int threads;
    double *entries;
};

struct share {
    pthread_t thread;
    const struct matrix *a;
    int first; /* its columns are first, first + threads, and so on */
};

static void *fill_share(void *argument)
{
    const struct share *share = argument;
    const struct matrix *a = share->a;

    for (int j = share->first; j < a->n; j += a->threads) {
        double *column = a->entries + (size_t)j * (size_t)a->n;
        for (int i = j; i < a->n; i++)
            column[i] = potrf_entry(a->n, i, j);
    }
    return NULL;
}

/* In parallel, so that on first touch the pages spread over the memories of the machine. */
static void fill(const struct matrix *a)
{
    struct share *shares = calloc((size_t)a->threads, sizeof(*shares));

    if (!shares)
        peer_die("no memory");
    for (int t = 0; t < a->threads; t++) {
        shares[t] = (struct share){.a = a, .first = t};
        if (pthread_create(&shares[t].thread, NULL, fill_share, &shares[t]))
            peer_die("cannot create a thread");
    }
    for (int t = 0; t < a->threads; t++)
        pthread_join(shares[t].thread, NULL);
    free(shares);
}

/* The first processor of the core that this one belongs to; itself where that is unknown. */
static int first_of_core(int cpu)
{
    char path[128];
    int first = cpu;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             cpu);
    FILE *file = fopen(path, "r");
    if (file) {
        if (fscanf(file, "%d", &first) != 1)
            first = cpu;
        fclose(file);
    }
    return first;
}

/* Binds one thread to the next core after *cpu that the process may use; false: there is none. */
static bool bind_to_next_core(int thread, const cpu_set_t *allowed, int *cpu)
{
    cpu_set_t one;

    do {
        if (++*cpu == CPU_SETSIZE)
            return false;
    } while (!CPU_ISSET(*cpu, allowed) || first_of_core(*cpu) != *cpu);
    CPU_ZERO(&one);
    CPU_SET(*cpu, &one);
    return sched_setaffinity(thread, sizeof(one), &one) == 0;
}

/*
 * OpenBLAS has no setting that binds its threads, so bind what threads there are, each to a core
 * of its own as long as there are cores.
 */
static void bind_threads(void)
{
    cpu_set_t allowed;
    DIR *threads = opendir("/proc/self/task");
    int cpu = -1;

    if (!threads)
        return;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
        for (struct dirent *entry; (entry = readdir(threads));) {
            if (entry->d_name[0] != '.' && !bind_to_next_core(atoi(entry->d_name), &allowed, &cpu))
                break;
        }
    }
    closedir(threads);
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
            bind_threads();
            repetition(&a, &blas);
        }
        peer_answer(repeat, repetition(&a, &blas));
    }
    return 0;
}
