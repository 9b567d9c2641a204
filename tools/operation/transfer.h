/* Moving matrices between arrays and files, tile by tile. Collective where a matrix is an
 * argument. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "operation/npy.h"
#include "operation/problem.h"

enum { TRANSFER_PATH = 1024 };

/* Find the file of the matrix NAME that --load means, NAME_in.npy or else NAME.npy, and what is in
 * it; `f` is not open afterwards. */
int transfer_look(const problem *p, const char *name, char file[TRANSFER_PATH], npy *f);

/* Read it into a matrix. */
int transfer_load(const problem *p, const char *name, twill_array *a);

/* Write a matrix as NAME into the folder of --save, which is made when it does not exist and which
 * all ranks reach. The file appears whole or not at all. */
int transfer_save(const problem *p, twill_array *a, const char *name);

#endif
