/* Routines of linear algebra, one after the other, on a grid of ranks: numbers that depend on the
 * bits of all results. */
#ifndef TEST_SUPPORT_ROUTINES_H
#define TEST_SUPPORT_ROUTINES_H

#include "support/test.h"

enum { TEST_RESULTS = 160 };

typedef struct test_results {
    int n;
    const char *routine[TEST_RESULTS];
    uint64_t bits[TEST_RESULTS];
} test_results;

/* Run them all with matrices dealt over p by q ranks. Collective. */
void test_routines(twill *tw, int64_t p, int64_t q, twill_type type, test_results *results);

/* Compare with what one rank gets. */
void test_same_results(const test_results *one, const test_results *many);

#endif
