/* What the routines for symmetric indefinite matrices share. */
#ifndef TW_LA_INDEFINITE_H
#define TW_LA_INDEFINITE_H

#include "la/cholesky/triangle.h"

#include <twill/indefinite.h>

/* The arguments of a factorization and what follows from them. */
typedef struct tw_indefinite {
    bool hermitian;
    twill_uplo uplo;
    twill_array *a, *e, *ipiv, *b;
} tw_indefinite;

/* A is square and so are its tiles, e and ipiv belong to it; `number` is what LAPACK would report
 * for e, one more that for ipiv. */
twill_status tw_indefinite_check(int64_t *info, const char *who, const tw_indefinite *x,
                                 int number);

/* Insert the factorization, and the solve with it. Arguments have been checked. */
twill_status tw_indefinite_factor(twill_graph *g, const tw_indefinite *x,
                                  const twill_la_options *options);
twill_status tw_indefinite_solve(twill_graph *g, const tw_indefinite *x,
                                 const twill_la_options *options);

/* The same for small matrices as a whole, A, e, ipiv and, for the solve, B; the argument is a
 * tw_indefinite. */
tw_direct_kernel tw_indefinite_factor_whole, tw_indefinite_solve_whole;

#endif
