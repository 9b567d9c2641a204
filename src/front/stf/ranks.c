/* Which rank runs what, and which tiles travel. */
#include "front/stf/ranks.h"

#include "base/chore.h"
#include "base/mix.h"
#include "engine/hazard.h"
#include "engine/nest.h"
#include "engine/remote/remote.h"

#include <stdlib.h>

/* ---- tiles ------------------------------------------------------------------------------- */

static tw_stf_tile **chain_of(tw_stf_ranks *s, const twill_tile *tile)
{
    return &s->tiles[tw_mix((uint64_t)(uintptr_t)tile) % TW_STF_CHAINS];
}

static tw_stf_tile *find_tile(tw_stf_ranks *s, const twill_tile *tile)
{
    tw_stf_tile *x = *chain_of(s, tile);
    while (x && x->tile != tile)
        x = x->next;
    return x;
}

/* At first, the owner alone has it. */
static tw_stf_tile *note_tile(tw_stf_ranks *s, twill_tile *tile)
{
    tw_stf_tile *x = find_tile(s, tile);
    if (x || !(x = malloc(sizeof *x)))
        return x;
    *x = (tw_stf_tile){*chain_of(s, tile), tile, (uint64_t)1 << tw_tile_owner(tile)};
    *chain_of(s, tile) = x;
    return x;
}

static void forget_tiles(tw_stf_ranks *s)
{
    for (int i = 0; i < TW_STF_CHAINS; i++)
        while (s->tiles[i]) {
            tw_stf_tile *x = s->tiles[i];
            s->tiles[i] = x->next;
            free(x);
        }
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

static bool is_data(const twill_arg *arg)
{
    return arg->kind >= TWILL_ARG_READ && arg->kind <= TWILL_ARG_REDUCE;
}

static bool writes(const twill_arg *arg)
{
    return is_data(arg) && arg->kind != TWILL_ARG_READ;
}

/* At the owner of the first tile that it writes, or of the first at all; without tiles at rank 0.
 */
static int rank_of(const twill_arg *args)
{
    const twill_arg *first = NULL;
    for (const twill_arg *arg = args; arg->kind != TWILL_ARG_END; arg++) {
        if (writes(arg))
            return (int)tw_tile_owner(arg->u.tile);
        if (!first && is_data(arg))
            first = arg;
    }
    return first ? (int)tw_tile_owner(first->u.tile) : 0;
}

/* A tile that is named twice is used as all its names say. */
static void use_of(const twill_arg *args, const twill_arg *arg, bool *reads, bool *writes_it,
                   bool *first)
{
    *reads = *writes_it = false;
    *first = true;
    for (const twill_arg *x = args; x->kind != TWILL_ARG_END; x++) {
        if (!is_data(x) || x->u.tile != arg->u.tile)
            continue;
        *reads |= x->kind != TWILL_ARG_WRITE;
        *writes_it |= writes(x);
        *first &= x >= arg;
    }
}

/* Room for a tile of another rank. */
static bool has_bytes(twill_tile *tile)
{
    tw_value *v = &tile->value;
    if (v->host.data)
        return true;
    v->host.data = tw_host.alloc(&tw_host, (size_t)v->rows * (size_t)v->cols * v->element);
    atomic_store_explicit(&v->valid, v->host.data ? 1u << TW_SPACE_HOST : 0, memory_order_relaxed);
    return v->host.data;
}

static twill_status no_memory(void)
{
    return tw_fail(TWILL_ERR_MEMORY, "no memory for a tile of another rank");
}

/* The tile goes from one rank to another, and this is one of them. Others wait for what the task
 * waits for: both ends are as urgent as it is. */
static twill_status travel(plan *p, twill_tile *tile, int from, int to, int64_t argument)
{
    tw_stf_trip trip = {tile, p->number, argument, p->priority};
    return p->here == from ? tw_stf_send(p->w, p->g, &trip, to, p->ready)
                           : tw_stf_receive(p->w, p->g, &trip, p->ready);
}

/* The task reads the tile: it comes from its owner, unless it is there. */
static twill_status bring(plan *p, tw_stf_tile *x, int64_t argument)
{
    uint64_t there = (uint64_t)1 << p->at;
    if (x->holders & there)
        return TWILL_OK;
    x->holders |= there;
    return travel(p, x->tile, (int)tw_tile_owner(x->tile), p->at, argument);
}

/* The task has written the tile: it goes to its owner. */
static twill_status take_home(plan *p, tw_stf_tile *x, int64_t argument)
{
    int owner = (int)tw_tile_owner(x->tile);
    x->holders = (uint64_t)1 << p->at | (uint64_t)1 << owner;
    return owner == p->at ? TWILL_OK : travel(p, x->tile, p->at, owner, argument);
}

/* All tiles before the task (`home` false), or after it. The numbers of arguments are even before
 * it and odd after it. */
static twill_status move_tiles(plan *p, bool home)
{
    twill_status status = TWILL_OK;
    for (const twill_arg *arg = p->args; arg->kind != TWILL_ARG_END && status == TWILL_OK; arg++) {
        bool reads, writes_it, first;
        int64_t argument = 2 * (arg - p->args) + home;
        if (!is_data(arg))
            continue;
        use_of(p->args, arg, &reads, &writes_it, &first);
        bool concerned = tw_tile_is_local(arg->u.tile) || p->here == p->at;
        tw_stf_tile *x = concerned ? note_tile(p->s, arg->u.tile) : find_tile(p->s, arg->u.tile);
        if (!x && concerned)
            return no_memory();
        if (!first || !x)
            continue;
        if (!concerned && writes_it)
            x->holders &= ~((uint64_t)1 << p->here);
        else if (concerned && !has_bytes(arg->u.tile))
            return no_memory();
        else if (concerned && !home && reads)
            status = bring(p, x, argument);
        else if (concerned && home && writes_it)
            status = take_home(p, x, argument);
    }
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

static twill_status insert_here(plan *p, const twill_class *cls, const tw_shape *shape)
{
    twill_status status = move_tiles(p, false);
    if (status == TWILL_OK && p->here == p->at)
        status = tw_stf_link(p->w, p->g, cls, shape, p->args, p->ready);
    return status == TWILL_OK ? move_tiles(p, true) : status;
}

static twill_status check(const twill_graph *g, const twill_class *cls, const twill_arg *args,
                          tw_shape *shape)
{
    if (!args || tw_class_check("twill_insert", cls) != TWILL_OK)
        return args ? TWILL_ERR_ARGUMENT
                    : tw_fail(TWILL_ERR_ARGUMENT, "twill_insert: the arguments are NULL");
    twill_status status = tw_args_measure(g, args, shape);
    if (status == TWILL_OK && shape->reduces)
        status = tw_fail(TWILL_ERR_UNSUPPORTED, "TWILL_REDUCE is not for several ranks");
    return status;
}

/* The first insertion since the last wait. The program may have changed tiles itself, and a run
 * that failed may have left bytes that nobody received. Before the run is open: then new ones come.
 */
static void begin_run(tw_stf_ranks *s, twill_graph *g)
{
    forget_tiles(s);
    tw_stf_transfers_free(s);
    s->insertions = 0;
    tw_shared_insert(g);
}

twill_status tw_stf_ranks_insert(twill_graph *g, const twill_class *cls, const twill_arg *args)
{
    tw_stf_ranks *s = g->front;
    tw_shape shape;
    tw_ready ready = {0};
    twill_status status = check(g, cls, args, &shape);
    if (status != TWILL_OK)
        return tw_stf_missed(g, status);
    pthread_mutex_lock(&s->mutex);
    if (tw_shared_is_over(g))
        begin_run(s, g);
    tw_worker *w = tw_enter(g->tw);
    plan p = {
        w, g, s, args, ++s->insertions, priority_of(args), g->tw->data.rank, rank_of(args), &ready};
    status = insert_here(&p, cls, &shape);
    tw_stf_dispatch(w, &ready);
    bool full = tw_stf_is_full(w, g);
    tw_exit(w);
    pthread_mutex_unlock(&s->mutex);
    if (status != TWILL_OK)
        tw_graph_fail(g, status, "%s", twill_message());
    if (full)
        tw_help(g);
    return tw_graph_failed(g) ? tw_graph_report(g) : TWILL_OK;
}

/* ---- graphs ------------------------------------------------------------------------------ */

static void discard(tw_stf_ranks *s)
{
    forget_tiles(s);
    tw_stf_transfers_free(s);
    pthread_mutex_destroy(&s->mutex);
    free(s);
}

twill_status tw_stf_missed(twill_graph *g, twill_status status)
{
    tw_stf_ranks *s = g->ops == &tw_stf_ranks_ops ? g->front : NULL;
    if (s) { /* others may have begun the run, and hear of it only from one that has */
        pthread_mutex_lock(&s->mutex);
        if (tw_shared_is_over(g))
            begin_run(s, g);
        pthread_mutex_unlock(&s->mutex);
    }
    tw_graph_fail(g, status, "%s", twill_message());
    return status;
}

static twill_status create(twill_graph *g, const twill_pattern *p, twill_type type, tw_stf_kept *k)
{
    if (!k)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for an array of a graph");
    return twill_array_create(g->tw, p, type, 0, &k->array);
}

twill_status tw_stf_create(twill_graph *g, const twill_pattern *p, twill_type type, twill_array **a)
{
    if (g->ops != &tw_stf_ranks_ops)
        return tw_fail(TWILL_ERR_UNSUPPORTED, "tasks that tasks insert are for one rank");
    tw_stf_ranks *s = g->front;
    tw_stf_kept *k = malloc(sizeof *k);
    twill_status status = create(g, p, type, k);
    if (status != TWILL_OK) {
        free(k);
        return tw_stf_missed(g, status);
    }
    pthread_mutex_lock(&s->mutex);
    k->next = s->kept;
    s->kept = k;
    pthread_mutex_unlock(&s->mutex);
    *a = k->array;
    return TWILL_OK;
}

/* All tasks are over: nobody uses them. */
static void free_kept(tw_stf_ranks *s, tw_worker *w)
{
    while (s->kept) {
        tw_stf_kept *k = s->kept;
        s->kept = k->next;
        twill_array *root = tw_array_release(k->array);
        if (root)
            tw_array_destroy(root, &w->epochs);
        free(k);
    }
}

static void ranks_close(twill_graph *g, tw_worker *w)
{
    tw_shared_free(g);
    free_kept(g->front, w);
    discard(g->front);
}

const tw_graph_ops tw_stf_ranks_ops = {
    .name = "stf",
    .release = tw_stf_ranks_release,
    .reads = tw_hazards_reads,
    .recycle = tw_task_put,
    .ended = tw_nest_ended,
    .receive = tw_stf_ranks_arrive,
    .abandon = tw_stf_ranks_abandon,
    .close = ranks_close,
};

twill_status tw_stf_ranks_begin(twill *tw, twill_graph **g)
{
    if (tw->data.ranks > TW_STF_RANKS)
        return tw_fail(TWILL_ERR_UNSUPPORTED, "insertion is for up to %d ranks, not %d",
                       TW_STF_RANKS, tw->data.ranks);
    tw_stf_ranks *s = calloc(1, sizeof *s);
    if (!s)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a graph");
    pthread_mutex_init(&s->mutex, NULL);
    twill_status status = tw_graph_make(tw, &tw_stf_ranks_ops, s, NULL, g);
    if (status != TWILL_OK) {
        discard(s);
        return status;
    }
    if (tw_shared_make(*g))
        return TWILL_OK;
    twill_graph_free(*g);
    return tw_fail(TWILL_ERR_MEMORY, "no memory for a graph");
}
