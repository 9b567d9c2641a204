/* Small problems: when each matrix is a single tile that Twill chose, or memory of the program, a
 * routine calls its kernel in the calling thread, without a graph. The matrices are held like host
 * memory meanwhile, so whoever uses them before or after waits or is waited for as ever. */
#ifndef TW_LA_DIRECT_H
#define TW_LA_DIRECT_H

#include "la/blas/blas.h"

#include <twill/ptg.h>

/* Most matrices of a routine, and their largest order. */
enum { TW_DIRECT_MATRICES = 4, TW_DIRECT_ORDER = 1024 };

/* What a routine does to whole matrices, which are `x` in the order of the list below; `k` is
 * NULL if nobody has asked for a BLAS. Returns LAPACK's info, or TW_DIRECT_NO_MEMORY. */
typedef int64_t tw_direct_kernel(const tw_kernels *k, const twill_flow *x, const void *arg);

#define TW_DIRECT_NO_MEMORY INT64_MIN

typedef struct tw_direct {
    const char *who; /* the routine */
    tw_direct_kernel *kernel;
    const void *arg;
    struct {
        twill_array *a;
        twill_access mode;
    } x[TW_DIRECT_MATRICES]; /* the first gives the element type; the rest is NULL */
} tw_direct;

/* Run it, if each matrix is one tile that Twill chose or the program wrapped, and not a large one;
 * false: it is not. A matrix may be there twice if it is read only. The matrices have been checked;
 * info may be NULL.
 */
bool tw_direct_done(const tw_direct *d, int64_t *info, twill_status *status);

#endif
