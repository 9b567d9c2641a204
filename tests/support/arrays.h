/* Random arrays and views of doubles, on any ranks, and the same as plain memory beside them: what
 * an algorithm does to one is compared with what a loop does to the other. */
#ifndef TEST_SUPPORT_ARRAYS_H
#define TEST_SUPPORT_ARRAYS_H

#include "support/ranks.h"

/* A random number from low to high. */
int64_t test_pick(uint64_t *seed, int64_t low, int64_t high);

/* An array of `ndim` dimensions with extents up to `most`, of any pattern and order, over the ranks
 * of the context. Ranks that begin with the same seed get the same. Its elements are small random
 * numbers; *plain, which the caller frees, has all of them, by their numbers in the pattern. */
twill_array *test_array(twill *tw, uint64_t *seed, int ndim, int64_t most, double **plain);

/* A box of the array with these extents, in any place, of which the array has enough; and one of
 * the whole array, with 1 dimension at least. */
twill_view test_box(twill_array *a, uint64_t *seed, const int64_t *extent);
twill_view test_part(twill_array *a, uint64_t *seed);

/* Coordinates of a view, the first dimension fastest; false after the last. */
bool test_next(twill_view v, int64_t *at);

/* The element of the view at these coordinates, in plain memory. */
double *test_at(double *plain, twill_view v, const int64_t *at);

/* Elements of this rank that are not as in plain memory. */
int64_t test_differ(twill_array *a, const double *plain);

#endif
