/* Random calls of Cholesky and of what is done with it. */
#include "support/sweep.h"

#include "support/test.h"

#include <math.h>
#include <stdlib.h>

static void factor(const sweep *s, twill_graph *g, twill_array *a)
{
    int64_t info = 0;
    OK(g ? twill_potrf_insert(g, s->c->uplo, a, &s->c->options)
         : twill_potrf(s->c->uplo, a, &info));
    assert_int_equal(info, 0);
}

/* A, positive definite. */
static sweep_matrix put(sweep *s)
{
    return sweep_put_a(s, sweep_definite(s, s->c->n), s->c->n, s->c->n, s->c->uplo);
}

/* |A - L L^H| / (n |A| eps), and the same for L^H L, which is what lauum makes. */
static void check_product(sweep *s, dense a, dense l, bool lower)
{
    dense r = dense_copy(a);
    dense_multiply(-1.0, lower ? 'N' : 'C', l, lower ? 'C' : 'N', l, r);
    sweep_ratio(s, "factor",
                dense_ratio(dense_norm(r), (double)a.rows * dense_norm(a) * s->c->type->eps));
    dense_free(r);
}

static void check_factor(sweep *s, const sweep_matrix *a)
{
    if (!s->checked)
        return;
    dense before = sweep_before(s, a, DENSE_HERMITIAN);
    dense l = sweep_after(a, DENSE_TRIANGLE, -s->c->exponent / 2);
    check_product(s, before, l, s->c->uplo == TWILL_LOWER);
    dense_free(before);
    dense_free(l);
}

static void potrf(sweep *s)
{
    sweep_matrix a = put(s);
    twill_graph *g = sweep_begin(s);
    factor(s, g, a.array);
    assert_int_equal(sweep_end(g), 0);
    check_factor(s, &a);
    sweep_take(s, &a);
}

/* By the graph that twillc made of the algorithm. */
static void potrf_graph(sweep *s)
{
    sweep_matrix a = put(s);
    twill_graph *g;
    OK(twill_potrf_graph(s->c->uplo, a.array, &s->c->options, &g));
    OK(twill_ptg_run(g));
    assert_int_equal(sweep_end(g), 0);
    check_factor(s, &a);
    sweep_take(s, &a);
}

static void check_solution(sweep *s, const sweep_matrix *a, const sweep_matrix *b)
{
    if (!s->checked)
        return;
    dense before = sweep_before(s, a, DENSE_HERMITIAN);
    sweep_solved(s, before, b, 'N');
    dense_free(before);
}

static void potrs(sweep *s)
{
    const sweep_case *c = s->c;
    sweep_matrix a = put(s), b = sweep_put_b(s, c->n);
    twill_graph *g = sweep_begin(s);
    factor(s, g, a.array);
    OK(g ? twill_potrs_insert(g, c->uplo, a.array, b.array, &c->options)
         : twill_potrs(c->uplo, a.array, b.array));
    assert_int_equal(sweep_end(g), 0);
    check_solution(s, &a, &b);
    sweep_take(s, &a);
    sweep_take(s, &b);
}

static void posv(sweep *s)
{
    const sweep_case *c = s->c;
    sweep_matrix a = put(s), b = sweep_put_b(s, c->n);
    int64_t info = 0;
    twill_graph *g = sweep_begin(s);
    OK(g ? twill_posv_insert(g, c->uplo, a.array, b.array, &c->options)
         : twill_posv(c->uplo, a.array, b.array, &info));
    assert_int_equal(info, 0);
    assert_int_equal(sweep_end(g), 0);
    check_factor(s, &a);
    check_solution(s, &a, &b);
    sweep_take(s, &a);
    sweep_take(s, &b);
}

/* As accurate as in double precision; what was in X does not matter. */
static void posv_mixed(sweep *s)
{
    const sweep_case *c = s->c;
    sweep_matrix a = put(s), b = sweep_put_b(s, c->n), x = sweep_put_b(s, c->n);
    int64_t info = -1, steps = -99;
    OK(twill_set(TWILL_GENERAL, twill_real(NAN), twill_real(NAN), x.array));
    OK(twill_posv_mixed(c->uplo, a.array, b.array, x.array, c->refine, &steps, &info));
    assert_int_equal(info, 0);
    sweep_bits(s, &steps, sizeof steps);
    check_solution(s, &a, &x);
    a.read_only = steps >= 0;
    b.read_only = true;
    sweep_take(s, &a);
    sweep_take(s, &b);
    sweep_take(s, &x);
}

/* ---- inverses ------------------------------------------------------------------------------ */

/* A triangle that is well conditioned, also with ones on its diagonal, which is then not read.
 * lauum wants a diagonal that is real. */
static sweep_matrix put_triangle(sweep *s)
{
    int64_t n = s->c->n;
    twill_type type = s->c->type->type;
    bool unit = s->c->diag == TWILL_UNIT;
    void *full = sweep_random(s, n, n, 0.0, 1);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double complex x = test_load(full, type, i + j * n) / sqrt((double)n);
            test_store(full, type, i + j * n, i != j ? x : unit ? NAN : creal(x) + 1.0);
        }
    sweep_matrix a = sweep_put_a(s, full, n, n, s->c->uplo);
    a.unit = unit;
    return a;
}

/* Ones on the diagonal are not multiplied by the power of two. */
static void fit_trtri(sweep_case *c)
{
    c->exponent = c->diag == TWILL_UNIT ? 0 : c->exponent;
}

static void trtri(sweep *s)
{
    const sweep_case *c = s->c;
    dense_shape shape = c->diag == TWILL_UNIT ? DENSE_UNIT_TRIANGLE : DENSE_TRIANGLE;
    sweep_matrix a = put_triangle(s);
    int64_t info = 0;
    twill_graph *g = sweep_begin(s);
    OK(g ? twill_trtri_insert(g, c->uplo, c->diag, a.array, &c->options)
         : twill_trtri(c->uplo, c->diag, a.array, &info));
    assert_int_equal(info, 0);
    assert_int_equal(sweep_end(g), 0);
    sweep_inverted(s, &a, shape);
    sweep_take(s, &a);
}

/* Products of two must be in the range of the type. */
static void fit_lauum(sweep_case *c)
{
    c->diag = TWILL_NON_UNIT;
    c->exponent /= 4;
}

static void lauum(sweep *s)
{
    const sweep_case *c = s->c;
    sweep_matrix a = put_triangle(s);
    twill_graph *g = sweep_begin(s);
    OK(g ? twill_lauum_insert(g, c->uplo, a.array, &c->options) : twill_lauum(c->uplo, a.array));
    assert_int_equal(sweep_end(g), 0);
    if (s->checked) {
        dense l = sweep_before(s, &a, DENSE_TRIANGLE);
        dense product = sweep_after(&a, DENSE_HERMITIAN, -2 * c->exponent);
        check_product(s, product, l, c->uplo == TWILL_UPPER);
        dense_free(l);
        dense_free(product);
    }
    sweep_take(s, &a);
}

static void potri(sweep *s)
{
    const sweep_case *c = s->c;
    sweep_matrix a = put(s);
    int64_t info = 0;
    twill_graph *g = sweep_begin(s);
    factor(s, g, a.array);
    OK(g ? twill_potri_insert(g, c->uplo, a.array, &c->options)
         : twill_potri(c->uplo, a.array, &info));
    assert_int_equal(info, 0);
    assert_int_equal(sweep_end(g), 0);
    sweep_inverted(s, &a, DENSE_HERMITIAN);
    sweep_take(s, &a);
}

static void pocon(sweep *s)
{
    const sweep_case *c = s->c;
    sweep_matrix a = put(s);
    int64_t info = -1;
    double rcond = -1.0;
    dense before = sweep_before(s, &a, DENSE_HERMITIAN);
    double norm = ldexp(dense_norm(before), c->exponent);
    OK(twill_potrf(c->uplo, a.array, &info));
    assert_int_equal(info, 0);
    OK(twill_pocon(c->uplo, a.array, norm, &rcond));
    sweep_bits(s, &rcond, sizeof rcond);
    sweep_condition(s, before, rcond);
    dense_free(before);
    sweep_take(s, &a);
}

const sweep_routine sweep_cholesky[] = {
    {"potrf", potrf, NULL, false},
    {"potrf_graph", potrf_graph, NULL, false},
    {"potrs", potrs, NULL, false},
    {"posv", posv, NULL, false},
    {"posv_mixed", posv_mixed, sweep_fit_mixed, false},
    {"trtri", trtri, fit_trtri, false},
    {"lauum", lauum, fit_lauum, false},
    {"potri", potri, NULL, false},
    {"pocon", pocon, NULL, false},
    {NULL, NULL, NULL, false},
};
