/* Edges of merged traces: those of each rank, and those along messages. */
#include "trace/merge.h"

#include <stdlib.h>

typedef struct edge {
    uint32_t to, from;
} edge;

static int by_target(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* For each point that is a receive, the task that sent it, from 1; 0: unknown. */
static uint32_t *list_senders(const twill_trace *t)
{
    int64_t n;
    tw_message *messages = tw_messages_match(t, &n);
    uint32_t *sender = messages ? calloc((size_t)t->npoints + 1, sizeof *sender) : NULL;
    for (int64_t i = 0; sender && i < n; i++)
        sender[messages[i].received] = t->point_task[messages[i].sent];
    free(messages);
    return sender;
}

/* A task that a message made ready was enabled by the sender. One that began later cannot have:
 * then the clocks are not exact enough to tell. */
static int64_t add_senders(twill_trace *t, const uint32_t *sender, edge *list, int64_t n)
{
    for (int64_t i = 0; i < t->ntasks; i++) {
        int64_t from = t->message[i] ? (int64_t)sender[t->message[i] - 1] - 1 : -1;
        if (from < 0 || from >= i)
            continue;
        t->by[i] = (int32_t)from;
        list[n++] = (edge){(uint32_t)i, (uint32_t)from};
    }
    return n;
}

bool tw_merge_edges(const tw_merge *m)
{
    twill_trace *w = m->whole;
    int64_t n = w->ntasks, distinct = 0;
    for (int r = 0; r < m->n; r++)
        n += m->parts[r].t->nedges;
    uint32_t *sender = list_senders(w);
    edge *list = malloc((size_t)(n + 1) * sizeof *list);
    if (!sender || !list)
        goto done;
    n = 0;
    for (int r = 0; r < m->n; r++) {
        const tw_merge_part *p = &m->parts[r];
        for (int64_t i = 0; i < p->t->nedges; i++)
            list[n++] =
                (edge){(uint32_t)p->task[p->t->edge_to[i]], (uint32_t)p->task[p->t->edge_from[i]]};
    }
    n = add_senders(w, sender, list, n);
    qsort(list, (size_t)n, sizeof *list, by_target);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || by_target(&list[distinct - 1], &list[i]) != 0)
            list[distinct++] = list[i];
    if (!tw_trace_room(w, &w->nedges, distinct))
        goto done;
    for (int64_t i = 0; i < distinct; i++) {
        w->edge_from[i] = list[i].from;
        w->edge_to[i] = list[i].to;
    }
done:
    free(sender);
    free(list);
    return w->edge_from && w->edge_to;
}
