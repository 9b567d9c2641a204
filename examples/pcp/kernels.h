/* What both programs need: a BLAS that runs on the calling thread, and arithmetic of tiles. */
#ifndef KERNELS_H
#define KERNELS_H

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

/* OpenBLAS has threads of its own, and a function to do without them; others have neither. */
extern void openblas_set_num_threads(int) __attribute__((weak));

static inline void use_one_thread(void)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
}

static inline int min(int a, int b)
{
    return a < b ? a : b;
}

/* The first of n columns or rows that the thread of this rank takes; rank nth gives the end. */
static inline int first_of(int n, int nth, int rank)
{
    return (int)((long)n * rank / nth);
}

/* A number between 0 and 1 that depends on the position alone. */
static inline double number(int i, int j)
{
    unsigned x = (unsigned)i * 2654435761u ^ ((unsigned)j + 1) * 2246822519u;
    x = (x ^ x >> 15) * 3266489917u;
    return (double)(x ^ x >> 16) / 4294967296.0;
}

/* The integers of the command line, or the given ones if there are none. False: others are wrong.
 */
static inline int read_numbers(int argc, char **argv, int *values, int n)
{
    if (argc == 1)
        return 1;
    for (int i = 0; i < n && i + 1 < argc; i++)
        values[i] = atoi(argv[i + 1]);
    return argc == n + 1 || argc == n + 2;
}

#endif
