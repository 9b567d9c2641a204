/* Tiles travel between ranks: a task sends, a task receives. If the graph fails, those that have
 * not sent do not, and those that wait are abandoned as soon as this rank learns of it. What memory
 * a tile of another rank has changes in its chain too. */
#include "front/stf/transfer.h"

#include "base/minmax.h"
#include "data/pack.h"
#include "data/space.h"
#include "engine/hazard.h"
#include "engine/remote/remote.h"
#include "front/stf/mailbox.h"

#include <stdlib.h>
#include <string.h>

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

static void add(tw_stf_ranks *s, tw_transfer *x)
{
    tw_transfer **chain = chain_of(s, x->insertion, x->argument);
    x->next = *chain;
    *chain = x;
}

/* Is the tile so large? */
static bool fits(const twill_task *t, size_t size)
{
    bool same = size == tw_pack_size(&t->slots[0].u.tile->value, tw_area_of(TW_FULL));
    if (!same)
        tw_graph_fail(t->graph, TWILL_ERR_STATE,
                      "another rank has sent %zu bytes for a tile of another size: are the arrays "
                      "the same on all ranks?",
                      size);
    return same;
}

/* The tile becomes what has arrived, unless that is where it is, or not such a tile. */
static void unpack(twill_task *t, const void *bytes, size_t size)
{
    twill_tile *tile = t->slots[0].u.tile;
    if (!fits(t, size) || tile->value.host.data == bytes)
        return;
    if (tw_tile_take_bytes(tile, false))
        tw_unpack(&tile->value, tw_area_of(TW_FULL), bytes);
    else
        tw_stf_no_memory(t, "tile of");
}

/* What a transport that has failed may still write to stays. */
static void free_early(tw_transfer *x)
{
    if (!x->arriving)
        tw_host.free(&tw_host, x->bytes, x->size);
    free(x);
}

/* What came before its task: its memory becomes that of the tile, which nobody reads any more. */
static void adopt(twill_task *t, tw_transfer *x)
{
    tw_stf_note_taken(t->graph, x->from, x->size);
    if (fits(t, x->size) && tw_tile_adopt_bytes(t->slots[0].u.tile, x->bytes))
        x->bytes = NULL;
    else
        unpack(t, x->bytes, x->size);
    free_early(x);
}

static twill_outcome receive_body(twill_task *t)
{
    tw_stf_ranks *s = t->graph->front;
    tw_transfer *self = twill_task_data(t, 1);
    self->task = t;
    tw_lock_take(&s->lock);
    tw_transfer **link = find(s, self->insertion, self->argument), *early = *link;
    bool promised = early && !early->bytes, here = early && !promised && !early->arriving;
    if (promised || here)
        *link = early->next;
    else if (early)
        early->task = t;
    if (promised || !early)
        add(s, self);
    if (promised) /* now: what it asks for may end the task, and perhaps the graph */
        tw_stf_say(t->graph, early->from, TW_STF_REQUEST,
                   (tw_stf_name){self->insertion, self->argument});
    tw_unlock(&s->lock);
    if (promised)
        free(early);
    if (!here)
        return TWILL_ASYNC;
    adopt(t, early);
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
    if (!tw_tile_take_bytes(t->slots[0].u.tile, true))
        return tw_stf_no_memory(t, "tile of");
    return TWILL_DONE;
}

static const twill_class room = {
    .size = sizeof(twill_class), .name = "room", .chores = {TWILL_CPU(room_body)}};

/* ---- arrival ----------------------------------------------------------------------------- */

/* Memory for bytes that no task waits for yet; NULL without. Under the lock. */
static tw_transfer *expect_early(tw_stf_ranks *s, const tw_stf_name *n, size_t size)
{
    tw_transfer *x = calloc(1, sizeof *x);
    void *bytes = x ? tw_host_new(size) : NULL;
    if (!bytes) {
        free(x);
        return NULL;
    }
    *x = (tw_transfer){.insertion = n->insertion,
                       .argument = n->argument,
                       .arriving = true,
                       .size = size,
                       .bytes = bytes};
    add(s, x);
    return x;
}

/* They are there. The task may have come meanwhile. */
static void end_early(tw_stf_ranks *s, tw_worker *w, int from, tw_transfer *x)
{
    tw_lock_take(&s->lock);
    x->from = from;
    twill_task *t = x->task;
    x->arriving = false;
    if (t)
        *find(s, x->insertion, x->argument) = x->next;
    tw_unlock(&s->lock);
    if (!t)
        return;
    adopt(t, x);
    tw_task_done(w, t, false);
}

/* The bytes come when a task wants them: one that waits already asks at once. */
static void hear_promise(twill_graph *g, int from, const tw_stf_name *n)
{
    tw_stf_ranks *s = g->front;
    tw_transfer *x = malloc(sizeof *x);
    if (!x) {
        tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for a tile of rank %d", from);
        return;
    }
    *x = (tw_transfer){.insertion = n->insertion, .argument = n->argument, .from = from};
    tw_lock_take(&s->lock);
    bool waits = *find(s, n->insertion, n->argument);
    if (!waits)
        add(s, x);
    tw_unlock(&s->lock);
    if (!waits)
        return;
    free(x);
    tw_stf_say(g, from, TW_STF_REQUEST, *n);
}

/* A task waits for the bytes, or will. */
static void arrive(twill_graph *g, tw_worker *w, int from, const tw_stf_name *n, const void *bytes,
                   size_t size)
{
    tw_stf_ranks *s = g->front;
    tw_lock_take(&s->lock);
    tw_transfer **link = find(s, n->insertion, n->argument), *x = *link;
    bool waits = x && x->task && !x->bytes;
    if (waits)
        *link = x->next;
    else if (!x)
        x = expect_early(s, n, size);
    tw_unlock(&s->lock);
    if (!x) {
        tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for a tile of rank %d", from);
    } else if (waits) {
        unpack(x->task, bytes, size);
        tw_stf_note_taken(g, from, size);
        tw_task_done(w, x->task, false);
    } else if (!x->arriving || x->size != size) {
        tw_graph_fail(g, TWILL_ERR_STATE, "rank %d has sent a tile twice", from);
    } else {
        if (x->bytes != bytes) /* the message had to wait for others */
            memcpy(x->bytes, bytes, size);
        end_early(s, w, from, x);
    }
}

void tw_stf_ranks_arrive(twill_graph *g, tw_worker *w, int from, int kind, const void *bytes,
                         size_t size)
{
    tw_stf_name n;
    if (kind == TW_STF_MAIL) {
        tw_mailboxes_receive(g, w, from, bytes, size);
        return;
    }
    if (size < sizeof n || kind < TW_STF_TILE || kind > TW_STF_TAKEN) {
        tw_graph_fail(g, TWILL_ERR_STATE, "rank %d has sent what is no tile", from);
        return;
    }
    memcpy(&n, bytes, sizeof n);
    if (kind == TW_STF_TILE)
        arrive(g, w, from, &n, (const char *)bytes + sizeof n, size - sizeof n);
    else if (kind == TW_STF_PROMISE)
        hear_promise(g, from, &n);
    else if (kind == TW_STF_REQUEST)
        tw_stf_keep_promise(g, w, &n);
    else
        tw_stf_hear_taken(g->front, from, n.insertion);
}

/* The tile that the task waits for, if so many bytes fit into it as they are. */
static void *place_of(const twill_task *t, size_t size)
{
    twill_tile *tile = t->slots[0].u.tile;
    const tw_value *v = &tile->value;
    bool fit =
        tw_has_no_gaps(v) && tw_bytes_without_gaps(v) == size && tw_tile_take_bytes(tile, false);
    return fit ? v->host.data : NULL;
}

void *tw_stf_ranks_place(twill_graph *g, tw_worker *w, const int64_t *word, size_t size)
{
    tw_stf_ranks *s = g->front;
    void *place = NULL;
    (void)w;
    tw_lock_take(&s->lock);
    tw_transfer *x = *find(s, word[0], word[1]);
    if (x && x->task && !x->bytes) {
        place = place_of(x->task, size);
        x->arriving = place;
    } else if (!x && !tw_graph_failed(g) &&
               (x = expect_early(s, &(tw_stf_name){word[0], word[1]}, size))) {
        place = x->bytes;
        tw_shared_arriving(g, 1);
    }
    tw_unlock(&s->lock);
    return place;
}

/* Has `place` given memory to what comes early? */
static bool is_early(tw_stf_ranks *s, const int64_t *word)
{
    tw_lock_take(&s->lock);
    const tw_transfer *x = *find(s, word[0], word[1]);
    bool early = x && x->bytes && x->arriving;
    tw_unlock(&s->lock);
    return early;
}

void tw_stf_ranks_land(twill_graph *g, tw_worker *w, int from, const int64_t *word,
                       const void *bytes, size_t size)
{
    if (is_early(g->front, word))
        tw_shared_arriving(g, -1);
    arrive(g, w, from, &(tw_stf_name){word[0], word[1]}, bytes, size);
}

/* A transport that has failed may still write to what it was given: that stays. Early bytes do
 * anyway. */
static void lose(const tw_transfer *x)
{
    if (x->arriving && !x->bytes)
        tw_tile_lose_bytes(x->task->slots[0].u.tile);
}

/* One that waits, and not just gets what it waits for, unless nothing comes any more; NULL when
 * none does. */
static twill_task *take_waiting(tw_stf_ranks *s)
{
    const bool all = tw_remote_failure(s->graph->tw);
    twill_task *t = NULL;
    tw_lock_take(&s->lock);
    for (int i = 0; i < TW_STF_CHAINS && !t; i++)
        for (tw_transfer **link = &s->transfers[i]; *link && !t; link = &(*link)->next)
            if ((all || !(*link)->arriving) && (t = (*link)->task)) {
                lose(*link);
                if ((*link)->bytes)
                    (*link)->task = NULL;
                else
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
    for (twill_task *t; (t = tw_stf_take_promised(g->front));)
        tw_task_done(w, t, true);
    tw_mailboxes_abandon(g->front, w);
}

void tw_stf_transfers_free(tw_stf_ranks *s)
{
    for (int i = 0; i < TW_STF_CHAINS; i++)
        while (s->transfers[i]) {
            tw_transfer *x = s->transfers[i];
            s->transfers[i] = x->next;
            free_early(x);
        }
}

/* ---- as tasks ---------------------------------------------------------------------------- */

void tw_stf_ranks_release(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready)
{
    bool expected = t->cls == &receiver || t->cls == &tw_stf_lender || t->cls == &tw_stf_sender;
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

/* Before all else, and among each other in the order of what they are for: they take no time, and
 * other ranks wait for what they send. */
static twill_arg urgency(const tw_stf_trip *trip)
{
    enum { FIRST = 1 << 30 };
    return TWILL_PRIORITY(tw_clamp(trip->priority, INT32_MIN, INT32_MAX) / 2 + FIRST);
}

twill_status tw_stf_send(tw_worker *w, twill_graph *g, const tw_stf_trip *trip, int to,
                         tw_ready *ready)
{
    const twill_arg args[] = {TWILL_R(trip->tile),
                              TWILL_INT(to),
                              TWILL_INT(trip->insertion),
                              TWILL_INT(trip->argument),
                              urgency(trip),
                              TWILL_CPU_ONLY,
                              TWILL_END};
    return insert_expected(w, g, tw_stf_sender_of(g, &trip->tile->value), args, ready);
}

twill_status tw_stf_receive(tw_worker *w, twill_graph *g, const tw_stf_trip *trip, tw_ready *ready)
{
    tw_transfer x = {.insertion = trip->insertion, .argument = trip->argument};
    const twill_arg args[] = {TWILL_W(trip->tile), TWILL_VALUE(x), urgency(trip), TWILL_CPU_ONLY,
                              TWILL_END};
    return insert_expected(w, g, &receiver, args, ready);
}

twill_status tw_stf_make_room(tw_worker *w, twill_graph *g, const tw_stf_trip *trip,
                              twill_tile *instead, tw_ready *ready)
{
    const twill_arg args[] = {TWILL_W(trip->tile), urgency(trip), TWILL_CPU_ONLY,
                              instead ? TWILL_W(instead) : TWILL_END, TWILL_END};
    return insert(w, g, &room, args, ready);
}
