/* C := alpha X Y + beta C, or a triangle of it, for factors of any structure: what gemm, symm,
 * hemm, syrk, herk, syr2k and her2k have in common. */
#ifndef TW_LA_PRODUCT_H
#define TW_LA_PRODUCT_H

#include "la/level3/steps.h"

/* A factor: op(A), or the whole of a symmetric matrix of which a triangle is stored. */
typedef struct tw_factor {
    twill_array *a;
    char trans;      /* of a general matrix */
    twill_uplo uplo; /* TWILL_GENERAL, or the triangle that is stored */
    char mirror;     /* which transpose of it the other triangle is */
} tw_factor;

typedef struct tw_product {
    const char *who; /* the routine */
    twill_scalar alpha, beta;
    tw_factor x, y;
    tw_factor x2, y2;    /* of a second product that is added to the first, if x2.a is not NULL, */
    twill_scalar alpha2; /* and its factor */
    twill_array *c;
    twill_uplo uplo; /* of C that is computed */
    int64_t inner;   /* size */

    /* Steps on diagonal tiles, of a symmetric factor or of C, are these instead of gemm. */
    const twill_class *diagonal;
    tw_product_call *call; /* what they do, and what is done to small matrices as a whole */
    char options[2];
    bool hermitian; /* the diagonal of C is real */
} tw_product;

/* Insert all steps. */
twill_status tw_product_insert(twill_graph *g, const tw_product *p);

/* Compute it. */
twill_status tw_product_run(tw_product *p);

#endif
