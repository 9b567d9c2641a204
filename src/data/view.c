/* Views: boxes of elements, made from one another. */
#include "data/array.h"

/* ---- dimensions -------------------------------------------------------------------------- */

static int ndim(const twill_view *v)
{
    return v->array ? v->array->pattern.ndim : 0;
}

/* Dimension d of those that are left, in the array; -1: there is none. */
static int dim_of(const twill_view *v, int d)
{
    for (int e = 0; e < ndim(v); e++)
        if (!(v->sliced >> e & 1) && d-- == 0)
            return e;
    return -1;
}

/* What leaves the view that it is taken from is marked, and refused where it is used. */
static twill_view marked(twill_view v)
{
    v.extent[0] = -1;
    return v;
}

/* Elements begin to end-1 along dimension d of the array. */
static void cut(twill_view *v, int d, int64_t begin, int64_t end)
{
    bool inside = begin >= 0 && begin <= end && end <= v->extent[d];
    v->start[d] = inside ? v->start[d] + begin : v->start[d];
    v->extent[d] = inside ? end - begin : -1;
}

/* ---- boxes ------------------------------------------------------------------------------- */

twill_view twill_view_all(twill_array *a)
{
    twill_view v = {.array = a};
    for (int d = 0; d < TWILL_DIMS; d++)
        v.extent[d] = a->pattern.extent[d];
    return v;
}

twill_view twill_view_range(twill_view v, int d, int64_t begin, int64_t end)
{
    int e = dim_of(&v, d);
    if (e < 0)
        return marked(v);
    cut(&v, e, begin, end);
    return v;
}

twill_view twill_view_element(twill_array *a, const int64_t *index)
{
    twill_view v = twill_view_all(a);
    for (int d = 0; d < a->pattern.ndim; d++)
        cut(&v, d, index[d], index[d] < INT64_MAX ? index[d] + 1 : -1);
    return v;
}

twill_view twill_view_slice(twill_view v, int d, int64_t index)
{
    int e = dim_of(&v, d);
    if (e < 0 || index == INT64_MAX)
        return marked(v);
    cut(&v, e, index, index + 1);
    v.sliced |= INT64_C(1) << e;
    return v;
}

twill_view twill_view_row(twill_view v, int64_t i)
{
    return twill_view_slice(v, 0, i);
}

twill_view twill_view_col(twill_view v, int64_t j)
{
    return twill_view_slice(v, 1, j);
}

twill_view twill_view_sub(twill_view v, int64_t i, int64_t j, int64_t rows, int64_t cols)
{
    const int64_t start[2] = {i, j}, extent[2] = {rows, cols};
    for (int d = 0; d < 2; d++) {
        int e = dim_of(&v, d);
        int64_t end;
        if (e >= 0 && !__builtin_add_overflow(start[d], extent[d], &end))
            cut(&v, e, start[d], end);
        else if (e >= 0 || start[d] != 0 || extent[d] != 1)
            return marked(v); /* a dimension that is not there has one element */
    }
    return v;
}

twill_view twill_view_shift(twill_view v, int d, int64_t by)
{
    int e = dim_of(&v, d);
    if (e < 0 || __builtin_add_overflow(v.start[e], by, &v.start[e]))
        return marked(v);
    return v;
}

/* ---- blocks ------------------------------------------------------------------------------ */

twill_view twill_view_tile_nd(twill_array *a, const int64_t *block)
{
    twill_view v = twill_view_all(a);
    for (int d = 0; d < a->pattern.ndim; d++) {
        bool inside = block[d] >= 0 && block[d] < a->blocks[d];
        v.start[d] = inside ? block[d] * a->pattern.block[d] : 0;
        v.extent[d] = inside ? twill_pattern_block_extent(&a->pattern, d, block[d]) : -1;
    }
    return v;
}

twill_view twill_view_tile(twill_array *a, int64_t i, int64_t j)
{
    const int64_t block[TWILL_DIMS] = {i, j};
    bool there = a->pattern.ndim > 1 || j == 0;
    return there ? twill_view_tile_nd(a, block) : marked(twill_view_all(a));
}

twill_view twill_view_lblock(twill_array *a, int64_t n)
{
    int64_t block[TWILL_DIMS];
    twill_view v = twill_view_all(a);
    int64_t rank = a->shared->rank;
    if (n >= 0 && n < twill_pattern_rank_blocks(&a->pattern, rank)) {
        twill_pattern_lblock(&a->pattern, rank, n, block);
        return twill_view_tile_nd(a, block);
    }
    v.local = TW_VIEW_NO_BLOCK;
    return v;
}

/* Blocks along dimension d of the array that it has elements of. */
static int64_t blocks_along(const twill_view *v, int d)
{
    int64_t block = v->array->pattern.block[d], last = v->start[d] + v->extent[d] - 1;
    return v->extent[d] > 0 ? last / block - v->start[d] / block + 1 : 0;
}

twill_view twill_view_block(twill_view v, const int64_t *block)
{
    if (twill_view_check(v) != TWILL_OK)
        return marked(v);
    for (int d = 0, left = 0; d < ndim(&v); d++) {
        if (v.sliced >> d & 1)
            continue;
        int64_t full = v.array->pattern.block[d], which = block[left++];
        if (which < 0 || which >= blocks_along(&v, d))
            return marked(v);
        int64_t begin = (v.start[d] / full + which) * full - v.start[d], end = begin + full;
        cut(&v, d, begin > 0 ? begin : 0, end < v.extent[d] ? end : v.extent[d]);
    }
    return v;
}

twill_view twill_view_block_nth(twill_view v, int64_t number)
{
    int64_t block[TWILL_DIMS] = {0};
    int n = twill_view_ndim(v);
    bool row_major = v.array && v.array->pattern.order & TWILL_ROW_MAJOR_BLOCKS;
    if (number < 0 || number >= twill_view_all_blocks(v))
        return marked(v);
    for (int k = 0; k < n; k++) {
        int d = row_major ? n - 1 - k : k;
        block[d] = number % twill_view_blocks(v, d);
        number /= twill_view_blocks(v, d);
    }
    return twill_view_block(v, block);
}

/* ---- local and global -------------------------------------------------------------------- */

/* Of the elements along dimension d before index x, those of coordinate r. */
static int64_t owned_before(const twill_pattern *p, int d, int64_t r, int64_t x)
{
    int64_t b = x / p->block[d], inside = x % p->block[d];
    bool own = inside && tw_pattern_coordinate(p, d, b) == r;
    return tw_pattern_before(p, d, r, b) * p->block[d] + (own ? inside : 0);
}

twill_view twill_view_local(twill_view v)
{
    int64_t here[TWILL_DIMS];
    if (twill_view_check(v) != TWILL_OK || v.local)
        return v;
    const twill_pattern *p = &v.array->pattern;
    int64_t rank = v.array->shared->rank;
    v.local = p->owner ? TW_VIEW_NO_LOCAL : rank + 1;
    bool owns = !p->owner && tw_pattern_coordinates(p, rank, here);
    for (int d = 0; d < p->ndim; d++) {
        int64_t end = v.start[d] + v.extent[d];
        v.start[d] = owns ? owned_before(p, d, here[d], v.start[d]) : 0;
        v.extent[d] = owns ? owned_before(p, d, here[d], end) - v.start[d] : 0;
    }
    return v;
}

twill_view twill_view_global(twill_view v)
{
    int64_t here[TWILL_DIMS] = {0};
    if (twill_view_check(v) != TWILL_OK || !v.local)
        return v;
    const twill_pattern *p = &v.array->pattern;
    tw_pattern_coordinates(p, v.local - 1, here);
    v.local = 0;
    for (int d = 0; d < p->ndim; d++) {
        int64_t b = v.start[d] / p->block[d], inside = v.start[d] % p->block[d];
        if (blocks_along(&v, d) > 1)
            v.local = TW_VIEW_NO_GLOBAL;
        else if (v.extent[d] == 0)
            v.start[d] = 0;
        else
            v.start[d] = tw_pattern_block(p, d, here[d], b) * p->block[d] + inside;
    }
    return v;
}

/* ---- questions --------------------------------------------------------------------------- */

int twill_view_ndim(twill_view v)
{
    int n = 0;
    while (dim_of(&v, n) >= 0)
        n++;
    return n;
}

int64_t twill_view_extent(twill_view v, int d)
{
    int e = dim_of(&v, d);
    return e < 0 ? 0 : v.extent[e];
}

void twill_view_shape(twill_view v, int64_t *extent)
{
    for (int d = 0; dim_of(&v, d) >= 0; d++)
        extent[d] = twill_view_extent(v, d);
}

int64_t twill_view_size(twill_view v)
{
    int64_t size = 1;
    for (int d = 0; d < ndim(&v); d++)
        size *= v.extent[d];
    return twill_view_check(v) == TWILL_OK ? size : 0;
}

int64_t twill_view_blocks(twill_view v, int d)
{
    int e = dim_of(&v, d);
    return e < 0 || twill_view_check(v) != TWILL_OK ? 0 : blocks_along(&v, e);
}

int64_t twill_view_all_blocks(twill_view v)
{
    int64_t blocks = 1;
    if (twill_view_check(v) != TWILL_OK)
        return 0;
    for (int d = 0; d < ndim(&v); d++)
        blocks *= blocks_along(&v, d);
    return blocks;
}

void twill_view_index(twill_view v, const int64_t *at, int64_t *index)
{
    const twill_pattern *p = &v.array->pattern;
    int64_t here[TWILL_DIMS] = {0};
    if (v.local > 0)
        tw_pattern_coordinates(p, v.local - 1, here);
    for (int d = 0, left = 0; d < p->ndim; d++) {
        int64_t x = v.start[d] + (v.sliced >> d & 1 ? 0 : at[left++]);
        index[d] = v.local > 0 ? tw_pattern_block(p, d, here[d], x / p->block[d]) * p->block[d] +
                                     x % p->block[d]
                               : x;
    }
}
