/* A priority queue of items, highest priority first, first come first among equals. Not locked.
 *
 * Graphs have many ready tasks but few different priorities among them. So the heap is one of
 * lists, each of items with equal priority, and moves only when a list begins or ends. */
#ifndef TW_SCHED_HEAP_H
#define TW_SCHED_HEAP_H

#include <twill/sched.h>

enum { TW_HEAP_RECENT = 64 };

/* Items of equal priority. */
typedef struct tw_heap_list {
    int64_t key; /* priority, then age: larger comes out earlier */
    twill_item *head, *tail;
} tw_heap_list;

typedef struct tw_heap {
    int n;               /* items */
    tw_heap_list **tree; /* a binary heap of the lists that are not empty */
    int lists, room;
    uint32_t begun;                       /* lists so far: their age */
    tw_heap_list *recent[TW_HEAP_RECENT]; /* where the next item of a priority may belong */
    tw_heap_list *spare;                  /* empty lists; linked by `head` */
} tw_heap;

/* False when there is no memory; the heap is then unchanged. */
bool tw_heap_push(tw_heap *heap, twill_item *item);
twill_item *tw_heap_pop(tw_heap *heap);
void tw_heap_close(tw_heap *heap);

/* The lists are numbered; 0 comes out next, and the last ones are among the lowest. Look at the
 * first item of one; take it. */
static inline twill_item *tw_heap_peek(const tw_heap *heap, int list)
{
    return heap->tree[list]->head;
}
twill_item *tw_heap_take(tw_heap *heap, int list);

/* Priority of the item that comes out next; 0 when there is none. */
static inline int32_t tw_heap_top(const tw_heap *heap)
{
    return heap->n ? heap->tree[0]->head->priority : 0;
}

#endif
