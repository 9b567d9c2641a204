/* Who enabled whom. Events name tasks by address; which task an address meant is a question of
 * time. */
#include "trace/digest.h"

#include <stdlib.h>

/* First life of the address that begins at that time or later. */
static int64_t find_life(const tw_digest_state *d, const void *address, uint64_t ticks)
{
    int64_t low = 0, high = d->nlives;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        const tw_digest_life *life = &d->lives[middle];
        if (life->address < address || (life->address == address && life->start < ticks))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t tw_digest_task_at(const tw_digest_state *d, const void *address, uint64_t ticks)
{
    int64_t i = find_life(d, address, ticks + 1) - 1;
    return i >= 0 && d->lives[i].address == address ? d->lives[i].task : -1;
}

/* The task that this address will be, or -1. */
static int64_t task_after(const tw_digest_state *d, const void *address, uint64_t ticks)
{
    int64_t i = find_life(d, address, ticks);
    return i < d->nlives && d->lives[i].address == address ? d->lives[i].task : -1;
}

typedef struct edge {
    uint32_t to, from;
} edge;

typedef struct edges {
    edge *list;
    int64_t n, room;
    uint64_t *last;  /* when each task was enabled last */
    int32_t *closer; /* of a task that another one completed: that one, or -1; */
    uint64_t *done;  /* and when */
} edges;

/* What a lane is at: inside the handling of a message or not, and which point that is, from 1. */
typedef struct place {
    uint32_t points; /* so far */
    bool handling;
    uint32_t message; /* 0: none that is in the trace */
} place;

static void pass_message(const tw_digest_state *d, place *at, const tw_unit_event *u)
{
    bool kept = tw_digest_is_message(d, u);
    at->points += kept;
    if (u->kind == TW_EVENT_RECEIVE || u->kind == TW_EVENT_HANDLED) {
        at->handling = u->kind == TW_EVENT_RECEIVE;
        at->message = at->handling && kept ? at->points : 0;
    }
}

static bool add(edges *e, int64_t from, int64_t to)
{
    if (e->n == e->room) {
        int64_t wider = e->room ? 2 * e->room : 1024;
        edge *longer = realloc(e->list, (size_t)wider * sizeof *longer);
        if (!longer)
            return false;
        e->list = longer;
        e->room = wider;
    }
    e->list[e->n++] = (edge){(uint32_t)to, (uint32_t)from};
    return true;
}

/* Whose end enabled: of a task that was completed by the last of others, that last one. What it
 * inserted itself came before. */
static int64_t enabler(const tw_digest_state *d, const edges *e, const void *address,
                       uint64_t ticks)
{
    int64_t from = tw_digest_task_at(d, address, ticks);
    if (from >= 0 && e->closer[from] >= 0 && ticks >= e->done[from])
        from = e->closer[from];
    return from;
}

static bool enable(tw_digest_state *d, edges *e, const tw_unit_event *u, const place *at)
{
    int64_t to = task_after(d, u->subject, u->ticks);
    if (to < 0)
        return true;
    int64_t from = u->other ? enabler(d, e, u->other, u->ticks) : -1;
    bool known = from >= 0 && from < to;
    if (u->ticks >= e->last[to]) {
        e->last[to] = u->ticks;
        bool program = !u->other && !at->handling;
        d->trace->by[to] = known ? (int32_t)from : program ? TW_BY_PROGRAM : TW_BY_UNKNOWN;
        d->trace->message[to] = at->message;
        d->trace->ready[to] = tw_digest_time(d, u->ticks);
    }
    return !known || add(e, from, to);
}

/* Who completed the tasks that were still open when their bodies returned: whatever ran last on the
 * worker that says so, unless a message did. */
static void find_closers(const tw_digest_state *d, edges *e)
{
    for (int lane = 0; lane <= d->rows; lane++) {
        const tw_units *chunk = tw_recorder_units(d->recorder, lane);
        const tw_unit *last = NULL;
        place at = {0};
        for (const tw_unit *u = tw_next_unit(&chunk, NULL); u; u = tw_next_unit(&chunk, u)) {
            if (u->event.kind == TW_EVENT_BEGIN)
                last = u;
            else
                pass_message(d, &at, &u->event);
            if (u->event.kind != TW_EVENT_DONE || !last || at.handling)
                continue;
            int64_t task = tw_digest_task_at(d, u->event.subject, u->event.ticks);
            int64_t closer = tw_digest_task_at(d, last->task.task, last->task.start);
            if (task < 0 || closer <= task)
                continue;
            e->closer[task] = (int32_t)closer;
            e->done[task] = u->event.ticks;
        }
    }
}

static int by_target(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* In the order of their targets, each once. */
static bool store(tw_digest_state *d, edges *e)
{
    if (e->n > 0)
        qsort(e->list, (size_t)e->n, sizeof *e->list, by_target);
    int64_t n = 0;
    for (int64_t i = 0; i < e->n; i++)
        if (n == 0 || by_target(&e->list[n - 1], &e->list[i]) != 0)
            e->list[n++] = e->list[i];
    twill_trace *t = d->trace;
    if (!tw_trace_room(t, &t->nedges, n))
        return false;
    for (int64_t i = 0; i < n; i++) {
        t->edge_from[i] = e->list[i].from;
        t->edge_to[i] = e->list[i].to;
    }
    return true;
}

static bool collect(tw_digest_state *d, edges *e)
{
    place at = {0};
    find_closers(d, e);
    for (int lane = 0; lane <= d->rows; lane++) {
        const tw_units *chunk = tw_recorder_units(d->recorder, lane);
        at.handling = false;
        at.message = 0;
        for (const tw_unit *u = tw_next_unit(&chunk, NULL); u; u = tw_next_unit(&chunk, u)) {
            if (u->event.kind == TW_EVENT_ENABLE && !enable(d, e, &u->event, &at))
                return false;
            if (u->event.kind != TW_EVENT_BEGIN)
                pass_message(d, &at, &u->event);
        }
    }
    return store(d, e);
}

twill_status tw_digest_edges(tw_digest_state *d)
{
    size_t n = (size_t)d->ntasks + 1;
    edges e = {.last = calloc(n, sizeof *e.last),
               .closer = malloc(n * sizeof *e.closer),
               .done = calloc(n, sizeof *e.done)};
    for (size_t i = 0; e.closer && i < n; i++)
        e.closer[i] = -1;
    bool good = e.last && e.closer && e.done && collect(d, &e);
    free(e.list);
    free(e.last);
    free(e.closer);
    free(e.done);
    return good ? TWILL_OK : tw_fail(TWILL_ERR_MEMORY, "no memory for the edges of a trace");
}
