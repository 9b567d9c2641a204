/* A binary heap of items, highest priority first, first come first among equals. Not locked. */
#ifndef TW_SCHED_HEAP_H
#define TW_SCHED_HEAP_H

#include <twill/sched.h>

typedef struct tw_heap_entry {
    int64_t key; /* priority, then age: larger comes out earlier */
    twill_item *item;
} tw_heap_entry;

typedef struct tw_heap {
    tw_heap_entry *entries;
    int n, room;
    uint32_t pushed; /* age */
} tw_heap;

/* False when there is no memory; the heap is then unchanged. */
bool tw_heap_push(tw_heap *heap, twill_item *item);
twill_item *tw_heap_pop(tw_heap *heap);
void tw_heap_close(tw_heap *heap);

#endif
