/* Random calls of QR and LQ, their orthogonal factors, and least squares. */
#include "support/sweep.h"

#include "support/test.h"

#include <math.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Complex matrices are not only transposed. */
static twill_trans inverse_of(const sweep *s)
{
    return sweep_complex(s) ? TWILL_CONJ_TRANS : TWILL_TRANS;
}

static double over(const sweep *s, double residual, double scale)
{
    return dense_ratio(residual, scale * (double)most(s->c->m, s->c->n) * s->c->type->eps);
}

static double distance(dense a, dense b)
{
    dense d = dense_copy(a), one = dense_identity(b.cols);
    dense_multiply(-1.0, 'N', b, 'N', one, d);
    double norm = dense_norm(d);
    dense_free(d);
    dense_free(one);
    return norm;
}

static twill_reflectors *factor(const sweep *s, twill_graph *g, twill_array *a)
{
    twill_reflectors *h;
    OK(twill_reflectors_create(s->tw, &s->c->options, &h));
    if (s->c->lq)
        OK(g ? twill_gelqf_insert(g, a, h, &s->c->options) : twill_gelqf(a, h));
    else
        OK(g ? twill_geqrf_insert(g, a, h, &s->c->options) : twill_geqrf(a, h));
    return h;
}

/* `count` columns (rows, of LQ) of Q. */
static sweep_matrix put_q(sweep *s, int64_t count, int storage)
{
    const sweep_case *c = s->c;
    int64_t m = c->lq ? count : c->m, n = c->lq ? c->n : count;
    return sweep_put(s, storage, sweep_random(s, m, n, 0.0, 3), c->type->type, m, n, c->nb, c->nb,
                     TWILL_GENERAL);
}

static void generate(const sweep *s, twill_graph *g, twill_array *a, twill_reflectors *h,
                     twill_array *q)
{
    if (s->c->lq)
        OK(g ? twill_unglq_insert(g, a, h, q, &s->c->options) : twill_unglq(a, h, q));
    else
        OK(g ? twill_ungqr_insert(g, a, h, q, &s->c->options) : twill_ungqr(a, h, q));
}

/* |A - Q R| and |I - Q^H Q|. */
static void check_factors(sweep *s, const sweep_matrix *a, const sweep_matrix *q)
{
    bool lq = s->c->lq;
    dense before = sweep_before(s, a, DENSE_GENERAL), product = dense_zeros(a->m, a->n);
    dense all = sweep_after(a, DENSE_GENERAL, -s->c->exponent);
    dense full = sweep_after(q, DENSE_GENERAL, 0);
    int64_t count = lq ? q->m : q->n;
    dense r = lq ? dense_zeros(a->m, count) : dense_zeros(count, a->n), one = dense_identity(count);
    for (int64_t j = 0; j < r.cols && j < a->n; j++)
        for (int64_t i = 0; i < r.rows && i < a->m; i++)
            if (test_inside(lq ? TWILL_LOWER : TWILL_UPPER, i, j))
                r.at[i + j * r.rows] = all.at[i + j * a->m];
    dense_multiply(1.0, 'N', lq ? r : full, 'N', lq ? full : r, product);
    sweep_ratio(s, "factors", over(s, distance(before, product), dense_norm(before)));
    dense_multiply(-1.0, lq ? 'N' : 'C', full, lq ? 'C' : 'N', full, one);
    sweep_ratio(s, "orthogonality", over(s, dense_norm(one), 1.0));
    dense_free(before);
    dense_free(product);
    dense_free(all);
    dense_free(full);
    dense_free(r);
    dense_free(one);
}

/* geqrf and ungqr, of all or of the necessary columns. */
static void geqrf(sweep *s)
{
    const sweep_case *c = s->c;
    int64_t count = c->side == TWILL_LEFT ? least(c->m, c->n) : c->lq ? c->n : c->m;
    sweep_matrix a = sweep_put_a(s, sweep_random(s, c->m, c->n, 0.0, 1), c->m, c->n, TWILL_GENERAL);
    sweep_matrix q = put_q(s, count, c->storage[1]);
    twill_graph *g = sweep_begin(s);
    twill_reflectors *h = factor(s, g, a.array);
    generate(s, g, a.array, h, q.array);
    assert_int_equal(sweep_end(g), 0);
    if (s->checked)
        check_factors(s, &a, &q);
    twill_reflectors_free(h);
    sweep_take(s, &a);
    sweep_take(s, &q);
}

/* C := op(Q) C or C op(Q), beside the product with Q itself. */
static void check_applied(sweep *s, const sweep_matrix *q, const sweep_matrix *x, char op)
{
    dense full = sweep_after(q, DENSE_GENERAL, 0), after = sweep_after(x, DENSE_GENERAL, 0);
    dense before = dense_of(x->full, s->c->type->type, x->m, x->n, DENSE_GENERAL, TWILL_LOWER);
    dense product = dense_zeros(x->m, x->n);
    if (s->c->side == TWILL_LEFT)
        dense_multiply(1.0, op, full, 'N', before, product);
    else
        dense_multiply(1.0, 'N', before, op, full, product);
    double size = dense_norm(before) + (x->m && x->n ? 1.0 : 0.0);
    sweep_ratio(s, "product with Q", over(s, distance(after, product), size));
    dense_free(full);
    dense_free(after);
    dense_free(before);
    dense_free(product);
}

static void apply(const sweep *s, twill_graph *g, twill_trans trans, twill_array *a,
                  twill_reflectors *h, twill_array *x)
{
    const sweep_case *c = s->c;
    if (c->lq)
        OK(g ? twill_unmlq_insert(g, c->side, trans, a, h, x, &c->options)
             : twill_unmlq(c->side, trans, a, h, x));
    else
        OK(g ? twill_unmqr_insert(g, c->side, trans, a, h, x, &c->options)
             : twill_unmqr(c->side, trans, a, h, x));
}

static void unmqr(sweep *s)
{
    const sweep_case *c = s->c;
    int64_t order = c->lq ? c->n : c->m;
    bool left = c->side == TWILL_LEFT;
    twill_trans trans = c->trans == TWILL_NO_TRANS ? TWILL_NO_TRANS : inverse_of(s);
    int64_t m = left ? order : c->k, n = left ? c->k : order;
    sweep_matrix a = sweep_put_a(s, sweep_random(s, c->m, c->n, 0.0, 1), c->m, c->n, TWILL_GENERAL);
    sweep_matrix q = put_q(s, order, SWEEP_TILED);
    sweep_matrix x = sweep_put(s, c->storage[1], sweep_random(s, m, n, 0.0, 2), c->type->type, m, n,
                               left ? c->nb : c->kb, left ? c->kb : c->nb, TWILL_GENERAL);
    twill_graph *g = sweep_begin(s);
    twill_reflectors *h = factor(s, g, a.array);
    apply(s, g, trans, a.array, h, x.array);
    generate(s, g, a.array, h, q.array);
    assert_int_equal(sweep_end(g), 0);
    if (s->checked)
        check_applied(s, &q, &x, trans == TWILL_NO_TRANS ? 'N' : 'C');
    twill_reflectors_free(h);
    sweep_take(s, &a);
    sweep_take(s, &q);
    sweep_take(s, &x);
}

/* ---- least squares ------------------------------------------------------------------------- */

/* The residual is orthogonal to the columns: |A^H (B - A X)| / (max(m, n) |A| |B| eps). */
static void check_least_squares(sweep *s, dense a, dense x, dense b)
{
    dense r = dense_copy(b), product = dense_zeros(a.cols, b.cols);
    dense_multiply(-1.0, 'N', a, 'N', x, r);
    dense_multiply(1.0, 'C', a, 'N', r, product);
    sweep_ratio(s, "least squares", over(s, dense_norm(product), dense_norm(a) * dense_norm(b)));
    dense_free(r);
    dense_free(product);
}

/* X solves, and it is in the space of the rows: |X - A^H (A A^H)^-1 A X| / (max(m, n) |X| eps). */
static void check_least_norm(sweep *s, dense a, dense x, dense b)
{
    dense square = dense_zeros(a.rows, a.rows), ax = dense_zeros(a.rows, x.cols);
    dense r = dense_copy(b), outside = dense_copy(x);
    dense_multiply(1.0, 'N', a, 'N', x, ax);
    dense_multiply(1.0, 'N', a, 'C', a, square);
    dense y = dense_solve(square, ax);
    dense_multiply(-1.0, 'C', a, 'N', y, outside);
    dense_multiply(-1.0, 'N', a, 'N', x, r);
    sweep_ratio(s, "solution", over(s, dense_norm(r), dense_norm(a) * dense_norm(x)));
    sweep_ratio(s, "least norm", over(s, dense_norm(outside), dense_norm(x)));
    dense_free(square);
    dense_free(ax);
    dense_free(r);
    dense_free(outside);
    dense_free(y);
}

static void check_gels(sweep *s, const sweep_matrix *a, const sweep_matrix *b, char op)
{
    dense before = sweep_before(s, a, DENSE_GENERAL), turned = dense_op(before, op);
    dense all = sweep_after(b, DENSE_GENERAL, s->c->exponent);
    dense x = dense_zeros(turned.cols, b->n), right = dense_zeros(turned.rows, b->n);
    for (int64_t j = 0; j < b->n; j++) {
        for (int64_t i = 0; i < x.rows; i++)
            x.at[i + j * x.rows] = all.at[i + j * b->m];
        for (int64_t i = 0; i < right.rows; i++)
            right.at[i + j * right.rows] = test_load(b->full, s->c->type->type, i + j * b->m);
    }
    if (turned.rows >= turned.cols)
        check_least_squares(s, turned, x, right);
    else
        check_least_norm(s, turned, x, right);
    dense_free(before);
    dense_free(turned);
    dense_free(all);
    dense_free(x);
    dense_free(right);
}

/* Right-hand sides of some rows, in a matrix that has more where the solution has. */
static sweep_matrix put_right(sweep *s, int64_t rows)
{
    const sweep_case *c = s->c;
    int64_t all = most(c->m, c->n);
    void *full = sweep_random(s, all, c->k, 0.0, 2);
    for (int64_t j = 0; j < c->k; j++)
        for (int64_t i = rows; i < all; i++)
            test_store(full, c->type->type, i + j * all, NAN);
    return sweep_put(s, c->storage[1], full, c->type->type, all, c->k, c->nb, c->kb, TWILL_GENERAL);
}

static void gels(sweep *s)
{
    const sweep_case *c = s->c;
    twill_trans trans = c->trans == TWILL_NO_TRANS ? TWILL_NO_TRANS : inverse_of(s);
    double diagonal = sqrt((double)most(c->m, c->n)); /* of full rank, and well conditioned */
    sweep_matrix a =
        sweep_put_a(s, sweep_random(s, c->m, c->n, diagonal, 1), c->m, c->n, TWILL_GENERAL);
    sweep_matrix b = put_right(s, trans == TWILL_NO_TRANS ? c->m : c->n);
    int64_t info = 0;
    twill_graph *g = sweep_begin(s);
    twill_reflectors *h;
    OK(twill_reflectors_create(s->tw, &c->options, &h));
    OK(g ? twill_gels_insert(g, trans, a.array, h, b.array, &c->options)
         : twill_gels(trans, a.array, b.array, &info));
    assert_int_equal(info, 0);
    assert_int_equal(sweep_end(g), 0);
    if (s->checked)
        check_gels(s, &a, &b, (char)trans);
    twill_reflectors_free(h);
    sweep_take(s, &a);
    sweep_take(s, &b);
}

const sweep_routine sweep_qr[] = {
    {"geqrf and ungqr", geqrf, NULL, false},
    {"unmqr", unmqr, NULL, false},
    {"gels", gels, NULL, false},
    {NULL, NULL, NULL, false},
};
