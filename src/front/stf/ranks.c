/* Which rank runs what, and which tiles travel. */
#include "front/stf/mailbox.h"

#include "base/chore.h"
#include "engine/hazard.h"
#include "engine/nest.h"
#include "engine/remote/remote.h"

#include <stdlib.h>
#include <string.h>

/* ---- where ------------------------------------------------------------------------------- */

static bool writes(const twill_arg *arg)
{
    return tw_arg_is_data(arg) && arg->kind != TWILL_ARG_READ;
}

/* At the owner of the first tile that it writes, or of the first at all; without tiles at rank 0.
 * What it contributes to comes last: partial results are where the contributions are. */
int tw_stf_rank_of(const twill_arg *args)
{
    const twill_arg *first = NULL, *contributes = NULL;
    for (const twill_arg *arg = args; arg->kind != TWILL_ARG_END; arg++) {
        if (arg->kind == TWILL_ARG_REDUCE)
            contributes = contributes ? contributes : arg;
        else if (writes(arg))
            return (int)tw_tile_owner(arg->u.tile);
        else if (!first && tw_arg_is_data(arg))
            first = arg;
    }
    first = first ? first : contributes;
    return first ? (int)tw_tile_owner(first->u.tile) : 0;
}

/* Does this rank run the task, or own a tile of it? */
static bool concerns(const twill_arg *args, int here, int at)
{
    bool concerned = here == at;
    for (; args->kind != TWILL_ARG_END && !concerned; args++)
        concerned = tw_arg_is_data(args) && tw_tile_owner(args->u.tile) == here;
    return concerned;
}

/* ---- plans ------------------------------------------------------------------------------- */

/* One insertion, as this rank sees it. */
typedef struct plan {
    tw_worker *w;
    twill_graph *g;
    tw_stf_ranks *s;
    const twill_arg *args;
    int64_t number, priority; /* of the insertion */
    int here, at;             /* this rank, and the one that runs the task */
    tw_ready *ready;
} plan;

/* A tile that is named twice is used as all its names say. */
static void use_of(const twill_arg *args, const twill_arg *arg, bool *reads, bool *writes_it,
                   bool *first)
{
    *reads = *writes_it = false;
    *first = true;
    for (const twill_arg *x = args; x->kind != TWILL_ARG_END; x++) {
        if (!tw_arg_is_data(x) || x->u.tile != arg->u.tile)
            continue;
        *reads |= x->kind != TWILL_ARG_WRITE;
        *writes_it |= writes(x);
        *first &= x >= arg;
    }
}

static twill_status no_memory(void)
{
    return tw_fail(TWILL_ERR_MEMORY, "no memory for a tile of another rank");
}

/* Of all graphs, this one or another: who has the tile to itself may give back its memory. */
static bool is_shared(const tw_stf_ranks *s, const twill_tile *tile)
{
    tw_stf_ranks *x = s->common->graphs;
    while (x && (x == s || !tw_stf_copies_have(x, tile)))
        x = x->next;
    return x;
}

/* The tile is written by rank `at`, here or elsewhere: copies are old, in all graphs. A partial
 * result stays where it was written. */
static void age(tw_stf_ranks *s, twill_tile *tile, int at)
{
    if (tw_tile_is_private(tile)) {
        tile->value.owner = at;
        return;
    }
    for (tw_stf_ranks *x = s->common->graphs; x; x = x->next)
        tw_stf_copies_age(x, tile);
}

static tw_stf_trip trip_of(const plan *p, twill_tile *tile, int64_t argument)
{
    return (tw_stf_trip){tile, p->number, argument, p->priority};
}

/* The tile goes from one rank to another, and this is one of them. Others wait for what the task
 * waits for: both ends are as urgent as it is. */
static twill_status travel(plan *p, twill_tile *tile, int from, int to, int64_t argument)
{
    tw_stf_trip trip = trip_of(p, tile, argument);
    return p->here == from ? tw_stf_send(p->w, p->g, &trip, to, p->ready)
                           : tw_stf_receive(p->w, p->g, &trip, p->ready);
}

/* There is one copy more: where the task runs it needs memory, in exchange for that of others. */
static twill_status make_room(plan *p, const tw_stf_copy *c, bool reads, int64_t argument)
{
    tw_stf_trip trip = trip_of(p, c->of->tile, argument);
    twill_status status = TWILL_OK;
    twill_tile *instead = NULL;
    bool made = reads; /* who receives the tile makes room itself */
    while (status == TWILL_OK && tw_stf_copy_forget(p->s, c, p->number, &instead)) {
        if (!instead || is_shared(p->s, instead))
            continue;
        status = tw_stf_make_room(p->w, p->g, &trip, instead, p->ready);
        made = true;
    }
    if (status == TWILL_OK && !made && p->here == p->at)
        status = tw_stf_make_room(p->w, p->g, &trip, NULL, p->ready);
    return status;
}

/* The task uses a tile of another rank. If it reads it, and it is not there, it comes. */
static twill_status bring(plan *p, twill_tile *tile, bool reads, int64_t argument)
{
    int owner = (int)tw_tile_owner(tile);
    bool made;
    if (tw_tile_is_private(tile))
        return reads ? travel(p, tile, owner, p->at, argument) : TWILL_OK;
    tw_stf_copy *c =
        tw_stf_copy_use(p->s, tile, p->here == owner ? p->at : owner, p->number, &made);
    if (!c)
        return no_memory();
    twill_status status = made ? make_room(p, c, reads, argument) : TWILL_OK;
    bool comes = reads && !c->valid;
    c->valid = c->valid || reads;
    return status == TWILL_OK && comes ? travel(p, tile, owner, p->at, argument) : status;
}

/* The task has written a tile of another rank: it goes there, and the copy is as new. */
static twill_status take_home(plan *p, twill_tile *tile, int64_t argument)
{
    int owner = (int)tw_tile_owner(tile);
    bool made;
    tw_stf_copy *c =
        tw_stf_copy_use(p->s, tile, p->here == owner ? p->at : owner, p->number, &made);
    if (!c)
        return no_memory();
    c->valid = true;
    return travel(p, tile, p->at, owner, argument);
}

/* One tile before the task (`home` false), or after it. */
static twill_status move_tile(plan *p, const twill_arg *arg, bool home, int64_t argument)
{
    twill_tile *tile = arg->u.tile;
    int owner = (int)tw_tile_owner(tile);
    bool travels = owner != p->at && (p->here == owner || p->here == p->at), reads, wrote, first;
    use_of(p->args, arg, &reads, &wrote, &first);
    if (!first)
        return TWILL_OK;
    if (!home)
        return travels ? bring(p, tile, reads, argument) : TWILL_OK;
    if (!wrote)
        return TWILL_OK;
    age(p->s, tile, p->at);
    return travels && !tw_tile_is_private(tile) ? take_home(p, tile, argument) : TWILL_OK;
}

/* The numbers of arguments are even before the task and odd after it. */
static twill_status move_tiles(plan *p, bool home)
{
    twill_status status = TWILL_OK;
    for (const twill_arg *arg = p->args; arg->kind != TWILL_ARG_END && status == TWILL_OK; arg++)
        if (tw_arg_is_data(arg))
            status = move_tile(p, arg, home, 2 * (arg - p->args) + home);
    return status;
}

static int64_t priority_of(const twill_arg *args)
{
    int64_t priority = 0;
    for (; args->kind != TWILL_ARG_END; args++)
        if (args->kind == TWILL_ARG_PRIORITY)
            priority = args->u.integer;
    return priority;
}

/* ---- insertion --------------------------------------------------------------------------- */

/* Every insertion has a number, and is known to be the same on other ranks by its hash. */
twill_status tw_stf_count(tw_stf_ranks *s, const twill_class *cls, const twill_arg *args)
{
    tw_step step;
    s->insertions++;
    if (!tw_stf_identify(&s->identities, cls, args, &step))
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the numbers of arrays");
    tw_sequence_add(&s->sequence, step);
    return TWILL_OK;
}

twill_status tw_stf_ranks_plan(tw_worker *w, twill_graph *g, const twill_class *cls,
                               const twill_arg *args, int at, tw_ready *ready)
{
    tw_stf_ranks *s = g->front;
    tw_shape shape;
    plan p = {w, g, s, args, s->insertions, priority_of(args), g->tw->data.rank, at, ready};
    twill_status status = tw_args_measure(g, args, &shape);
    if (status == TWILL_OK)
        status = move_tiles(&p, false);
    if (status == TWILL_OK && p.here == at)
        status = tw_stf_link(w, g, cls, &shape, args, ready);
    return status == TWILL_OK ? move_tiles(&p, true) : status;
}

twill_status tw_stf_ranks_link(tw_worker *w, twill_graph *g, const twill_class *cls,
                               const twill_arg *args, int at, tw_ready *ready)
{
    tw_stf_ranks *s = g->front;
    twill_status status = tw_stf_count(s, cls, args);
    return status == TWILL_OK ? tw_stf_ranks_plan(w, g, cls, args, at, ready) : status;
}

static twill_status check(const twill_graph *g, const twill_class *cls, const twill_arg *args,
                          tw_shape *shape)
{
    if (!args)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_insert: the arguments are NULL");
    if ((!cls || !tw_class_is_plain(cls)) && tw_class_check("twill_insert", cls) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return tw_args_measure(g, args, shape);
}

static void drop(tw_stf_ranks *s, twill_tile *tile)
{
    twill_array *a = tile->array;
    tw_lock_take(&a->lock);
    if (tw_chain_idle(&tile->chain) && !tw_value_is_replicated(&tile->value) && !is_shared(s, tile))
        tw_tile_drop_bytes(tile);
    tw_unlock(&a->lock);
}

/* What the last run has left. */
static void clear(tw_stf_ranks *s)
{
    tw_stf_copies_clear(s, drop);
    tw_stf_transfers_free(s);
    tw_mailboxes_free(s);
    if (s->link && (*s->link = s->next))
        s->next->link = s->link;
    s->link = NULL;
}

/* The first insertion since the last wait. The program may have changed tiles itself, and a run
 * that failed may have left bytes that nobody received. Before the run is open: then new ones come.
 */
static void begin_run(tw_stf_ranks *s)
{
    clear(s);
    s->next = s->common->graphs;
    s->link = &s->common->graphs;
    if (s->next)
        s->next->link = &s->next;
    s->common->graphs = s;
    s->insertions = s->numbers = 0;
    memset(s->early, 0, (size_t)s->graph->tw->data.ranks * sizeof *s->early);
    tw_stf_identities_clear(&s->identities);
    tw_sequence_begin(&s->sequence);
    tw_shared_insert(s->graph);
}

/* A task of others: this rank notes that copies of theirs are old. False when reductions have to be
 * combined first, which may concern it. */
static bool pass(tw_stf_ranks *s, const twill_class *cls, const twill_arg *args, int at,
                 twill_status *status)
{
    pthread_mutex_lock(&s->common->mutex);
    if (tw_shared_is_over(s->graph))
        begin_run(s);
    bool passes = !s->common->open || !tw_contributed_to(s->common, args);
    if (passes) {
        *status = tw_stf_count(s, cls, args);
        for (const twill_arg *arg = args; arg->kind != TWILL_ARG_END; arg++)
            if (writes(arg))
                age(s, arg->u.tile, at);
    }
    pthread_mutex_unlock(&s->common->mutex);
    return passes;
}

static twill_status take_part(tw_stf_ranks *s, const twill_class *cls, const twill_arg *args,
                              const tw_shape *shape, int at)
{
    twill_graph *g = s->graph;
    tw_ready ready = {0};
    tw_worker *w = tw_enter(g->tw);
    pthread_mutex_lock(&s->common->mutex);
    if (tw_shared_is_over(g))
        begin_run(s);
    bool reduces = shape->reduces || (s->common->open && tw_contributed_to(s->common, args));
    twill_status status = reduces ? tw_contribute(w, g, cls, args, &ready)
                                  : tw_stf_ranks_link(w, g, cls, args, at, &ready);
    pthread_mutex_unlock(&s->common->mutex);
    tw_stf_dispatch(w, &ready);
    bool full = tw_stf_is_full(w, g);
    tw_exit(w);
    if (status != TWILL_OK)
        tw_graph_fail(g, status, "%s", twill_message());
    if (full)
        tw_help(g);
    return status;
}

twill_status tw_stf_ranks_insert(twill_graph *g, const twill_class *cls, const twill_arg *args)
{
    tw_stf_ranks *s = g->front;
    tw_shape shape;
    twill_status status = check(g, cls, args, &shape);
    if (status != TWILL_OK)
        return tw_stf_missed(g, status);
    int at = tw_stf_rank_of(args);
    bool concerned = shape.reduces || concerns(args, g->tw->data.rank, at);
    if (concerned || !pass(s, cls, args, at, &status))
        status = take_part(s, cls, args, &shape, at);
    else if (status != TWILL_OK)
        tw_graph_fail(g, status, "%s", twill_message());
    return tw_graph_failed(g) ? tw_graph_report(g) : TWILL_OK;
}

/* ---- graphs ------------------------------------------------------------------------------ */

static void discard(tw_stf_ranks *s)
{
    pthread_mutex_lock(&s->common->mutex);
    clear(s);
    pthread_mutex_unlock(&s->common->mutex);
    tw_sequence_end(&s->sequence);
    tw_stf_identities_free(&s->identities);
    free(s->lent);
    free(s->borrowed);
    free(s->early);
    free(s);
}

/* The program is about to wait, or has said that something is missing. */
static void begin_if_over(twill_graph *g)
{
    tw_stf_ranks *s = g->front;
    pthread_mutex_lock(&s->common->mutex);
    if (tw_shared_is_over(g))
        begin_run(s);
    pthread_mutex_unlock(&s->common->mutex);
}

/* Copies go with the wait, unless another thread has begun the next run. */
static void waited(twill_graph *g)
{
    tw_stf_ranks *s = g->front;
    pthread_mutex_lock(&s->common->mutex);
    if (tw_shared_is_over(g))
        clear(s);
    pthread_mutex_unlock(&s->common->mutex);
}

static bool flush(twill_graph *g, tw_worker *w)
{
    tw_stf_common *c = ((tw_stf_ranks *)g->front)->common;
    tw_ready ready = {0};
    pthread_mutex_lock(&c->mutex);
    bool owed = tw_contributions_combine(w, c, g, NULL, NULL, &ready);
    pthread_mutex_unlock(&c->mutex);
    tw_stf_dispatch(w, &ready);
    return owed;
}

twill_status tw_stf_missed(twill_graph *g, twill_status status)
{
    if (g->ops == &tw_stf_ranks_ops) /* others hear of it only from one that has begun the run */
        begin_if_over(g);
    tw_graph_fail(g, status, "%s", twill_message());
    return status;
}

twill_status tw_stf_create(twill_graph *g, const twill_pattern *p, twill_type type, twill_array **a)
{
    if (g->tw->remote && g->ops != &tw_stf_ranks_ops)
        return tw_fail(TWILL_ERR_UNSUPPORTED, "tasks that tasks insert are for one rank");
    twill_status status = tw_graph_array(g, p, type, a);
    return status == TWILL_OK || !g->shared ? status : tw_stf_missed(g, status);
}

static void ranks_close(twill_graph *g, tw_worker *w)
{
    (void)w;
    tw_shared_free(g);
    discard(g->front);
}

const tw_graph_ops tw_stf_ranks_ops = {
    .name = "stf",
    .release = tw_stf_ranks_release,
    .reads = tw_hazards_reads,
    .recycle = tw_task_put,
    .ended = tw_nest_ended,
    .flush = flush,
    .begin = begin_if_over,
    .waited = waited,
    .receive = tw_stf_ranks_arrive,
    .place = tw_stf_ranks_place,
    .land = tw_stf_ranks_land,
    .abandon = tw_stf_ranks_abandon,
    .park = tw_mailboxes_park,
    .close = ranks_close,
};

/* ---- what graphs share ------------------------------------------------------------------- */

/* The program uses a tile of its own: others do not learn of it, so what they contribute to it is
 * combined when all ranks wait. */
static void flush_tile(tw_extension *x, twill_tile *tile)
{
    (void)x, (void)tile;
}

/* A run of another graph, or the end of an array: on all ranks at the same place. */
static void flush_some(tw_extension *x, tw_tile_test *wanted, void *arg)
{
    tw_stf_common *c = (tw_stf_common *)x;
    tw_ready ready = {0};
    tw_worker *w = tw_enter(c->tw);
    pthread_mutex_lock(&c->mutex);
    tw_contributions_combine(w, c, NULL, wanted, arg, &ready);
    for (tw_stf_ranks *s = c->graphs; s; s = s->next)
        tw_stf_copies_age_some(s, wanted, arg);
    pthread_mutex_unlock(&c->mutex);
    tw_stf_dispatch(w, &ready);
    tw_exit(w);
}

static void forget(tw_extension *x, const twill_array *a)
{
    tw_stf_common *c = (tw_stf_common *)x;
    pthread_mutex_lock(&c->mutex);
    tw_contributions_lose(c, a);
    for (tw_stf_ranks *s = c->graphs; s; s = s->next)
        tw_stf_copies_lose(s, a);
    pthread_mutex_unlock(&c->mutex);
}

static void drain(tw_extension *x, tw_worker *w)
{
    tw_contributions_free(w, (tw_stf_common *)x);
}

static void close_common(tw_extension *x)
{
    tw_stf_common *c = (tw_stf_common *)x;
    pthread_mutex_destroy(&c->mutex);
    free(c);
}

/* Made with the first graph; NULL without memory. */
static tw_stf_common *common_of(twill *tw)
{
    static const char key;
    tw_lock_take(&tw->graph_lock);
    tw_stf_common *c = (tw_stf_common *)tw_extension_find(tw, &key);
    if (!c && (c = calloc(1, sizeof *c))) {
        pthread_mutex_init(&c->mutex, NULL);
        c->tw = tw;
        c->extension = (tw_extension){.key = &key,
                                      .flush = flush_tile,
                                      .flush_some = flush_some,
                                      .forget = forget,
                                      .drain = drain,
                                      .close = close_common};
        tw_extension_add(tw, &c->extension);
    }
    tw_unlock(&tw->graph_lock);
    return c;
}

static tw_stf_ranks *new_front(twill *tw)
{
    size_t ranks = (size_t)tw->data.ranks;
    tw_stf_common *c = common_of(tw);
    tw_stf_ranks *s = c ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->common = c;
    s->most = TW_STF_COPIES;
    s->lent = calloc(ranks, sizeof *s->lent);
    s->borrowed = calloc(ranks, sizeof *s->borrowed);
    s->early = calloc(ranks, sizeof *s->early);
    s->most_early = TW_STF_EARLY / (int64_t)ranks;
    if (s->lent && s->borrowed && s->early)
        return s;
    free(s->lent);
    free(s->borrowed);
    free(s->early);
    free(s);
    return NULL;
}

/* `*id`: its number, which is used up also if it is not made. */
static twill_status make_graph(twill *tw, twill_graph **g, int64_t *id)
{
    tw_stf_ranks *s = new_front(tw);
    if (!s)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a graph");
    twill_status status = tw_graph_make(tw, &tw_stf_ranks_ops, s, NULL, &s->graph);
    if (status != TWILL_OK) {
        discard(s);
        return status;
    }
    *id = s->graph->id;
    if (!tw_shared_make(s->graph, &s->sequence)) {
        twill_graph_free(s->graph);
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a graph");
    }
    *g = s->graph;
    return TWILL_OK;
}

twill_status tw_stf_ranks_begin(twill *tw, twill_graph **g)
{
    int64_t id = 0;
    twill_status status = make_graph(tw, g, &id);
    if (tw_unlikely(status != TWILL_OK))
        tw_shared_refuse(tw, id, status);
    return status;
}
