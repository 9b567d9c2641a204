/* What waits for one executor. */
#include "sched/backlog.h"

#include <stdlib.h>

void tw_backlog_close(tw_backlog *b)
{
    tw_heap_close(&b->heap);
}

/* The cores are taken for one executor that is `width` times as fast: that is right while there is
 * enough for all of them, which is when it matters. */
static double residual(const tw_backlog *b, double now)
{
    return b->busy > now ? b->busy - now : 0;
}

double tw_backlog_end(const tw_backlog *b, double now, double seconds)
{
    return residual(b, now) + (b->known + b->unknown * seconds) / b->width;
}

double tw_backlog_wait(const tw_backlog *b, double now, int32_t priority, double seconds)
{
    bool first = b->heap.n == 0 || priority > tw_heap_top(&b->heap);
    return first ? residual(b, now) : tw_backlog_end(b, now, seconds);
}

bool tw_backlog_push(tw_backlog *b, tw_waiting *waiting, twill_item *item, double seconds,
                     bool stays)
{
    b->n++;
    if (waiting)
        *waiting = (tw_waiting){{.priority = item->priority}, item, seconds, stays};
    if (!waiting || !tw_heap_push(&b->heap, &waiting->link)) {
        tw_fifo_push(&b->rest, item);
        return false;
    }
    b->known += seconds;
    b->unknown += seconds == 0;
    return true;
}

/* It is out of the heap. Sums of many numbers drift: none waits, none is left. */
static void forget(tw_backlog *b, const tw_waiting *waiting)
{
    b->n--;
    b->unknown -= waiting->seconds == 0;
    b->known -= waiting->seconds;
    if (b->heap.n == b->unknown || b->known < 0)
        b->known = 0;
}

twill_item *tw_backlog_pop(tw_backlog *b, tw_waiting **waiting)
{
    *waiting = (tw_waiting *)(void *)tw_heap_pop(&b->heap);
    if (*waiting) {
        forget(b, *waiting);
        return (*waiting)->item;
    }
    twill_item *item = tw_fifo_pop(&b->rest);
    b->n -= item != NULL;
    return item;
}

tw_waiting *tw_backlog_last(const tw_backlog *b, int i)
{
    int list = b->heap.lists - 1 - i;
    return list >= 0 ? (tw_waiting *)(void *)tw_heap_peek(&b->heap, list) : NULL;
}

void tw_backlog_take(tw_backlog *b, int i)
{
    forget(b, (tw_waiting *)(void *)tw_heap_take(&b->heap, b->heap.lists - 1 - i));
}

void tw_backlog_begin(tw_backlog *b, double now, double seconds)
{
    b->busy = now + residual(b, now) + seconds / b->width;
}
