/* Numbers over all ranks, one in each tile, and tasks on them. */
#ifndef TEST_SUPPORT_NUMBERS_H
#define TEST_SUPPORT_NUMBERS_H

#include "support/ranks.h"

/* So many numbers, over all ranks in turn. */
twill_array *test_numbers(twill *tw, int64_t n);

/* Insert a task that sets number i to x, or one number to another one. The graph may have failed.
 */
void test_set(twill_graph *g, twill_array *a, int64_t i, int64_t x);
void test_copy(twill_graph *g, twill_array *a, int64_t from, int64_t to);

/* Their classes. */
extern const twill_class test_set_class, test_copy_class;

/* The number, at its owner; -1: twill_map has failed. */
int64_t test_look(twill_array *a, int64_t i);

/* So many ranks, whose workers and delays depend on the seed. */
test_ranks test_some_ranks(int ranks, int seed);

#endif
