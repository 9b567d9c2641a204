/* Refinement in double precision with a factor in single precision. */
#include "la/mixed/mixed.h"

#include "data/array.h"
#include "la/agree.h"
#include "la/fit.h"
#include "la/matrix/vector.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

twill_type tw_mixed_low(twill_type type)
{
    return type == TWILL_COMPLEX128 ? TWILL_COMPLEX64 : TWILL_FLOAT32;
}

/* ---- arguments --------------------------------------------------------------------------- */

static twill_status check_like(int64_t *info, const tw_mixed *m, twill_array *y, int number)
{
    twill_status status = tw_la_check(m->who, y);
    if (status != TWILL_OK)
        return status;
    const twill_pattern *p = twill_array_pattern(m->a), *q = twill_array_pattern(y);
    const twill_pattern *b = twill_array_pattern(m->b);
    if (twill_array_type(y) != twill_array_type(m->a))
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the matrices differ in type", m->who);
    if (q->extent[0] != p->extent[0] || !tw_can_fit(m->a, 0, y, 0) ||
        q->extent[1] != b->extent[1] || !tw_can_fit(m->b, 1, y, 1))
        return tw_la_bad(info, m->who, number,
                         "must have %lld rows in tiles of %lld, and B and X must be alike",
                         (long long)p->extent[0], (long long)p->block[0]);
    return TWILL_OK;
}

twill_status tw_mixed_check(int64_t *info, tw_mixed *m, int number)
{
    twill_type type = twill_array_type(m->a);
    if (type != TWILL_FLOAT64 && type != TWILL_COMPLEX128)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the matrix must be of type FLOAT64 or COMPLEX128",
                       m->who);
    if (m->refine != TWILL_REFINE_CLASSIC && m->refine != TWILL_REFINE_GMRES)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: refine must be TWILL_REFINE_CLASSIC or _GMRES",
                       m->who);
    twill_status status = check_like(info, m, m->b, number);
    if (status == TWILL_OK)
        status = check_like(info, m, m->x, number + 2);
    return status == TWILL_OK && m->x == m->b
               ? tw_la_bad(info, m->who, number + 1, "(X) must be another matrix than B")
               : status;
}

/* ---- graphs ------------------------------------------------------------------------------ */

twill_status tw_mixed_insert_correction(twill_graph *g, tw_mixed *m, twill_array *r, twill_array *y)
{
    twill_status status = twill_copy_insert(g, TWILL_GENERAL, r, y);
    if (status == TWILL_OK)
        status = m->solve(g, m, y);
    return status == TWILL_OK ? twill_copy_insert(g, TWILL_GENERAL, y, r) : status;
}

/* r := b - A x */
static twill_status insert_residual(twill_graph *g, tw_mixed *m)
{
    twill_status status = twill_copy_insert(g, TWILL_GENERAL, m->b, m->r);
    return status == TWILL_OK ? m->subtract(g, m, m->x, m->r) : status;
}

/* Everything up to the first residual, each tile as soon as it can be. */
static twill_status insert_start(twill_graph *g, void *arg)
{
    tw_mixed *m = arg;
    twill_status status = m->factor(g, m);
    if (status == TWILL_OK)
        status = twill_copy_insert(g, TWILL_GENERAL, m->b, m->x);
    if (status == TWILL_OK)
        status = tw_mixed_insert_correction(g, m, m->x, m->y);
    return status == TWILL_OK ? insert_residual(g, m) : status;
}

static twill_status insert_step(twill_graph *g, void *arg)
{
    tw_mixed *m = arg;
    twill_status status = tw_mixed_insert_correction(g, m, m->r, m->y);
    if (status == TWILL_OK)
        status = twill_add_insert(g, TWILL_GENERAL, TWILL_NO_TRANS, twill_real(1.0), m->r,
                                  twill_real(1.0), m->x);
    return status == TWILL_OK ? insert_residual(g, m) : status;
}

/* ---- when to stop ------------------------------------------------------------------------ */

/* All columns: *good, and *most, the largest residual. */
static twill_status look_at_columns(const tw_mixed *m, bool *good, double *most)
{
    int64_t n = twill_array_pattern(m->r)->extent[1];
    double *of_r = calloc((size_t)(2 * n + 1), sizeof *of_r), *of_x = of_r + n;
    twill_status status = of_r ? TWILL_OK : tw_fail(TWILL_ERR_MEMORY, "no memory for columns");
    status = tw_columns_largest(status, m->r, of_r);
    if (status == TWILL_OK)
        status = tw_columns_largest(status, m->x, of_x);
    *good = true;
    *most = 0.0;
    for (int64_t j = 0; j < n && status == TWILL_OK; j++) {
        *good = *good && of_r[j] <= m->bound * of_x[j]; /* NaN is not */
        if (!(of_r[j] <= *most))
            *most = of_r[j];
    }
    free(of_r);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------- */

static twill_status refine(tw_mixed *m, int64_t *iterations)
{
    twill *tw = twill_array_context(m->a);
    bool good;
    double most;
    for (int64_t step = 0;; step++) {
        twill_status status = look_at_columns(m, &good, &most);
        if (status != TWILL_OK)
            return status;
        *iterations = good                     ? step
                      : !(most <= FLT_MAX)     ? TW_MIXED_TOO_LARGE
                      : step == TW_MIXED_STEPS ? TW_MIXED_INACCURATE
                                               : 0;
        if (good || *iterations < 0)
            return TWILL_OK;
        status = tw_la_run(tw, insert_step, m, NULL);
        if (status != TWILL_OK)
            return status;
    }
}

/* Can single precision hold A and B? The infinity norm bounds the elements, so that they are looked
 * at only if it is too large. */
static twill_status look_at_sizes(tw_mixed *m, bool *fit)
{
    double of_a = 0.0, of_b = 0.0;
    twill_status status = twill_norm(TWILL_NORM_MAX, m->b, &of_b);
    if (status == TWILL_OK)
        status = m->measure(m, TWILL_NORM_INF, &m->norm);
    if (status == TWILL_OK && m->norm > FLT_MAX)
        status = m->measure(m, TWILL_NORM_MAX, &of_a);
    *fit = !(of_a > FLT_MAX) && !(of_b > FLT_MAX);
    m->bound = m->norm * (DBL_EPSILON / 2) * sqrt((double)twill_array_pattern(m->b)->extent[0]);
    return status;
}

/* X := the unrefined solution. *iterations < 0 when there is none. */
static twill_status start(tw_mixed *m, int64_t *iterations)
{
    bool fit;
    int64_t info = 0;
    twill_status status = look_at_sizes(m, &fit);
    if (status != TWILL_OK)
        return status;
    if (!fit) {
        *iterations = TW_MIXED_TOO_LARGE;
        return TWILL_OK;
    }
    status = tw_la_run(twill_array_context(m->a), insert_start, m, &info);
    if (status == TWILL_OK && m->look)
        status = m->look(m, &info);
    if (status == TWILL_ERR_NUMERICAL)
        status = TWILL_OK;
    *iterations = info ? TW_MIXED_NO_FACTOR : 0;
    return status;
}

/* X in tiles that fit those of A; those of B matter to nobody, since it is only copied. */
static twill_status make_arrays(tw_mixed *m, twill_array *x)
{
    twill *tw = twill_array_context(m->a);
    const twill_pattern *p = twill_array_pattern(m->a), *q = twill_array_pattern(x);
    twill_type type = twill_array_type(m->a);
    bool fits = tw_la_cut_alike(p, q, 0);
    twill_pattern like = tw_pattern_like(q, q->extent[0], q->extent[1],
                                         fits ? q->block[0] : p->block[0], q->block[1]);
    twill_status status = twill_array_create(tw, &like, type, 0, &m->r);
    if (status == TWILL_OK)
        status = twill_array_create(tw, &like, tw_mixed_low(type), 0, &m->y);
    if (status == TWILL_OK && !fits)
        status = twill_array_create(tw, &like, type, 0, &m->x);
    return tw_agree_status(tw, status);
}

twill_status tw_mixed_solve(tw_mixed *m, int64_t *iterations)
{
    twill_array *x = m->x;
    *iterations = 0;
    if (twill_array_pattern(m->b)->extent[0] == 0)
        return TWILL_OK;
    twill_status status = make_arrays(m, x);
    if (status == TWILL_OK)
        status = start(m, iterations);
    if (status == TWILL_OK && *iterations == 0)
        status =
            m->refine == TWILL_REFINE_GMRES ? tw_mixed_gmres(m, iterations) : refine(m, iterations);
    if (status == TWILL_OK && *iterations >= 0 && m->x != x)
        status = twill_copy(m->x, x);
    twill_array_free(m->r);
    twill_array_free(m->y);
    if (m->x != x)
        twill_array_free(m->x);
    m->x = x;
    return status;
}
