/* The common end of a run on all ranks, and failures that all of them learn of.
 *
 * A rank answers when it is idle, and then tells how many messages it has sent and received; only
 * the poller receives, and idle ranks do not send, so the numbers belong together. When two rounds
 * give the same sums, and as many were received as were sent, nothing was under way between.
 *
 * A rank 0 that waits for a message is idle as well, and would ask without end. So it asks when it
 * has sent and received nothing for a while: at once at first, and later after rounds in which
 * something was under way, or was sent.
 *
 * Of ranks that take no part (leave.c) nobody expects an answer. What was sent to them nobody
 * receives, nor what came as no message; but then the run has failed, and its end says so. */
#include "engine/remote/agree.h"

#include <stdlib.h>
#include <string.h>

static int ranks_of(const tw_shared *s)
{
    return s->graph->tw->data.ranks;
}

/* False without memory: whoever says it tries again at a later poll. */
static bool send(const tw_shared *s, int to, const tw_remote_head *head)
{
    return tw_remote_send(s->graph->tw, to, head, NULL, 0) == TWILL_OK;
}

/* Rank 0 speaks to all, to itself last: the end would stop it. */
static void go_on_saying(tw_shared *s)
{
    tw_remote_head head = tw_remote_head_of(s, s->saying);
    head.kind = atomic_load_explicit(&s->graph->failed, memory_order_relaxed);
    head.waiting = s->sum[2];
    while (s->said < ranks_of(s) && send(s, (s->said + 1) % ranks_of(s), &head))
        s->said++;
}

static void say(tw_shared *s, tw_remote_what what)
{
    s->saying = what;
    s->said = 0;
    go_on_saying(s);
}

/* ---- failures ---------------------------------------------------------------------------- */

static tw_remote_head describe_failure(const tw_shared *s, char text[TW_MESSAGE])
{
    twill_graph *g = s->graph;
    tw_remote_head head = tw_remote_head_of(s, TW_REMOTE_FAIL);
    tw_lock_take(&g->lock);
    memcpy(text, g->message, TW_MESSAGE);
    head.kind = atomic_load_explicit(&g->failed, memory_order_relaxed);
    head.info = g->info;
    tw_unlock(&g->lock);
    return head;
}

/* Without memory for the sentence the status is enough. */
static bool tell_rank(tw_shared *s, int to, const tw_remote_head *head, const char *text)
{
    char *copy = malloc(TW_MESSAGE);
    if (copy)
        memcpy(copy, text, TW_MESSAGE);
    atomic_fetch_add_explicit(&s->sent, 1, memory_order_relaxed);
    if (tw_remote_send(s->graph->tw, to, head, copy, copy ? TW_MESSAGE : 0) == TWILL_OK)
        return true;
    atomic_fetch_sub_explicit(&s->sent, 1, memory_order_relaxed);
    return false;
}

/* False: not all know of it yet. */
static bool tell_failure(tw_shared *s)
{
    char text[TW_MESSAGE];
    tw_remote_head head = describe_failure(s, text);
    for (; s->told < ranks_of(s); s->told++)
        if (s->told != s->graph->tw->data.rank && !tell_rank(s, s->told, &head, text))
            return false;
    return true;
}

static void learn_failure(twill_graph *g, const tw_remote_head *head, const char *text)
{
    tw_shared *s = g->shared;
    atomic_fetch_add_explicit(&s->received, 1, memory_order_relaxed);
    s->told = ranks_of(s); /* whoever failed tells everybody */
    if (head->kind == TWILL_ERR_NUMERICAL)
        tw_graph_numerical(g, head->info);
    tw_graph_fail(g, (twill_status)head->kind, "rank %d: %s", head->from,
                  text ? text : twill_status_name((twill_status)head->kind));
}

/* ---- the end ----------------------------------------------------------------------------- */

static int64_t waiting_tasks(const twill_graph *g)
{
    return g->ops->waiting ? g->ops->waiting(g) : 0;
}

static void answer(tw_shared *s)
{
    tw_remote_head head = tw_remote_head_of(s, TW_REMOTE_ANSWER);
    head.sent = atomic_load_explicit(&s->sent, memory_order_relaxed);
    head.received = atomic_load_explicit(&s->received, memory_order_relaxed);
    head.waiting = waiting_tasks(s->graph);
    head.info = (int64_t)s->print;
    head.kind = s->unread;
    s->asked = !send(s, 0, &head);
}

enum { LONGEST_PAUSE_US = 64 };

/* Has nothing come or gone here for so long that the run may be over? */
static bool is_still(tw_shared *s)
{
    int64_t moved = atomic_load_explicit(&s->sent, memory_order_relaxed) +
                    atomic_load_explicit(&s->received, memory_order_relaxed);
    if (s->pause == 0)
        return true;
    uint64_t now = tw_ticks();
    if (moved != s->moved) {
        s->moved = moved;
        s->still_since = now;
    }
    return now - s->still_since >= s->pause;
}

/* The round was in vain: wait longer before the next one. */
static void lengthen_pause(tw_shared *s)
{
    const uint64_t us = s->graph->tw->us_ticks;
    s->pause = s->pause ? 2 * s->pause : us;
    if (s->pause > LONGEST_PAUSE_US * us)
        s->pause = LONGEST_PAUSE_US * us;
}

static void ask(tw_shared *s)
{
    s->asking = true;
    s->answers = 0;
    memset(s->sum, 0, sizeof s->sum);
    say(s, TW_REMOTE_ASK);
}

/* Have all answered, and the same as before? */
static void end_round(tw_shared *s)
{
    int missing = tw_absence_count(s);
    if (s->saying != TW_REMOTE_ASK || s->answers < ranks_of(s) - missing)
        return;
    bool none_under_way = missing || s->sum[3] || s->sum[0] == s->sum[1];
    bool over = none_under_way && !memcmp(s->sum, s->before, sizeof s->sum);
    if (!none_under_way || s->before[0] >= 0)
        lengthen_pause(s);
    if (!none_under_way)
        s->moved = -1; /* else this may be the last round but one: the next one follows at once */
    memcpy(s->before, s->sum, sizeof s->sum);
    s->asking = over; /* then it asks no more */
    if (over)
        say(s, TW_REMOTE_END);
}

static void take_answer(tw_shared *s, const tw_remote_head *head)
{
    s->sum[0] += head->sent;
    s->sum[1] += head->received;
    s->sum[2] += head->waiting;
    s->sum[3] += head->kind;
    s->answers++;
    if (head->info != (int64_t)s->print)
        tw_graph_fail(s->graph, TWILL_ERR_STATE,
                      "the graph of rank %d is not that of rank 0: its classes or the sizes of its "
                      "arrays are others",
                      head->from);
    end_round(s);
}

/* Tasks that wait here are named by the front end. */
static void finish(twill_graph *g, const tw_remote_head *head, tw_worker *w)
{
    if (head->waiting && !waiting_tasks(g) && !tw_graph_failed(g))
        tw_graph_fail(g, TWILL_ERR_STUCK,
                      "the graph is stuck with %lld waiting tasks on other "
                      "ranks",
                      (long long)head->waiting);
    if (head->kind && !tw_graph_failed(g)) /* who has failed has told this rank, too late */
        tw_graph_fail(g, (twill_status)head->kind, "the graph has failed on another rank");
    if (g->shared->arriving == 0)
        tw_shared_ended(g->shared, w);
    else /* where a rank takes no part, bytes of others may come after the end */
        g->shared->ending = true;
}

void tw_end_receive(twill_graph *g, const tw_remote_head *head, const void *bytes, size_t size,
                    tw_worker *w)
{
    switch ((tw_remote_what)head->what) {
    case TW_REMOTE_ASK:
        g->shared->asked = true;
        break;
    case TW_REMOTE_ANSWER:
        take_answer(g->shared, head);
        break;
    case TW_REMOTE_END:
        finish(g, head, w);
        break;
    case TW_REMOTE_FAIL:
        learn_failure(g, head, size ? bytes : NULL);
        break;
    case TW_REMOTE_STATE:
    case TW_REMOTE_LOOK:
    case TW_REMOTE_STEP:
        tw_agree_receive(g->shared, head, bytes, size);
        break;
    case TW_REMOTE_FRONT:
    case TW_REMOTE_LOAN:
    case TW_REMOTE_LEFT:
        break;
    }
}

/* Is this rank done with the run, as far as it knows? */
static bool is_idle(const tw_shared *s)
{
    /* acquire pairs with the release in tw_shared_close */
    return atomic_load_explicit(&s->closing, memory_order_acquire) && tw_graph_idle(s->graph) &&
           atomic_load_explicit(&s->lent, memory_order_acquire) == 0 &&
           (s->arriving == 0 || tw_remote_failure(s->graph->tw));
}

/* Ranks are missing, and the run is not over. True: this rank need not wait for others. */
static bool go_on_without(tw_shared *s)
{
    if (!tw_graph_failed(s->graph))
        tw_absence_fail(s);
    if (tw_absence_is_alone(s->graph->tw))
        return true;
    if (s->asking)
        end_round(s);
    return false;
}

bool tw_end_poll(tw_shared *s, tw_worker *w)
{
    /* acquire pairs with the release in tw_shared_open */
    if (!atomic_load_explicit(&s->open, memory_order_acquire))
        return false;
    if (tw_unlikely(s->ending))
        return s->arriving == 0 || tw_remote_failure(s->graph->tw);
    bool saying_end = s->asking && s->saying == TW_REMOTE_END && !tw_remote_failure(s->graph->tw);
    bool alone = tw_unlikely(tw_absence_count(s)) && !saying_end && go_on_without(s);
    if (s->agree)
        tw_agree_poll(s);
    if (tw_graph_failed(s->graph)) {
        if (s->graph->ops->abandon)
            s->graph->ops->abandon(s->graph, w);
        if (!alone && s->told < ranks_of(s) && !tell_failure(s))
            return false; /* it is not over before they know */
    }
    if (s->said < ranks_of(s))
        go_on_saying(s);
    bool first = s->graph->tw->data.rank == 0;
    bool due = first && !s->asking && is_still(s);
    bool wanted = alone || s->asked || due;
    if (!wanted || !is_idle(s))
        return false;
    if (s->asked && !alone)
        answer(s);
    if (due && (!s->agree || tw_agree_reached(s)))
        ask(s);
    return alone;
}
