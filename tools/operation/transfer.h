/* Moving matrices between arrays and files, tile by tile. Collective where a matrix is an
 * argument. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "operation/npy.h"
#include "operation/problem.h"

enum { TRANSFER_PATH = 1024 };

/* A file that an input comes from, and the option that says so; not open: the input is made from
 * the seed. */
typedef struct source {
    npy npy;
    const char *option;
    char file[TRANSFER_PATH];
} source;

/* Which file the matrix NAME comes from: A and B from those that --load and --b name, all from
 * NAME_in.npy or else NAME.npy when --load names a folder. Its name is "" when it comes from the
 * seed. */
int transfer_find(const problem *p, const char *name, source *from);

/* Read it into a matrix. */
int transfer_load(const problem *p, const source *from, twill_array *a);

/* Write a matrix as NAME into the folder of --save, which is made when it does not exist and which
 * all ranks reach. The file appears whole or not at all. */
int transfer_save(const problem *p, twill_array *a, const char *name);

#endif
