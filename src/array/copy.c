/* Copies between a view and memory: a task for each tile of this rank, in a graph of their own, and
 * a reach for what other ranks own. */
#include "array/move.h"

#include <string.h>

/* ---- tiles ------------------------------------------------------------------------------- */

/* A copy that is being begun. */
typedef struct beginning {
    twill_future *future;
    twill_status status;
    const twill_view *view;
    const tw_reach_memory *memory;
    tw_direction direction;
} beginning;

static bool is_mine(const twill_view *v, int64_t number)
{
    int64_t block[TWILL_DIMS];
    tw_array_block(v->array, number, block);
    return twill_pattern_owner(&v->array->pattern, block) == v->array->shared->rank;
}

static twill_access access_of(tw_direction direction, bool whole)
{
    return direction == TW_GET            ? TWILL_READ
           : direction == TW_PUT && whole ? TWILL_WRITE
                                          : TWILL_READ_WRITE;
}

static void begin_tile(int64_t number, void *arg)
{
    beginning *b = arg;
    tw_section section;
    if (b->status != TWILL_OK || !is_mine(b->view, number))
        return;
    twill_tile *tile = tw_move_find(b->view, number, &section);
    bool get = b->direction == TW_GET;
    tw_move_end there = tw_move_tile(b->view, &section);
    tw_move_end here = tw_move_memory(b->view, &section, b->memory);
    tw_move m = {.s = tw_move_elements(b->view, &section, b->direction == TW_ADD),
                 .to = get ? here : there,
                 .from = get ? there : here};
    twill_arg_kind kind =
        tw_use_kind(access_of(b->direction, tw_section_is_whole(b->view, &section)));
    twill_graph *graph;
    b->status = tw_future_graph(b->future, &graph);
    if (b->status == TWILL_OK)
        b->status = twill_insert(graph, &tw_mover, twill_arg_tile(kind, tile), TWILL_VALUE(m));
}

twill_status tw_copy_begin(twill_future *f, const twill_view *v, const tw_reach_memory *memory,
                           tw_direction direction)
{
    static const tw_reach_what whats[] = {
        [TW_GET] = TW_REACH_GET, [TW_PUT] = TW_REACH_PUT, [TW_ADD] = TW_REACH_ADD};
    twill_view root = tw_view_in_root(*v);
    beginning b = {f, TWILL_OK, &root, memory, direction};
    twill *tw = v->array->context;
    if (twill_ranks(tw) > 1) { /* first, so that they go on while this rank copies its own */
        tw_worker *w = tw_enter(tw);
        tw_reach_begin(&f->reach, w, whats[direction], &root, memory);
        tw_exit(w);
    }
    tw_view_tiles(&root, begin_tile, &b);
    return b.status;
}

/* ---- at once ----------------------------------------------------------------------------- */

/* A copy of few tiles of this rank goes in the calling thread, under a use of them: a graph and its
 * end would take longer than the copy. */
enum { FEW = 8, LITTLE = 2 << 20 };

typedef struct direct {
    const twill_view *view;
    const tw_reach_memory *memory;
    tw_direction direction;
    tw_use *use; /* NULL: tiles are only counted */
    int64_t tiles;
    bool own;
} direct;

static void name_tile(int64_t number, void *arg)
{
    direct *c = arg;
    tw_section section;
    c->tiles++;
    c->own = c->own && is_mine(c->view, number);
    if (!c->use)
        return;
    twill_tile *tile = tw_move_find(c->view, number, &section);
    tw_use_tile(c->use, tile, access_of(c->direction, tw_section_is_whole(c->view, &section)));
}

static void copy_tile(int64_t number, void *arg)
{
    const direct *c = arg;
    const twill_array *a = c->view->array;
    const twill_pattern *p = &a->pattern;
    tw_section section;
    tw_host_bytes host = tw_move_find(c->view, number, &section)->value.host;
    tw_strided s = {.ndim = p->ndim,
                    .element = a->element,
                    .type = a->type,
                    .what = c->direction == TW_ADD ? TW_STRIDED_ADD : TW_STRIDED_COPY};
    const bool get = c->direction == TW_GET;
    char *tile = tw_section_at(p, section.whole, section.inside, host, a->element);
    char *memory = c->memory->at;
    for (int d = 0; d < p->ndim; d++) {
        s.extent[d] = section.extent[d];
        memory += section.at[d] * c->memory->step[d];
    }
    s.to = get ? memory : tile;
    s.from = get ? tile : memory;
    tw_section_steps(p, section.whole, host.ld, a->element, get ? s.from_step : s.to_step);
    memcpy(get ? s.to_step : s.from_step, c->memory->step, sizeof s.to_step);
    tw_strided_run(s);
}

static twill_status copy_granted(const direct *c)
{
    const tw_use *use = c->use;
    if (use->poisoned && c->direction != TW_PUT)
        return tw_fail(TWILL_ERR_CANCELED, "the elements come from a graph that failed; twill_wait "
                                           "for that graph says why");
    if (use->status != TWILL_OK)
        return tw_fail(use->status, "the elements could not be copied to the host");
    tw_view_tiles(c->view, copy_tile, (void *)(uintptr_t)c);
    return TWILL_OK;
}

/* False: it is to be done in another way. */
static bool copy_at_once(const twill_view *v, const tw_reach_memory *memory, tw_direction direction,
                         twill_status *status)
{
    twill *tw = v->array->context;
    const twill_view root = tw_view_in_root(*v);
    direct c = {.view = &root, .memory = memory, .direction = direction, .own = true};
    tw_view_tiles(&root, name_tile, &c);
    size_t bytes = (size_t)twill_view_size(*v) * v->array->element;
    if (!c.own || c.tiles > FEW || (c.tiles > 1 && bytes > LITTLE && tw->workers > 1))
        return false;
    c.use = tw_use_make(tw, "copy", (uint32_t)c.tiles);
    if (!c.use)
        return false;
    tw_view_tiles(&root, name_tile, &c);
    if (!tw_use_enter(c.use)) {
        tw_use_discard(c.use);
        return false;
    }
    *status = tw_use_wait(c.use);
    if (*status != TWILL_OK)
        return true; /* the use is not ours any more */
    *status = copy_granted(&c);
    tw_worker *w = tw_enter(tw);
    tw_use_leave(c.use, w, 0);
    tw_exit(w);
    return true;
}

/* ---- checks ------------------------------------------------------------------------------ */

twill_status tw_array_check_elements(const char *who, const twill_view *v, bool wait)
{
    twill_status status = tw_view_check(v);
    if (status != TWILL_OK)
        return status;
    if (tw_in_task(v->array->context))
        return tw_fail(TWILL_ERR_STATE, "%s is not possible inside a task", who);
    if (v->array->root->stored != TW_FULL)
        return tw_fail(TWILL_ERR_UNSUPPORTED,
                       "%s: the matrix stores only a triangle; twill_map gives all of it", who);
    if (wait && tw_use_maps(v->array))
        return tw_fail(TWILL_ERR_STUCK,
                       "%s: this thread has mapped part of the array and would wait for itself; "
                       "call twill_unmap first",
                       who);
    return TWILL_OK;
}

static twill_status check_memory(const char *who, const twill_view *v, const void *memory,
                                 tw_direction direction, bool wait)
{
    twill_status status = tw_array_check_elements(who, v, wait);
    if (status != TWILL_OK)
        return status;
    if (!memory && twill_view_size(*v) > 0)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: there is no memory: the pointer is NULL", who);
    if (direction == TW_ADD && v->array->type == TWILL_BYTES)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: elements of type BYTES cannot be added", who);
    return TWILL_OK;
}

/* ---- the API ----------------------------------------------------------------------------- */

static twill_status copy(const char *who, twill_view v, const void *memory, tw_direction direction,
                         twill_future **out)
{
    twill_status status = check_memory(who, &v, memory, direction, !out);
    if (status != TWILL_OK)
        return status;
    const tw_reach_memory m = tw_memory_of(&v, memory);
    if (!out && copy_at_once(&v, &m, direction, &status))
        return status;
    twill_future *f = tw_future_open(v.array->context);
    if (!f)
        return TWILL_ERR_MEMORY;
    return tw_future_begun(f, tw_copy_begin(f, &v, &m, direction), out);
}

static twill_status no_future(const char *who)
{
    return tw_fail(TWILL_ERR_ARGUMENT, "%s: there is no place for the future", who);
}

twill_status twill_get(twill_view v, void *memory)
{
    return copy("twill_get", v, memory, TW_GET, NULL);
}

twill_status twill_put(const void *memory, twill_view v)
{
    return copy("twill_put", v, memory, TW_PUT, NULL);
}

twill_status twill_accumulate(const void *memory, twill_view v)
{
    return copy("twill_accumulate", v, memory, TW_ADD, NULL);
}

twill_status twill_get_async(twill_view v, void *memory, twill_future **f)
{
    return f ? copy("twill_get_async", v, memory, TW_GET, f) : no_future("twill_get_async");
}

twill_status twill_put_async(const void *memory, twill_view v, twill_future **f)
{
    return f ? copy("twill_put_async", v, memory, TW_PUT, f) : no_future("twill_put_async");
}

twill_status twill_accumulate_async(const void *memory, twill_view v, twill_future **f)
{
    return f ? copy("twill_accumulate_async", v, memory, TW_ADD, f)
             : no_future("twill_accumulate_async");
}
