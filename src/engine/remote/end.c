/* The common end of a run on all ranks, and failures that all of them learn of.
 *
 * A rank answers when it is idle, and then tells how many messages it has sent and received; only
 * the poller receives, and idle ranks do not send, so the numbers belong together. When two rounds
 * give the same sums, and as many were received as were sent, nothing was under way between. */
#include "engine/remote/agree.h"

#include <stdlib.h>
#include <string.h>

static tw_remote_head head_of(const tw_shared *s, tw_remote_what what)
{
    return (tw_remote_head){.graph = s->graph->id, .run = s->run, .what = what};
}

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
    tw_remote_head head = head_of(s, s->saying);
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

/* Has a rank freed the graph, so that this run has no common end? */
static bool is_left(const tw_shared *s)
{
    return s->left && s->run >= s->left;
}

static tw_remote_head describe_failure(const tw_shared *s, char text[TW_MESSAGE])
{
    twill_graph *g = s->graph;
    tw_remote_head head = head_of(s, TW_REMOTE_FAIL);
    tw_lock_take(&g->lock);
    memcpy(text, g->message, TW_MESSAGE);
    head.kind = atomic_load_explicit(&g->failed, memory_order_relaxed);
    head.info = g->info;
    tw_unlock(&g->lock);
    head.left = is_left(s);
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
    if (head->left)
        s->left = s->run;
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
    tw_remote_head head = head_of(s, TW_REMOTE_ANSWER);
    head.sent = atomic_load_explicit(&s->sent, memory_order_relaxed);
    head.received = atomic_load_explicit(&s->received, memory_order_relaxed);
    head.waiting = waiting_tasks(s->graph);
    s->asked = !send(s, 0, &head);
}

static void ask(tw_shared *s)
{
    s->asking = true;
    s->answers = 0;
    memset(s->sum, 0, sizeof s->sum);
    say(s, TW_REMOTE_ASK);
}

static void take_answer(tw_shared *s, const tw_remote_head *head)
{
    s->sum[0] += head->sent;
    s->sum[1] += head->received;
    s->sum[2] += head->waiting;
    if (++s->answers < ranks_of(s))
        return;
    bool over = s->sum[0] == s->sum[1] && !memcmp(s->sum, s->before, sizeof s->sum);
    memcpy(s->before, s->sum, sizeof s->sum);
    s->asking = over; /* then it asks no more */
    if (over)
        say(s, TW_REMOTE_END);
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

void tw_end_leave(const tw_shared *s)
{
    tw_remote_head head = head_of(s, TW_REMOTE_LEFT);
    head.run++;
    if (s->graph->tw->data.rank)
        (void)send(s, 0, &head);
    else
        for (int i = 1; i < ranks_of(s); i++)
            (void)send(s, i, &head);
}

/* Once for each run. Rank 0 tells the others, whoever left, and even if they know of a failure: the
 * run will have no common end. */
static void notice_left(tw_shared *s)
{
    s->noticed = true;
    s->told = s->graph->tw->data.rank ? ranks_of(s) : 0;
    tw_graph_fail(s->graph, TWILL_ERR_STATE,
                  "rank %d has freed the graph, and others go on with it", s->left_by);
}

/* Nothing of the run happens here any more, unless a message comes. */
static bool is_quiet(const tw_shared *s)
{
    return atomic_load_explicit(&s->closing, memory_order_acquire) && tw_graph_idle(s->graph) &&
           atomic_load_explicit(&s->lent, memory_order_acquire) == 0;
}

bool tw_end_poll(tw_shared *s, tw_worker *w)
{
    /* acquire pairs with the releases in tw_shared_open and tw_shared_close */
    if (!atomic_load_explicit(&s->open, memory_order_acquire))
        return false;
    if (is_left(s) && !s->noticed)
        notice_left(s);
    if (s->agree)
        tw_agree_poll(s);
    if (tw_graph_failed(s->graph)) {
        if (s->graph->ops->abandon)
            s->graph->ops->abandon(s->graph, w);
        if (s->told < ranks_of(s) && !tell_failure(s))
            return false; /* it is not over before they know */
    }
    if (s->said < ranks_of(s))
        go_on_saying(s);
    bool first = s->graph->tw->data.rank == 0;
    bool wanted = s->asked || (first && !s->asking);
    if (!wanted && !is_left(s))
        return false;
    if (!is_quiet(s))
        return false;
    if (s->asked)
        answer(s);
    if (first && !s->asking && (!s->agree || tw_agree_reached(s)))
        ask(s);
    return is_left(s);
}
