/* Measuring for `twill tune`: providers and their kernel sets, tile sizes, and the order up to
 * which one tile is enough. */
#ifndef TUNER_H
#define TUNER_H

#include "command/command.h"

enum { TUNER_CANDIDATES = 16, TUNER_SIZES = 8, TUNER_TILES = 16 };

/* A provider with one of its kernel sets. */
typedef struct tuner_candidate {
    const char *blas, *wanted; /* values of options blas and kernels */
    twill *tw;                 /* NULL: it is not on this machine */
    char path[512], lapack[512], provider[128], kernels[64];
    double gflops;
} tuner_candidate;

/* Tile sizes at one order. */
typedef struct tuner_size {
    int64_t n;
    int count;
    int64_t nb[TUNER_TILES];
    double score[TUNER_TILES]; /* geometric mean of the rates, in GFLOP/s */
    int best;
    int64_t usual; /* what is chosen without tuning */
    double usual_score;
} tuner_size;

typedef struct tuner {
    int64_t workers; /* 0: one per core */
    double seconds;  /* for each of the two parts */
    bool full;       /* more of everything */
    int candidates;
    tuner_candidate candidate[TUNER_CANDIDATES];
    int best; /* of them */
    int sizes;
    tuner_size size[TUNER_SIZES];
    int64_t one_tile;
} tuner;

/* Measure. Returns the exit status, after a complaint when it is not STATUS_OK. */
int tuner_run(tuner *t);
void tuner_close(tuner *t);

/* What was found, in the form that the library remembers. */
twill_tuning tuner_result(const tuner *t);

#endif
