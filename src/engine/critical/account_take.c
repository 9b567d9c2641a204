/* Events, as they come: who is busy with what, and how long paths are. */
#include "engine/critical/account.h"

#include "base/minmax.h"

#include <stdlib.h>

static tw_frame *top(tw_account_worker *w)
{
    return w->depth > 0 ? &w->frame[tw_min(w->depth, TW_FRAMES) - 1] : NULL;
}

/* The time since the last event was that of the innermost body. */
static void charge(tw_account_worker *w, uint64_t now)
{
    const tw_frame *f = top(w);
    if (f && now > w->since)
        w->busy[f->reserved][f->critical] += now - w->since;
    w->since = now;
}

static bool is_critical(const twill_task *t)
{
    return tw_task_flags(t) & TW_TASK_CRITICAL;
}

/* Members change only between two tasks of theirs. */
static bool is_member(const twill *tw, int w)
{
    const tw_critical *c = tw_critical_of(tw);
    tw_set s = c ? tw_critical_look(c) : (tw_set){0};
    return w >= s.leader && w < s.leader + s.members;
}

static void enter(tw_account *a, tw_account_worker *w, const tw_event *e, tw_length length)
{
    charge(w, e->ticks);
    if (w->depth++ < TW_FRAMES)
        *top(w) = (tw_frame){.begin = e->ticks,
                             .length = length,
                             .critical = is_critical(e->subject),
                             .reserved = is_member(a->tw, e->worker)};
}

static void leave(tw_account_worker *w, uint64_t now)
{
    charge(w, now);
    w->depth -= w->depth > 0;
}

static void begin(tw_account *a, tw_account_worker *w, const tw_event *e)
{
    const twill_task *t = e->subject;
    enter(a, w, e, tw_lengths_begin(&a->lengths, t, t->graph->serial, e->ticks));
    w->tasks++;
    w->critical_tasks += is_critical(t);
    w->first = w->first ? w->first : e->ticks;
}

/* The path up to something, continued by a task that lasts from `begin` to `end`. */
static tw_length extend(tw_length length, uint64_t begin, uint64_t end, bool critical)
{
    uint64_t ticks = end > begin ? end - begin : 0;
    return (tw_length){length.ticks + ticks, length.critical + (critical ? ticks : 0),
                       length.tasks + 1};
}

/* A task is over: what is enabled now continues its path. It lasts until now, also if its body has
 * returned long ago; and not at all if it was skipped. */
static void finish(tw_account *a, tw_account_worker *w, const tw_event *e)
{
    const twill_task *t = e->subject;
    uint64_t begun;
    tw_length length = tw_lengths_end(&a->lengths, t, t->graph->serial, &begun);
    if (begun)
        length = extend(length, begun, e->ticks, is_critical(t));
    tw_length_join(&w->longest, &length);
    w->ended = t;
    w->length = length;
    w->last = e->kind == TW_EVENT_SKIP ? w->last : e->ticks;
}

/* The body is called again: until then the path waits, with what it has taken so far. */
static void postpone(tw_account *a, tw_account_worker *w, const tw_event *e, const tw_frame *f)
{
    const twill_task *t = e->subject;
    w->tasks--;
    w->critical_tasks -= is_critical(t);
    if (!f)
        return;
    tw_length length = extend(f->length, f->begin, e->ticks, f->critical);
    length.tasks--;
    tw_lengths_add(&a->lengths, t, t->graph->serial, &length);
}

/* Behind an ASYNC body the task may be gone. */
static void end(tw_account *a, tw_account_worker *w, const tw_event *e)
{
    twill_outcome outcome = (twill_outcome)e->detail;
    if (outcome == TWILL_AGAIN)
        postpone(a, w, e, w->depth <= TW_FRAMES ? top(w) : NULL);
    leave(w, e->ticks);
    if (outcome == TWILL_DONE || outcome == TWILL_ERROR)
        finish(a, w, e);
}

/* Of a task that gets something: from the one that has just ended here, or from the body that has
 * inserted it. */
static void enable(tw_account *a, tw_account_worker *w, const tw_event *e)
{
    const twill_task *t = e->subject;
    const tw_frame *f = top(w);
    if (e->other == e->subject)
        return;
    if (e->other && e->other == w->ended) {
        tw_lengths_add(&a->lengths, t, t->graph->serial, &w->length);
    } else if (!e->other && f) {
        tw_length length = extend(f->length, f->begin, e->ticks, f->critical);
        tw_lengths_add(&a->lengths, t, t->graph->serial, &length);
    }
}

void tw_account_resize(tw_account *a, uint64_t ticks, int members)
{
    if (a->nchanges == a->room) {
        int64_t room = a->room ? 2 * a->room : 64;
        tw_account_change *more = realloc(a->changes, (size_t)room * sizeof *more);
        if (!more) {
            a->no_room = true;
            return;
        }
        a->changes = more;
        a->room = room;
    }
    a->changes[a->nchanges++] = (tw_account_change){ticks, members};
}

void tw_account_take(tw_sink *sink, const tw_event *e)
{
    tw_account *a = (tw_account *)sink;
    tw_account_worker *w = e->worker >= 0 ? &a->worker[e->worker] : NULL;
    switch (e->kind) {
    case TW_EVENT_BEGIN:
        begin(a, w, e);
        break;
    case TW_EVENT_END:
        end(a, w, e);
        break;
    case TW_EVENT_JOIN:
        enter(a, w, e, (tw_length){0});
        break;
    case TW_EVENT_LEAVE:
        leave(w, e->ticks);
        break;
    case TW_EVENT_DONE:
    case TW_EVENT_SKIP:
        finish(a, w, e);
        break;
    case TW_EVENT_ENABLE:
        enable(a, w, e);
        break;
    case TW_EVENT_RESERVE:
        tw_account_resize(a, e->ticks, e->detail);
        break;
    default:
        break;
    }
}
