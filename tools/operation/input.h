/* The inputs of a problem, made from a seed or read from files. */
#ifndef INPUT_H
#define INPUT_H

#include "operation/operation.h"

/* The size that a letter of an operand means. */
int64_t input_size(const problem *p, char letter);

/* These return the exit status, after a complaint when it is not STATUS_OK. */

/* Open the files that --load and --b mean: they set sizes and the element type. */
int input_open(work *w);
void input_close(work *w);

/* Check --matrix against the first operand. Sets the type and the seed when nothing else did. */
int input_check(work *w);

/* Fill a matrix as operand number i, the same every time. */
int input_fill(const work *w, int i, twill_array *a);

#endif
