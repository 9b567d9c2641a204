/* The inputs of a problem, made from a seed or read from files. */
#ifndef INPUT_H
#define INPUT_H

#include "operation/operation.h"

/* The size that a letter of an operand means. */
int64_t input_size(const problem *p, char letter);

/* These return the exit status, after a complaint when it is not STATUS_OK. */

/* Look at the files that --load means: they set sizes and the element type. */
int input_open(problem *p, const operand *list, int operands);

/* Check --matrix against the first operand. Sets the type and the seed when nothing else did. */
int input_check(problem *p, const operand *first);

/* Fill operand number i, the same every time. */
int input_fill(const problem *p, const operand *o, int i, twill_array *a);

#endif
