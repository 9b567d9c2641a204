/* REDUCE: contributions go to partial results, which are combined in a fixed order.
 *
 * Contribution i of a run of REDUCE accesses updates partial i mod 8, so contributions to one
 * partial run in insertion order and different partials in parallel. The next access of another
 * kind (or a wait) closes the run: the partials are added up by a fixed tree, then into the tile.
 * All of it is ordinary tasks, so the result depends on the insertions alone.
 *
 * Closing happens where nobody could be told that there is no memory. So every partial comes with
 * the combining task that will read it and with what that needs, or the contribution is refused. */
#include "front/stf/stf.h"

#include "base/abi.h"

#include <pthread.h>
#include <stdlib.h>

enum { SLOTS = 3 }; /* of a combining task */

/* A partial result, and the memory to combine it with another or with the tile. */
typedef struct partial {
    twill_tile *tile; /* NULL: there is none yet */
    twill_task *task; /* this and the next are NULL once they are used */
    tw_epoch *epoch[SLOTS];
} partial;

typedef struct tw_reducing {
    struct tw_reducing *next;
    twill_tile *tile;
    twill_graph *graph; /* of the last contribution: the combining tasks go there */
    const twill_reduction *reduction;
    int64_t contributions;
    partial partial[TW_PARTIALS];
} tw_reducing;

/* Kept by the context once it has seen a reduction. */
typedef struct reductions {
    tw_extension extension;
    twill *tw;
    pthread_mutex_t
        mutex; /* held over insertions: a contribution is inserted before its run closes */
    tw_reducing *open, *closed;
} reductions;

static const char key;

static reductions *find(const twill *tw)
{
    return (reductions *)tw_extension_find(tw, &key);
}

/* Insert a task whose arguments are lowered. */
static twill_status link_lowered(tw_worker *w, twill_graph *g, const twill_class *cls,
                                 const twill_arg *args, tw_ready *ready)
{
    tw_shape shape;
    twill_status status = tw_args_measure(g, args, &shape);
    return status == TWILL_OK ? tw_stf_link(w, g, cls, &shape, args, ready) : status;
}

/* ---- combining --------------------------------------------------------------------------- */

static twill_outcome combine_body(twill_task *t)
{
    const twill_reduction *r = *(const twill_reduction *const *)twill_task_data(t, 2);
    r->combine(twill_task_data(t, 0), twill_task_ld(t, 0), twill_task_data(t, 1),
               twill_task_ld(t, 1), twill_task_rows(t, 0), twill_task_cols(t, 0));
    return TWILL_DONE;
}

const twill_class tw_combiner = {
    .size = sizeof(twill_class), .name = "combine", .chores = {TWILL_CPU(combine_body)}};

tw_combine_args tw_combine_of(const twill_reduction *const *r, twill_tile *into, twill_tile *from)
{
    return (tw_combine_args){{TWILL_RW(into), TWILL_R(from), TWILL_COPY(r, sizeof *r),
                              TWILL_NAME((*r)->name), TWILL_END}};
}

const tw_partials_pair tw_pairs[TW_PARTIALS - 1] = {{0, 1}, {2, 3}, {4, 5}, {6, 7},
                                                    {0, 2}, {4, 6}, {0, 4}};

/* What was kept goes where the worker finds it when it asks next. */
static void give_back(tw_worker *w, partial *p)
{
    if (p->task)
        tw_task_put(w, p->task);
    p->task = NULL;
    for (int i = 0; i < SLOTS; i++) {
        if (p->epoch[i])
            tw_pool_put(&w->tw->data.epochs, &w->epochs, p->epoch[i]);
        p->epoch[i] = NULL;
    }
}

static void insert_combine(tw_worker *w, tw_reducing *r, twill_tile *into, partial *from,
                           tw_ready *ready)
{
    tw_combine_args args = tw_combine_of(&r->reduction, into, from->tile);
    give_back(w, from);
    twill_status status = link_lowered(w, r->graph, &tw_combiner, args.arg, ready);
    if (status != TWILL_OK)
        tw_graph_fail(r->graph, status, "%s", twill_message());
}

static void insert_tree(tw_worker *w, tw_reducing *r, tw_ready *ready)
{
    partial *p = r->partial;
    for (const tw_partials_pair *x = tw_pairs; x < tw_pairs + TW_PARTIALS - 1; x++)
        if (p[x->from].tile)
            insert_combine(w, r, p[x->into].tile, &p[x->from], ready);
    insert_combine(w, r, r->tile, &p[0], ready);
}

static void unlink_run(reductions *all, tw_reducing *r)
{
    tw_reducing **link = &all->open;
    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
}

/* Close a run: the tile has no open reduction any more, its partials live on until they are idle.
 */
static void close_run(tw_worker *w, reductions *all, tw_reducing *r, tw_ready *ready)
{
    unlink_run(all, r);
    r->next = all->closed;
    all->closed = r;
    insert_tree(w, r, ready);
    /* Last: until the combining tasks are in the chain, other threads must come and wait for us. */
    atomic_store_explicit(&r->tile->reducing, NULL, memory_order_release);
}

/* ---- partial results --------------------------------------------------------------------- */

static void free_partial(tw_worker *w, partial *p)
{
    if (p->tile)
        tw_tile_private_free(p->tile, &w->epochs);
    p->tile = NULL;
    give_back(w, p);
}

static void free_run(tw_worker *w, tw_reducing *r)
{
    for (int i = 0; i < TW_PARTIALS; i++)
        free_partial(w, &r->partial[i]);
    free(r);
}

/* Free closed runs whose tasks are done. */
static void reap(tw_worker *w, reductions *all)
{
    tw_reducing **link = &all->closed;
    while (*link) {
        tw_reducing *r = *link;
        bool idle = true;
        for (int i = 0; i < TW_PARTIALS; i++)
            idle = idle && (!r->partial[i].tile || tw_chain_idle(&r->partial[i].tile->chain));
        if (idle) {
            *link = r->next;
            free_run(w, r);
        } else {
            link = &r->next;
        }
    }
}

static tw_reducing *open_run(reductions *all, twill_tile *tile, const twill_reduction *reduction)
{
    tw_reducing *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->tile = tile;
    r->reduction = reduction;
    r->next = all->open;
    all->open = r;
    atomic_store_explicit(&tile->reducing, r, memory_order_release);
    return r;
}

/* All or nothing. */
static bool make_partial(tw_worker *w, const tw_reducing *r, const twill_graph *g, partial *p)
{
    const tw_value *v = &r->tile->value;
    tw_combine_args args = tw_combine_of(&r->reduction, r->tile, r->tile);
    tw_shape shape;
    bool done = tw_args_measure(g, args.arg, &shape) == TWILL_OK &&
                (p->task = tw_task_get(w, shape.lines)) &&
                (p->tile = tw_tile_private(r->tile->array, v->rows, v->cols, w->tw->data.rank));
    for (int i = 0; i < SLOTS && done; i++)
        done = (p->epoch[i] = tw_pool_get(&w->tw->data.epochs, &w->epochs));
    if (done)
        r->reduction->zero(p->tile->value.host.data, v->rows, v->cols, p->tile->value.host.ld);
    else
        free_partial(w, p);
    return done;
}

/* The partial result that the next contribution, one of this graph, goes to. */
static twill_tile *next_partial(tw_worker *w, tw_reducing *r, twill_graph *g)
{
    partial *p = &r->partial[r->contributions % TW_PARTIALS];
    if (!p->tile && !make_partial(w, r, g, p))
        return NULL;
    r->contributions++;
    r->graph = g;
    return p->tile;
}

/* A run without contributions, for lack of memory, has nothing to combine. */
static void forget_run(reductions *all, tw_reducing *r)
{
    atomic_store_explicit(&r->tile->reducing, NULL, memory_order_release);
    unlink_run(all, r);
    free(r);
}

/* ---- insertion --------------------------------------------------------------------------- */

static void drain(tw_extension *x, tw_worker *w)
{
    reductions *all = (reductions *)x;
    while (all->open) {
        tw_reducing *r = all->open;
        all->open = r->next;
        free_run(w, r);
    }
    while (all->closed) {
        tw_reducing *r = all->closed;
        all->closed = r->next;
        free_run(w, r);
    }
}

static void close_all(tw_extension *x)
{
    reductions *all = (reductions *)x;
    pthread_mutex_destroy(&all->mutex);
    free(all);
}

static void flush_tile(tw_extension *x, twill_tile *tile)
{
    reductions *all = (reductions *)x;
    tw_ready ready = {0};
    tw_worker *w = tw_enter(tile->array->context);
    pthread_mutex_lock(&all->mutex);
    tw_reducing *r = atomic_load_explicit(&tile->reducing, memory_order_acquire);
    if (r)
        close_run(w, all, r, &ready);
    reap(w, all);
    pthread_mutex_unlock(&all->mutex);
    tw_stf_dispatch(w, &ready);
    tw_exit(w);
}

static void flush_some(tw_extension *x, tw_tile_test *wanted, void *arg)
{
    reductions *all = (reductions *)x;
    tw_ready ready = {0};
    tw_worker *w = tw_enter(all->tw);
    pthread_mutex_lock(&all->mutex);
    for (tw_reducing *r = all->open, *next; r; r = next) {
        next = r->next;
        if (wanted(r->tile, arg))
            close_run(w, all, r, &ready);
    }
    reap(w, all);
    pthread_mutex_unlock(&all->mutex);
    tw_stf_dispatch(w, &ready);
    tw_exit(w);
}

static reductions *shared_state(twill *tw)
{
    tw_lock_take(&tw->graph_lock);
    reductions *all = find(tw);
    if (!all && (all = calloc(1, sizeof *all))) {
        pthread_mutex_init(&all->mutex, NULL);
        all->tw = tw;
        all->extension = (tw_extension){.key = &key,
                                        .flush = flush_tile,
                                        .flush_some = flush_some,
                                        .drain = drain,
                                        .close = close_all};
        tw_extension_add(tw, &all->extension);
    }
    tw_unlock(&tw->graph_lock);
    return all;
}

twill_status tw_reduction_check(const twill_reduction *r)
{
    twill_status status = r ? TW_ABI_CHECK(twill_reduction, combine, r) : TWILL_OK;
    if (status == TWILL_OK && (!r || !r->zero || !r->combine))
        status =
            tw_fail(TWILL_ERR_ARGUMENT, "TWILL_REDUCE needs a reduction with zero and combine");
    return status;
}

static twill_status lower_arg(tw_worker *w, reductions *all, twill_graph *g, twill_arg *arg,
                              tw_ready *ready)
{
    twill_tile *tile = arg->u.tile;
    if (arg->kind > TWILL_ARG_REDUCE || !tile)
        return TWILL_OK;
    tw_reducing *r = atomic_load_explicit(&tile->reducing, memory_order_relaxed);
    bool contributes = arg->kind == TWILL_ARG_REDUCE;
    twill_status status = contributes ? tw_reduction_check(arg->v.reduction) : TWILL_OK;
    if (status != TWILL_OK)
        return status;
    if (r && (!contributes || r->reduction != arg->v.reduction)) {
        close_run(w, all, r, ready);
        r = NULL;
    }
    if (!contributes)
        return TWILL_OK;
    if (!r)
        r = open_run(all, tile, arg->v.reduction);
    twill_tile *into = r ? next_partial(w, r, g) : NULL;
    if (into) {
        *arg = TWILL_RW(into);
        return TWILL_OK;
    }
    if (r && r->contributions == 0)
        forget_run(all, r);
    return tw_fail(TWILL_ERR_MEMORY, "no memory for a partial result");
}

static int length(const twill_arg *args)
{
    int n = 0;
    while (args[n].kind != TWILL_ARG_END)
        n++;
    return n + 1;
}

twill_status tw_reduce_insert(tw_worker *w, twill_graph *g, const twill_class *cls,
                              const twill_arg *args, tw_ready *ready)
{
    int n = length(args);
    twill_arg *lowered = malloc((size_t)n * sizeof *lowered);
    reductions *all = shared_state(g->tw);
    if (!lowered || !all) {
        free(lowered);
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a reduction");
    }
    for (int i = 0; i < n; i++)
        lowered[i] = args[i];
    pthread_mutex_lock(&all->mutex);
    reap(w, all);
    twill_status status = TWILL_OK;
    /* Other uses first: one of a tile that the task also contributes to sees what was there before.
     */
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n && status == TWILL_OK; i++)
            if ((args[i].kind == TWILL_ARG_REDUCE) == (pass == 1))
                status = lower_arg(w, all, g, &lowered[i], ready);
    if (status == TWILL_OK)
        status = link_lowered(w, g, cls, lowered, ready);
    pthread_mutex_unlock(&all->mutex);
    free(lowered);
    return status;
}

bool tw_reduce_flush(twill_graph *g, tw_worker *w)
{
    reductions *all = find(g->tw);
    bool owed = false;
    if (!all)
        return false;
    tw_ready ready = {0};
    pthread_mutex_lock(&all->mutex);
    for (tw_reducing *r = all->open, *next; r; r = next) {
        next = r->next;
        if (r->graph != g)
            continue;
        close_run(w, all, r, &ready);
        owed = true;
    }
    reap(w, all);
    pthread_mutex_unlock(&all->mutex);
    tw_stf_dispatch(w, &ready);
    return owed;
}
