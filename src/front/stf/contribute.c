/* REDUCE on several ranks: the same partial results, combined in the same order, as on one
 * (reduce.c), so the bits are the same.
 *
 * A partial result is where its last contribution was made, and goes to where the next one is. All
 * ranks see all contributions, so each has a record of all partial results; memory has only who
 * contributes to one. What combines them is inserted like any task of the program. */
#include "front/stf/ranks.h"

#include <stdlib.h>

/* An open reduction of a tile, or one whose partial results are still in use. */
typedef struct tw_contributions {
    struct tw_contributions *next;
    twill_tile *tile;
    twill_graph *graph; /* of the last contribution: the combining tasks go there */
    const twill_reduction *reduction;
    int64_t n;
    twill_tile *partial[TW_PARTIALS];
} tw_contributions;

static tw_contributions *find(const tw_stf_common *c, const twill_tile *tile)
{
    tw_contributions *r = c->open;
    while (r && r->tile != tile)
        r = r->next;
    return r;
}

bool tw_contributed_to(const tw_stf_common *c, const twill_arg *args)
{
    while (args->kind != TWILL_ARG_END && !(tw_arg_is_data(args) && find(c, args->u.tile)))
        args++;
    return args->kind != TWILL_ARG_END;
}

/* ---- combining --------------------------------------------------------------------------- */

static void combine(tw_worker *w, const tw_contributions *r, twill_tile *into, twill_tile *from,
                    tw_ready *ready)
{
    tw_combine_args args = tw_combine_of(&r->reduction, into, from);
    twill_status status =
        tw_stf_ranks_link(w, r->graph, &tw_combiner, args.arg, tw_stf_rank_of(args.arg), ready);
    if (status != TWILL_OK)
        tw_graph_fail(r->graph, status, "%s", twill_message());
}

/* Its partial results live on until they are idle. */
static void close_run(tw_stf_common *c, tw_contributions *r)
{
    tw_contributions **link = &c->open;
    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    r->next = c->closed;
    c->closed = r;
}

static void combine_all(tw_worker *w, tw_stf_common *c, tw_contributions *r, tw_ready *ready)
{
    close_run(c, r);
    for (const tw_partials_pair *x = tw_pairs; x < tw_pairs + TW_PARTIALS - 1; x++)
        if (r->partial[x->from])
            combine(w, r, r->partial[x->into], r->partial[x->from], ready);
    if (r->partial[0])
        combine(w, r, r->tile, r->partial[0], ready);
}

bool tw_contributions_combine(tw_worker *w, tw_stf_common *c, const twill_graph *g,
                              tw_tile_test *wanted, void *arg, tw_ready *ready)
{
    bool some = false;
    for (tw_contributions *r = c->open, *next; r; r = next) {
        next = r->next;
        if (wanted ? !wanted(r->tile, arg) : r->graph != g)
            continue;
        combine_all(w, c, r, ready);
        some = true;
    }
    return some;
}

/* ---- ends -------------------------------------------------------------------------------- */

static void free_run(tw_worker *w, tw_contributions *r)
{
    for (int i = 0; i < TW_PARTIALS; i++)
        if (r->partial[i])
            tw_tile_private_free(r->partial[i], &w->epochs);
    free(r);
}

static bool is_idle(const tw_contributions *r)
{
    bool idle = true;
    for (int i = 0; i < TW_PARTIALS; i++)
        idle = idle && (!r->partial[i] || tw_chain_idle(&r->partial[i]->chain));
    return idle;
}

static void reap(tw_worker *w, tw_stf_common *c)
{
    for (tw_contributions **link = &c->closed; *link;) {
        tw_contributions *r = *link;
        if (is_idle(r)) {
            *link = r->next;
            free_run(w, r);
        } else {
            link = &r->next;
        }
    }
}

void tw_contributions_lose(tw_stf_common *c, const twill_array *a)
{
    for (tw_contributions *r = c->open, *next; r; r = next) {
        next = r->next;
        if (r->tile->array == a)
            close_run(c, r);
    }
}

void tw_contributions_free(tw_worker *w, tw_stf_common *c)
{
    while (c->open)
        close_run(c, c->open);
    while (c->closed) {
        tw_contributions *r = c->closed;
        c->closed = r->next;
        free_run(w, r);
    }
}

/* ---- contributing ------------------------------------------------------------------------ */

static tw_contributions *open_run(tw_stf_common *c, twill_tile *tile,
                                  const twill_reduction *reduction)
{
    tw_contributions *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (tw_contributions){.next = c->open, .tile = tile, .reduction = reduction};
    c->open = r;
    return r;
}

/* The partial result that the next contribution, by rank `at`, goes to; NULL without memory. Who
 * makes the first one to it begins with zero. */
static twill_tile *next_partial(tw_contributions *r, twill_graph *g, int at)
{
    twill_tile **p = &r->partial[r->n % TW_PARTIALS];
    const tw_value *v = &r->tile->value;
    if (!*p) {
        *p = tw_tile_private(r->tile->array, v->rows, v->cols, at);
        if (*p && tw_tile_is_local(*p))
            r->reduction->zero((*p)->value.host.data, v->rows, v->cols, (*p)->value.host.ld);
    }
    if (*p) {
        r->n++;
        r->graph = g;
    }
    return *p;
}

static twill_status no_memory(void)
{
    return tw_fail(TWILL_ERR_MEMORY, "no memory for a partial result");
}

/* The argument becomes an update of a partial result. Any other use of the tile, or another kind of
 * contribution, comes after those so far. */
static twill_status lower(tw_worker *w, twill_graph *g, twill_arg *arg, int at, tw_ready *ready)
{
    tw_stf_common *c = ((tw_stf_ranks *)g->front)->common;
    bool contributes = arg->kind == TWILL_ARG_REDUCE;
    tw_contributions *r = find(c, arg->u.tile);
    if (r && (!contributes || r->reduction != arg->v.reduction)) {
        combine_all(w, c, r, ready);
        r = NULL;
    }
    if (!contributes)
        return TWILL_OK;
    if (!r)
        r = open_run(c, arg->u.tile, arg->v.reduction);
    twill_tile *partial = r ? next_partial(r, g, at) : NULL;
    if (r && r->n == 0)
        close_run(c, r);
    if (!partial)
        return no_memory();
    *arg = TWILL_RW(partial);
    return TWILL_OK;
}

static twill_status check(const twill_arg *args)
{
    twill_status status = TWILL_OK;
    for (; args->kind != TWILL_ARG_END && status == TWILL_OK; args++)
        if (args->kind == TWILL_ARG_REDUCE)
            status = tw_reduction_check(args->v.reduction);
    return status;
}

/* Other uses first: one of a tile that the task also contributes to sees what was there before. */
static twill_status lower_all(tw_worker *w, twill_graph *g, twill_arg *args, int n, int at,
                              tw_ready *ready)
{
    twill_status status = TWILL_OK;
    for (int i = 0; i < n && status == TWILL_OK; i++)
        if (tw_arg_is_data(&args[i]) && args[i].kind != TWILL_ARG_REDUCE)
            status = lower(w, g, &args[i], at, ready);
    for (int i = 0; i < n && status == TWILL_OK; i++)
        if (args[i].kind == TWILL_ARG_REDUCE)
            status = lower(w, g, &args[i], at, ready);
    return status;
}

twill_status tw_contribute(tw_worker *w, twill_graph *g, const twill_class *cls,
                           const twill_arg *args, tw_ready *ready)
{
    int n = 0, at = tw_stf_rank_of(args);
    twill_status status = check(args);
    if (status != TWILL_OK)
        return status;
    while (args[n].kind != TWILL_ARG_END)
        n++;
    twill_arg *lowered = malloc((size_t)(n + 1) * sizeof *lowered);
    if (!lowered)
        return no_memory();
    for (int i = 0; i <= n; i++)
        lowered[i] = args[i];
    reap(w, ((tw_stf_ranks *)g->front)->common);
    status = lower_all(w, g, lowered, n, at, ready);
    if (status == TWILL_OK)
        status = tw_stf_count(g->front, cls, args);
    if (status == TWILL_OK)
        status = tw_stf_ranks_plan(w, g, cls, lowered, at, ready);
    free(lowered);
    return status;
}
