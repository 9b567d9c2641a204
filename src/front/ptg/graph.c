/* Parameterised graphs: making, running, ending. */
#include "front/ptg/id.h"
#include "front/ptg/loans.h"
#include "front/ptg/remote.h"

#include "base/chore.h"
#include "base/mix.h"
#include "engine/remote/remote.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- ending ------------------------------------------------------------------------------ */

static twill_graph *ptg_ended(twill_graph *g, tw_worker *w)
{
    tw_ptg *ptg = g->front;
    /* other ranks may still send something here */
    if ((g->shared || tw_table_count(&ptg->waiting) > 0) && tw_graph_may_go_on(g))
        return tw_graph_end_later(g);
    /* counted again: what a service brought meanwhile may have run to its end */
    if (tw_table_count(&ptg->waiting) > 0) {
        if (!tw_graph_failed(g))
            tw_ptg_stuck(ptg);
        tw_pending_clear(ptg, w);
    }
    tw_ptg_stores_clear(ptg, w); /* none, unless the graph has failed */
    tw_ptg_landings_clear(ptg, w);
    tw_rerun_end(g, ptg->use, w);
    return NULL;
}

static void destroy(tw_ptg *ptg)
{
    if (ptg) {
        tw_table_close(&ptg->waiting);
        for (int i = 0; ptg->caches && i <= ptg->workers; i++)
            tw_buffer_cache_close(&ptg->caches[i]);
        tw_depot_close(&ptg->depot);
        tw_use_discard(ptg->use);
        free(ptg->caches);
        free(ptg->classes);
        free(ptg->cursor);
        free(ptg->owned);
    }
    free(ptg);
}

static void ptg_close(twill_graph *g, tw_worker *w)
{
    (void)w;
    tw_shared_free(g);
    destroy(g->front);
}

static int64_t ptg_waiting(const twill_graph *g)
{
    const tw_ptg *ptg = g->front;
    return tw_table_count(&ptg->waiting);
}

/* ---- for traces -------------------------------------------------------------------------- */

static void ptg_about(const twill_task *t, twill_about *about)
{
    const tw_ptg_class *c = tw_ptg_class_of(t);
    int n = c->cls->parameters;
    about->parameters = n < TWILL_PARAMETERS ? n : TWILL_PARAMETERS;
    for (int i = 0; i < about->parameters; i++)
        about->parameter[i] = tw_ptg_words(t)[i];
    for (int i = 0; i < c->cls->flows; i++) {
        const tw_value *v = tw_ptg_values(t)[i];
        if (v && v->host.data)
            about->bytes +=
                tw_value_bytes(v) * (c->cls->flow[i].mode == TWILL_FLOW_READ_WRITE ? 2 : 1);
    }
    if (c->cls->flops)
        about->flops = c->cls->flops(c->ptg->globals, tw_ptg_words(t));
}

static void join_names(tw_ptg_class *c)
{
    size_t used = 0;
    for (int i = 0; i < c->cls->parameters && used < sizeof c->names; i++)
        used += (size_t)snprintf(c->names + used, sizeof c->names - used, "%s%s", i ? " " : "",
                                 c->cls->parameter[i]);
    c->chores.parameters = c->names;
}

const tw_graph_ops tw_ptg_ops = {
    .name = "ptg",
    .release = tw_ptg_release,
    .recycle = tw_task_put,
    .startup = tw_ptg_startup,
    .make = tw_ptg_make_batch,
    .ended = ptg_ended,
    .prepare = tw_ptg_bind,
    .values = tw_ptg_list_values,
    .reads = tw_ptg_reads,
    .write_through = true,
    .about = ptg_about,
    .describe = tw_ptg_describe,
    .receive = tw_ptg_receive,
    .place = tw_ptg_place,
    .land = tw_ptg_land,
    .waiting = ptg_waiting,
    .close = ptg_close,
};

/* ---- making ------------------------------------------------------------------------------ */

static twill_array *array_at(const void *globals, const twill_ptg_collection *c)
{
    return *(twill_array *const *)(const void *)((const char *)globals + c->offset);
}

static bool has_body(const twill_ptg_class *cls)
{
    tw_ptg_class c = {.cls = cls};
    tw_ptg_take_chores(&c);
    return tw_class_has_body(&c.chores);
}

static twill_status check_class(const twill_ptg_class *cls)
{
    twill_status status = TW_ABI_CHECK(twill_ptg_class, team_size, cls);
    if (status != TWILL_OK)
        return status;
    if (!cls->inputs || !has_body(cls))
        return tw_fail(TWILL_ERR_ARGUMENT, "class %s has no body or no inputs function", cls->name);
    if (cls->flows > TW_PTG_FLOWS || cls->parameters > TW_PTG_PARAMETERS)
        return tw_fail(TWILL_ERR_ARGUMENT, "class %s has more than %d flows or %d parameters",
                       cls->name, TW_PTG_FLOWS, TW_PTG_PARAMETERS);
    return TWILL_OK;
}

static twill_status check(const twill *tw, const twill_ptg_graph *d, const void *globals)
{
    twill_status status = TW_ABI_CHECK(twill_ptg_graph, collection, d);
    if (status != TWILL_OK)
        return status;
    if (d->classes > TW_PTG_CLASSES)
        return tw_fail(TWILL_ERR_ARGUMENT, "graph %s has more than %d classes", d->name,
                       TW_PTG_CLASSES);
    for (int i = 0; i < d->classes && status == TWILL_OK; i++)
        status = check_class(d->cls[i]);
    for (int i = 0; i < d->collections && status == TWILL_OK; i++) {
        const twill_array *a = array_at(globals, &d->collection[i]);
        if (!a || a->context != tw)
            status = tw_fail(TWILL_ERR_ARGUMENT, "graph %s: array %s is %s", d->name,
                             d->collection[i].name, a ? "one of another context" : "NULL");
    }
    return status;
}

static uint32_t written_by(const twill_ptg_class *cls)
{
    uint32_t written = 0;
    for (int i = 0; i < cls->flows; i++)
        if (cls->flow[i].mode & TWILL_FLOW_WRITE)
            written |= (uint32_t)1 << i;
    return written;
}

static void make_classes(tw_ptg *ptg)
{
    for (int i = 0; i < ptg->definition->classes; i++) {
        const twill_ptg_class *cls = ptg->definition->cls[i];
        size_t size = sizeof(twill_task) + sizeof(tw_instance) +
                      (size_t)(cls->parameters + cls->flows) * sizeof(int64_t);
        ptg->classes[i] =
            (tw_ptg_class){.chores = {.size = sizeof(twill_class), .name = cls->name},
                           .cls = cls,
                           .ptg = ptg,
                           .number = i,
                           .alone = cls->single && ptg->ranks == 1,
                           .check = ptg->ranks == 1 && !cls->by_tile ? cls->rank : NULL,
                           .critical = cls->critical,
                           .team_size = cls->team_size,
                           .written = written_by(cls),
                           .id = (uint64_t)i << TW_ID_BITS | TW_ID_EXACT,
                           .bits = cls->parameters ? TW_ID_BITS / cls->parameters : 0,
                           .lines = (size + TW_LINE - 1) / TW_LINE};
        ptg->critical |= ptg->classes[i].critical || ptg->classes[i].team_size;
        tw_ptg_take_chores(&ptg->classes[i]);
        join_names(&ptg->classes[i]);
    }
}

static bool make_caches(tw_ptg *ptg, twill *tw)
{
    size_t n = (size_t)tw->workers + 1;
    ptg->workers = tw->workers;
    ptg->depot.replicas = &tw->data.replicas;
    ptg->caches = aligned_alloc(TW_LINE, n * sizeof *ptg->caches);
    for (size_t i = 0; ptg->caches && i < n; i++)
        ptg->caches[i] = (tw_buffer_cache){.depot = &ptg->depot};
    return ptg->caches;
}

/* What the functions of classes get as their globals follows this, so that it leads to the graph.
 */
typedef union header {
    tw_ptg *ptg;
    max_align_t align;
} header;

static bool make_globals(tw_ptg *ptg, const void *globals, size_t size)
{
    header *h = malloc(sizeof *h + size);
    if (!h)
        return false;
    h->ptg = ptg;
    ptg->owned = h;
    ptg->globals = h + 1;
    memcpy(ptg->globals, globals, size);
    return true;
}

int64_t twill_ptg_no_value(const void *globals, const char *why)
{
    if (!globals) {
        tw_fail(TWILL_ERR_ARGUMENT, "%s", why);
        return 0;
    }
    tw_ptg *ptg = ((const header *)globals)[-1].ptg;
    tw_graph_fail(ptg->graph, TWILL_ERR_TASK, "graph %s: %s", ptg->definition->name, why);
    return 0;
}

static tw_ptg *make(twill *tw, const twill_ptg_graph *d, const void *globals, size_t size)
{
    tw_ptg *ptg = calloc(1, sizeof *ptg);
    if (!ptg)
        return NULL;
    ptg->definition = d;
    ptg->rank = tw->data.rank;
    ptg->ranks = tw->data.ranks;
    ptg->transport = tw->remote ? &tw_ptg_wire : &tw_ptg_no_transport;
    ptg->tree = tw_bcast_named(tw->options.text[TW_OPT_BROADCAST]);
    ptg->lend = (size_t)tw->options.number[TW_OPT_LEND];
    ptg->classes = calloc((size_t)d->classes + 1, sizeof *ptg->classes);
    ptg->cursor = calloc(TW_PTG_PARAMETERS + 1, sizeof *ptg->cursor);
    atomic_init(&ptg->nothing.refs, 1);
    ptg->nothing.buffered = true; /* no tile's */
    ptg->buffers = d->collections == 0;
    if (!ptg->classes || !ptg->cursor || !make_globals(ptg, globals, size) ||
        !make_caches(ptg, tw) || !tw_table_open(&ptg->waiting, tw->workers)) {
        destroy(ptg);
        return NULL;
    }
    for (int i = 0; i < d->collections; i++)
        ptg->guards |= d->collection[i].access == TWILL_READ;
    make_classes(ptg);
    return ptg;
}

/* A number of what all ranks must have alike: names, and how arrays are cut and dealt. */
static uint64_t mix_text(uint64_t print, const char *text)
{
    for (; *text; text++)
        print = tw_mix(print ^ (unsigned char)*text);
    return print;
}

static uint64_t mix_array(uint64_t print, const twill_array *a)
{
    const twill_pattern *p = &a->pattern;
    print = tw_mix(print ^ (uint64_t)a->element);
    for (int d = 0; d < p->ndim; d++) {
        print = tw_mix(print ^ (uint64_t)p->extent[d]);
        print = tw_mix(print ^ (uint64_t)p->block[d]);
        print = tw_mix(print ^ (uint64_t)p->grid[d]);
    }
    return print;
}

static uint64_t print_of(const tw_ptg *ptg)
{
    const twill_ptg_graph *d = ptg->definition;
    uint64_t print = mix_text(0, d->name);
    for (int i = 0; i < d->classes; i++) {
        print = mix_text(print, d->cls[i]->name);
        print = tw_mix(print ^ (uint64_t)(d->cls[i]->parameters * TW_PTG_FLOWS + d->cls[i]->flows));
    }
    for (int i = 0; i < d->collections; i++)
        print = mix_array(print, array_at(ptg->globals, &d->collection[i]));
    return print;
}

/* `*id`: its number, which is used up also if it is not made. */
static twill_status create(twill *tw, const twill_ptg_graph *definition, const void *globals,
                           size_t size, twill_graph **g, int64_t *id)
{
    twill_status status = check(tw, definition, globals);
    if (status != TWILL_OK)
        return status;
    tw_ptg *ptg = make(tw, definition, globals, size);
    if (!ptg)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a parameterised graph");
    status = tw_graph_make(tw, &tw_ptg_ops, ptg, NULL, &ptg->graph);
    if (status != TWILL_OK) {
        destroy(ptg);
        return status;
    }
    *id = ptg->graph->id;
    if (tw->remote && !tw_shared_make(ptg->graph, NULL)) {
        twill_graph_free(ptg->graph);
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a parameterised graph");
    }
    if (tw->remote)
        tw_shared_set_print(ptg->graph, print_of(ptg));
    *g = ptg->graph;
    return TWILL_OK;
}

twill_status twill_ptg_new(twill *tw, const twill_ptg_graph *definition, const void *globals,
                           size_t size, twill_graph **g)
{
    int64_t id = 0;
    twill_status status = tw && definition && globals && g
                              ? create(tw, definition, globals, size, g, &id)
                              : tw_fail(TWILL_ERR_ARGUMENT, "twill_ptg_new: an argument is NULL");
    if (tw_unlikely(status != TWILL_OK && tw && tw->remote))
        tw_shared_refuse(tw, id, status);
    return status;
}

/* ---- running ----------------------------------------------------------------------------- */

static twill_array *collection(const tw_ptg *ptg, int i)
{
    return array_at(ptg->globals, &ptg->definition->collection[i]);
}

int tw_ptg_access(const tw_ptg *ptg, const twill_tile *tile)
{
    const twill_ptg_graph *d = ptg->definition;
    int access = 0;
    for (int i = 0; i < d->collections; i++)
        if (tw_array_has(collection(ptg, i), tile))
            access |= (int)d->collection[i].access;
    return access;
}

static bool is_used(const tw_ptg *ptg, int i)
{
    return ptg->definition->collection[i].access && collection(ptg, i)->ntiles > 0;
}

/* A use of all its arrays, which serves all runs; none when they have no tiles. Those that only
 * place tasks are not used. */
static bool make_use(tw_ptg *ptg)
{
    const twill_ptg_graph *d = ptg->definition;
    int n = 0;
    for (int i = 0; i < d->collections; i++)
        n += is_used(ptg, i);
    if (n == 0)
        return true;
    ptg->use = tw_use_make_arrays(ptg->graph->tw, d->name, n);
    for (int i = 0; ptg->use && i < d->collections; i++)
        if (is_used(ptg, i))
            tw_use_array(ptg->use, collection(ptg, i), (twill_access)d->collection[i].access);
    return ptg->use;
}

static twill_status reserve(tw_ptg *ptg)
{
    if ((ptg->use || make_use(ptg)) && (!ptg->use || tw_use_reserve(ptg->use)))
        return TWILL_OK;
    return tw_fail(TWILL_ERR_MEMORY, "no memory to run graph %s", ptg->definition->name);
}

static void begin(tw_ptg *ptg)
{
    twill_graph *g = ptg->graph;
    ptg->started = 0;
    ptg->begun = ptg->any = false;
    ptg->hinted = atomic_load_explicit(&g->tw->data.hinted, memory_order_relaxed);
    ptg->particular = ptg->hinted || ptg->critical;
    tw_table_recount(&ptg->waiting);
    if (g->shared)
        tw_shared_begin(g);
    tw_worker *w = tw_enter(g->tw);
    tw_count(&tw_tally_of(g, w)->added[0], 1); /* the generator */
    tw_exit(w);
    tw_graph_expect_end(g);
}

/* Other ranks run it, and wait for this one: nothing runs here, and all learn why at the end. */
static void start_failed(twill_graph *g, twill_status status)
{
    tw_graph_fail(g, status, "%s", twill_message());
    tw_startup_begin(g);
}

twill_status twill_ptg_run(twill_graph *g)
{
    if (!g || g->ops != &tw_ptg_ops)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_ptg_run: the graph is NULL or not one that twillc "
                       "made");
    tw_ptg *ptg = g->front;
    twill_status status = tw_rerun_prepare(g);
    if (status != TWILL_OK)
        return status;
    status = reserve(ptg);
    if (status != TWILL_OK && !g->shared) {
        tw_graph_give_up(g);
        return status;
    }
    begin(ptg);
    if (tw_likely(status == TWILL_OK))
        tw_use_start(ptg->use, g);
    else
        start_failed(g, status);
    return TWILL_OK;
}

int64_t twill_ptg_most_pending(const twill_graph *g)
{
    return g->ops == &tw_ptg_ops ? tw_table_most(&((tw_ptg *)g->front)->waiting) : 0;
}
