/* The tile size of matrices whose makers leave it to Twill. */
#ifndef TW_LA_CHOOSE_H
#define TW_LA_CHOOSE_H

#include <twill/array.h>
#include <twill/context.h>

/* For an m x n matrix: one tile where tiles do not pay, else what `twill tune` measured, else what
 * suits the caches and leaves all workers something to do. At least 1. */
int64_t tw_choose_tile(twill *tw, twill_type type, int64_t m, int64_t n);

/* How many tasks run at the same time: workers, or cores where these are fewer. Workers that share
 * a core are no reason to cut the work into smaller pieces. */
int tw_choose_width(const twill *tw);

#endif
