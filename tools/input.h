/* The input of a problem, made from a seed or read from files. */
#ifndef INPUT_H
#define INPUT_H

#include "problem.h"

/* Both return the exit status, after a complaint when it is not STATUS_OK. */

/* Check --matrix against n. */
int input_check(problem *p);

/* Fill a matrix, the same every time. */
int input_fill(const problem *p, twill_array *a);

#endif
