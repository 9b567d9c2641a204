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

/* What divides by 0 in a graph, or is a step of 0; else NULL. Without values for all globals, small
 * positive ones are tried for a part of these seconds, and `*with` names those of the graph. */
const ir_expr *find_zero(poly *p, double seconds, const char **with);

/* zero.c: the same in the graph of this world, tasks with what their bodies and priorities use. */
const ir_expr *zero_in(world *w, int64_t deadline);

#endif
