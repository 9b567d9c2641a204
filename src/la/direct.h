/* Small problems: when Twill chose the tiles and each matrix is a single one, a routine calls its
 * kernel in the calling thread, without a graph. The matrices are held like host memory meanwhile,
 * so whoever uses them before or after waits or is waited for as ever. */
#ifndef TW_LA_DIRECT_H
#define TW_LA_DIRECT_H

#include "la/blas.h"

#include <twill/ptg.h>

enum { TW_DIRECT_MATRICES = 4 };

/* What a routine does to whole matrices, which are `x` in the order of the list below. Returns
 * LAPACK's info. */
typedef int64_t tw_direct_kernel(const tw_kernels *k, const twill_flow *x, const void *arg);

typedef struct tw_direct {
    const char *who; /* the routine */
    tw_direct_kernel *kernel;
    const void *arg;
    struct {
        twill_array *a;
        twill_access mode;
    } x[TW_DIRECT_MATRICES]; /* the first gives the element type; the rest is NULL */
} tw_direct;

/* Is each matrix one tile that Twill chose, and none of them there twice? */
bool tw_direct_suits(const tw_direct *d);

/* Run it; info may be NULL. The matrices have been checked. */
twill_status tw_direct_run(const tw_direct *d, int64_t *info);

#endif
