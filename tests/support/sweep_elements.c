/* Random fillings, copies, sums, transposes and conversions, element by element. */
#include "support/sweep.h"

#include "support/test.h"

#include <stdlib.h>

/* ---- combining ----------------------------------------------------------------------------- */

/* Numbers that a real matrix can be multiplied by, 0 and 1 among them. */
static twill_scalar draw_factor(const sweep *s, uint64_t salt)
{
    uint64_t seed = s->c->number + salt;
    double re = (double)test_random(&seed, 5) / 2.0 - 1.0;
    double im = (double)test_random(&seed, 5) / 2.0 - 1.0;
    return twill_complex(re, sweep_complex(s) ? im : 0.0);
}

/* All elements, or those of the triangle. */
static twill_uplo part_of(const sweep_case *c)
{
    return c->lq ? TWILL_GENERAL : c->uplo;
}

/* The B of an operation, m by n, and the A that becomes it by op: tiles of different sizes. */
static sweep_matrix put_target(sweep *s, twill_type type, twill_uplo part)
{
    const sweep_case *c = s->c;
    void *full = calloc((size_t)(c->m * c->n) + 1, 16);
    uint64_t seed = c->number;
    for (int64_t i = 0; i < c->m * c->n; i++)
        test_store(full, type, i, (double)test_random(&seed, 1000) / 1000.0);
    return sweep_put(s, c->storage[1], full, type, c->m, c->n, c->kb, c->m == c->n ? c->kb : c->nb,
                     part);
}

static sweep_matrix put_source(sweep *s, twill_trans op)
{
    const sweep_case *c = s->c;
    int64_t m = op == TWILL_NO_TRANS ? c->m : c->n, n = op == TWILL_NO_TRANS ? c->n : c->m;
    sweep_matrix a = sweep_put_a(s, sweep_random(s, m, n, 0.0, 1), m, n, TWILL_GENERAL);
    a.read_only = true;
    return a;
}

/* Every element of B in the part is alpha op(A) + beta B, rounded as often as need be. */
static void check_sum(const sweep *s, double complex alpha, const sweep_matrix *a, twill_trans op,
                      double complex beta, const sweep_matrix *b, double tolerance)
{
    twill_type type = twill_array_type(b->array);
    void *after = test_unpack(b->array);
    double complex wanted[1];
    for (int64_t j = 0; j < b->n; j++)
        for (int64_t i = 0; i < b->m; i++) {
            if (b->part != TWILL_GENERAL && !test_inside(b->part, i, j))
                continue;
            int64_t at = op == TWILL_NO_TRANS ? i + j * a->m : j + i * a->m;
            double complex x = test_load(a->full, s->c->type->type, at), y = 0.0;
            if (op == TWILL_CONJ_TRANS)
                x = conj(x);
            if (beta != 0.0)
                y = beta * test_load(b->full, type, i + j * b->m);
            test_store(wanted, type, 0, alpha * x + y);
            double complex want = test_load(wanted, type, 0);
            double complex got = test_load(after, type, i + j * b->m);
            if (got != want && !(cabs(got - want) <= tolerance * (cabs(alpha * x) + cabs(y))))
                fail_msg("element (%d, %d) is %g%+gi, not %g%+gi", (int)i, (int)j, creal(got),
                         cimag(got), creal(want), cimag(want));
        }
    free(after);
}

/* Another precision, half of the time. */
static twill_type other_type(const sweep_case *c)
{
    static const twill_type others[] = {[TWILL_FLOAT32] = TWILL_FLOAT64,
                                        [TWILL_FLOAT64] = TWILL_FLOAT32,
                                        [TWILL_COMPLEX64] = TWILL_COMPLEX128,
                                        [TWILL_COMPLEX128] = TWILL_COMPLEX64};
    return c->hermitian ? others[c->type->type] : c->type->type;
}

static void copy(sweep *s)
{
    const sweep_case *c = s->c;
    twill_uplo part = part_of(c);
    sweep_matrix a = put_source(s, TWILL_NO_TRANS), b = put_target(s, other_type(c), part);
    twill_graph *g = sweep_begin(s);
    if (g)
        OK(twill_copy_insert(g, part, a.array, b.array));
    else
        OK(part == TWILL_GENERAL ? twill_copy(a.array, b.array)
                                 : twill_copy_uplo(part, a.array, b.array));
    assert_int_equal(sweep_end(g), 0);
    if (s->checked)
        check_sum(s, 1.0, &a, TWILL_NO_TRANS, 0.0, &b, 0.0);
    sweep_take(s, &a);
    sweep_take(s, &b);
}

static void fit_transpose(sweep_case *c)
{
    c->trans = c->trans == TWILL_NO_TRANS ? TWILL_TRANS : c->trans;
}

static void transpose(sweep *s)
{
    const sweep_case *c = s->c;
    sweep_matrix a = put_source(s, c->trans), b = put_target(s, other_type(c), TWILL_GENERAL);
    twill_graph *g = sweep_begin(s);
    OK(g ? twill_transpose_insert(g, c->trans, a.array, b.array)
         : twill_transpose(c->trans, a.array, b.array));
    assert_int_equal(sweep_end(g), 0);
    if (s->checked)
        check_sum(s, 1.0, &a, c->trans, 0.0, &b, 0.0);
    sweep_take(s, &a);
    sweep_take(s, &b);
}

static void add(sweep *s)
{
    const sweep_case *c = s->c;
    twill_scalar alpha = draw_factor(s, 1), beta = draw_factor(s, 2);
    sweep_matrix a = put_source(s, c->trans), b = put_target(s, c->type->type, part_of(c));
    twill_graph *g = sweep_begin(s);
    OK(g ? twill_add_insert(g, b.part, c->trans, alpha, a.array, beta, b.array)
         : twill_add(b.part, c->trans, alpha, a.array, beta, b.array));
    assert_int_equal(sweep_end(g), 0);
    if (s->checked)
        check_sum(s, test_number(alpha.re, alpha.im), &a, c->trans, test_number(beta.re, beta.im),
                  &b, 4.0 * c->type->eps);
    sweep_take(s, &a);
    sweep_take(s, &b);
}

/* A := alpha A; what A was is the B that is added to nothing. */
static void scale(sweep *s)
{
    const sweep_case *c = s->c;
    twill_scalar alpha = draw_factor(s, 1);
    sweep_matrix b = put_target(s, c->type->type, part_of(c));
    twill_graph *g = sweep_begin(s);
    OK(g ? twill_scale_insert(g, b.part, alpha, b.array) : twill_scale(b.part, alpha, b.array));
    assert_int_equal(sweep_end(g), 0);
    if (s->checked)
        check_sum(s, 0.0, &b, TWILL_NO_TRANS, test_number(alpha.re, alpha.im), &b,
                  4.0 * c->type->eps);
    sweep_take(s, &b);
}

static void set(sweep *s)
{
    const sweep_case *c = s->c;
    twill_scalar other = draw_factor(s, 1), diagonal = draw_factor(s, 2);
    sweep_matrix b = put_target(s, c->type->type, part_of(c));
    twill_graph *g = sweep_begin(s);
    OK(g ? twill_set_insert(g, b.part, other, diagonal, b.array)
         : twill_set(b.part, other, diagonal, b.array));
    assert_int_equal(sweep_end(g), 0);
    if (s->checked) { /* now it is as if it had been copied from such a matrix */
        for (int64_t j = 0; j < b.n; j++)
            for (int64_t i = 0; i < b.m; i++) {
                twill_scalar x = i == j ? diagonal : other;
                test_store(b.full, c->type->type, i + j * b.m, test_number(x.re, x.im));
            }
        check_sum(s, 1.0, &b, TWILL_NO_TRANS, 0.0, &b, 0.0);
    }
    sweep_take(s, &b);
}

/* ---- filling ------------------------------------------------------------------------------- */

static twill_status fill_with(const sweep_case *c, twill_array *a)
{
    uint64_t seed = c->number;
    switch (seed % (c->m == c->n ? 6 : 2)) {
    case 0:
        return twill_fill_random(a, seed);
    case 1:
        return twill_fill_identity(a);
    case 2:
        return twill_fill_hermitian(a, seed);
    case 3:
        return twill_fill_symmetric(a, seed);
    case 4:
        return twill_fill_spd(a, seed);
    default:
        return twill_fill_spd_cond(a, seed, 100.0);
    }
}

static void fit_fill(sweep_case *c)
{
    c->m = c->number % 3 ? c->n : c->m;
}

/* The elements are those of a matrix in a single tile. */
static void fill(sweep *s)
{
    const sweep_case *c = s->c;
    twill_uplo part = c->m == c->n ? part_of(c) : TWILL_GENERAL;
    twill_type type = c->type->type;
    uint64_t wanted = 0, digest = 1;
    sweep_matrix a = put_target(s, type, part);
    twill_array *whole = test_matrix(s->tw, type, c->m, c->n, c->m > c->n ? c->m : c->n + 1);
    OK(fill_with(c, a.array));
    OK(fill_with(c, whole));
    OK(twill_digest(whole, part, &wanted));
    OK(twill_digest(a.array, part, &digest));
    assert_true(digest == wanted);
    twill_array_free(whole);
    a.part = TWILL_GENERAL; /* all that there is was filled */
    sweep_take(s, &a);
}

/* ---- LAPACK's layout ----------------------------------------------------------------------- */

/* From memory into a matrix, and from the matrix into other memory. */
static void read_and_write(sweep *s)
{
    const sweep_case *c = s->c;
    twill_type type = c->type->type;
    int64_t ld = c->m + 1 + c->k;
    size_t bytes = (size_t)(ld * c->n) * twill_type_size(type);
    void *from = sweep_random(s, ld, c->n, 0.0, 1), *to = calloc(bytes + 1, 1);
    sweep_matrix b = put_target(s, type, part_of(c));
    OK(twill_matrix_read(b.array, b.part, from, ld));
    OK(twill_matrix_write(b.array, b.part, to, ld));
    for (int64_t j = 0; j < c->n; j++)
        for (int64_t i = 0; i < ld; i++) {
            bool is_in = i < c->m && (b.part == TWILL_GENERAL || test_inside(b.part, i, j));
            double complex x = is_in ? test_load(from, type, i + j * ld) : 0.0;
            assert_true(test_load(to, type, i + j * ld) == x);
        }
    free(from);
    free(to);
    sweep_take(s, &b);
}

const sweep_routine sweep_elements[] = {
    {"fill", fill, fit_fill, false},
    {"copy", copy, NULL, false},
    {"transpose", transpose, fit_transpose, false},
    {"add", add, NULL, false},
    {"scale", scale, NULL, false},
    {"set", set, NULL, false},
    {"matrix_read", read_and_write, NULL, false},
    {NULL, NULL, NULL, false},
};
