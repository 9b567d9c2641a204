/* What the routines of LU share. */
#ifndef TW_LA_LU_H
#define TW_LA_LU_H

#include "la/direct.h"
#include "la/la.h"
#include "la/lu/swap.h"

#include <twill/lu.h>

/* Numbers of LAPACK's arguments, for sentences about bad ones. */
typedef struct tw_lu_numbers {
    const char *who;
    int order, a, ipiv, b, ldb;
} tw_lu_numbers;

/* A matrix of square tiles that the BLAS can take; `number` is that of the argument. */
twill_status tw_lu_check_matrix(const tw_lu_numbers *numbers, int number, twill_array *a,
                                int64_t *info);
/* The matrix can be factored, and the array can hold its pivots. */
twill_status tw_lu_check(const tw_lu_numbers *numbers, twill_array *a, twill_array *ipiv,
                         int64_t *info);
/* In addition it is square, and so many right-hand sides fit. */
twill_status tw_lu_check_solve(const tw_lu_numbers *numbers, twill_array *a, twill_array *ipiv,
                               twill_array *b, int64_t *info);

/* twill_getrf_insert without checks. What is done to the columns of A right of each panel is done
 * to those of b, which may be NULL, as well. */
twill_status tw_getrf_insert(twill_graph *g, twill_array *a, twill_array *ipiv, twill_array *b,
                             const twill_la_options *options);

/* Tiles that a task takes: (row, col), (row + stride, col), ... of one array, and rows first ..
 * end-1 of a column of another, which may be NULL: pivots of these steps, say. */
typedef struct tw_lu_data {
    twill_array *a;
    int64_t row, stride, col;
    int64_t lead; /* this one and the first change places: the task runs where it is */
    twill_access mode;
    twill_array *more;
    int64_t first, end, more_col;
    twill_access more_mode;
} tw_lu_data;

/* Insert a task with arguments `given` (ended by TWILL_END), the first of them the number of tiles
 * of the first array; then these tiles, then the others. */
twill_status tw_lu_insert(twill_graph *g, const twill_class *cls, const twill_arg *given,
                          const tw_lu_data *data);

/* In its body: the tiles, which begin at argument `from`, as rows; `tiles` has room for them. */
tw_rows tw_lu_rows(const twill_task *t, int from, twill_flow *tiles);

/* Swap rows of tile column j of b as the pivots of steps first .. end-1 say; `backward`: the
 * inverse. */
twill_status tw_lu_insert_swap(twill_graph *g, twill_array *b, int64_t j, twill_array *ipiv,
                               int64_t first, int64_t end, bool backward);

/* B := op(A)^-1 B with the factors of a small matrix, but for interchanges. */
void tw_lu_solve_whole(const tw_kernels *k, char trans, const twill_flow *a, const twill_flow *b);

/* What getrf does to a small matrix and its pivots as a whole. */
tw_direct_kernel tw_getrf_whole;

#endif
