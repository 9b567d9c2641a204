/* What MPI does by itself, for benchmarks that put Twill beside it: the module for an MPI has this
 * table, because the command is linked with none. Nobody else calls MPI meanwhile; the functions
 * return 0, or MPI's error code. */
#ifndef BENCH_MPI_RAW_H
#define BENCH_MPI_RAW_H

#define MPI_RAW_MODULE "twill_mpi_raw" /* the name of the table in a module */

struct reach;

typedef struct mpi_raw {
    const char *name; /* of the MPI: "Open MPI" */

    /* Ranks 0 and 1 of the world send `size` bytes to and fro, after one round that does not count.
     * Rank 0 learns the seconds. */
    int (*pingpong)(void *bytes, int size, int rounds, double *seconds);

    /* Rank 0 of the world gets `size` bytes of rank 1 so often, each time waiting for them, through
     * a window; the others wait for it. Rank 0 learns the seconds. */
    int (*get)(void *bytes, int size, int rounds, double *seconds);

    /* All ranks of the world run a graph of bench metg once, point i of a step being that of rank
     * i / share. All learn the seconds of the slowest. A point that reads the result of another
     * step than the one before is an error, -1. */
    int (*steps)(const struct reach *r, int share, long iterations, double *seconds);
} mpi_raw;

#endif
