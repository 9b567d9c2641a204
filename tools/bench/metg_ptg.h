/* Twill as a system of `bench metg`: the patterns as parameterised graphs. */
#ifndef METG_PTG_H
#define METG_PTG_H

#include "patterns.h"

#include <twill/twill.h>

/* A function of a runner whose `arg` is a metg_twill. */
bool metg_ptg_graph(void *arg, long iterations, double *us);

/* For bodies in step t: the cell is not of the step before. */
twill_outcome metg_ptg_fail(twill_task *task, const pattern_cell *cell, int64_t t);

#endif
