/* B = alpha op(A) + beta B, of which copies and transposes are special cases. */
#include "la/matrix/pairs.h"

#include "engine/engine.h"

static const twill_class add_class = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(tw_combine_body)}};
static const twill_class copy_class = {
    .size = sizeof(twill_class), .name = "copy", .chores = {TWILL_CPU(tw_combine_body)}};
static const twill_class transpose_class = {
    .size = sizeof(twill_class), .name = "transpose", .chores = {TWILL_CPU(tw_combine_body)}};

/* ---- insertion --------------------------------------------------------------------------- */

typedef struct job {
    twill_graph *g;
    const tw_combination *c;
} job;

static twill_status insert_pair(const tw_pair *pair, void *arg)
{
    const job *j = arg;
    return tw_pair_insert(j->g, j->c, pair);
}

static twill_status insert_job(twill_graph *g, void *arg)
{
    const tw_combination *c = arg;
    if (tw_scalar_zero(c->s.alpha))
        return twill_scale_insert(g, c->s.uplo, c->s.beta, c->b);
    return g->shared ? tw_pairs_travel(g, c) : tw_pairs_each(c, insert_pair, &(job){g, c});
}

/* ---- arguments --------------------------------------------------------------------------- */

static twill_status check_shapes(const char *who, const tw_combination *o)
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

static twill_status check_types(const char *who, const tw_combination *o, bool precisions)
{
    twill_type from = twill_array_type(o->a), to = twill_array_type(o->b);
    if (from == to || (precisions && tw_la_complex(from) == tw_la_complex(to)))
        return TWILL_OK;
    return tw_fail(TWILL_ERR_ARGUMENT, "%s: the matrices differ in type%s", who,
                   precisions ? ": one is real and one complex" : "");
}

/* `number` is that of the argument that names the part. */
static twill_status check(const char *who, int number, tw_combination *o, bool precisions)
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
    for (int d = 0; d < 2 && status == TWILL_OK; d++)
        o->size[d] = o->b->pattern.extent[d];
    return status;
}

static twill_status check_op(const char *who, int number, twill_trans op, bool transposed)
{
    if (op == TWILL_TRANS || op == TWILL_CONJ_TRANS || (op == TWILL_NO_TRANS && !transposed))
        return TWILL_OK;
    return tw_la_bad(NULL, who, number, "must be %sTWILL_TRANS or TWILL_CONJ_TRANS",
                     transposed ? "" : "TWILL_NO_TRANS, ");
}

static twill_status run(twill_status checked, tw_combination *o)
{
    return checked == TWILL_OK ? tw_la_run(twill_array_context(o->b), insert_job, o, NULL)
                               : checked;
}

static twill_status insert(twill_status checked, twill_graph *g, tw_combination *o)
{
    return checked == TWILL_OK ? insert_job(g, o) : checked;
}

/* ---- the API ----------------------------------------------------------------------------- */

static twill_status make_copy(twill_uplo uplo, twill_array *from, twill_array *to,
                              tw_combination *o)
{
    *o = (tw_combination){.cls = &copy_class,
                          .s = {uplo, TWILL_NO_TRANS, twill_real(1.0), twill_real(0.0)},
                          .a = from,
                          .b = to};
    return check("copy", 1, o, true);
}

twill_status twill_copy_uplo(twill_uplo uplo, twill_array *from, twill_array *to)
{
    tw_combination o;
    return run(make_copy(uplo, from, to, &o), &o);
}

twill_status twill_copy(twill_array *from, twill_array *to)
{
    return twill_copy_uplo(TWILL_GENERAL, from, to);
}

twill_status twill_copy_insert(twill_graph *g, twill_uplo uplo, twill_array *from, twill_array *to)
{
    tw_combination o;
    return insert(make_copy(uplo, from, to, &o), g, &o);
}

/* ---- of views ---------------------------------------------------------------------------- */

static twill_status check_view(const char *who, const twill_view *v)
{
    if (!v->array)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: a view has no array", who);
    twill_status status = tw_la_check_whole(who, v->array);
    return status == TWILL_OK ? tw_view_check_box(v) : status;
}

/* The tiles that a view has elements of. */
static twill_status check_apart(const char *who, twill_view from, twill_view to)
{
    bool common = from.array->root == to.array->root;
    from = tw_view_in_root(from);
    to = tw_view_in_root(to);
    for (int d = 0; d < 2 && common; d++)
        common = from.start[d] < to.start[d] + to.extent[d] &&
                 to.start[d] < from.start[d] + from.extent[d];
    return common ? tw_fail(TWILL_ERR_ARGUMENT, "%s: the views overlap", who) : TWILL_OK;
}

static twill_status make_view_copy(twill_view from, twill_view to, tw_combination *o)
{
    const char *who = "copy";
    *o = (tw_combination){.cls = &copy_class,
                          .s = {TWILL_GENERAL, TWILL_NO_TRANS, twill_real(1.0), twill_real(0.0)},
                          .a = from.array,
                          .b = to.array};
    twill_status status = check_view(who, &from);
    if (status == TWILL_OK)
        status = check_view(who, &to);
    if (status == TWILL_OK)
        status = check_types(who, o, true);
    if (status != TWILL_OK)
        return status;
    if (from.array->context != to.array->context)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the matrices differ in context", who);
    for (int d = 0; d < 2; d++) {
        if (from.extent[d] != to.extent[d])
            return tw_fail(TWILL_ERR_ARGUMENT, "%s: the views have %lld and %lld %s", who,
                           (long long)from.extent[d], (long long)to.extent[d],
                           d == 0 ? "rows" : "columns");
        o->in_a[d] = from.start[d];
        o->in_b[d] = to.start[d];
        o->size[d] = to.extent[d];
    }
    return check_apart(who, from, to);
}

twill_status twill_copy_view(twill_view from, twill_view to)
{
    tw_combination o;
    return run(make_view_copy(from, to, &o), &o);
}

twill_status twill_copy_view_insert(twill_graph *g, twill_view from, twill_view to)
{
    tw_combination o;
    return insert(make_view_copy(from, to, &o), g, &o);
}

/* ---- transposed, added ------------------------------------------------------------------- */

static twill_status make_transpose(twill_trans op, twill_array *a, twill_array *b,
                                   tw_combination *o)
{
    *o = (tw_combination){.cls = &transpose_class,
                          .s = {TWILL_GENERAL, op, twill_real(1.0), twill_real(0.0)},
                          .a = a,
                          .b = b};
    twill_status status = check_op("transpose", 1, op, true);
    return status == TWILL_OK ? check("transpose", 1, o, true) : status;
}

twill_status twill_transpose(twill_trans op, twill_array *a, twill_array *b)
{
    tw_combination o;
    return run(make_transpose(op, a, b, &o), &o);
}

twill_status twill_transpose_insert(twill_graph *g, twill_trans op, twill_array *a, twill_array *b)
{
    tw_combination o;
    return insert(make_transpose(op, a, b, &o), g, &o);
}

static twill_status make_add(tw_sum s, twill_array *a, twill_array *b, tw_combination *o)
{
    *o = (tw_combination){.cls = &add_class, .s = s, .a = a, .b = b};
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
    tw_combination o;
    return run(make_add((tw_sum){uplo, op, alpha, beta}, a, b, &o), &o);
}

twill_status twill_add_insert(twill_graph *g, twill_uplo uplo, twill_trans op, twill_scalar alpha,
                              twill_array *a, twill_scalar beta, twill_array *b)
{
    tw_combination o;
    return insert(make_add((tw_sum){uplo, op, alpha, beta}, a, b, &o), g, &o);
}
