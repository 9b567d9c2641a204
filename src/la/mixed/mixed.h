/* Refinement of solutions that a factorization in single precision gives, whichever it is. */
#ifndef TW_LA_MIXED_H
#define TW_LA_MIXED_H

#include "la/la.h"

#include <twill/mixed.h>

enum { TW_MIXED_STEPS = 30 }; /* as LAPACK */

/* LAPACK's ITER when there is no refined solution. */
enum { TW_MIXED_TOO_LARGE = -2, TW_MIXED_NO_FACTOR = -3, TW_MIXED_INACCURATE = -31 };

/* A system A X = B, and how to work with its factor. Functions that take a graph
 * insert into it. */
typedef struct tw_mixed {
    const char *who;
    twill_array *a, *b, *x;
    twill_array *low; /* room for the factor, in single precision */
    twill_refine refine;
    double norm; /* infinity norm of A */
    void *arg;

    /* A norm of A. */
    twill_status (*measure)(struct tw_mixed *m, twill_norm_kind kind, double *value);
    /* low := the factor of A. */
    twill_status (*factor)(twill_graph *g, struct tw_mixed *m);
    /* y := A^-1 y by that factor. */
    twill_status (*solve)(twill_graph *g, struct tw_mixed *m, twill_array *y);
    /* r := r - A x in double precision. */
    twill_status (*subtract)(twill_graph *g, struct tw_mixed *m, twill_array *x, twill_array *r);
    /* Optional: a factor that was completed may be useless. *info > 0 says so. */
    twill_status (*look)(struct tw_mixed *m, int64_t *info);

    /* Of the refinement: residuals, and the same in single precision. */
    twill_array *r, *y;
    double bound; /* a residual is small enough when below this times the solution */
} tw_mixed;

/* B and X fit A, and are of double precision. `number` is LAPACK's for B's leading dimension, two
 * more that for X's. */
twill_status tw_mixed_check(int64_t *info, tw_mixed *m, int number);

/* Factor, solve and refine. *iterations < 0: X is no solution. */
twill_status tw_mixed_solve(tw_mixed *m, int64_t *iterations);

/* The single precision of a double one. */
twill_type tw_mixed_low(twill_type type);

/* Insert y := A^-1 r, in single precision, and r := that again. */
twill_status tw_mixed_insert_correction(twill_graph *g, tw_mixed *m, twill_array *r,
                                        twill_array *y);

/* Refine the columns one after the other by GMRES, beginning with the X there is; *iterations as
 * above. */
twill_status tw_mixed_gmres(tw_mixed *m, int64_t *iterations);

#endif
