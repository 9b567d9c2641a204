/* Where things lie in the address space. Fixed and low: a replay finds the same addresses, and the
 * shadow of an address is a shift and an addition away. */
#ifndef EX_LAYOUT_H
#define EX_LAYOUT_H

#include <stdint.h>

#define EX_HEAP 0x100000000u /* what explored code allocates */
#define EX_HEAP_END 0x300000000u
#define EX_STACKS 0x400000000u   /* of explored threads */
#define EX_SHADOWED 0x500000000u /* addresses below have a shadow: globals, heap, stacks */

#define EX_CELLS 0x100000000000u  /* race.c: 32 bytes for 8 */
#define EX_PLACES 0x200000000000u /* race.c: where those accesses were, for reports */
#define EX_STATES 0x300000000000u /* heap.c: 1 byte for 16 */

#endif
