/* What the peers that are OpenBLAS itself share. */
#ifndef TWILL_BENCH_PEERS_OPENBLAS_H
#define TWILL_BENCH_PEERS_OPENBLAS_H

#include <stddef.h>

/* Entry (i, j) of a matrix of some order. */
typedef double openblas_entry_fn(int n, int i, int j);

/*
 * Fills the columns of a matrix of order n, from row `j` or from the top, by that many threads, so
 * that on first touch the pages spread over the memories of the machine.
 */
void openblas_fill(double *entries, int n, int threads, int from_diagonal,
                   openblas_entry_fn *entry);

/*
 * OpenBLAS has no setting that binds its threads, so bind what threads there are, each to a core
 * of its own as long as there are cores.
 */
void openblas_bind(void);

#endif
