/* A graph of `bench metg` by hand. */
#ifndef BENCH_MPI_STEPS_H
#define BENCH_MPI_STEPS_H

#include "reach.h"

/* See mpi_raw. */
int mpi_steps(const reach *r, int share, long iterations, double *seconds);

#endif
