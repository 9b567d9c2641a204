/* Householder reflectors of small real matrices, a column at a time: where calls of a BLAS would
 * cost as much as what they do. */
#ifndef TW_LA_HOUSE_H
#define TW_LA_HOUSE_H

#include <twill/array.h>

typedef struct tw_house {
    /* H x = beta e1 with H = I - tau v v^T and v[0] = 1: x becomes beta and the rest of v. False
     * if squares of such numbers overflow or vanish: x is as it was. */
    bool (*make)(int64_t n, void *x, void *tau);

    /* A := H A. What is in v[0] is not read, here and below. */
    void (*apply)(int64_t n, int64_t cols, const void *v, const void *tau, void *a, int64_t lda);

    /* Column k of T = (t(i, j)), H1 H2 ... = I - V T V^T, when `vs` are the reflectors before it:
     * their rows from the one on where v begins. */
    void (*link)(int64_t n, int64_t k, const void *vs, int64_t ldv, const void *v, const void *tau,
                 void *t, int64_t ldt);
} tw_house;

/* For the element type, as this processor does it best; NULL for complex ones. */
const tw_house *tw_house_of(twill_type type);

/* The same text compiled for any processor, and for wide vectors. */
extern const tw_house tw_houses_plain[TWILL_FLOAT64 + 1], tw_houses_wide[TWILL_FLOAT64 + 1];

#endif
