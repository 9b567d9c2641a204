/* Bunch-Kaufman's factorization of a symmetric or Hermitian matrix, one panel at a time:
 * A = P L D L^T P^T or P L D L^H P^T, D with blocks of order 1 and 2. */
#ifndef TW_LA_BUNCH_H
#define TW_LA_BUNCH_H

#include "la/blas/blas.h"

/* A matrix under way: its lower triangle, column-major. What is above the diagonal may be
 * overwritten with anything. */
typedef struct tw_bunch {
    const tw_kernels *k;
    twill_type type;
    bool hermitian; /* and complex */
    bool last;      /* look for pivots from the last row on, not from the first */
    int n, ld;
    char *a;
    int ib;         /* columns of a panel; one less when a block of order 2 would not fit */
    char *w;        /* n by TW_BUNCH_WORK(ib): the panel times D, conjugated when Hermitian */
    int *pivot;     /* n: LAPACK's ipiv, but counted from 0, and -1 - p where that is negative */
    int *until;     /* n: the first column behind the panel that a column is in */
    int first, end; /* columns of the last panel */
    int64_t info;   /* LAPACK's */
} tw_bunch;

/* Columns of work space: LAPACK takes so many. */
#define TW_BUNCH_WORK(ib) ((ib) + 1 > 64 ? (ib) + 1 : 64)

/* Factor all of it by LAPACK's own routine, on one core, as if panels had done it: what comes of
 * NaN and infinities depends on the order of each operation, and on those that are left out. */
void tw_bunch_by_lapack(tw_bunch *b);

/* Factor the next panel, columns `end` and following, and set `first` and `end`. The matrix behind
 * it is not updated. Rows are interchanged in this panel, not in those before. */
void tw_bunch_panel(tw_bunch *b);

/* Update rows [r0, r1) of columns [c0, c1), all of them behind the panel. */
void tw_bunch_update(const tw_bunch *b, int r0, int r1, int c0, int c1);

/* Interchange the rows of a column as all panels behind its own did. */
void tw_bunch_permute(const tw_bunch *b, int column);

#endif
