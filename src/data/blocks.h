/* Blocks of main memory for tiles: larger than what malloc keeps, too small for a mapping each.
 *
 * They come from chunks of huge pages, some of which stay when nobody uses them: the system takes
 * longer to give a page, and to clear it, than a tile needs to arrive there. */
#ifndef TW_DATA_BLOCKS_H
#define TW_DATA_BLOCKS_H

#include <stddef.h>

enum { TW_BLOCK_MOST = 4 << 20 };

/* A block on a line, of at most TW_BLOCK_MOST bytes, with any contents; NULL without memory. Any
 * thread. */
void *tw_block_new(size_t bytes);
void tw_block_free(void *block);

#endif
