/* Checking arguments one after the other, as the BLAS does: the first bad one counts, and the
 * checks after it do nothing. */
#ifndef TW_LA_CHECK_H
#define TW_LA_CHECK_H

#include "la/la.h"

typedef struct tw_check {
    const char *who;
    twill_status status; /* TWILL_OK until something is wrong */
} tw_check;

/* `number` is the one of the argument in the BLAS. */
void tw_check_uplo(tw_check *c, int number, twill_uplo uplo);
void tw_check_trans(tw_check *c, int number, twill_trans trans);
void tw_check_side(tw_check *c, int number, twill_side side);
void tw_check_diag(tw_check *c, int number, twill_diag diag);

/* A matrix that the BLAS can take, of the type and context of `like` (NULL: of any). */
void tw_check_matrix(tw_check *c, int number, twill_array *a, const twill_array *like);

/* The matrix stores the elements that uplo names. */
void tw_check_stores(tw_check *c, int number, const twill_array *a, twill_uplo uplo);

/* The number can be an element of the matrix. */
void tw_check_scalar(tw_check *c, int number, twill_scalar x, const twill_array *a);

/* A result has no tile in common with a factor. */
void tw_check_result(tw_check *c, int number, const twill_array *result, const twill_array *factor);

/* Dimension `da` of a and `db` of b have the same size, `name`, and are cut into tiles alike, or
 * can be made to fit (fit.h). Said of each two matrices of which this must be true. */
void tw_check_cuts(tw_check *c, int number, const char *name, const twill_array *a, int da,
                   const twill_array *b, int db);

#endif
