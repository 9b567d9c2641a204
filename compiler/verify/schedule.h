/* Schedules: a time for every task such that each comes after those it waits for. */
#ifndef VERIFY_SCHEDULE_H
#define VERIFY_SCHEDULE_H

#include "verify/poly.h"

#include <isl/union_map.h>
#include <isl/union_set.h>

/* Is there one for these tasks, all of some classes? `waits`: sender -> receiver. False says
 * nothing. */
bool schedule_exists(poly *p, isl_union_set *tasks, isl_union_map *waits);

#endif
