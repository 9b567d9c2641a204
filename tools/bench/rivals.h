/* The systems of benchmarks of one operation behind one face: Twill in this process, peers in
 * theirs. */
#ifndef RIVALS_H
#define RIVALS_H

#include "bench/peers.h"
#include "command/command.h"

enum { RIVAL_TWILL, RIVAL_TILES, RIVAL_OPENMP, RIVAL_OPENBLAS, RIVALS, RIVAL_ARRAYS = 3 };

/* What they all do, on square matrices of doubles. */
typedef struct rival_kind {
    const char *name;             /* of the benchmark */
    const char *routine;          /* of LAPACK, for OpenBLAS */
    const char *programs[RIVALS]; /* peers; NULL: there is none */
    bool tiles;                   /* measure products that follow one another too */
    int arrays;
    twill_status (*fill)(twill_array *const *x);
    twill_status (*run)(twill_array *const *x);
    double (*flops)(int64_t n);
} rival_kind;

extern const rival_kind rival_potrf, rival_gemm;
/* Only finds the peers: bench la has many operations. */
extern const rival_kind rival_la;

/* What they share: the context, the BLAS, and which of them are on this machine. */
typedef struct rivals {
    const rival_kind *kind;
    const char *bench;
    peers peers;
    twill *tw;
    bool present[RIVALS];
    char paths[RIVALS][PATH_MAX];
    char blas[RIVALS][PATH_MAX]; /* library each of them loads */
    char kernels[64];
} rivals;

/* Returns the exit status, after a complaint when it is not STATUS_OK. */
int rivals_open(rivals *all, const rival_kind *kind, const char *bench, int64_t workers,
                bool with_peers);
void rivals_close(rivals *all);

const char *rival_name(int system);

/* Does it have a tile size to choose? */
bool rival_tiled(int system);

/* One of them, ready for matrices of one size. */
typedef struct rival {
    const rivals *all;
    int system;
    bool running;
    int64_t nb; /* 0: not tiled */
    twill_array *x[RIVAL_ARRAYS];
    peer peer;
} rival;

/* Returns the exit status, after a complaint when it is not STATUS_OK. */
int rival_start(const rivals *all, int system, int64_t n, int64_t nb, rival *r);

/* Do it once; GFLOP/s. After a failure it does not run any more. */
int rival_run(rival *r, double *gflops);

void rival_stop(rival *r);

#endif
