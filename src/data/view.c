/* Views: which elements, and which tiles those are in. */
#include "base/status.h"
#include "data/array.h"

twill_view twill_view_all(twill_array *a)
{
    twill_view v = {.array = a};
    for (int d = 0; d < TWILL_DIMS; d++)
        v.extent[d] = a->pattern.extent[d];
    return v;
}

twill_view twill_view_tile(twill_array *a, int64_t i, int64_t j)
{
    twill_view v = twill_view_all(a);
    const int64_t block[2] = {i, j};
    for (int d = 0; d < 2; d++) {
        v.start[d] = block[d] * a->pattern.block[d];
        v.extent[d] = twill_pattern_block_extent(&a->pattern, d, block[d]);
    }
    return v;
}

twill_view twill_view_sub(twill_view v, int64_t i, int64_t j, int64_t rows, int64_t cols)
{
    const int64_t start[2] = {i, j}, extent[2] = {rows, cols};
    for (int d = 0; d < 2; d++) {
        bool inside = start[d] >= 0 && extent[d] >= 0 && start[d] <= v.extent[d] &&
                      extent[d] <= v.extent[d] - start[d];
        v.start[d] += start[d];
        /* a view that leaves the one it is taken from is marked, and refused where it is used */
        v.extent[d] = inside ? extent[d] : -1;
    }
    return v;
}

twill_status tw_view_check(const twill_view *v)
{
    if (!v->array)
        return tw_fail(TWILL_ERR_ARGUMENT, "the view has no array");
    for (int d = 0; d < TWILL_DIMS; d++) {
        int64_t extent = v->array->pattern.extent[d];
        if (v->start[d] < 0 || v->extent[d] < 0 || v->start[d] > extent ||
            v->extent[d] > extent - v->start[d])
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "the view leaves its array in dimension %d: it starts at %lld, and the "
                           "array has %lld elements there",
                           d, (long long)v->start[d], (long long)extent);
    }
    return TWILL_OK;
}

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

void tw_view_tiles(const twill_view *v, void (*visit)(int64_t number, void *arg), void *arg)
{
    const twill_pattern *p = &v->array->pattern;
    int64_t first[TWILL_DIMS], last[TWILL_DIMS], at[TWILL_DIMS];
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
            number += at[d] * blocks;
            blocks *= twill_pattern_blocks(p, d);
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
