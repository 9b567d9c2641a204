/* Routines of linear algebra, one after the other, on several ranks: numbers that depend on the
 * bits of all results. */
#ifndef TEST_SUPPORT_ROUTINES_H
#define TEST_SUPPORT_ROUTINES_H

#include "support/test.h"

enum { TEST_RESULTS = 240 };

typedef struct test_results {
    int n;
    const char *routine[TEST_RESULTS];
    uint64_t bits[TEST_RESULTS];
} test_results;

/* Matrices of m by n, and of order n, in tiles of order nb, and how they are dealt over p by q
 * ranks. */
typedef enum test_owners { TEST_CYCLIC, TEST_SUPERTILES, TEST_FUNCTION } test_owners;
typedef struct test_deal {
    twill_type type;
    int64_t p, q;
    test_owners owners;
    int64_t m, n, nb;
} test_deal;

/* One that has full and other tiles, several for each of a few ranks. */
test_deal test_usual_deal(twill_type type, int64_t p, int64_t q);

/* Run them all. Collective. */
void test_routines(twill *tw, const test_deal *deal, test_results *results);

/* Compare with what one rank gets. */
void test_same_results(const test_results *one, const test_results *many);

#endif
