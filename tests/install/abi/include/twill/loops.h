/* Marks for programs that twillc reads as loops over tiles (twillc --from-c): what a call of a
 * kernel does with a tile, where the types of its arguments do not say so. A pointer to const is
 * read, and any other is read and written. To other compilers the marks mean nothing. */
#ifndef TWILL_LOOPS_H
#define TWILL_LOOPS_H

#include <twill/context.h>

/* The context in which functions run that twillc has made graphs of, in place; made with the first
 * of them. Defined where there is such a function: a program that has a context may set it before.
 */
extern twill *twill_loops_context;

/* The kernel reads the tile, overwrites all of it, or changes it. */
#ifdef __TWILLC__
#define INPUT(tile) ("input", (tile))
#define OUTPUT(tile) ("output", (tile))
#define INOUT(tile) ("inout", (tile))
#else
#define INPUT(tile) (tile)
#define OUTPUT(tile) (tile)
#define INOUT(tile) (tile)
#endif

#endif
