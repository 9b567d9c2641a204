/* METG over the ranks of mpirun: parameterised graphs beside MPI by hand, in the same processes. */
#ifndef METG_RANKS_H
#define METG_RANKS_H

#include "patterns.h"

typedef struct metg_ranks {
    const char *command; /* who complains */
    const char *which;   /* the only pattern; NULL: all that there are over ranks */
    int width, repeat;
    long steps;
    bool with_mpi;
    /* A result as an object; NULL: a table. */
    void (*print)(const pattern_graph *g, const char *system, double us, int ranks);
} metg_ranks;

/* Returns the exit status. */
int metg_ranks_run(const metg_ranks *plan);

#endif
