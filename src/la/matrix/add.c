/* B = alpha op(A) + beta B, of which copies and transposes are special cases.
 *
 * The tiles of A and B need not fit: a task takes what one tile of each has in common, so a tile of
 * B may be put together by several tasks, one after the other. */
#include "la/kernel/combine.h"

#include "data/array.h"

static const twill_class add_class = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(tw_combine_body)}};
static const twill_class copy_class = {
    .size = sizeof(twill_class), .name = "copy", .chores = {TWILL_CPU(tw_combine_body)}};
static const twill_class transpose_class = {
    .size = sizeof(twill_class), .name = "transpose", .chores = {TWILL_CPU(tw_combine_body)}};

/* ---- all pieces -------------------------------------------------------------------------- */

typedef struct call {
    const twill_class *cls;
    tw_sum s;
    twill_array *a, *b;
} call;

/* Rows (d = 0) or columns (d = 1) of a tile, in its matrix. */
static tw_span tile_span(const twill_array *a, int d, int64_t block)
{
    const twill_pattern *p = twill_array_pattern(a);
    int64_t first = block * p->block[d];
    return (tw_span){first, first + twill_pattern_block_extent(p, d, block)};
}

static tw_span intersect(tw_span x, tw_span y)
{
    return (tw_span){x.first > y.first ? x.first : y.first, x.end < y.end ? x.end : y.end};
}

/* What tile (i, j) of A has in common with tile (k, l) of B. */
static twill_status insert_piece(twill_graph *g, const call *o, int64_t i, int64_t j, int64_t k,
                                 int64_t l)
{
    bool straight = o->s.op == TWILL_NO_TRANS;
    tw_span a[2] = {tile_span(o->a, 0, i), tile_span(o->a, 1, j)};
    tw_span b[2] = {tile_span(o->b, 0, k), tile_span(o->b, 1, l)};
    tw_span rows = intersect(b[0], a[straight ? 0 : 1]),
            cols = intersect(b[1], a[straight ? 1 : 0]);
    tw_overlap p = {.i0 = rows.first,
                    .j0 = cols.first,
                    .rows = rows.end - rows.first,
                    .cols = cols.end - cols.first,
                    .in_a = {(straight ? rows : cols).first - a[0].first,
                             (straight ? cols : rows).first - a[1].first},
                    .in_b = {rows.first - b[0].first, cols.first - b[1].first}};
    if (!tw_uplo_meets(o->s.uplo, p.i0, p.rows, p.j0, p.cols))
        return TWILL_OK;
    bool whole = p.rows == b[0].end - b[0].first && p.cols == b[1].end - b[1].first;
    twill_arg_kind kind = whole && tw_scalar_zero(o->s.beta)
                              ? tw_uplo_overwrites(o->b, o->s.uplo, p.i0, p.rows, p.j0, p.cols)
                              : TWILL_ARG_READ_WRITE;
    return twill_insert(g, o->cls, TWILL_R(twill_tile_at(o->a, i, j)),
                        twill_arg_tile(kind, twill_tile_at(o->b, k, l)), TWILL_VALUE(o->s),
                        TWILL_VALUE(p));
}

/* The tiles of A with elements of these rows (d = 0) or columns (d = 1). */
static tw_span tiles_of(const twill_array *a, int d, tw_span elements)
{
    int64_t block = twill_array_pattern(a)->block[d];
    return (tw_span){elements.first / block, (elements.end - 1) / block + 1};
}

static twill_status insert_tile(twill_graph *g, const call *o, int64_t k, int64_t l)
{
    bool straight = o->s.op == TWILL_NO_TRANS;
    tw_span rows = tiles_of(o->a, 0, tile_span(o->b, straight ? 0 : 1, straight ? k : l));
    tw_span cols = tiles_of(o->a, 1, tile_span(o->b, straight ? 1 : 0, straight ? l : k));
    twill_status status = TWILL_OK;
    for (int64_t j = cols.first; j < cols.end; j++)
        for (int64_t i = rows.first; i < rows.end && status == TWILL_OK; i++)
            status = insert_piece(g, o, i, j, k, l);
    return status;
}

static twill_status insert_job(twill_graph *g, void *arg)
{
    const call *o = arg;
    twill_status status = TWILL_OK;
    if (tw_scalar_zero(o->s.alpha))
        return twill_scale_insert(g, o->s.uplo, o->s.beta, o->b);
    for (int64_t l = 0; l < tw_la_nt(o->b); l++)
        for (int64_t k = 0; k < tw_la_mt(o->b) && status == TWILL_OK; k++)
            status = insert_tile(g, o, k, l);
    return status;
}

/* ---- arguments --------------------------------------------------------------------------- */

static twill_status check_shapes(const char *who, const call *o)
{
    const twill_pattern *p = twill_array_pattern(o->a), *q = twill_array_pattern(o->b);
    int straight = o->s.op == TWILL_NO_TRANS;
    if (p->extent[0] != q->extent[straight ? 0 : 1] || p->extent[1] != q->extent[straight ? 1 : 0])
        return tw_fail(
            TWILL_ERR_ARGUMENT, "%s: the matrices differ in size: %lld by %lld%s and %lld by %lld",
            who, (long long)p->extent[0], (long long)p->extent[1], straight ? "" : ", transposed,",
            (long long)q->extent[0], (long long)q->extent[1]);
    if (twill_array_context(o->a) != twill_array_context(o->b))
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the matrices differ in context", who);
    bool same = tw_array_overlaps(o->a, o->b), in_place = same && straight;
    for (int d = 0; d < 2; d++)
        in_place = in_place && o->a->origin[d] == o->b->origin[d];
    if (same && !in_place)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "%s: the matrices overlap, and the result would depend "
                       "on the order of its elements",
                       who);
    return TWILL_OK;
}

static twill_status check_types(const char *who, const call *o, bool precisions)
{
    twill_type from = twill_array_type(o->a), to = twill_array_type(o->b);
    if (from == to || (precisions && tw_la_complex(from) == tw_la_complex(to)))
        return TWILL_OK;
    return tw_fail(TWILL_ERR_ARGUMENT, "%s: the matrices differ in type%s", who,
                   precisions ? ": one is real and one complex" : "");
}

/* `number` is that of the argument that names the part. */
static twill_status check(const char *who, int number, call *o, bool precisions)
{
    twill_status status = tw_la_check(who, o->a);
    if (status == TWILL_OK)
        status = tw_la_check(who, o->b);
    if (status == TWILL_OK)
        status = tw_uplo_resolve(who, number, o->b, &o->s.uplo);
    bool straight = o->s.op == TWILL_NO_TRANS;
    twill_uplo uplo = straight ? o->s.uplo : tw_uplo_transposed(o->s.uplo);
    if (status == TWILL_OK)
        status = tw_uplo_resolve(who, number, o->a, &uplo);
    if (status == TWILL_OK)
        status = check_types(who, o, precisions);
    if (status == TWILL_OK)
        status = check_shapes(who, o);
    o->s.uplo = straight ? uplo : tw_uplo_transposed(uplo);
    return status;
}

static twill_status check_op(const char *who, int number, twill_trans op, bool transposed)
{
    if (op == TWILL_TRANS || op == TWILL_CONJ_TRANS || (op == TWILL_NO_TRANS && !transposed))
        return TWILL_OK;
    return tw_la_bad(NULL, who, number, "must be %sTWILL_TRANS or TWILL_CONJ_TRANS",
                     transposed ? "" : "TWILL_NO_TRANS, ");
}

static twill_status run(twill_status checked, call *o)
{
    return checked == TWILL_OK ? tw_la_run(twill_array_context(o->b), insert_job, o, NULL)
                               : checked;
}

static twill_status insert(twill_status checked, twill_graph *g, call *o)
{
    return checked == TWILL_OK ? insert_job(g, o) : checked;
}

/* ---- the API ----------------------------------------------------------------------------- */

static twill_status make_copy(twill_uplo uplo, twill_array *from, twill_array *to, call *o)
{
    *o = (call){&copy_class, {uplo, TWILL_NO_TRANS, twill_real(1.0), twill_real(0.0)}, from, to};
    return check("copy", 1, o, true);
}

twill_status twill_copy_uplo(twill_uplo uplo, twill_array *from, twill_array *to)
{
    call o;
    return run(make_copy(uplo, from, to, &o), &o);
}

twill_status twill_copy(twill_array *from, twill_array *to)
{
    return twill_copy_uplo(TWILL_GENERAL, from, to);
}

twill_status twill_copy_insert(twill_graph *g, twill_uplo uplo, twill_array *from, twill_array *to)
{
    call o;
    return insert(make_copy(uplo, from, to, &o), g, &o);
}

static twill_status make_transpose(twill_trans op, twill_array *a, twill_array *b, call *o)
{
    *o = (call){&transpose_class, {TWILL_GENERAL, op, twill_real(1.0), twill_real(0.0)}, a, b};
    twill_status status = check_op("transpose", 1, op, true);
    return status == TWILL_OK ? check("transpose", 1, o, true) : status;
}

twill_status twill_transpose(twill_trans op, twill_array *a, twill_array *b)
{
    call o;
    return run(make_transpose(op, a, b, &o), &o);
}

twill_status twill_transpose_insert(twill_graph *g, twill_trans op, twill_array *a, twill_array *b)
{
    call o;
    return insert(make_transpose(op, a, b, &o), g, &o);
}

static twill_status make_add(tw_sum s, twill_array *a, twill_array *b, call *o)
{
    *o = (call){&add_class, s, a, b};
    twill_status status = check_op("add", 2, s.op, false);
    if (status == TWILL_OK)
        status = check("add", 1, o, false);
    if (status == TWILL_OK)
        status = tw_la_check_scalar("add", 3, a, s.alpha);
    return status == TWILL_OK ? tw_la_check_scalar("add", 5, b, s.beta) : status;
}

twill_status twill_add(twill_uplo uplo, twill_trans op, twill_scalar alpha, twill_array *a,
                       twill_scalar beta, twill_array *b)
{
    call o;
    return run(make_add((tw_sum){uplo, op, alpha, beta}, a, b, &o), &o);
}

twill_status twill_add_insert(twill_graph *g, twill_uplo uplo, twill_trans op, twill_scalar alpha,
                              twill_array *a, twill_scalar beta, twill_array *b)
{
    call o;
    return insert(make_add((tw_sum){uplo, op, alpha, beta}, a, b, &o), g, &o);
}
