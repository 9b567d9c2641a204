/* The systems of `bench potrf` behind one face: Twill in this process, peers in theirs. */
#ifndef RIVALS_H
#define RIVALS_H

#include "command.h"
#include "peers.h"

enum { RIVAL_TWILL, RIVAL_OPENMP, RIVAL_OPENBLAS, RIVALS };

/* What they share: the context, the BLAS, and which of them are on this machine. */
typedef struct rivals {
    const char *bench;
    peers peers;
    twill *tw;
    bool present[RIVALS];
    char paths[RIVALS][PATH_MAX];
    char blas[RIVALS][PATH_MAX]; /* library each of them loads */
    char kernels[64];
} rivals;

/* Returns the exit status, after a complaint when it is not STATUS_OK. */
int rivals_open(rivals *all, const char *bench, int64_t workers, bool with_peers);
void rivals_close(rivals *all);

const char *rival_name(int system);

/* Does it have a tile size to choose? */
bool rival_tiled(int system);

/* One of them, ready to factor matrices of one size. */
typedef struct rival {
    bool running;
    int64_t nb; /* 0: not tiled */
    twill_array *array;
    peer peer;
    const char *bench;
} rival;

/* Returns the exit status, after a complaint when it is not STATUS_OK. */
int rival_start(rivals *all, int system, int64_t n, int64_t nb, rival *r);

/* Factor once; GFLOP/s. After a failure it does not run any more. */
int rival_run(rival *r, double *gflops);

void rival_stop(rival *r);

#endif
