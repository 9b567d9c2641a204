/* An intrusive first-in first-out list of items. Not locked. */
#ifndef TW_SCHED_FIFO_H
#define TW_SCHED_FIFO_H

#include <stddef.h>
#include <twill/sched.h>

typedef struct tw_fifo {
    twill_item *head, *tail;
} tw_fifo;

static inline void tw_fifo_push(tw_fifo *fifo, twill_item *item)
{
    item->next = NULL;
    if (fifo->head)
        fifo->tail->next = item;
    else
        fifo->head = item;
    fifo->tail = item;
}

static inline twill_item *tw_fifo_pop(tw_fifo *fifo)
{
    twill_item *item = fifo->head;
    if (item)
        fifo->head = item->next;
    return item;
}

#endif
