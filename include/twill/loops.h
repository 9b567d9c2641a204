/* Marks for programs that twillc reads as loops over tiles (twillc --from-c): what a call of a kernel
 * does with a tile, where the types of its arguments do not say so. A pointer to const is read, and
 * any other is read and written. To other compilers the marks mean nothing. */
#ifndef TWILL_LOOPS_H
#define TWILL_LOOPS_H

/* The kernel reads the tile, overwrites all of it, or changes it. */
#ifdef __TWILLC__
enum { twill_input_, twill_output_, twill_inout_ };
#define INPUT(tile) (twill_input_, (tile))
#define OUTPUT(tile) (twill_output_, (tile))
#define INOUT(tile) (twill_inout_, (tile))
#else
#define INPUT(tile) (tile)
#define OUTPUT(tile) (tile)
#define INOUT(tile) (tile)
#endif

#endif
