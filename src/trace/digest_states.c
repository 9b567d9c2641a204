/* What workers did between tasks, and the curves. */
#include "trace/digest.h"

#include <stdlib.h>
#include <twill/task.h>

/* Working, as far as the states are concerned: not in any of them. */
enum { BUSY = TW_STATES };

typedef struct item {
    double start, end; /* of a point: time and amount */
    int row, kind, peer;
    uint32_t id, task; /* of a team: the member, and the task */
} item;

typedef struct items {
    item *list;
    int64_t n, room;
    bool failed;
} items;

typedef struct walk {
    tw_digest_state *d;
    items states, points;
    int row, mode, before; /* before: the mode to go back to when a team is over */
    uint32_t task, member; /* of the team it is in */
    uint64_t since;
} walk;

static void push(items *list, item x)
{
    if (list->n == list->room) {
        int64_t wider = list->room ? 2 * list->room : 256;
        item *longer = realloc(list->list, (size_t)wider * sizeof *longer);
        if (!longer) {
            list->failed = true;
            return;
        }
        list->list = longer;
        list->room = wider;
    }
    list->list[list->n++] = x;
}

static void add_state(walk *w, uint64_t from, uint64_t to, int kind)
{
    double start = tw_digest_time(w->d, from), end = tw_digest_time(w->d, to);
    if (kind != BUSY && end > start)
        push(&w->states, (item){.start = start,
                                .end = end,
                                .row = w->row,
                                .kind = kind,
                                .id = kind == TW_STATE_TEAM ? w->member : 0,
                                .task = kind == TW_STATE_TEAM ? w->task : 0});
}

static void change(walk *w, uint64_t ticks, int mode)
{
    add_state(w, w->since, ticks, w->mode);
    w->mode = mode;
    w->since = ticks;
}

static void add_steal(walk *w, const tw_unit_event *e)
{
    if (e->ticks >= w->d->begin && e->ticks <= w->d->end)
        push(&w->points, (item){.start = tw_digest_time(w->d, e->ticks),
                                .end = e->detail,
                                .row = w->row,
                                .kind = TW_POINT_STEAL,
                                .peer = e->peer});
}

/* A body that ran: while the thread is the program's this interrupts its time there. */
static void pass_task(walk *w, const tw_unit *u)
{
    uint64_t packed = atomic_load_explicit(&u->task.end, memory_order_relaxed);
    uint64_t end = packed ? packed / 4 : w->d->end;
    if ((packed & 3) == TWILL_AGAIN)
        add_state(w, u->task.start, end, TW_STATE_AGAIN);
    if (w->mode == BUSY || u->task.start < w->since)
        return;
    add_state(w, w->since, u->task.start, w->mode);
    w->since = end;
}

static void pass_event(walk *w, const tw_unit_event *e)
{
    switch ((tw_event_kind)e->kind) {
    case TW_EVENT_IDLE:
    case TW_EVENT_WAKE:
        change(w, e->ticks, TW_STATE_SEARCH);
        break;
    case TW_EVENT_SLEEP:
        change(w, e->ticks, TW_STATE_SLEEP);
        break;
    case TW_EVENT_FOUND:
    case TW_EVENT_ENTER:
        change(w, e->ticks, BUSY);
        break;
    case TW_EVENT_EXIT:
        change(w, e->ticks, TW_STATE_PROGRAM);
        break;
    case TW_EVENT_JOIN:
        w->before = w->mode;
        change(w, e->ticks, TW_STATE_TEAM);
        w->member = (uint32_t)e->detail;
        w->task = (uint32_t)(tw_digest_task_at(w->d, e->subject, e->ticks) + 1);
        break;
    case TW_EVENT_LEAVE:
        change(w, e->ticks, w->before);
        break;
    case TW_EVENT_MOVE:
        w->before = w->mode;
        change(w, e->ticks, TW_STATE_TRANSFER);
        break;
    case TW_EVENT_MOVED:
        change(w, e->ticks, w->before);
        break;
    case TW_EVENT_STEAL:
        add_steal(w, e);
        break;
    default:
        break;
    }
}

/* What the worker did when the trace began, guessed from the first thing that it did then. */
static int first_mode(const walk *w)
{
    const tw_units *chunk = tw_recorder_units(w->d->recorder, w->row);
    for (const tw_unit *u = tw_next_unit(&chunk, NULL); u; u = tw_next_unit(&chunk, u)) {
        switch ((tw_event_kind)u->event.kind) {
        case TW_EVENT_WAKE:
            return TW_STATE_SLEEP;
        case TW_EVENT_FOUND:
        case TW_EVENT_SLEEP:
            return TW_STATE_SEARCH;
        case TW_EVENT_IDLE:
        case TW_EVENT_EXIT:
            return BUSY;
        case TW_EVENT_ENTER:
            return TW_STATE_PROGRAM;
        case TW_EVENT_BEGIN:
        case TW_EVENT_JOIN:
            if (w->row > 0)
                return BUSY;
            break;
        default:
            break;
        }
    }
    return w->row > 0 ? TW_STATE_SLEEP : TW_STATE_PROGRAM;
}

static void walk_row(walk *w)
{
    const tw_units *chunk = tw_recorder_units(w->d->recorder, w->row);
    w->mode = first_mode(w);
    w->before = BUSY;
    w->since = w->d->begin;
    for (const tw_unit *u = tw_next_unit(&chunk, NULL); u; u = tw_next_unit(&chunk, u)) {
        if (u->event.kind == TW_EVENT_BEGIN)
            pass_task(w, u);
        else
            pass_event(w, &u->event);
    }
    if (w->since < w->d->end)
        add_state(w, w->since, w->d->end, w->mode);
}

/* Messages of a lane. Those that no worker sent or received are drawn at the first one. */
static void walk_messages(walk *w, int lane)
{
    const tw_units *chunk = tw_recorder_units(w->d->recorder, lane);
    const tw_unit *last = NULL; /* the task that began last here */
    bool handling = false;
    w->row = lane < w->d->rows ? lane : 0;
    for (const tw_unit *u = tw_next_unit(&chunk, NULL); u; u = tw_next_unit(&chunk, u)) {
        const tw_unit_event *e = &u->event;
        if (e->kind == TW_EVENT_BEGIN) {
            last = u;
            continue;
        }
        if (e->kind == TW_EVENT_RECEIVE || e->kind == TW_EVENT_HANDLED)
            handling = e->kind == TW_EVENT_RECEIVE;
        if (!tw_digest_is_message(w->d, e))
            continue;
        bool sends = e->kind == TW_EVENT_SEND;
        int64_t task = sends && last && !handling
                           ? tw_digest_task_at(w->d, last->task.task, last->task.start)
                           : -1;
        push(&w->points, (item){.start = tw_digest_time(w->d, e->ticks),
                                .end = (double)e->amount,
                                .row = w->row,
                                .kind = sends ? TW_POINT_SEND : TW_POINT_RECEIVE,
                                .peer = e->peer,
                                .id = (uint32_t)e->detail,
                                .task = (uint32_t)(task + 1)});
    }
}

static bool store(const walk *w)
{
    twill_trace *t = w->d->trace;
    if (w->states.failed || w->points.failed || !tw_trace_room(t, &t->nstates, w->states.n) ||
        !tw_trace_room(t, &t->npoints, w->points.n))
        return false;
    for (int64_t i = 0; i < t->nstates; i++) {
        const item *x = &w->states.list[i];
        t->state_start[i] = x->start;
        t->state_end[i] = x->end;
        t->state_row[i] = (uint16_t)x->row;
        t->state_kind[i] = (uint8_t)x->kind;
        t->state_task[i] = x->task;
        t->state_member[i] = (uint16_t)x->id;
        if (x->task > 0 && t->team[x->task - 1] <= x->id)
            t->team[x->task - 1] = (uint16_t)(x->id + 1);
    }
    for (int64_t i = 0; i < t->npoints; i++) {
        const item *x = &w->points.list[i];
        t->point_time[i] = x->start;
        t->point_amount[i] = x->end;
        t->point_row[i] = (uint16_t)x->row;
        t->point_kind[i] = (uint8_t)x->kind;
        t->point_peer[i] = x->peer;
        t->point_id[i] = x->id;
        t->point_task[i] = x->task;
    }
    return true;
}

/* Events of a curve. What was so before the trace began is so at its beginning. */
static items list_curve(const tw_digest_state *d, tw_event_kind kind)
{
    items list = {0};
    const tw_units *chunk = tw_recorder_units(d->recorder, d->rows + 1);
    for (const tw_unit *u = tw_next_unit(&chunk, NULL); u; u = tw_next_unit(&chunk, u)) {
        if (u->event.kind != kind || u->event.ticks > d->end)
            continue;
        double time = tw_digest_time(d, u->event.ticks);
        if (time <= 0 && list.n > 0)
            list.n--;
        push(&list, (item){.start = time,
                           .end = (double)u->event.amount,
                           .row = u->event.peer,
                           .kind = u->event.detail});
    }
    return list;
}

/* Who is in the critical set, and how many should be. */
static bool store_set(const tw_digest_state *d)
{
    items list = list_curve(d, TW_EVENT_RESERVE);
    twill_trace *t = d->trace;
    bool good = !list.failed && tw_trace_room(t, &t->nset, list.n);
    for (int64_t i = 0; good && i < list.n; i++) {
        t->set_time[i] = list.list[i].start;
        t->set_row[i] = (uint16_t)list.list[i].row;
        t->set_members[i] = (uint16_t)list.list[i].kind;
        t->set_wanted[i] = (uint16_t)list.list[i].end;
    }
    free(list.list);
    return good;
}

/* Bytes of the arrays. */
static bool store_memory(const tw_digest_state *d)
{
    items list = list_curve(d, TW_EVENT_MEMORY);
    twill_trace *t = d->trace;
    bool good = !list.failed && tw_trace_room(t, &t->nmemory, list.n);
    for (int64_t i = 0; good && i < list.n; i++) {
        t->memory_time[i] = list.list[i].start;
        t->memory_bytes[i] = list.list[i].end;
    }
    free(list.list);
    return good;
}

twill_status tw_digest_states(tw_digest_state *d)
{
    walk w = {.d = d};
    for (int lane = 0; lane < tw_recorder_lanes(d->recorder); lane++)
        walk_messages(&w, lane);
    for (w.row = 0; w.row < d->rows; w.row++)
        walk_row(&w);
    bool good = store(&w) && store_memory(d) && store_set(d);
    free(w.states.list);
    free(w.points.list);
    return good ? TWILL_OK : tw_fail(TWILL_ERR_MEMORY, "no memory for the states of a trace");
}
