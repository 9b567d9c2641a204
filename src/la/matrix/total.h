/* What all ranks have of something, put together on each of them. */
#ifndef TW_LA_MATRIX_TOTAL_H
#define TW_LA_MATRIX_TOTAL_H

#include "la/la.h"

/* Add up n words of every rank, modulo 2^64; afterwards all ranks have the sums. Words may also be
 * the bits of other things: where one rank has something and the others zeros, all get it as it is.
 * Collective; on one rank nothing happens. */
twill_status tw_total(twill *tw, uint64_t *words, int64_t n);

/* The same for ranks that may have failed before, as `status` and twill_message() say: then it
 * fails on all. */
twill_status tw_total_of(twill *tw, twill_status status, uint64_t *words, int64_t n);

/* The least of the numbers of all ranks. Collective. */
twill_status tw_least(twill *tw, int64_t *x);

#endif
