/* Ranks that were started with different command lines. */
#ifndef ALIKE_H
#define ALIKE_H

#include "operation/problem.h"

/* Have all ranks the same problem? Collective. Returns the exit status, after a complaint when it
 * is not STATUS_OK. */
int alike_check(const option_set *set, const problem *p, twill *tw);

#endif
