/* Sending a tile to another rank.
 *
 * A rank that is ahead sends what others do not want yet, and they keep it: up to a bound. Who has
 * sent so much that was not taken promises what follows, and sends it when the task that receives
 * it asks: it holds its tile meanwhile, and counts in its window. Tasks take bytes in another order
 * than that of the messages, so nobody may wait for what is before them. */
#include "data/pack.h"
#include "engine/remote/remote.h"
#include "front/stf/transfer.h"

#include <stdlib.h>
#include <string.h>

twill_outcome tw_stf_no_memory(twill_task *t, const char *what)
{
    tw_graph_fail(t->graph, TWILL_ERR_MEMORY, "no memory for a %s another rank", what);
    return TWILL_ERROR;
}

void tw_stf_say(twill_graph *g, int to, tw_stf_kind what, tw_stf_name n)
{
    tw_stf_name *copy = malloc(sizeof n);
    if (!copy) {
        tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for a message to another rank");
        return;
    }
    *copy = n;
    tw_shared_send(g, to, what, copy, sizeof n);
}

static int receiver_of(const twill_task *t)
{
    return (int)twill_task_int(t, 1);
}

static tw_stf_name name_of(const twill_task *t)
{
    return (tw_stf_name){twill_task_int(t, 2), twill_task_int(t, 3)};
}

/* ---- now --------------------------------------------------------------------------------- */

static twill_outcome send_packed(twill_task *t)
{
    const tw_value *v = &t->slots[0].u.tile->value;
    tw_stf_name n = name_of(t);
    size_t size = sizeof n + tw_pack_size(v, tw_area_of(TW_FULL));
    char *bytes = malloc(size);
    if (!bytes)
        return tw_stf_no_memory(t, "message to");
    memcpy(bytes, &n, sizeof n);
    tw_pack(v, tw_area_of(TW_FULL), bytes + sizeof n);
    tw_shared_send(t->graph, receiver_of(t), TW_STF_TILE, bytes, size);
    return TWILL_DONE;
}

/* Graphs end after their loans, so it is still there. */
static void lent(void *arg, twill_status status, void *poller)
{
    twill_task *t = arg;
    twill_graph *g = t->graph;
    (void)status;
    tw_task_done(poller, t, false);
    tw_shared_returned(g);
}

/* Large tiles without gaps are not copied: the task holds the tile until its bytes have left. */
static twill_outcome lend(twill_task *t)
{
    const tw_value *v = &t->slots[0].u.tile->value;
    const tw_stf_name n = name_of(t);
    const tw_shared_loan loan = {.word = {n.insertion, n.argument},
                                 .bytes = v->host.data,
                                 .size = tw_bytes_without_gaps(v),
                                 .sent = lent,
                                 .arg = t};
    return tw_shared_lend(t->graph, receiver_of(t), &loan) ? TWILL_ASYNC : TWILL_ERROR;
}

/* ---- or later ---------------------------------------------------------------------------- */

/* Is there room for the tile at the other rank? Then it has less from now on. A tile that is larger
 * than all of it goes where nothing else is. */
static bool take_room(const twill_task *t, bool asked)
{
    tw_stf_ranks *s = t->graph->front;
    int64_t size = (int64_t)tw_pack_size(&t->slots[0].u.tile->value, tw_area_of(TW_FULL));
    tw_lock_take(&s->lock);
    int64_t *sent = &s->early[receiver_of(t)].sent;
    bool room = asked || *sent == 0 || *sent + size <= s->most_early;
    if (room)
        *sent += size;
    tw_unlock(&s->lock);
    return room;
}

/* The other rank asks for it when a task wants it. */
static twill_outcome promise(twill_task *t)
{
    tw_stf_ranks *s = t->graph->front;
    tw_stf_name n = name_of(t);
    tw_transfer *x = malloc(sizeof *x);
    if (!x)
        return tw_stf_no_memory(t, "message to");
    *x = (tw_transfer){.insertion = n.insertion, .argument = n.argument, .task = t};
    tw_lock_take(&s->lock); /* whoever ends the task, and perhaps the graph, comes later */
    x->next = s->promised;
    s->promised = x;
    tw_stf_say(t->graph, receiver_of(t), TW_STF_PROMISE, n); /* else it is abandoned */
    tw_unlock(&s->lock);
    return TWILL_ASYNC;
}

/* The task of a promise, or of any; NULL: there is none. */
static twill_task *take_promise(tw_stf_ranks *s, const tw_stf_name *n)
{
    tw_lock_take(&s->lock);
    tw_transfer **link = &s->promised;
    while (*link && n && ((*link)->insertion != n->insertion || (*link)->argument != n->argument))
        link = &(*link)->next;
    tw_transfer *x = *link;
    if (x)
        *link = x->next;
    tw_unlock(&s->lock);
    twill_task *t = x ? x->task : NULL;
    free(x);
    return t;
}

twill_task *tw_stf_take_promised(tw_stf_ranks *s)
{
    return take_promise(s, NULL);
}

void tw_stf_keep_promise(twill_graph *g, tw_worker *w, const tw_stf_name *n)
{
    twill_task *t = take_promise(g->front, n);
    if (!t)
        return; /* it was abandoned */
    (void)take_room(t, true);
    twill_outcome outcome = t->cls == &tw_stf_lender ? lend(t) : send_packed(t);
    if (outcome != TWILL_ASYNC)
        tw_task_done(w, t, outcome == TWILL_ERROR);
}

/* It is told when they are many. */
void tw_stf_note_taken(twill_graph *g, int from, size_t size)
{
    tw_stf_ranks *s = g->front;
    tw_lock_take(&s->lock);
    int64_t *taken = &s->early[from].taken, n = *taken + (int64_t)size;
    bool many = n >= s->most_early / 2;
    *taken = many ? 0 : n;
    tw_unlock(&s->lock);
    if (many)
        tw_stf_say(g, from, TW_STF_TAKEN, (tw_stf_name){n, 0});
}

void tw_stf_hear_taken(tw_stf_ranks *s, int from, int64_t n)
{
    tw_lock_take(&s->lock);
    s->early[from].sent -= n;
    tw_unlock(&s->lock);
}

/* ---- as tasks ---------------------------------------------------------------------------- */

static twill_outcome send_body(twill_task *t)
{
    return take_room(t, false) ? send_packed(t) : promise(t);
}

static twill_outcome lend_body(twill_task *t)
{
    return take_room(t, false) ? lend(t) : promise(t);
}

const twill_class tw_stf_sender = {
    .size = sizeof(twill_class), .name = "send", .chores = {TWILL_CPU(send_body)}};
const twill_class tw_stf_lender = {
    .size = sizeof(twill_class), .name = "send", .chores = {TWILL_CPU(lend_body)}};

const twill_class *tw_stf_sender_of(const twill_graph *g, const tw_value *v)
{
    bool large = tw_bytes_without_gaps(v) >= (size_t)g->tw->options.number[TW_OPT_LEND];
    return large && tw_has_no_gaps(v) ? &tw_stf_lender : &tw_stf_sender;
}
