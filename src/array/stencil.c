/* Stencils: for each tile that is set, its elements of the other view and those around them are
 * brought together in one box. What another rank has of that is packed there, so only that travels.
 */
#include "array/stencil.h"

#include "base/minmax.h"

#include <stdlib.h>
#include <string.h>

/* ---- one tile ---------------------------------------------------------------------------- */

enum { SEGMENTS = 3, MOST = 1024 /* parcels of a tile */ };

/* A range of the larger box along one dimension, and where it comes from. */
typedef struct segment {
    int64_t to, n;
    int64_t from; /* in the view */
    bool repeated, outside;
} segment;

typedef struct call {
    const tw_zip *zip; /* what is set, then what is read */
    const twill_halo *halo;
    tw_stencil s;
    const tw_stencil *shared; /* what tasks get */
    twill_graph *graph;
    /* of the tile that is set now */
    const tw_zip_box *box;
    tw_stencil_job job;
    tw_parcel *parcel; /* MOST of them */
    twill_arg *args;
    int sources;
    /* of the parcel that is made now */
    const segment *now[TWILL_DIMS];
    twill_view part;
    twill_status status;
} call;

static int64_t view_extent(const call *c, int d)
{
    return c->zip->view[1].extent[c->zip->dim[1][d]];
}

/* Cut the larger box along one dimension where the view ends. */
static int segments_of(const call *c, int d, segment *out)
{
    int64_t w = c->halo->width[d], n = view_extent(c, d), begin = c->box->at[d] - w;
    int64_t end = c->box->at[d] + c->box->extent[d] + w;
    twill_edge edge = c->halo->edge;
    int count = 0;
    if (edge == TWILL_EDGE_ARRAY) {
        out[0] = (segment){.n = end - begin, .from = begin};
        return 1;
    }
    bool outside = edge == TWILL_EDGE_VALUE, repeated = edge == TWILL_EDGE_NEAREST;
    int64_t first = tw_max(begin, 0), last = tw_min(end, n);
    if (begin < 0)
        out[count++] =
            (segment){0, -begin, edge == TWILL_EDGE_PERIODIC ? n + begin : 0, repeated, outside};
    out[count++] = (segment){first - begin, last - first, first, false, false};
    if (end > n)
        out[count++] = (segment){n - begin, end - n, repeated ? n - 1 : 0, repeated, outside};
    return count;
}

/* The argument with a tile: each is one once. */
static int source_of(call *c, twill_tile *tile)
{
    for (int i = 1; i <= c->sources; i++)
        if (c->args[i].u.tile == tile)
            return i;
    c->args[++c->sources] = TWILL_R(tile);
    return c->sources;
}

/* Of another rank: packed there, into a tile made for it. */
static twill_status send(call *c, tw_parcel *p, twill_tile *tile)
{
    int64_t elements = 1;
    for (int d = 0; d < c->s.ndim; d++)
        elements *= p->repeated >> d & 1 ? 1 : p->extent[d];
    twill_tile *to = NULL;
    twill_status status =
        tw_array_buffer(c->graph, tw_tile_owner(tile), elements * (int64_t)c->s.size, &to);
    if (status != TWILL_OK)
        return status;
    p->packed = true;
    p->source = source_of(c, to);
    return twill_insert(c->graph, &tw_stencil_pack, TWILL_W(to), TWILL_R(tile), TWILL_VALUE(*p),
                        TWILL_VALUE(c->shared));
}

/* The part of the segments that is in one tile of the view. */
static void add_tile(int64_t number, void *arg)
{
    call *c = arg;
    int64_t block[TWILL_DIMS];
    tw_section section;
    if (c->status != TWILL_OK)
        return;
    if (c->job.parcels == MOST) {
        c->status = tw_fail(TWILL_ERR_UNSUPPORTED,
                            "twill_stencil: the elements around one tile are in more than %d "
                            "tiles; choose larger ones",
                            (int)MOST);
        return;
    }
    tw_parcel *p = &c->parcel[c->job.parcels++];
    twill_tile *tile = tw_array_nth(c->part.array, number);
    tw_tile_block(tile, block);
    tw_view_section(&c->part, block, &section);
    *p = (tw_parcel){.corner = tw_corner_of(&c->part, &section, c->zip->dim[1], c->s.ndim)};
    for (int d = 0; d < c->s.ndim; d++) {
        int e = c->zip->dim[1][d];
        p->extent[d] = c->now[d]->repeated ? c->now[d]->n : section.extent[e];
        p->to += (c->now[d]->to + section.at[e]) * c->job.step[d];
        p->repeated |= (int64_t)c->now[d]->repeated << d;
    }
    if (tw_tile_owner(tile) == tw_tile_owner(c->box->tile[0]))
        p->source = source_of(c, tile);
    else
        c->status = send(c, p, tile);
}

static void add_outside(call *c)
{
    tw_parcel *p = &c->parcel[c->job.parcels++]; /* before any other: there is room */
    *p = (tw_parcel){.source = 0};
    for (int d = 0; d < c->s.ndim; d++) {
        p->extent[d] = c->now[d]->n;
        p->to += c->now[d]->to * c->job.step[d];
    }
}

/* One segment of each dimension. */
static void add_segments(call *c)
{
    bool outside = false;
    c->part = c->zip->view[1];
    for (int d = 0; d < c->s.ndim; d++) {
        int e = c->zip->dim[1][d];
        outside = outside || c->now[d]->outside;
        c->part.start[e] += c->now[d]->from;
        c->part.extent[e] = c->now[d]->repeated ? 1 : c->now[d]->n;
    }
    if (outside && c->job.parcels < MOST)
        add_outside(c);
    else
        tw_view_tiles(&c->part, add_tile, c);
}

static void add_all(call *c)
{
    segment list[TWILL_DIMS][SEGMENTS];
    int count[TWILL_DIMS] = {0}, i[TWILL_DIMS] = {0}, d = 0;
    for (int e = 0; e < c->s.ndim; e++) {
        count[e] = segments_of(c, e, list[e]);
        c->now[e] = &list[e][0];
    }
    do {
        add_segments(c);
        for (d = 0; d < c->s.ndim; d++) {
            i[d] = (i[d] + 1) % count[d];
            c->now[d] = &list[d][i[d]];
            if (i[d] != 0)
                break;
        }
    } while (d < c->s.ndim && c->status == TWILL_OK);
}

static twill_status insert_box(const tw_zip *z, const tw_zip_box *box, void *arg)
{
    call *c = arg;
    int64_t larger[TWILL_DIMS] = {0}, elements = 1;
    bool whole = box->whole[0];
    (void)z;
    c->box = box;
    c->sources = 0;
    c->job = (tw_stencil_job){.s = c->shared, .corner = box->corner[0]};
    memcpy(c->job.at, box->at, sizeof box->at);
    memcpy(c->job.extent, box->extent, sizeof box->extent);
    for (int d = 0; d < c->s.ndim; d++) {
        larger[d] = box->extent[d] + 2 * c->halo->width[d];
        elements *= larger[d];
    }
    tw_stencil_steps(&c->s, larger, 1, c->job.step);
    for (int d = 0; d < c->s.ndim; d++)
        c->job.first += c->halo->width[d] * c->job.step[d];
    add_all(c);
    if (c->status != TWILL_OK)
        return c->status;
    twill_arg *rest = &c->args[c->sources + 1];
    c->args[0] = whole ? TWILL_W(box->tile[0]) : TWILL_RW(box->tile[0]);
    rest[0] = TWILL_VALUE(c->job);
    rest[1] = TWILL_COPY(c->parcel, (size_t)c->job.parcels * sizeof *c->parcel);
    rest[2] = TWILL_SCRATCH((size_t)elements * c->s.size);
    rest[3] = TWILL_END;
    return twill_insert_args(c->graph, &tw_stencil_set, c->args);
}

static twill_status insert_all(twill_graph *g, void *arg)
{
    call *c = arg;
    tw_zip set = *c->zip;
    set.n = 1;
    c->graph = g;
    c->parcel = malloc(MOST * sizeof *c->parcel);
    c->args = malloc((MOST + 6) * sizeof *c->args);
    twill_status status = c->parcel && c->args ? tw_zip_boxes(&set, insert_box, c)
                                               : tw_fail(TWILL_ERR_MEMORY, "twill_stencil: no "
                                                                           "memory for a list");
    free(c->parcel);
    free(c->args);
    return status;
}

/* ---- checks ------------------------------------------------------------------------------ */

/* What is read along dimension d of the view, if the array has it, goes into `read`. */
static twill_status check_width(const tw_zip *z, const twill_halo *halo, int d, twill_view *read)
{
    int e = z->dim[1][d];
    const twill_view *from = &z->view[1];
    int64_t w = halo->width[d], n = from->extent[e];
    if (w < 0)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_stencil: the width %lld along dimension %d is "
                       "negative",
                       (long long)w, d);
    if (halo->edge == TWILL_EDGE_PERIODIC && w > n)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_stencil: the width %lld along dimension %d is more than the %lld "
                       "elements of the view",
                       (long long)w, d, (long long)n);
    read->start[e] -= halo->edge == TWILL_EDGE_ARRAY ? w : 0;
    read->extent[e] += halo->edge == TWILL_EDGE_ARRAY ? 2 * w : 0;
    return tw_view_check(read);
}

static twill_status check(const tw_zip *z, const twill_view *from, const twill_view *to,
                          const twill_halo *halo)
{
    twill_status status = TWILL_OK;
    if (z->ndim == 0)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_stencil: the views have no dimensions");
    if ((from->array->pattern.order ^ to->array->pattern.order) & TWILL_ROW_MAJOR_ELEMENTS)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_stencil: the elements of one array are in "
                                           "row-major order, and of the other one they are not");
    if (from->array->element != to->array->element || from->array->type != to->array->type)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_stencil: the views differ in the type of their "
                                           "elements");
    twill_view read = z->view[1];
    for (int d = 0; d < z->ndim && status == TWILL_OK; d++)
        status = check_width(z, halo, d, &read);
    if (status == TWILL_OK && tw_views_meet(&read, to))
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_stencil: it would read what it writes: the views "
                                           "overlap");
    return status;
}

static twill_status check_halo(const twill_halo *halo, twill_stencil_body *body)
{
    if (!halo || !body)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_stencil: an argument is NULL");
    if (halo->size < sizeof *halo)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_stencil: the halo needs its size");
    if (halo->edge < TWILL_EDGE_ARRAY || halo->edge > TWILL_EDGE_PERIODIC)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_stencil: there is no edge %d", (int)halo->edge);
    if (halo->edge == TWILL_EDGE_VALUE && !halo->outside)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_stencil: TWILL_EDGE_VALUE needs the element "
                                           "`outside`");
    return TWILL_OK;
}

twill_status twill_stencil(twill_view from, twill_view to, const twill_halo *halo,
                           twill_stencil_body *body, void *arg)
{
    const twill_view views[] = {to, from};
    tw_zip z;
    twill_status status = check_halo(halo, body);
    if (status == TWILL_OK)
        status = tw_zip_open(&z, "twill_stencil", 2, views,
                             (const twill_access[]){TWILL_WRITE, TWILL_READ}, NULL);
    if (status == TWILL_OK)
        status = check(&z, &from, &to, halo);
    if (status != TWILL_OK || twill_view_size(to) == 0)
        return status;
    call c = {
        .zip = &z,
        .halo = halo,
        .s = {z.ndim, z.fastest, to.array->element, to.array->type, halo->outside, body, arg}};
    c.shared = &c.s;
    return tw_array_run(to.array->context, z.alone, insert_all, &c);
}
