/* What one tile of A and one tile of B have in common: B = alpha op(A) + beta B there. */
#ifndef TW_LA_COMBINE_H
#define TW_LA_COMBINE_H

#include "la/matrix/uplo.h"

typedef struct tw_sum {
    twill_uplo uplo; /* of B */
    twill_trans op;
    twill_scalar alpha, beta;
} tw_sum;

/* The common elements: where they are in B, how many, and where they begin in both tiles. */
typedef struct tw_overlap {
    int64_t i0, j0, rows, cols;
    int64_t in_a[2], in_b[2];
} tw_overlap;

static inline bool tw_scalar_zero(twill_scalar x)
{
    return x.re == 0.0 && x.im == 0.0;
}

/* Where the elements are: a tile, and the number of the first of them in it. */
typedef struct tw_operand {
    void *data;
    twill_type type;
    int64_t ld, origin;
} tw_operand;

void tw_combine(const tw_sum *s, const tw_overlap *p, tw_operand a, tw_operand b);

/* Arguments of the task: the tile of A, the tile of B, tw_sum, tw_overlap. */
twill_outcome tw_combine_body(twill_task *t);

#endif
