/* The tiles of A and B need not fit: a task takes what one tile of each has in common, so a tile of
 * B may be put together by several tasks, one after the other. */
#include "la/matrix/pairs.h"

/* Rows (d = 0) or columns (d = 1) of a tile, counted from where the part begins, and inside it. */
static tw_span tile_span(const twill_array *a, int d, int64_t block, int64_t begin, int64_t size)
{
    const twill_pattern *p = twill_array_pattern(a);
    int64_t first = block * p->block[d] - begin;
    return (tw_span){tw_max(first, 0),
                     tw_min(first + twill_pattern_block_extent(p, d, block), size)};
}

/* The tiles with elements of these rows or columns. */
static tw_span tiles_of(const twill_array *a, int d, tw_span elements, int64_t begin)
{
    int64_t block = twill_array_pattern(a)->block[d];
    if (elements.first >= elements.end)
        return (tw_span){0, 0};
    return (tw_span){(begin + elements.first) / block, (begin + elements.end - 1) / block + 1};
}

static tw_span intersect(tw_span x, tw_span y)
{
    return (tw_span){tw_max(x.first, y.first), tw_min(x.end, y.end)};
}

/* The dimension of A that dimension d of B is. */
static int in_a(const tw_combination *c, int d)
{
    return c->s.op == TWILL_NO_TRANS ? d : 1 - d;
}

/* Where the first of these elements is in a tile of the matrix. */
static int64_t inside(const twill_array *a, int d, int64_t block, int64_t begin, tw_span elements)
{
    return begin + elements.first - block * twill_array_pattern(a)->block[d];
}

static tw_pair make_pair(const tw_combination *c, const int64_t *of_a, const int64_t *of_b)
{
    tw_pair pair = {of_a[0], of_a[1], of_b[0], of_b[1], .whole = true};
    tw_overlap *o = &pair.overlap;
    tw_span common[2];
    for (int d = 0; d < 2; d++) {
        int e = in_a(c, d);
        tw_span b = tile_span(c->b, d, of_b[d], c->in_b[d], c->size[d]);
        common[d] = intersect(b, tile_span(c->a, e, of_a[e], c->in_a[e], c->size[d]));
        o->in_a[e] = inside(c->a, e, of_a[e], c->in_a[e], common[d]);
        o->in_b[d] = inside(c->b, d, of_b[d], c->in_b[d], common[d]);
        pair.whole =
            pair.whole && common[d].end - common[d].first ==
                              twill_pattern_block_extent(twill_array_pattern(c->b), d, of_b[d]);
    }
    o->i0 = c->in_b[0] + common[0].first;
    o->j0 = c->in_b[1] + common[1].first;
    o->rows = common[0].end - common[0].first;
    o->cols = common[1].end - common[1].first;
    return pair;
}

static twill_status visit_tile(const tw_combination *c, int64_t k, int64_t l, tw_pair_visit *visit,
                               void *arg)
{
    const int64_t of_b[2] = {k, l};
    tw_span tiles[2];
    for (int d = 0; d < 2; d++) {
        int e = in_a(c, d);
        tw_span b = tile_span(c->b, d, of_b[d], c->in_b[d], c->size[d]);
        tiles[e] = tiles_of(c->a, e, b, c->in_a[e]);
    }
    twill_status status = TWILL_OK;
    for (int64_t j = tiles[1].first; j < tiles[1].end; j++)
        for (int64_t i = tiles[0].first; i < tiles[0].end && status == TWILL_OK; i++) {
            tw_pair pair = make_pair(c, (const int64_t[]){i, j}, of_b);
            const tw_overlap *o = &pair.overlap;
            if (tw_uplo_meets(c->s.uplo, o->i0, o->rows, o->j0, o->cols))
                status = visit(&pair, arg);
        }
    return status;
}

twill_status tw_pairs_each(const tw_combination *c, tw_pair_visit *visit, void *arg)
{
    tw_span rows = tiles_of(c->b, 0, (tw_span){0, c->size[0]}, c->in_b[0]);
    tw_span cols = tiles_of(c->b, 1, (tw_span){0, c->size[1]}, c->in_b[1]);
    twill_status status = TWILL_OK;
    for (int64_t l = cols.first; l < cols.end; l++)
        for (int64_t k = rows.first; k < rows.end && status == TWILL_OK; k++)
            status = visit_tile(c, k, l, visit, arg);
    return status;
}

twill_status tw_pair_insert(twill_graph *g, const tw_combination *c, const tw_pair *pair)
{
    const tw_overlap *o = &pair->overlap;
    twill_arg_kind kind = pair->whole && tw_scalar_zero(c->s.beta)
                              ? tw_uplo_overwrites(c->b, c->s.uplo, o->i0, o->rows, o->j0, o->cols)
                              : TWILL_ARG_READ_WRITE;
    return twill_insert(g, c->cls, TWILL_R(twill_tile_at(c->a, pair->i, pair->j)),
                        twill_arg_tile(kind, twill_tile_at(c->b, pair->k, pair->l)),
                        TWILL_VALUE(c->s), TWILL_VALUE(pair->overlap));
}
