/* Properties that are not proved are checked for all small values of the globals. */
#ifndef VERIFY_BOUND_H
#define VERIFY_BOUND_H

#include "verify/proof.h"
#include "verify/unroll.h"

typedef struct bounded {
    bool (*find)(unrolled *u, finding *f); /* an instance of the mistake */
    verdict *verdict;
} bounded;

/* Check what is still open, for so many seconds. Returns what was checked, or why nothing was, as
 * words that go on from "not proved"; refutations go to the verdicts. */
const char *check_up_to_bound(poly *p, const bounded *properties, int count, double seconds);

/* Where all values are given: what divides by 0 in this graph, or is a step of 0; else NULL. */
const ir_expr *find_zero(poly *p, double seconds);

#endif
