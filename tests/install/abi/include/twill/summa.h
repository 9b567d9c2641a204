/* SUMMA: the product of matrices by one-sided copies. */
#ifndef TWILL_SUMMA_H
#define TWILL_SUMMA_H

#include <twill/la.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C = alpha A B + beta C, with C m by n, A m by k and B k by n, of one type. Each rank computes the
 * tiles of C that it owns: panel after panel it gets what it needs of A and B (twill_get_async),
 * the next one while it multiplies the last. All have any patterns and any tiles.
 * Workers share the tiles of C. With beta = 0 the old C is not read. Ranks begin with different
 * panels, so that not all ask one rank at once; so bits depend on tiles and ranks, and on nothing
 * else.
 *
 * All ranks call, and none returns before all have what they need. Not inside tasks. `twill_gemm`
 * does the same as tasks, for matrices whose tiles conform. TWILL_ERR_ARGUMENT: sizes or types do
 * not fit. TWILL_ERR_UNSUPPORTED: elements are in row-major order, or only a triangle is stored. */
TWILL_API twill_status twill_summa(twill_scalar alpha, twill_array *a, twill_array *b,
                                   twill_scalar beta, twill_array *c);

#ifdef __cplusplus
}
#endif
#endif
