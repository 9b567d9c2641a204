/* Which send and which receive are the two ends of one message: sender, receiver and the sender's
 * number are the same. */
#include "trace/trace.h"

#include <stdlib.h>

/* One end of a message, with what tells it from others. */
typedef struct end {
    int32_t from, to; /* ranks */
    uint32_t id, point;
} end;

static int by_name(const void *a, const void *b)
{
    const end *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

/* Is the name of y another one, and which comes first? */
static int order(const end *x, const end *y)
{
    end same = *y;
    same.point = x->point;
    return by_name(x, &same);
}

/* All sends, or all receives, by name; *n of them. */
static end *list_ends(const twill_trace *t, tw_point kind, int64_t *n)
{
    end *list = malloc((size_t)(t->npoints + 1) * sizeof *list);
    *n = 0;
    for (int64_t i = 0; list && i < t->npoints; i++) {
        if (t->point_kind[i] != kind)
            continue;
        int32_t here = t->row_rank[t->point_row[i]], there = t->point_peer[i];
        bool sent = kind == TW_POINT_SEND;
        list[(*n)++] = (end){.from = sent ? here : there,
                             .to = sent ? there : here,
                             .id = t->point_id[i],
                             .point = (uint32_t)i};
    }
    if (list)
        qsort(list, (size_t)*n, sizeof *list, by_name);
    return list;
}

typedef struct timed {
    tw_message message;
    double sent;
} timed;

static int by_time(const void *a, const void *b)
{
    const timed *x = a, *y = b;
    if (x->sent != y->sent)
        return x->sent < y->sent ? -1 : 1;
    return (x->message.sent > y->message.sent) - (x->message.sent < y->message.sent);
}

/* Both lists are by name. */
static int64_t pair(const twill_trace *t, const end *sends, int64_t nsends, const end *receives,
                    int64_t nreceives, timed *pairs)
{
    int64_t n = 0;
    for (int64_t s = 0, r = 0; s < nsends && r < nreceives;) {
        int way = order(&sends[s], &receives[r]);
        if (way == 0)
            pairs[n++] =
                (timed){{sends[s].point, receives[r].point}, t->point_time[sends[s].point]};
        s += way <= 0;
        r += way >= 0;
    }
    qsort(pairs, (size_t)n, sizeof *pairs, by_time);
    return n;
}

tw_message *tw_messages_match(const twill_trace *t, int64_t *n)
{
    int64_t nsends, nreceives, found = 0;
    end *sends = list_ends(t, TW_POINT_SEND, &nsends);
    end *receives = list_ends(t, TW_POINT_RECEIVE, &nreceives);
    timed *pairs = sends ? malloc((size_t)(nsends + 1) * sizeof *pairs) : NULL;
    tw_message *list = malloc((size_t)(pairs ? nsends + 1 : 1) * sizeof *list);
    if (receives && pairs && list) {
        found = pair(t, sends, nsends, receives, nreceives, pairs);
        for (int64_t i = 0; i < found; i++)
            list[i] = pairs[i].message;
    } else {
        free(list);
        list = NULL;
    }
    free(sends);
    free(receives);
    free(pairs);
    *n = found;
    return list;
}
