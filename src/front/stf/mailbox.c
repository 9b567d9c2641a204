/* Mailboxes: what has come for a task, and the task if it waits for more. */
#include "front/stf/mailbox.h"

#include "base/clock.h"
#include "engine/remote/remote.h"
#include "front/stf/transfer.h"

#include <stdlib.h>
#include <string.h>

struct tw_mailbox {
    tw_mailbox *next;
    int64_t number;
    twill_task *task;    /* NULL: it has not begun */
    void *state;         /* made when it begins */
    int64_t awaited;     /* the sender of the message that it could not take */
    tw_mailbox *parking; /* the next one whose body is about to return for that */
    bool parked;         /* it has returned, and whoever receives the message runs it again */
    tw_mail *first, **last, *taken;
};

/* In front of the bytes of a message. */
typedef struct address {
    int64_t number, from;
} address;

static tw_stf_ranks *front_of(const tw_mailbox *b)
{
    return b->task->graph->front;
}

/* ---- finding them, under the lock of the transfers ---------------------------------------- */

static tw_mailbox **find(tw_stf_ranks *s, int64_t number)
{
    tw_mailbox **link = &s->mailboxes[(uint64_t)number % TW_STF_CHAINS];
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    return link;
}

/* NULL without memory. */
static tw_mailbox *find_or_make(tw_stf_ranks *s, int64_t number)
{
    tw_mailbox **link = find(s, number), *b = *link;
    if (!b && (b = calloc(1, sizeof *b))) {
        b->number = number;
        b->last = &b->first;
        *link = b;
    }
    return b;
}

static tw_mail **find_mail(tw_mailbox *b, int64_t from)
{
    tw_mail **link = &b->first;
    while (*link && (*link)->from != from)
        link = &(*link)->next;
    return link;
}

static void free_all(tw_mail **list)
{
    while (*list) {
        tw_mail *m = *list;
        *list = m->next;
        free(m);
    }
}

static void free_mailbox(tw_mailbox *b)
{
    free_all(&b->first);
    free_all(&b->taken);
    free(b->state);
    free(b);
}

/* ---- in bodies --------------------------------------------------------------------------- */

int64_t tw_mailbox_numbers(twill_graph *g, int64_t n)
{
    tw_stf_ranks *s = g->front;
    g->ops->begin(g);
    pthread_mutex_lock(&s->common->mutex);
    int64_t first = s->numbers;
    s->numbers += n;
    pthread_mutex_unlock(&s->common->mutex);
    return first;
}

static void *new_state(size_t size)
{
    size = tw_whole_lines(size);
    void *state = aligned_alloc(TW_LINE, size);
    return state ? memset(state, 0, size) : NULL;
}

tw_mailbox *tw_mailbox_open(twill_task *t, int64_t number, size_t state)
{
    tw_stf_ranks *s = t->graph->front;
    tw_lock_take(&s->lock);
    tw_mailbox *b = find_or_make(s, number);
    tw_unlock(&s->lock);
    if (b && !b->state)
        b->state = new_state(state);
    if (!b || !b->state) {
        tw_graph_fail(t->graph, TWILL_ERR_MEMORY, "no memory for messages between tasks");
        return NULL;
    }
    b->task = t;
    return b;
}

void *tw_mailbox_state(const tw_mailbox *b)
{
    return b->state;
}

void *tw_mailbox_message(const tw_mailbox *b, size_t size)
{
    address *message = malloc(sizeof *message + size);
    if (!message)
        tw_graph_fail(b->task->graph, TWILL_ERR_MEMORY, "no memory for a message between tasks");
    return message ? message + 1 : NULL;
}

void tw_mailbox_post(const tw_mailbox *b, int to, int64_t number, int64_t from, void *message,
                     size_t size)
{
    address *a = (address *)message - 1;
    *a = (address){number, from};
    tw_shared_send(b->task->graph, to, TW_STF_MAIL, a, sizeof *a + size);
}

void tw_mailbox_send(const tw_mailbox *b, int to, int64_t number, int64_t from, const void *bytes,
                     size_t size)
{
    void *message = tw_mailbox_message(b, size);
    if (!message)
        return;
    memcpy(message, bytes, size);
    tw_mailbox_post(b, to, number, from, message, size);
}

static tw_mail *take(tw_mailbox *b, int64_t from)
{
    tw_lock *lock = &front_of(b)->lock;
    tw_lock_take(lock);
    tw_mail **link = find_mail(b, from), *m = *link;
    if (m) {
        *link = m->next;
        if (b->last == &m->next)
            b->last = link;
    }
    tw_unlock(lock);
    if (m) {
        m->next = b->taken;
        b->taken = m;
    }
    return m;
}

/* The body will return without it. */
static void announce(tw_mailbox *b, int64_t from)
{
    tw_stf_ranks *s = front_of(b);
    tw_lock_take(&s->lock);
    b->awaited = from;
    b->parking = s->parking;
    s->parking = b;
    tw_unlock(&s->lock);
}

const tw_mail *tw_mailbox_take(tw_mailbox *b, int64_t from, double seconds)
{
    const twill_graph *g = b->task->graph;
    tw_mail *m = take(b, from);
    for (double until = m ? 0 : tw_seconds() + seconds; !m;) {
        tw_poll_inside(g->tw);
        m = take(b, from);
        if (!m && (tw_seconds() >= until || tw_graph_failed(g))) {
            announce(b, from);
            return NULL;
        }
    }
    return m;
}

void tw_mailbox_clear(tw_mailbox *b)
{
    free_all(&b->taken);
}

void tw_mailbox_close(tw_mailbox *b)
{
    tw_stf_ranks *s = front_of(b);
    tw_lock_take(&s->lock);
    *find(s, b->number) = b->next;
    tw_unlock(&s->lock);
    free_mailbox(b);
}

/* ---- parking ----------------------------------------------------------------------------- */

static void run_again(tw_worker *w, twill_task *t)
{
    tw_ready ready = {0};
    if (tw_is_traced(w))
        tw_emit_enable(w, t, NULL);
    tw_ready_add(&ready, t);
    tw_push(w, &ready);
    tw_remote_settle(w->tw, w, 1);
}

/* Take it off the list of those that are about to return. */
static tw_mailbox *find_parking(tw_stf_ranks *s, const twill_task *t)
{
    tw_lock_take(&s->lock);
    tw_mailbox **link = &s->parking;
    while (*link && (*link)->task != t)
        link = &(*link)->parking;
    tw_mailbox *b = *link;
    if (b)
        *link = b->parking;
    tw_unlock(&s->lock);
    return b;
}

bool tw_mailboxes_park(twill_graph *g, tw_worker *w, twill_task *t)
{
    tw_stf_ranks *s = g->front;
    tw_mailbox *b = find_parking(s, t);
    if (!b)
        return false;
    tw_remote_expect(g->tw, 1); /* before somebody can run it again */
    tw_lock_take(&s->lock);
    /* who abandons those that wait looks after the failure, under the lock */
    bool waits = !*find_mail(b, b->awaited) && !tw_graph_failed(g);
    b->parked = waits;
    tw_unlock(&s->lock);
    if (!waits)
        run_again(w, t);
    return true;
}

/* The task that waits for it, if it is the one. */
static twill_task *deliver(tw_mailbox *b, tw_mail *m)
{
    *b->last = m;
    b->last = &m->next;
    if (!b->parked || b->awaited != m->from)
        return NULL;
    b->parked = false;
    return b->task;
}

void tw_mailboxes_receive(twill_graph *g, tw_worker *w, int from, const void *bytes, size_t size)
{
    tw_stf_ranks *s = g->front;
    address a;
    if (size < sizeof a) {
        tw_graph_fail(g, TWILL_ERR_STATE, "rank %d has sent what is no message to a task", from);
        return;
    }
    memcpy(&a, bytes, sizeof a);
    size -= sizeof a;
    tw_mail *m = aligned_alloc(TW_LINE, tw_whole_lines(sizeof *m + size));
    if (m) {
        *m = (tw_mail){.from = a.from, .size = size};
        memcpy(m->bytes, (const char *)bytes + sizeof a, size);
    }
    tw_lock_take(&s->lock);
    tw_mailbox *b = m ? find_or_make(s, a.number) : NULL;
    twill_task *t = b ? deliver(b, m) : NULL;
    tw_unlock(&s->lock);
    if (!b) {
        free(m);
        tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for a message of rank %d", from);
    }
    if (t)
        run_again(w, t);
}

static twill_task *take_parked(tw_stf_ranks *s)
{
    twill_task *t = NULL;
    tw_lock_take(&s->lock);
    for (int i = 0; i < TW_STF_CHAINS && !t; i++)
        for (tw_mailbox *b = s->mailboxes[i]; b && !t; b = b->next)
            if (b->parked) {
                b->parked = false;
                t = b->task;
            }
    tw_unlock(&s->lock);
    return t;
}

void tw_mailboxes_abandon(tw_stf_ranks *s, tw_worker *w)
{
    for (twill_task *t; (t = take_parked(s));)
        run_again(w, t); /* which it is not: tasks of a graph that has failed are skipped */
}

void tw_mailboxes_free(tw_stf_ranks *s)
{
    s->parking = NULL;
    for (int i = 0; i < TW_STF_CHAINS; i++)
        while (s->mailboxes[i]) {
            tw_mailbox *b = s->mailboxes[i];
            s->mailboxes[i] = b->next;
            free_mailbox(b);
        }
}
