/* What `bench la` and `twill tune` measure: routines on matrices of one size. */
#ifndef LA_CASES_H
#define LA_CASES_H

#include "command/command.h"

enum { LA_MATRICES = 4, LA_WAYS = 2 };

/* Matrices of one size, and what a routine needs besides. */
typedef struct la_work {
    twill *tw;
    int64_t m, n;
    int64_t nb; /* 0: chosen by the library, as in all that follows */
    twill_array *x[LA_MATRICES], *ipiv;
    twill_reflectors *h;
} la_work;

typedef struct la_case {
    const char *name, *about;
    const char *sizes;   /* orders, unless others are given */
    int64_t tall;        /* rows for each column */
    const char *routine; /* what the OpenBLAS peer calls it; NULL: not measured */
    bool openmp;         /* there is a peer with OpenMP tasks */
    double (*flops)(int64_t m, int64_t n);
    twill_status (*make)(la_work *w);
    twill_status (*fill)(la_work *w);
    /* ways to do it, the first called twill; timed */
    struct {
        const char *system;
        twill_status (*run)(la_work *w);
    } ways[LA_WAYS];
} la_case;

/* Case number i, from 0; NULL past the last one. And by name, NULL after a complaint of `who`. */
const la_case *la_case_at(int i);
const la_case *la_case_named(const char *who, const char *name);

/* Make the matrices of a case, m = tall * n. The library's status; la_close in any case. */
twill_status la_open(la_work *w, const la_case *c, twill *tw, int64_t n, int64_t nb);
void la_close(la_work *w);

/* The tile size in use. */
int64_t la_tile(const la_work *w);

/* Fill, run and time in one of the ways; GFLOP/s. */
twill_status la_run(la_work *w, const la_case *c, int way, double *gflops);

#endif
