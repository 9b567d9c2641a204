/* Random calls of LU and of what is done with it. */
#include "support/sweep.h"

#include "support/lu.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

static bool pivots_are_sought(const sweep *s)
{
    return !s->c->inserted || s->c->options.method != TWILL_METHOD_NO_PIVOTING;
}

/* A, with a diagonal that makes do without pivots where there are none, and that keeps solutions
 * within the range of the type. */
static sweep_matrix put(sweep *s, int64_t m, int64_t n)
{
    bool plain = pivots_are_sought(s) && s->c->exponent == 0;
    double diagonal = plain ? 0.0 : sqrt((double)(m > n ? m : n));
    return sweep_put_a(s, sweep_random(s, m, n, diagonal, 1), m, n, TWILL_GENERAL);
}

static twill_array *factor(const sweep *s, twill_graph *g, twill_array *a)
{
    int64_t info = 0;
    twill_array *ipiv;
    OK(twill_pivots_create(a, &ipiv));
    OK(g ? twill_getrf_insert(g, a, ipiv, &s->c->options) : twill_getrf(a, ipiv, &info));
    assert_int_equal(info, 0);
    return ipiv;
}

/* Take the bits of the pivots, and let them go. */
static void take_pivots(sweep *s, twill_array *ipiv)
{
    int64_t *pivots = test_pivots(ipiv), count = twill_array_pattern(ipiv)->extent[0];
    for (int64_t i = 0; i < count && !pivots_are_sought(s); i++)
        assert_int_equal(pivots[i], i + 1);
    sweep_bits(s, pivots, (size_t)count * sizeof *pivots);
    free(pivots);
    twill_array_free(ipiv);
}

/* |A - P L U|; and L is not large. */
static void check_factor(sweep *s, const sweep_matrix *a, twill_array *ipiv)
{
    const test_type *type = s->c->type;
    bool partial = !s->c->inserted || s->c->options.method <= TWILL_METHOD_PARTIAL;
    if (!s->checked)
        return;
    void *after = test_unpack(a->array);
    int64_t *pivots = test_pivots(ipiv);
    sweep_ratio(s, "factors", test_lu_residual(type, a->full, after, pivots, a->m, a->n));
    double most = partial ? sweep_complex(s) ? sqrt(2.0) : 1.0 : 1000.0;
    assert_true(test_growth(type->type, after, a->m, a->n) <= most * (1.0 + 4.0 * type->eps));
    free(after);
    free(pivots);
}

static void getrf(sweep *s)
{
    sweep_matrix a = put(s, s->c->m, s->c->n);
    twill_graph *g = sweep_begin(s);
    int64_t info = -1;
    twill_array *ipiv = factor(s, g, a.array);
    assert_int_equal(sweep_end(g), 0);
    OK(twill_getrf_info(a.array, &info));
    assert_int_equal(info, 0);
    check_factor(s, &a, ipiv);
    take_pivots(s, ipiv);
    sweep_take(s, &a);
}

static void check_solution(sweep *s, const sweep_matrix *a, const sweep_matrix *b, char op)
{
    if (!s->checked)
        return;
    dense before = sweep_before(s, a, DENSE_GENERAL);
    sweep_solved(s, before, b, op);
    dense_free(before);
}

static void getrs(sweep *s)
{
    const sweep_case *c = s->c;
    sweep_matrix a = put(s, c->n, c->n), b = sweep_put_b(s, c->n);
    twill_graph *g = sweep_begin(s);
    twill_array *ipiv = factor(s, g, a.array);
    OK(g ? twill_getrs_insert(g, c->trans, a.array, ipiv, b.array, &c->options)
         : twill_getrs(c->trans, a.array, ipiv, b.array));
    assert_int_equal(sweep_end(g), 0);
    check_solution(s, &a, &b, (char)c->trans);
    take_pivots(s, ipiv);
    sweep_take(s, &a);
    sweep_take(s, &b);
}

static void gesv(sweep *s)
{
    const sweep_case *c = s->c;
    sweep_matrix a = put(s, c->n, c->n), b = sweep_put_b(s, c->n);
    int64_t info = 0;
    twill_array *ipiv;
    OK(twill_pivots_create(a.array, &ipiv));
    twill_graph *g = sweep_begin(s);
    OK(g ? twill_gesv_insert(g, a.array, ipiv, b.array, &c->options)
         : twill_gesv(a.array, ipiv, b.array, &info));
    assert_int_equal(info, 0);
    assert_int_equal(sweep_end(g), 0);
    check_factor(s, &a, ipiv);
    check_solution(s, &a, &b, 'N');
    take_pivots(s, ipiv);
    sweep_take(s, &a);
    sweep_take(s, &b);
}

static void gesv_mixed(sweep *s)
{
    const sweep_case *c = s->c;
    sweep_matrix a = put(s, c->n, c->n), b = sweep_put_b(s, c->n), x = sweep_put_b(s, c->n);
    int64_t info = -1, steps = -99;
    twill_array *ipiv;
    OK(twill_pivots_create(a.array, &ipiv));
    OK(twill_set(TWILL_GENERAL, twill_real(NAN), twill_real(NAN), x.array));
    OK(twill_gesv_mixed(a.array, ipiv, b.array, x.array, c->refine, &steps, &info));
    assert_int_equal(info, 0);
    sweep_bits(s, &steps, sizeof steps);
    check_solution(s, &a, &x, 'N');
    a.read_only = steps >= 0;
    b.read_only = true;
    take_pivots(s, ipiv);
    sweep_take(s, &a);
    sweep_take(s, &b);
    sweep_take(s, &x);
}

static void getri(sweep *s)
{
    const sweep_case *c = s->c;
    sweep_matrix a = put(s, c->n, c->n);
    twill_array *work = test_matrix(s->tw, c->type->type, c->n, c->n, c->nb);
    int64_t info = 0;
    twill_graph *g = sweep_begin(s);
    twill_array *ipiv = factor(s, g, a.array);
    OK(g ? twill_getri_insert(g, a.array, ipiv, work, &c->options)
         : twill_getri(a.array, ipiv, &info));
    assert_int_equal(info, 0);
    assert_int_equal(sweep_end(g), 0);
    sweep_inverted(s, &a, DENSE_GENERAL);
    take_pivots(s, ipiv);
    twill_array_free(work);
    sweep_take(s, &a);
}

static void gecon(sweep *s)
{
    const sweep_case *c = s->c;
    bool rows = c->side == TWILL_RIGHT;
    sweep_matrix a = put(s, c->n, c->n);
    twill_graph *g = sweep_begin(s);
    double rcond = -1.0;
    dense as_it_is = sweep_before(s, &a, DENSE_GENERAL),
          before = dense_op(as_it_is, rows ? 'T' : 'N');
    double norm = ldexp(dense_norm(before), c->exponent);
    twill_array *ipiv = factor(s, g, a.array);
    assert_int_equal(sweep_end(g), 0);
    OK(twill_gecon(rows ? TWILL_NORM_INF : TWILL_NORM_ONE, a.array, norm, &rcond));
    sweep_bits(s, &rcond, sizeof rcond);
    sweep_condition(s, before, rcond);
    dense_free(as_it_is);
    dense_free(before);
    take_pivots(s, ipiv);
    sweep_take(s, &a);
}

const sweep_routine sweep_lu[] = {
    {"getrf", getrf, NULL, false}, {"getrs", getrs, NULL, false},
    {"gesv", gesv, NULL, true},    {"getri", getri, NULL, false},
    {"gecon", gecon, NULL, false}, {"gesv_mixed", gesv_mixed, sweep_fit_mixed, false},
    {NULL, NULL, NULL, false},
};
