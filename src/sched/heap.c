/* Binary heap of lists of items. */
#include "sched/heap.h"

#include "base/lock.h"

#include <stdlib.h>

static bool grow(tw_heap *heap)
{
    int room = heap->room ? 2 * heap->room : 64;
    tw_heap_list **tree = realloc(heap->tree, (size_t)room * sizeof(tw_heap_list *));
    if (!tree)
        return false;
    heap->tree = tree;
    heap->room = room;
    return true;
}

static tw_heap_list *new_list(tw_heap *heap)
{
    tw_heap_list *list = heap->spare;
    if (!list)
        return malloc(sizeof *list);
    heap->spare = (tw_heap_list *)(void *)list->head;
    return list;
}

/* Put a list where it belongs, at place i or above. */
static void sift_up(tw_heap *heap, tw_heap_list *list, int i)
{
    while (i > 0 && heap->tree[(i - 1) / 2]->key < list->key) {
        heap->tree[i] = heap->tree[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->tree[i] = list;
}

/* The list at place i has become empty: fill its place. */
static void sift_down(tw_heap *heap, int i)
{
    tw_heap_list *last = heap->tree[--heap->lists];
    if (i == heap->lists)
        return;
    for (int child = 2 * i + 1; child < heap->lists; child = 2 * i + 1) {
        if (child + 1 < heap->lists && heap->tree[child + 1]->key > heap->tree[child]->key)
            child++;
        if (heap->tree[child]->key <= last->key)
            break;
        heap->tree[i] = heap->tree[child];
        i = child;
    }
    sift_up(heap, last, i);
}

static tw_heap_list **recent(tw_heap *heap, int32_t priority)
{
    return &heap->recent[(uint32_t)priority % TW_HEAP_RECENT];
}

static bool begin_list(tw_heap *heap, twill_item *item)
{
    tw_heap_list *list;
    if ((heap->lists == heap->room && !grow(heap)) || !(list = new_list(heap)))
        return false;
    /* There may be an older list of the same priority that is not recent any more. The age counts
     * down, so that it has the larger key. When it wraps, order among equals is lost once, nothing
     * else. */
    uint32_t age = UINT32_MAX - heap->begun++;
    *list = (tw_heap_list){(int64_t)((uint64_t)(uint32_t)item->priority << 32 | age), item, item};
    sift_up(heap, list, heap->lists++);
    *recent(heap, item->priority) = list;
    return true;
}

bool tw_heap_push(tw_heap *heap, twill_item *item)
{
    tw_heap_list *list = *recent(heap, item->priority);
    item->next = NULL;
    if (list && list->head->priority == item->priority) {
        list->tail->next = item;
        list->tail = item;
    } else if (!begin_list(heap, item)) {
        return false;
    }
    heap->n++;
    return true;
}

static void end_list(tw_heap *heap, int i, int32_t priority)
{
    tw_heap_list *list = heap->tree[i];
    sift_down(heap, i);
    if (*recent(heap, priority) == list)
        *recent(heap, priority) = NULL;
    list->head = (twill_item *)(void *)heap->spare;
    heap->spare = list;
}

/* It will likely be popped next, when its lines should be there: that of the item, and the one
 * after it, where tasks go on. */
static void expect(const twill_item *item)
{
    __builtin_prefetch(item, 1);
    __builtin_prefetch((const char *)item + TW_LINE, 1);
}

twill_item *tw_heap_take(tw_heap *heap, int i)
{
    tw_heap_list *list = heap->tree[i];
    twill_item *item = list->head;
    heap->n--;
    list->head = item->next;
    if (!list->head)
        end_list(heap, i, item->priority);
    else
        expect(list->head);
    return item;
}

twill_item *tw_heap_pop(tw_heap *heap)
{
    return heap->n ? tw_heap_take(heap, 0) : NULL;
}

void tw_heap_close(tw_heap *heap)
{
    for (int i = 0; i < heap->lists; i++)
        free(heap->tree[i]);
    while (heap->spare) {
        tw_heap_list *list = heap->spare;
        heap->spare = (tw_heap_list *)(void *)list->head;
        free(list);
    }
    free(heap->tree);
    *heap = (tw_heap){0};
}
