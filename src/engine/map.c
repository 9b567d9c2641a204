/* Host access: the program holds part of an array between twill_map and twill_unmap. */
#include "engine/reach/reach.h"
#include "engine/report/trace.h"
#include "engine/use.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void count_tile(int64_t number, void *arg)
{
    (void)number;
    ++*(int64_t *)arg;
}

static bool covers(const twill_view *v, const twill_tile *tile)
{
    int64_t block[TWILL_DIMS];
    tw_section section;
    bool all = true;
    tw_tile_block(tile, block);
    tw_view_section(v, block, &section);
    for (int d = 0; d < v->array->pattern.ndim; d++)
        all = all && section.extent[d] == section.whole[d];
    return all;
}

static void add_tile(int64_t number, void *arg)
{
    tw_use *use = arg;
    twill_tile *tile = tw_array_nth(use->view.array, number);
    if (!tile)
        return;
    /* A tile that the view covers only in part keeps its other elements. */
    bool whole = use->mode != TWILL_WRITE || covers(&use->view, tile);
    tw_use_tile(use, tile, whole ? use->mode : TWILL_READ_WRITE);
}

static twill_status begin(const twill_view *v, twill_access mode, tw_use **out)
{
    twill *tw = v->array->context;
    int64_t n = 0;
    if (tw_in_task(tw))
        return tw_fail(TWILL_ERR_STATE, "host access is not possible inside a task");
    tw_view_tiles(v, count_tile, &n);
    if (n > INT32_MAX)
        return tw_fail(TWILL_ERR_UNSUPPORTED, "a view of %lld tiles is too large to map at once",
                       (long long)n);
    tw_use *use = tw_use_make(tw, "host access", (uint32_t)n);
    if (use) {
        use->view = *v;
        use->mode = mode;
        tw_view_tiles(v, add_tile, use);
    }
    if (!use || !tw_use_enter(use)) {
        tw_use_discard(use);
        return tw_fail(TWILL_ERR_MEMORY, "no memory to map %lld tiles", (long long)n);
    }
    twill_status status = tw_use_wait(use);
    if (status == TWILL_OK)
        *out = use;
    return status;
}

static void end(tw_use *use)
{
    tw_worker *w = tw_enter(use->tw);
    tw_use_leave(use, w, 0);
    tw_exit(w);
}

/* ---- layout ------------------------------------------------------------------------------ */

/* What the program gets has one distance between columns only. So beyond the first two dimensions,
 * in the order of elements, all but the last that counts must be as long there as in the view. */
static bool has_gaps(const twill_view *v, const int64_t *whole)
{
    const twill_pattern *p = &v->array->pattern;
    bool gaps = false, more = false;
    for (int k = p->ndim - 1; k > 0; k--) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, k);
        gaps = gaps || (more && v->extent[d] != whole[d]);
        more = more || v->extent[d] > 1;
    }
    return gaps;
}

/* The first tile of a view that is not empty; NULL: it is in several, and these are not side by
 * side, or it is not stored. */
static const twill_tile *first_tile(const twill_view *v, int64_t *block)
{
    twill_array *a = v->array;
    const twill_pattern *p = &a->pattern;
    int64_t here[TWILL_DIMS] = {0};
    if (v->local)
        tw_pattern_coordinates(p, v->local - 1, here);
    for (int d = 0; d < p->ndim; d++) {
        int64_t b = v->start[d] / p->block[d];
        if (!a->ld && (v->start[d] + v->extent[d] - 1) / p->block[d] != b)
            return NULL;
        block[d] = v->local ? tw_pattern_block(p, d, here[d], b) : b;
    }
    return twill_tile_nd(a, block);
}

/* The array's own bytes, if there are any and the view has that layout there. */
static bool direct(const twill_view *v, void **data, int64_t *ld)
{
    twill_array *a = v->array;
    const twill_pattern *p = &a->pattern;
    int64_t block[TWILL_DIMS];
    tw_section section;
    if (twill_view_size(*v) == 0) {
        *data = a->slab;
        *ld = 1;
        return true;
    }
    const twill_tile *tile = first_tile(v, block);
    if (!tile)
        return false;
    tw_view_section(v, block, &section);
    if (a->ld)
        for (int d = 0; d < p->ndim; d++)
            section.whole[d] = twill_pattern_local_extent(p, d, a->here[d]);
    if (has_gaps(v, section.whole))
        return false;
    const tw_host_bytes *host = &tile->value.host;
    *data = tw_section_at(p, section.whole, section.inside, *host, a->element);
    *ld = host->ld;
    return true;
}

/* Copy between the packed copy of a view and one of its tiles. */
static void copy_tile(tw_use *use, twill_tile *tile, bool back)
{
    const twill_view *v = &use->view;
    const twill_pattern *p = &v->array->pattern;
    int64_t block[TWILL_DIMS] = {0};
    tw_section section;
    tw_tile_block(tile, block);
    tw_view_section(v, block, &section);
    tw_host_bytes copy = {use->data, v->extent[tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, 0)]};
    tw_section_copy(v, &section, tile->value.host, copy, back);
}

static void copy_view(tw_use *use, bool back)
{
    for (uint32_t i = 0; i < use->task->nslots; i++)
        copy_tile(use, use->task->slots[i].u.tile, back);
}

static size_t view_bytes(const twill_view *v)
{
    return (size_t)twill_view_size(*v) * v->array->element;
}

/* ---- the API ----------------------------------------------------------------------------- */

static twill_status check(const twill_view *v, twill_access mode)
{
    twill_status status = tw_view_check(v);
    if (status != TWILL_OK)
        return status;
    if (mode < TWILL_READ || mode > TWILL_READ_WRITE)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_map: there is no access mode %d", (int)mode);
    return TWILL_OK;
}

static twill_status give_bytes(tw_use *use, int64_t *ld)
{
    const twill_view *v = &use->view;
    if (use->poisoned && use->mode != TWILL_WRITE)
        return tw_fail(TWILL_ERR_CANCELED, "the data to be mapped comes from a graph that failed; "
                                           "twill_wait for that graph says why");
    if (use->status != TWILL_OK)
        return tw_fail(use->status, "the data to be mapped could not be copied to the host");
    if (direct(v, &use->data, ld))
        return TWILL_OK;
    use->data = tw_host.alloc(&tw_host, view_bytes(v));
    if (!use->data)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a copy of the mapped view: %zu bytes",
                       view_bytes(v));
    use->copied = true;
    use->size = view_bytes(v);
    *ld = v->extent[tw_pattern_dim(&v->array->pattern, TWILL_ROW_MAJOR_ELEMENTS, 0)];
    if (use->mode != TWILL_WRITE)
        copy_view(use, false);
    return TWILL_OK;
}

static bool is_mapped_as(const tw_use *use, const twill_view *v, const void *data)
{
    return use->held && use->data == data && use->view.array == v->array &&
           use->view.local == v->local && memcmp(use->view.start, v->start, sizeof v->start) == 0 &&
           memcmp(use->view.extent, v->extent, sizeof v->extent) == 0;
}

/* Take the host access back from the program: the calling thread's own if it has one. */
static tw_use *claim(const twill_view *v, const void *data)
{
    twill *tw = v->array->context;
    tw_use *found = NULL;
    tw_lock_take(&tw->use_lock);
    for (tw_use *use = tw->uses; use; use = use->next) {
        if (!is_mapped_as(use, v, data))
            continue;
        found = use;
        if (pthread_equal(use->holder, pthread_self()))
            break;
    }
    if (found)
        found->held = false;
    tw_unlock(&tw->use_lock);
    if (found)
        atomic_fetch_sub_explicit(&tw->mapped, 1, memory_order_relaxed);
    return found;
}

static void give(tw_use *use)
{
    tw_lock_take(&use->tw->use_lock);
    use->held = true;
    tw_unlock(&use->tw->use_lock);
    atomic_fetch_add_explicit(&use->tw->mapped, 1, memory_order_relaxed);
}

twill_status twill_map(twill_view v, twill_access mode, void **data, int64_t *ld)
{
    tw_use *use = NULL;
    twill_status status = check(&v, mode);
    if (status != TWILL_OK)
        return status;
    v = tw_view_in_root(v);
    status = tw_view_check_local(&v);
    if (status == TWILL_OK)
        status = begin(&v, mode, &use);
    if (status == TWILL_OK)
        status = give_bytes(use, ld);
    if (status == TWILL_OK) {
        *data = use->data;
        give(use);
    } else if (use) {
        end(use);
    }
    return status;
}

twill_status twill_unmap(twill_view v, void *data)
{
    twill_status status = tw_view_check(&v);
    if (status != TWILL_OK)
        return status;
    v = tw_view_in_root(v);
    tw_use *use = claim(&v, data);
    if (!use)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_unmap: this view and pointer are not mapped");
    if (use->copied) {
        if (use->mode != TWILL_READ)
            copy_view(use, true);
        tw_host.free(&tw_host, use->data, use->size);
    }
    end(use);
    return TWILL_OK;
}

twill_status twill_wait_tile(twill_tile *tile, twill_access mode)
{
    if (!tile)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_wait_tile: the tile is NULL");
    twill *tw = tile->array->context;
    if (tw_in_task(tw))
        return tw_fail(TWILL_ERR_STATE, "twill_wait_tile is not possible inside a task");
    tw_use *use = tw_use_make(tw, "wait for a tile", 1);
    if (use)
        tw_use_tile(use, tile, mode == TWILL_READ ? TWILL_READ : TWILL_READ_WRITE);
    if (!use || !tw_use_enter(use)) {
        tw_use_discard(use);
        return tw_fail(TWILL_ERR_MEMORY, "no memory to wait for a tile");
    }
    twill_status status = tw_use_wait(use);
    if (status != TWILL_OK)
        return status;
    if (use->poisoned)
        status =
            tw_fail(TWILL_ERR_CANCELED, "the tile comes from a graph that failed; twill_wait for "
                                        "that graph says why");
    else if (use->status != TWILL_OK)
        status = tw_fail(use->status, "the tile could not be copied to the host");
    end(use);
    return status;
}

/* ---- freeing ----------------------------------------------------------------------------- */

/* A record of the array that the view is of, if it has been made. */
static twill_tile *made_tile(const twill_view *all, int64_t number)
{
    twill_tile *tile = &all->array->tiles[number];
    return __atomic_load_n(&tile->array, __ATOMIC_ACQUIRE) ? tile : NULL;
}

static void flush_tile(int64_t number, void *arg)
{
    twill_tile *tile = made_tile(arg, number);
    if (tile && atomic_load_explicit(&tile->reducing, memory_order_acquire))
        tw_extensions_flush(tile->array->context, tile);
}

/* What a look at the tiles of an array finds. */
typedef struct look {
    const twill_view *all;
    bool idle;
} look;

static void look_at_tile(int64_t number, void *arg)
{
    look *l = arg;
    const twill_tile *tile = made_tile(l->all, number);
    l->idle = l->idle && (!tile || tw_chain_idle(&tile->chain));
}

static bool is_idle(const twill_array *a, const twill_view *all)
{
    tw_box box = tw_box_of(a, TWILL_READ_WRITE);
    look l = {all, true};
    tw_view_tiles(all, flush_tile, (void *)(uintptr_t)all);
    tw_lock_take(&all->array->lock);
    tw_view_tiles(all, look_at_tile, &l);
    l.idle = l.idle && !tw_whole_uses(all->array, &box);
    tw_unlock(&all->array->lock);
    return l.idle;
}

static bool asked_again(void *arg)
{
    return ++*(int *)arg > 1;
}

/* Run what tasks there are, or let some time go by. */
static void look_later(twill *tw)
{
    enum { NAP_NS = 100000 };
    int asked = 0;
    tw_wait(tw, &(tw_goal){asked_again, &asked});
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

/* Without memory nobody can stand in the chains and be told: run what tasks there are, and look
 * again. False when the calling thread waits for itself. */
static bool wait_by_looking(twill_array *a)
{
    twill_view all = tw_view_in_root(twill_view_all(a));
    while (!is_idle(a, &all)) {
        if (tw_use_maps(a))
            return false;
        look_later(a->context);
    }
    return true;
}

/* Nobody uses the array any more. False: inside a task, or because this thread has mapped it. */
static bool wait_unused(twill_array *a)
{
    if (tw_in_task(a->context))
        return false;
    tw_use *use = tw_use_make_arrays(a->context, "freeing an array", 1);
    if (use)
        tw_use_array(use, a, TWILL_READ_WRITE);
    if (!use || !tw_use_enter(use)) {
        tw_use_discard(use);
        return wait_by_looking(a);
    }
    twill_status status = tw_use_wait(use);
    if (status == TWILL_OK)
        end(use);
    return status == TWILL_OK;
}

static bool has_copies(twill_array *root)
{
    bool idle = true;
    for (twill_tile *tile = root->made; tile; tile = tile->made)
        if (tw_value_is_replicated(&tile->value))
            idle &= tw_replicas_forget(&root->shared->replicas, &tile->value);
    return !idle;
}

/* Nobody uses it, but what could not be brought home may just be copied to make room elsewhere. */
static void wait_for_copies(twill_array *root)
{
    while (root->shared->replicas.spaces > 1 && has_copies(root))
        look_later(root->context);
}

void twill_array_free(twill_array *a)
{
    if (!a || !wait_unused(a))
        return; /* the context frees it when it stops */
    twill *tw = a->context;
    twill_array *unused = tw_array_release(a);
    if (!unused)
        return;
    while (!tw_reaches_end(unused))
        look_later(tw);
    wait_for_copies(unused);
    tw_extensions_forget(tw, unused);
    tw_worker *w = tw_enter(tw);
    tw_array_destroy(unused, &w->epochs);
    tw_emit_memory(tw);
    tw_exit(w);
}
