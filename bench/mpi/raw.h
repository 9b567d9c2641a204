/* What MPI does by itself, for benchmarks that put Twill beside it: the module for an MPI has this
 * table, because the command is linked with none. */
#ifndef BENCH_MPI_RAW_H
#define BENCH_MPI_RAW_H

#define MPI_RAW_MODULE "twill_mpi_raw" /* the name of the table in a module */

typedef struct mpi_raw {
    const char *name; /* of the MPI: "Open MPI" */

    /* Ranks 0 and 1 of the world send `size` bytes to and fro, after one round that does not count.
     * Returns 0, or MPI's error code; rank 0 learns the seconds. Nobody else calls MPI meanwhile.
     */
    int (*pingpong)(void *bytes, int size, int rounds, double *seconds);
} mpi_raw;

#endif
