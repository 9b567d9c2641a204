/* The common end of a run on all ranks, and failures that all of them learn of.
 *
 * A rank answers when it is idle, and then tells how many messages it has sent and received; only
 * the poller receives, and idle ranks do not send, so the numbers belong together. When two rounds
 * give the same sums, and as many were received as were sent, nothing was under way between. */
#include "engine/remote/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tw_remote_head head_of(const tw_shared *s, tw_remote_what what)
{
    return (tw_remote_head){.graph = s->graph->id, .run = s->run, .what = what};
}

static void send(tw_shared *s, int to, const tw_remote_head *head)
{
    /* without memory it is tried again at the next poll, or the graph fails */
    if (tw_remote_send(s->graph->tw, to, head, NULL, 0) != TWILL_OK)
        tw_graph_fail(s->graph, TWILL_ERR_MEMORY, "no memory for a message to rank %d", to);
}

static void send_all(tw_shared *s, const tw_remote_head *head)
{
    for (int i = 0; i < s->graph->tw->data.ranks; i++)
        send(s, i, head);
}

/* ---- failures ---------------------------------------------------------------------------- */

/* Why a graph has failed, as it travels. */
typedef struct tw_failure {
    int64_t status, info;
    char text[TW_MESSAGE];
} tw_failure;

static tw_failure failure_of(twill_graph *g)
{
    tw_failure why = {.status = TWILL_ERR_CANCELED};
    static const char rank[] = "rank ";
    tw_lock_take(&g->lock);
    twill_status status = (twill_status)atomic_load_explicit(&g->failed, memory_order_relaxed);
    if (status != TWILL_OK)
        why.status = status;
    why.info = g->info;
    if (strncmp(g->message, rank, sizeof rank - 1))
        snprintf(why.text, sizeof why.text, "%s%d: %.*s", rank, g->tw->data.rank,
                 (int)sizeof why.text - 32, g->message);
    else /* another one has told this */
        memcpy(why.text, g->message, sizeof why.text);
    tw_unlock(&g->lock);
    return why;
}

static void learn(twill_graph *g, const tw_failure *why)
{
    if (why->status == TWILL_ERR_NUMERICAL)
        tw_graph_numerical(g, why->info);
    tw_graph_fail(g, (twill_status)why->status, "%s", why->text);
}

static void tell_failure(tw_shared *s)
{
    twill_graph *g = s->graph;
    tw_failure why = failure_of(g);
    tw_remote_head head = head_of(s, TW_REMOTE_FAIL);
    for (; s->told < g->tw->data.ranks; s->told++) {
        if (s->told == g->tw->data.rank)
            continue;
        tw_failure *copy = malloc(sizeof why);
        if (!copy)
            return; /* at the next poll there may be memory */
        *copy = why;
        atomic_fetch_add_explicit(&s->sent, 1, memory_order_relaxed);
        if (tw_remote_send(g->tw, s->told, &head, copy, sizeof why) != TWILL_OK) {
            atomic_fetch_sub_explicit(&s->sent, 1, memory_order_relaxed);
            return;
        }
    }
}

static void learn_failure(twill_graph *g, const tw_remote_head *head, const void *bytes)
{
    tw_shared *s = g->shared;
    atomic_fetch_add_explicit(&s->received, 1, memory_order_relaxed);
    s->told = g->tw->data.ranks; /* whoever failed tells everybody */
    if (bytes)
        learn(g, bytes);
    else
        tw_graph_fail(g, TWILL_ERR_MEMORY, "rank %d has failed", head->from);
}

/* ---- the end ----------------------------------------------------------------------------- */

static int64_t waiting_tasks(const twill_graph *g)
{
    return g->ops->waiting ? g->ops->waiting(g) : 0;
}

static void answer(tw_shared *s)
{
    tw_remote_head head = head_of(s, TW_REMOTE_ANSWER);
    head.sent = atomic_load_explicit(&s->sent, memory_order_relaxed);
    head.received = atomic_load_explicit(&s->received, memory_order_relaxed);
    head.waiting = waiting_tasks(s->graph);
    s->asked = false;
    send(s, 0, &head);
}

static void ask(tw_shared *s)
{
    tw_remote_head head = head_of(s, TW_REMOTE_ASK);
    s->asking = true;
    s->answers = 0;
    memset(s->sum, 0, sizeof s->sum);
    send_all(s, &head);
}

static void take_answer(tw_shared *s, const tw_remote_head *head)
{
    s->sum[0] += head->sent;
    s->sum[1] += head->received;
    s->sum[2] += head->waiting;
    if (++s->answers < s->graph->tw->data.ranks)
        return;
    bool over = s->sum[0] == s->sum[1] && !memcmp(s->sum, s->before, sizeof s->sum);
    memcpy(s->before, s->sum, sizeof s->sum);
    s->asking = over; /* then it asks no more */
    if (over) {
        tw_remote_head end = head_of(s, TW_REMOTE_END);
        end.waiting = s->sum[2];
        send_all(s, &end);
    }
}

/* Tasks that wait here are named by the front end. */
static void finish(twill_graph *g, const tw_remote_head *head, tw_worker *w)
{
    if (head->waiting && !waiting_tasks(g) && !tw_graph_failed(g))
        tw_graph_fail(g, TWILL_ERR_STUCK,
                      "the graph is stuck with %lld waiting tasks on other "
                      "ranks",
                      (long long)head->waiting);
    tw_shared_ended(g->shared, w);
}

void tw_end_receive(twill_graph *g, const tw_remote_head *head, const void *bytes, size_t size,
                    tw_worker *w)
{
    (void)size;
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
        learn_failure(g, head, bytes);
        break;
    case TW_REMOTE_FRONT:
        break;
    }
}

void tw_end_poll(tw_shared *s, tw_worker *w)
{
    /* acquire pairs with the releases in tw_shared_open and tw_shared_close */
    if (!atomic_load_explicit(&s->open, memory_order_acquire))
        return;
    if (tw_graph_failed(s->graph)) {
        if (s->told < s->graph->tw->data.ranks)
            tell_failure(s);
        if (s->graph->ops->abandon)
            s->graph->ops->abandon(s->graph, w);
    }
    bool first = s->graph->tw->data.rank == 0;
    bool wanted = s->asked || (first && !s->asking);
    if (wanted && atomic_load_explicit(&s->closing, memory_order_acquire) &&
        tw_graph_idle(s->graph)) {
        if (s->asked)
            answer(s);
        if (first && !s->asking)
            ask(s);
    }
}
