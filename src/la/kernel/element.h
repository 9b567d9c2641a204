/* Single elements of any of the four types, as complex numbers: for what is done once per row or
 * column, where the time goes elsewhere. */
#ifndef TW_LA_ELEMENT_H
#define TW_LA_ELEMENT_H

#include "la/blas/blas.h" /* before complex.h, which makes a macro of the name of one of its fields */

#include <complex.h>

static inline double complex tw_element_load(twill_type type, const void *data, int64_t at)
{
    switch (type) {
    case TWILL_FLOAT32:
        return ((const float *)data)[at];
    case TWILL_COMPLEX64:
        return ((const float complex *)data)[at];
    case TWILL_COMPLEX128:
        return ((const double complex *)data)[at];
    default:
        return ((const double *)data)[at];
    }
}

static inline void tw_element_store(twill_type type, void *data, int64_t at, double complex x)
{
    switch (type) {
    case TWILL_FLOAT32:
        ((float *)data)[at] = (float)creal(x);
        break;
    case TWILL_COMPLEX64:
        ((float complex *)data)[at] = (float complex)x;
        break;
    case TWILL_COMPLEX128:
        ((double complex *)data)[at] = x;
        break;
    default:
        ((double *)data)[at] = creal(x);
        break;
    }
}

#endif
