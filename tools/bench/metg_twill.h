/* Twill as a system of `bench metg`: the patterns by insertion. */
#ifndef METG_TWILL_H
#define METG_TWILL_H

#include "bench/metg.h"
#include "patterns.h"

#include <twill/twill.h>

typedef struct metg_twill {
    const char *bench; /* who complains */
    twill *tw;
    const pattern_graph *graph;
    twill_array *array;
    twill_tile *tiles[PATTERN_ROWS * PATTERN_WIDTH];
    /* as a parameterised graph over ranks: point i is where tile i / share of `home` is */
    twill_array *home;
    int64_t share;
} metg_twill;

/* Make the tiles; returns the exit status, after a complaint when it is not STATUS_OK. */
int metg_twill_open(metg_twill *m, const char *bench, twill *tw, const pattern_graph *graph);
void metg_twill_close(metg_twill *m);

/* The functions of a runner whose `arg` is a metg_twill. */
bool metg_twill_graph(void *arg, long iterations, double *us);
bool metg_twill_plain(void *arg, long iterations, double *rate);

#endif
