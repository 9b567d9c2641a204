/* Moving matrices between arrays and files, one panel at a time. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "problem.h"

/* Find the file that --load means; sets n and the element type. */
int transfer_open(problem *p);

/* Read it into a matrix. */
int transfer_load(const problem *p, twill_array *a);

/* Write a matrix as NAME into the folder of --save, which is made when it does not exist. The file
 * appears whole or not at all. */
int transfer_save(const problem *p, twill_array *a, const char *name);

#endif
