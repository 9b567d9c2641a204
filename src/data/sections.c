/* Which tiles the elements of a view are in, and where: a section is what it has of one tile. */
#include "base/minmax.h"
#include "base/status.h"
#include "data/array.h"
#include "data/strided.h"

#include <string.h>

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

void tw_section_steps(const twill_pattern *p, const int64_t *extent, int64_t ld, size_t element,
                      int64_t *step)
{
    int64_t apart = (int64_t)element;
    for (int k = 0; k < p->ndim; k++) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, k);
        step[d] = apart;
        apart *= k == 0 ? ld : extent[d];
    }
}

void *tw_section_at(const twill_pattern *p, const int64_t *extent, const int64_t *at,
                    tw_host_bytes bytes, size_t element)
{
    int64_t step[TWILL_DIMS], offset = 0;
    tw_section_steps(p, extent, bytes.ld, element, step);
    for (int d = 0; d < p->ndim; d++)
        offset += at[d] * step[d];
    return (char *)bytes.data + offset;
}

void tw_section_copy(const twill_view *v, const tw_section *section, tw_host_bytes tile,
                     tw_host_bytes memory, bool back)
{
    const twill_pattern *p = &v->array->pattern;
    size_t element = v->array->element;
    char *here = tw_section_at(p, section->whole, section->inside, tile, element);
    char *there = tw_section_at(p, v->extent, section->at, memory, element);
    tw_strided s = {.ndim = p->ndim,
                    .element = element,
                    .to = back ? here : there,
                    .from = back ? there : here};
    memcpy(s.extent, section->extent, sizeof s.extent);
    tw_section_steps(p, section->whole, tile.ld, element, back ? s.to_step : s.from_step);
    tw_section_steps(p, v->extent, memory.ld, element, back ? s.from_step : s.to_step);
    tw_strided_run(s);
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
    tw_array_block(o->array, number, block);
    o->whole = o->whole && twill_pattern_owner(&o->array->pattern, block) == o->array->shared->rank;
}

bool tw_view_is_local(const twill_view *v)
{
    ownership o = {v->array, true};
    if (v->array->shared->ranks > 1)
        tw_view_tiles(v, look_at_owner, &o);
    return o.whole;
}

twill_status tw_view_check_local(const twill_view *v)
{
    if (tw_view_is_local(v))
        return TWILL_OK;
    return tw_fail(TWILL_ERR_UNSUPPORTED,
                   "the view has elements that other ranks own: rank %d can map its own tiles only",
                   v->array->shared->rank);
}
