/* Tiles travel between ranks: a task sends, a task receives. If the graph fails, those that have
 * not sent do not, and those that wait are abandoned as soon as this rank learns of it. What memory
 * a tile of another rank has changes in its chain too. */
#include "front/stf/mailbox.h"

#include "data/pack.h"
#include "engine/hazard.h"
#include "engine/remote/remote.h"

#include <stdlib.h>
#include <string.h>

/* In front of the bytes of a tile. */
typedef struct name {
    int64_t insertion, argument;
} name;

/* The first failure counts: it is not the task's own. */
static twill_outcome no_memory(twill_task *t, const char *what)
{
    tw_graph_fail(t->graph, TWILL_ERR_MEMORY, "no memory for a %s another rank", what);
    return TWILL_ERROR;
}

/* ---- sending ----------------------------------------------------------------------------- */

static twill_outcome send_body(twill_task *t)
{
    const tw_value *v = &t->slots[0].u.tile->value;
    name n = {twill_task_int(t, 2), twill_task_int(t, 3)};
    size_t size = sizeof n + tw_pack_size(v, tw_area_of(TW_FULL));
    char *bytes = malloc(size);
    if (!bytes)
        return no_memory(t, "message to");
    memcpy(bytes, &n, sizeof n);
    tw_pack(v, tw_area_of(TW_FULL), bytes + sizeof n);
    tw_shared_send(t->graph, (int)twill_task_int(t, 1), 0, bytes, size);
    return TWILL_DONE;
}

static const twill_class sender = {
    .size = sizeof(twill_class), .name = "send", .chores = {TWILL_CPU(send_body)}};

/* ---- lending ----------------------------------------------------------------------------- */

/* Large tiles without gaps are not copied: the task holds the tile until its bytes have left. */

static size_t bytes_of(const tw_value *v)
{
    return (size_t)v->rows * (size_t)v->cols * v->element;
}

static bool has_no_gaps(const tw_value *v)
{
    return v->host.ld == v->rows || v->cols == 1;
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

static twill_outcome lend_body(twill_task *t)
{
    const tw_value *v = &t->slots[0].u.tile->value;
    const tw_shared_loan loan = {.word = {twill_task_int(t, 2), twill_task_int(t, 3)},
                                 .bytes = v->host.data,
                                 .size = bytes_of(v),
                                 .sent = lent,
                                 .arg = t};
    bool sent = tw_shared_lend(t->graph, (int)twill_task_int(t, 1), &loan);
    return sent ? TWILL_ASYNC : TWILL_ERROR;
}

static const twill_class lender = {
    .size = sizeof(twill_class), .name = "send", .chores = {TWILL_CPU(lend_body)}};

/* ---- receiving --------------------------------------------------------------------------- */

static tw_transfer **chain_of(tw_stf_ranks *s, int64_t insertion, int64_t argument)
{
    return &s->transfers[(uint64_t)(insertion * 7 + argument) % TW_STF_CHAINS];
}

/* Where what is known of a transfer is in its chain, or would be. Under the lock. */
static tw_transfer **find(tw_stf_ranks *s, int64_t insertion, int64_t argument)
{
    tw_transfer **link = chain_of(s, insertion, argument);
    while (*link && ((*link)->insertion != insertion || (*link)->argument != argument))
        link = &(*link)->next;
    return link;
}

/* Take it out of its chain; NULL when nothing is known. */
static tw_transfer *take(tw_stf_ranks *s, int64_t insertion, int64_t argument)
{
    tw_transfer **link = find(s, insertion, argument), *x = *link;
    if (x)
        *link = x->next;
    return x;
}

static void add(tw_stf_ranks *s, tw_transfer *x)
{
    tw_transfer **chain = chain_of(s, x->insertion, x->argument);
    x->next = *chain;
    *chain = x;
}

/* The tile becomes what has arrived, unless that is where it is, or not such a tile. */
static void unpack(twill_task *t, const void *bytes, size_t size)
{
    tw_value *v = &t->slots[0].u.tile->value;
    if (size != tw_pack_size(v, tw_area_of(TW_FULL)))
        tw_graph_fail(t->graph, TWILL_ERR_STATE,
                      "another rank has sent %zu bytes for a tile of another size: are the arrays "
                      "the same on all ranks?",
                      size);
    else if (v->host.data != bytes)
        tw_unpack(v, tw_area_of(TW_FULL), bytes);
}

static twill_outcome receive_body(twill_task *t)
{
    tw_stf_ranks *s = t->graph->front;
    tw_transfer *self = twill_task_data(t, 1);
    if (!tw_tile_take_bytes(t->slots[0].u.tile))
        return no_memory(t, "tile of");
    self->task = t;
    tw_lock_take(&s->lock);
    tw_transfer *early = take(s, self->insertion, self->argument);
    if (!early)
        add(s, self);
    tw_unlock(&s->lock);
    if (!early)
        return TWILL_ASYNC;
    unpack(t, early->bytes, early->size);
    free(early->bytes);
    free(early);
    return TWILL_DONE;
}

static const twill_class receiver = {
    .size = sizeof(twill_class), .name = "receive", .chores = {TWILL_CPU(receive_body)}};

/* ---- room -------------------------------------------------------------------------------- */

/* The second tile gives its memory back. What is also in other memories stays until its array ends.
 */
static void give_back(const twill_task *t)
{
    twill_tile *tile = t->nslots > 1 ? t->slots[1].u.tile : NULL;
    if (tile && !tw_value_is_replicated(&tile->value))
        tw_tile_drop_bytes(tile);
}

static twill_outcome room_body(twill_task *t)
{
    give_back(t);
    if (!tw_tile_take_bytes(t->slots[0].u.tile))
        return no_memory(t, "tile of");
    return TWILL_DONE;
}

static const twill_class room = {
    .size = sizeof(twill_class), .name = "room", .chores = {TWILL_CPU(room_body)}};

/* ---- arrival ----------------------------------------------------------------------------- */

/* Nobody waits for it yet. */
static bool keep(tw_stf_ranks *s, const name *n, const void *bytes, size_t size)
{
    tw_transfer *x = calloc(1, sizeof *x);
    void *copy = malloc(size);
    if (!x || !copy) {
        free(x);
        free(copy);
        return false;
    }
    memcpy(copy, bytes, size);
    *x = (tw_transfer){
        .insertion = n->insertion, .argument = n->argument, .size = size, .bytes = copy};
    add(s, x);
    return true;
}

/* A task waits for the bytes, or will. */
static void arrive(twill_graph *g, tw_worker *w, int from, const name *n, const void *bytes,
                   size_t size)
{
    tw_stf_ranks *s = g->front;
    tw_lock_take(&s->lock);
    tw_transfer *x = take(s, n->insertion, n->argument);
    bool kept = x || keep(s, n, bytes, size);
    tw_unlock(&s->lock);
    if (!kept)
        tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for a tile of rank %d", from);
    if (!x)
        return;
    unpack(x->task, bytes, size);
    tw_task_done(w, x->task, false);
}

void tw_stf_ranks_arrive(twill_graph *g, tw_worker *w, int from, int kind, const void *bytes,
                         size_t size)
{
    name n;
    if (kind == TW_STF_MAIL) {
        tw_mailboxes_receive(g, w, from, bytes, size);
        return;
    }
    if (size < sizeof n) {
        tw_graph_fail(g, TWILL_ERR_STATE, "rank %d has sent what is no tile", from);
        return;
    }
    memcpy(&n, bytes, sizeof n);
    arrive(g, w, from, &n, (const char *)bytes + sizeof n, size - sizeof n);
}

void *tw_stf_ranks_place(twill_graph *g, tw_worker *w, const int64_t *word, size_t size)
{
    tw_stf_ranks *s = g->front;
    (void)w;
    tw_lock_take(&s->lock);
    tw_transfer *x = *find(s, word[0], word[1]);
    const tw_value *v = x && x->task ? &x->task->slots[0].u.tile->value : NULL;
    bool there = v && has_no_gaps(v) && bytes_of(v) == size;
    if (there)
        x->placed = true;
    tw_unlock(&s->lock);
    return there ? v->host.data : NULL;
}

void tw_stf_ranks_land(twill_graph *g, tw_worker *w, int from, const int64_t *word,
                       const void *bytes, size_t size)
{
    arrive(g, w, from, &(name){word[0], word[1]}, bytes, size);
}

/* One that waits, and not just gets what it waits for; NULL when none does. */
static twill_task *take_waiting(tw_stf_ranks *s)
{
    twill_task *t = NULL;
    tw_lock_take(&s->lock);
    for (int i = 0; i < TW_STF_CHAINS && !t; i++)
        for (tw_transfer **link = &s->transfers[i]; *link && !t; link = &(*link)->next)
            if (!(*link)->placed && (t = (*link)->task)) {
                *link = (*link)->next;
                break;
            }
    tw_unlock(&s->lock);
    return t;
}

void tw_stf_ranks_abandon(twill_graph *g, tw_worker *w)
{
    for (twill_task *t; (t = take_waiting(g->front));)
        tw_task_done(w, t, true);
    tw_mailboxes_abandon(g->front, w);
}

void tw_stf_transfers_free(tw_stf_ranks *s)
{
    for (int i = 0; i < TW_STF_CHAINS; i++)
        while (s->transfers[i]) {
            tw_transfer *x = s->transfers[i];
            s->transfers[i] = x->next;
            free(x->bytes);
            free(x);
        }
}

/* ---- as tasks ---------------------------------------------------------------------------- */

void tw_stf_ranks_release(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready)
{
    bool expected = t->cls == &receiver || t->cls == &lender;
    if (t->cls == &room) /* even if its body did not run */
        give_back(t);
    tw_hazards_leave(w, t, poison, ready);
    if (expected)
        tw_remote_settle(w->tw, w, 1);
}

static twill_status insert(tw_worker *w, twill_graph *g, const twill_class *cls,
                           const twill_arg *args, tw_ready *ready)
{
    tw_shape shape;
    twill_status status = tw_args_measure(g, args, &shape);
    return status == TWILL_OK ? tw_stf_link(w, g, cls, &shape, args, ready) : status;
}

/* One that is done by a message, sent or received. */
static twill_status insert_expected(tw_worker *w, twill_graph *g, const twill_class *cls,
                                    const twill_arg *args, tw_ready *ready)
{
    tw_remote_expect(g->tw, 1);
    twill_status status = insert(w, g, cls, args, ready);
    if (status != TWILL_OK)
        tw_remote_settle(g->tw, w, 1);
    return status;
}

twill_status tw_stf_send(tw_worker *w, twill_graph *g, const tw_stf_trip *trip, int to,
                         tw_ready *ready)
{
    const tw_value *v = &trip->tile->value;
    const twill_arg args[] = {TWILL_R(trip->tile),
                              TWILL_INT(to),
                              TWILL_INT(trip->insertion),
                              TWILL_INT(trip->argument),
                              TWILL_PRIORITY(trip->priority),
                              TWILL_CPU_ONLY,
                              TWILL_END};
    return has_no_gaps(v) && bytes_of(v) >= (size_t)g->tw->options.number[TW_OPT_LEND]
               ? insert_expected(w, g, &lender, args, ready)
               : insert(w, g, &sender, args, ready);
}

twill_status tw_stf_receive(tw_worker *w, twill_graph *g, const tw_stf_trip *trip, tw_ready *ready)
{
    tw_transfer x = {.insertion = trip->insertion, .argument = trip->argument};
    const twill_arg args[] = {TWILL_W(trip->tile), TWILL_VALUE(x), TWILL_PRIORITY(trip->priority),
                              TWILL_CPU_ONLY, TWILL_END};
    return insert_expected(w, g, &receiver, args, ready);
}

twill_status tw_stf_make_room(tw_worker *w, twill_graph *g, const tw_stf_trip *trip,
                              twill_tile *instead, tw_ready *ready)
{
    const twill_arg args[] = {TWILL_W(trip->tile), TWILL_PRIORITY(trip->priority), TWILL_CPU_ONLY,
                              instead ? TWILL_W(instead) : TWILL_END, TWILL_END};
    return insert(w, g, &room, args, ready);
}
