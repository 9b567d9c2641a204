/* Copies between views: a task for each pair of tiles that have something in common; or, if other
 * ranks own some of them, piece by piece through memory. */
#include "array/move.h"
#include "array/zip.h"

#include <stdlib.h>

/* A transfer that is being begun: the part of `from` that goes to one tile of `to`. */
typedef struct pairing {
    twill_graph *graph;
    twill_status status;
    twill_view view, from;
    twill_tile *tile; /* the one that it goes to, and where */
    tw_section section;
} pairing;

/* ---- on one rank ------------------------------------------------------------------------- */

/* The part of a tile at `at` of its section, with these extents, in the order of dimensions that
 * views have left. */
static tw_section part_of(const twill_view *v, const tw_section *whole, const twill_view *w,
                          const tw_section *other)
{
    int mine[TWILL_DIMS], theirs[TWILL_DIMS], n = tw_view_left(v, mine);
    tw_section part = *whole;
    tw_view_left(w, theirs);
    for (int i = 0; i < n; i++) {
        part.inside[mine[i]] += other->at[theirs[i]];
        part.extent[mine[i]] = other->extent[theirs[i]];
    }
    return part;
}

static void begin_pair(int64_t number, void *arg)
{
    pairing *b = arg;
    tw_section there;
    twill_tile *tile = tw_move_find(&b->from, number, &there);
    tw_section here = part_of(&b->view, &b->section, &b->from, &there);
    if (b->status != TWILL_OK)
        return;
    tw_move m = {.s = tw_move_elements(&b->view, &here, TW_STRIDED_COPY),
                 .to = tw_move_tile(&b->view, &here),
                 .from = tw_move_tile(&b->from, &there),
                 .from_arg = tile != b->tile};
    twill_arg to = tw_section_is_whole(&b->view, &here) ? TWILL_W(b->tile) : TWILL_RW(b->tile);
    b->status = tile == b->tile
                    ? twill_insert(b->graph, &tw_mover, TWILL_RW(tile), TWILL_VALUE(m))
                    : twill_insert(b->graph, &tw_mover, to, TWILL_R(tile), TWILL_VALUE(m));
}

static void begin_tile_of_pairs(int64_t number, void *arg)
{
    pairing *b = arg;
    twill_view all = b->from;
    int mine[TWILL_DIMS], theirs[TWILL_DIMS], n = tw_view_left(&b->view, mine);
    b->tile = tw_move_find(&b->view, number, &b->section);
    tw_view_left(&b->from, theirs);
    for (int i = 0; i < n; i++) {
        b->from.start[theirs[i]] += b->section.at[mine[i]];
        b->from.extent[theirs[i]] = b->section.extent[mine[i]];
    }
    tw_view_tiles(&b->from, begin_pair, b);
    b->from = all;
}

static twill_status begin_pairs(twill_future *f, twill_view from, twill_view to)
{
    pairing b = {.view = tw_view_in_root(to), .from = tw_view_in_root(from)};
    b.status = tw_future_graph(f, &b.graph);
    tw_view_tiles(&b.view, begin_tile_of_pairs, &b);
    return b.status;
}

/* ---- between ranks ----------------------------------------------------------------------- */

enum { PIECE = 4 << 20 /* most bytes of memory that elements go through */ };

/* The same memory, for the dimensions that `from` has instead of those of `to`. */
static tw_reach_memory memory_for(const twill_view *from, const twill_view *to,
                                  const tw_reach_memory *memory)
{
    int mine[TWILL_DIMS], theirs[TWILL_DIMS], n = tw_view_left(to, mine);
    tw_reach_memory other = {.at = memory->at};
    tw_view_left(from, theirs);
    for (int i = 0; i < n; i++)
        other.step[theirs[i]] = memory->step[mine[i]];
    return other;
}

static twill_status through(twill_view v, const tw_reach_memory *memory, tw_direction direction)
{
    twill_future *f = tw_future_open(v.array->context);
    if (!f)
        return TWILL_ERR_MEMORY;
    return tw_future_begun(f, tw_copy_begin(f, &v, memory, direction), NULL);
}

/* Halves of halves along the longest dimension. */
static twill_status carry(twill_view from, twill_view to, void *memory)
{
    int longest = 0;
    for (int d = 1; d < twill_view_ndim(to); d++)
        longest = twill_view_extent(to, d) > twill_view_extent(to, longest) ? d : longest;
    int64_t extent = twill_view_extent(to, longest), half = extent / 2;
    if ((size_t)twill_view_size(to) * to.array->element <= PIECE || half == 0) {
        const tw_reach_memory out = tw_memory_of(&to, memory), in = memory_for(&from, &to, &out);
        twill_status status = through(from, &in, TW_GET);
        return status == TWILL_OK ? through(to, &out, TW_PUT) : status;
    }
    twill_status status = carry(twill_view_range(from, longest, 0, half),
                                twill_view_range(to, longest, 0, half), memory);
    return status == TWILL_OK ? carry(twill_view_range(from, longest, half, extent),
                                      twill_view_range(to, longest, half, extent), memory)
                              : status;
}

static twill_status carry_all(twill_view from, twill_view to)
{
    size_t size = (size_t)twill_view_size(to) * to.array->element;
    size_t most = size < PIECE ? size : PIECE > to.array->element ? PIECE : to.array->element;
    void *memory = malloc(most ? most : 1);
    if (!memory)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for %zu bytes between two views", most);
    twill_status status = carry(from, to, memory);
    free(memory);
    return status;
}

/* ---- checks ------------------------------------------------------------------------------ */

typedef struct meeting {
    const twill_view *view, *other;
    bool overlap;
} meeting;

static void look_at_tile(int64_t number, void *arg)
{
    meeting *x = arg;
    tw_section a, b;
    int64_t block[TWILL_DIMS];
    tw_array_block(x->view->array, number, block);
    tw_view_section(x->view, block, &a);
    tw_view_section(x->other, block, &b);
    bool common = true;
    for (int d = 0; d < x->view->array->pattern.ndim; d++)
        common = common && b.extent[d] > 0 && a.inside[d] < b.inside[d] + b.extent[d] &&
                 b.inside[d] < a.inside[d] + a.extent[d];
    x->overlap = x->overlap || common;
}

static twill_status check_pair(const char *who, twill_view from, twill_view to)
{
    const twill_array *a = from.array, *b = to.array;
    int n = twill_view_ndim(from);
    if (a->context != b->context || a->type != b->type || a->element != b->element)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "%s: the arrays differ in the type of their elements or in their context",
                       who);
    if (n != twill_view_ndim(to))
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the views have %d and %d dimensions", who, n,
                       twill_view_ndim(to));
    for (int d = 0; d < n; d++)
        if (twill_view_extent(from, d) != twill_view_extent(to, d))
            return tw_fail(
                TWILL_ERR_ARGUMENT, "%s: dimension %d of the views has %lld and %lld elements", who,
                d, (long long)twill_view_extent(from, d), (long long)twill_view_extent(to, d));
    from = tw_view_in_root(from);
    to = tw_view_in_root(to);
    meeting x = {&to, &from, false};
    if (from.array == to.array)
        tw_view_tiles(&to, look_at_tile, &x);
    return x.overlap ? tw_fail(TWILL_ERR_ARGUMENT, "%s: the views overlap", who) : TWILL_OK;
}

/* ---- the API ----------------------------------------------------------------------------- */

static bool is_own(const twill_view *v)
{
    const twill_view root = tw_view_in_root(*v);
    return tw_view_is_local(&root);
}

static twill_status transfer(const char *who, twill_view from, twill_view to, twill_future **out)
{
    twill_status status = tw_array_check_elements(who, &from, !out);
    if (status == TWILL_OK)
        status = tw_array_check_elements(who, &to, !out);
    if (status == TWILL_OK)
        status = check_pair(who, from, to);
    if (status != TWILL_OK)
        return status;
    bool own = is_own(&from) && is_own(&to);
    status = own ? TWILL_OK : carry_all(from, to);
    twill_future *f = status == TWILL_OK ? tw_future_open(to.array->context) : NULL;
    if (!f)
        return status == TWILL_OK ? TWILL_ERR_MEMORY : status;
    return tw_future_begun(f, own ? begin_pairs(f, from, to) : TWILL_OK, out);
}

twill_status twill_transfer(twill_view from, twill_view to)
{
    return transfer("twill_transfer", from, to, NULL);
}

twill_status twill_transfer_async(twill_view from, twill_view to, twill_future **f)
{
    if (!f)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_transfer_async: there is no place for the future");
    return transfer("twill_transfer_async", from, to, f);
}
