/* Which tiles the elements of a view are in, and where: a section is what it has of one tile. */
#include "base/minmax.h"
#include "base/status.h"
#include "data/array.h"

/* ---- checks ------------------------------------------------------------------------------ */

/* Elements along dimension d that a view may have: all, or those of one rank. */
static int64_t extent_of(const twill_view *v, int d)
{
    const twill_pattern *p = &v->array->pattern;
    int64_t here[TWILL_DIMS];
    if (!v->local)
        return p->extent[d];
    bool owns = d < p->ndim && tw_pattern_coordinates(p, v->local - 1, here);
    return owns ? twill_pattern_local_extent(p, d, here[d]) : d >= p->ndim;
}

static twill_status refuse_local(const twill_view *v)
{
    return v->local == TW_VIEW_NO_LOCAL
               ? tw_fail(TWILL_ERR_UNSUPPORTED,
                         "a view cannot be local where an owner function says whose blocks are; "
                         "twill_view_lblock gives local blocks one by one")
           : v->local == TW_VIEW_NO_GLOBAL
               ? tw_fail(TWILL_ERR_ARGUMENT,
                         "a local view of several blocks is no box of the array; take a block "
                         "of it first")
               : tw_fail(TWILL_ERR_ARGUMENT, "this rank has no local block of that number");
}

twill_status tw_view_check(const twill_view *v)
{
    if (!v->array)
        return tw_fail(TWILL_ERR_ARGUMENT, "the view has no array");
    if (v->local < 0)
        return refuse_local(v);
    for (int d = 0; d < TWILL_DIMS; d++) {
        int64_t extent = extent_of(v, d);
        if (v->start[d] < 0 || v->extent[d] < 0 || v->start[d] > extent ||
            v->extent[d] > extent - v->start[d])
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "the view leaves its array in dimension %d: it starts at %lld, and the "
                           "array has %lld elements there",
                           d, (long long)v->start[d], (long long)extent);
    }
    return TWILL_OK;
}

twill_status twill_view_check(twill_view v)
{
    return tw_view_check(&v);
}

twill_status tw_view_check_box(const twill_view *v)
{
    twill_status status = tw_view_check(v);
    if (status == TWILL_OK && v->local)
        return tw_fail(TWILL_ERR_ARGUMENT, "the view is a local one, and here it must be one of "
                                           "the array: twill_view_global makes it that");
    return status;
}

/* ---- sections ------------------------------------------------------------------------------ */

void tw_view_section(const twill_view *v, const int64_t *block, tw_section *section)
{
    const twill_pattern *p = &v->array->pattern;
    int64_t here[TWILL_DIMS] = {0};
    if (v->local)
        tw_pattern_coordinates(p, v->local - 1, here);
    for (int d = 0; d < p->ndim; d++) {
        int64_t b = v->local ? tw_pattern_before(p, d, here[d], block[d]) : block[d];
        int64_t begin = b * p->block[d];
        int64_t end = begin + twill_pattern_block_extent(p, d, block[d]);
        int64_t first = tw_max(v->start[d], begin);
        section->inside[d] = first - begin;
        section->at[d] = first - v->start[d];
        section->extent[d] = tw_min(v->start[d] + v->extent[d], end) - first;
        section->whole[d] = end - begin;
    }
}

/* Bytes from one index to the next in dimension number k in the order of elements. */
static void steps_of(const twill_pattern *p, const int64_t *extent, int64_t ld, size_t element,
                     size_t *step)
{
    size_t apart = element;
    for (int k = 0; k < p->ndim; k++) {
        step[k] = apart;
        apart *= (size_t)(k == 0 ? ld : extent[tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, k)]);
    }
}

void *tw_section_at(const twill_pattern *p, const int64_t *extent, const int64_t *at,
                    tw_host_bytes bytes, size_t element)
{
    size_t step[TWILL_DIMS], offset = 0;
    steps_of(p, extent, bytes.ld, element, step);
    for (int k = 0; k < p->ndim; k++)
        offset += (size_t)at[tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, k)] * step[k];
    return (char *)bytes.data + offset;
}

void tw_section_copy(const twill_view *v, const tw_section *section, tw_host_bytes tile,
                     tw_host_bytes memory, bool back)
{
    const twill_pattern *p = &v->array->pattern;
    size_t element = v->array->element, step[2][TWILL_DIMS];
    int64_t n[TWILL_DIMS] = {1, 1}, i[TWILL_DIMS] = {0};
    char *here = tw_section_at(p, section->whole, section->inside, tile, element);
    char *there = tw_section_at(p, v->extent, section->at, memory, element);
    steps_of(p, section->whole, tile.ld, element, step[0]);
    steps_of(p, v->extent, memory.ld, element, step[1]);
    for (int k = 0; k < p->ndim; k++)
        n[k] = section->extent[tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, k)];
    if (p->ndim == 1)
        step[0][1] = step[1][1] = 0;
    for (;;) { /* two dimensions at once, and from each of the others to the next */
        tw_host.copy_2d(&tw_host, back ? here : there, step[!back][1], back ? there : here,
                        step[back][1], (size_t)n[0] * element, (size_t)n[1]);
        int k = 2;
        for (; k < p->ndim && ++i[k] == n[k]; k++) {
            here -= step[0][k] * (size_t)(n[k] - 1);
            there -= step[1][k] * (size_t)(n[k] - 1);
            i[k] = 0;
        }
        if (k >= p->ndim)
            return;
        here += step[0][k];
        there += step[1][k];
    }
}

void tw_view_tiles(const twill_view *v, void (*visit)(int64_t number, void *arg), void *arg)
{
    const twill_pattern *p = &v->array->pattern;
    int64_t first[TWILL_DIMS], last[TWILL_DIMS], at[TWILL_DIMS], here[TWILL_DIMS] = {0};
    if (v->local)
        tw_pattern_coordinates(p, v->local - 1, here);
    for (int d = 0; d < p->ndim; d++) {
        if (v->extent[d] == 0)
            return;
        first[d] = v->start[d] / p->block[d];
        last[d] = (v->start[d] + v->extent[d] - 1) / p->block[d];
        at[d] = first[d];
    }
    for (;;) {
        int64_t number = 0, blocks = 1;
        for (int d = 0; d < p->ndim; d++) {
            number += (v->local ? tw_pattern_block(p, d, here[d], at[d]) : at[d]) * blocks;
            blocks *= v->array->blocks[d];
        }
        visit(number, arg);
        int d = 0;
        while (d < p->ndim && at[d] == last[d]) {
            at[d] = first[d];
            d++;
        }
        if (d == p->ndim)
            return;
        at[d]++;
    }
}

twill_view tw_view_in_root(twill_view v)
{
    const twill_array *a = v.array, *root = a->root;
    int64_t here[TWILL_DIMS] = {0};
    if (v.local)
        tw_pattern_coordinates(&root->pattern, v.local - 1, here);
    for (int d = 0; d < a->pattern.ndim; d++) {
        int64_t before =
            v.local ? tw_pattern_before(&root->pattern, d, here[d], a->origin[d]) : a->origin[d];
        v.start[d] += before * a->pattern.block[d];
    }
    v.array = a->root;
    return v;
}

/* ---- whose they are ---------------------------------------------------------------------- */

/* Tiles of a view, and whether this rank owns all of them. */
typedef struct ownership {
    const twill_array *array;
    bool whole;
} ownership;

static void look_at_owner(int64_t number, void *arg)
{
    ownership *o = arg;
    int64_t block[TWILL_DIMS];
    for (int d = 0; d < TWILL_DIMS; d++) {
        block[d] = number % o->array->blocks[d];
        number /= o->array->blocks[d];
    }
    o->whole = o->whole && twill_pattern_owner(&o->array->pattern, block) == o->array->shared->rank;
}

twill_status tw_view_check_local(const twill_view *v)
{
    ownership o = {v->array, true};
    if (v->array->shared->ranks == 1)
        return TWILL_OK;
    tw_view_tiles(v, look_at_owner, &o);
    if (o.whole)
        return TWILL_OK;
    return tw_fail(TWILL_ERR_UNSUPPORTED,
                   "the view has elements that other ranks own: rank %d can map its own tiles only",
                   v->array->shared->rank);
}
