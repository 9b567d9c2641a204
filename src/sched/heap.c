/* Binary heap of items. */
#include "sched/heap.h"

#include <stdlib.h>

static bool grow(tw_heap *heap)
{
    int room = heap->room ? 2 * heap->room : 64;
    tw_heap_entry *entries = realloc(heap->entries, (size_t)room * sizeof *entries);
    if (!entries)
        return false;
    heap->entries = entries;
    heap->room = room;
    return true;
}

bool tw_heap_push(tw_heap *heap, twill_item *item)
{
    if (heap->n == heap->room && !grow(heap))
        return false;
    /* The age counts down, so that of equal priorities the older has the larger key. When it wraps,
     * order among equals is lost once, nothing else. */
    int64_t key = (int64_t)((uint64_t)(uint32_t)item->priority << 32 | (UINT32_MAX - heap->pushed));
    heap->pushed++;
    int i = heap->n++;
    while (i > 0 && heap->entries[(i - 1) / 2].key < key) {
        heap->entries[i] = heap->entries[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->entries[i] = (tw_heap_entry){key, item};
    return true;
}

twill_item *tw_heap_pop(tw_heap *heap)
{
    if (heap->n == 0)
        return NULL;
    twill_item *top = heap->entries[0].item;
    tw_heap_entry last = heap->entries[--heap->n];
    int i = 0;
    for (int child = 1; child < heap->n; child = 2 * i + 1) {
        if (child + 1 < heap->n && heap->entries[child + 1].key > heap->entries[child].key)
            child++;
        if (heap->entries[child].key <= last.key)
            break;
        heap->entries[i] = heap->entries[child];
        i = child;
    }
    heap->entries[i] = last;
    return top;
}

void tw_heap_close(tw_heap *heap)
{
    free(heap->entries);
    *heap = (tw_heap){0};
}
