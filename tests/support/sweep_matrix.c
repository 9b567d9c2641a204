/* The matrices of a case, in whatever storage. */
#include "support/sweep.h"

#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements ------------------------------------------------------------------------------ */

static double uniform(uint64_t *seed)
{
    return (double)test_random(seed, 1 << 20) / (1 << 20) - 0.5;
}

static void *elements(const sweep *s, int64_t count)
{
    void *full = calloc((size_t)count + 1, twill_type_size(s->c->type->type));
    assert_non_null(full);
    return full;
}

void *sweep_random(sweep *s, int64_t m, int64_t n, double diagonal, uint64_t salt)
{
    void *full = elements(s, m * n);
    uint64_t seed = s->c->number * 1000003 + salt * 7919;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            double re = uniform(&seed) + (i == j ? diagonal : 0.0), im = uniform(&seed);
            test_store(full, s->c->type->type, i + j * m, test_number(re, im));
        }
    return full;
}

void *sweep_mirrored(sweep *s, int64_t n, bool hermitian)
{
    twill_type type = s->c->type->type;
    void *full = sweep_random(s, n, n, 0.0, 1);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++) {
            double complex x = test_load(full, type, i + j * n);
            test_store(full, type, j + i * n, hermitian ? conj(x) : x);
        }
    return full;
}

/* G G^H / n + I / 2 has no large elements on its diagonal that would hide errors beside it. */
void *sweep_definite(sweep *s, int64_t n)
{
    twill_type type = s->c->type->type;
    void *full = sweep_random(s, n, n, 0.0, 1);
    dense g = dense_of(full, type, n, n, DENSE_GENERAL, TWILL_LOWER), a = dense_identity(n);
    dense_scale(a, 0.5);
    dense_multiply(n ? 1.0 / (double)n : 1.0, 'N', g, 'C', g, a);
    for (int64_t i = 0; i < n * n; i++)
        test_store(full, type, i, a.at[i]);
    for (int64_t i = 0; i < n; i++)
        test_store(full, type, i + i * n, creal(a.at[i + i * n]) + 7.0 * I);
    dense_free(g);
    dense_free(a);
    return full;
}

void sweep_times_power(const sweep *s, void *full, int64_t count, int exponent)
{
    twill_type type = s->c->type->type;
    for (int64_t i = 0; i < count; i++) {
        double complex x = test_load(full, type, i);
        test_store(full, type, i,
                   test_number(ldexp(creal(x), exponent), ldexp(cimag(x), exponent)));
    }
}

/* ---- storage ------------------------------------------------------------------------------- */

static bool is_inside(const sweep_matrix *x, int64_t i, int64_t j)
{
    if (x->read_only || i < 0 || j < 0 || i >= x->m || j >= x->n || (x->unit && i == j))
        return false;
    return x->part == TWILL_GENERAL || test_inside(x->part, i, j);
}

/* The elements of the whole, as they are now. */
static void *image(const sweep_matrix *x)
{
    twill_array *all = x->whole ? x->whole : x->array;
    void *packed = test_unpack(all); /* which waits */
    if (!x->memory)
        return packed;
    size_t bytes = (size_t)(x->ld * x->cols) * twill_array_element(x->array);
    free(packed);
    packed = malloc(bytes + 1);
    assert_non_null(packed);
    memcpy(packed, x->memory, bytes);
    return packed;
}

/* An array of m by n, all NaN, with a tile before and, if it ends with one, a tile behind. */
static void create(sweep *s, sweep_matrix *x, int storage, twill_type type, int64_t mb, int64_t nb)
{
    bool part =
        storage == SWEEP_PART || storage == SWEEP_WRAPPED_PART || storage == SWEEP_TRIANGLE_PART;
    bool wrapped = storage == SWEEP_WRAPPED || storage == SWEEP_WRAPPED_PART;
    bool stored = storage == SWEEP_TRIANGLE || storage == SWEEP_TRIANGLE_PART;
    bool triangle = stored && x->part != TWILL_GENERAL && x->m == x->n;
    part = part && x->m > 0 && x->n > 0;
    x->row = part ? mb : 0, x->col = part ? nb : 0;
    int64_t m = x->row + x->m + (part && x->m % mb == 0 ? mb : 0);
    int64_t n = x->col + x->n + (part && x->n % nb == 0 ? nb : 0);
    twill_pattern p = twill_tiled(m, n, mb, nb);
    twill_array *a = NULL;
    x->ld = m, x->cols = n;
    if (triangle) {
        OK(twill_matrix_create_triangle(s->tw, type, n, nb, x->part, &a));
    } else if (storage == SWEEP_CHOSEN) {
        OK(twill_matrix_create(s->tw, type, m, n, &a));
    } else if (wrapped) {
        x->ld = m + 1 + (int64_t)(s->c->number % 7);
        x->memory = calloc((size_t)(x->ld * n) + 1, twill_type_size(type));
        assert_non_null(x->memory);
        for (int64_t i = 0; i < x->ld * n; i++)
            test_store(x->memory, type, i, test_number(NAN, NAN));
        OK(twill_array_wrap(s->tw, &p, type, 0, x->memory, x->ld, &a));
    } else {
        OK(twill_array_create(s->tw, &p, type, 0, &a));
    }
    x->array = a;
    if (part) {
        x->whole = a;
        OK(twill_set(TWILL_GENERAL, twill_real(NAN), twill_real(NAN), a));
        OK(twill_matrix_sub(twill_view_sub(twill_view_all(a), x->row, x->col, x->m, x->n),
                            &x->array));
    }
}

sweep_matrix sweep_put(sweep *s, int storage, void *full, twill_type type, int64_t m, int64_t n,
                       int64_t mb, int64_t nb, twill_uplo part)
{
    sweep_matrix x = {.full = full, .m = m, .n = n, .part = part};
    create(s, &x, storage, type, mb, nb);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            if (!is_inside(&x, i, j))
                test_store(full, type, i + j * m, test_number(NAN, NAN));
    test_pack(x.array, full);
    x.before = image(&x);
    return x;
}

sweep_matrix sweep_put_a(sweep *s, void *full, int64_t m, int64_t n, twill_uplo part)
{
    int64_t nb = s->c->nb;
    sweep_times_power(s, full, m * n, s->c->exponent);
    return sweep_put(s, s->c->storage[0], full, s->c->type->type, m, n, nb, nb, part);
}

sweep_matrix sweep_put_b(sweep *s, int64_t rows)
{
    int64_t k = s->c->k;
    return sweep_put(s, s->c->storage[1], sweep_random(s, rows, k, 0.0, 2), s->c->type->type, rows,
                     k, s->c->nb, s->c->kb, TWILL_GENERAL);
}

static void check_outside(const sweep_matrix *x)
{
    size_t size = twill_array_element(x->array);
    char *after = image(x), *before = x->before;
    for (int64_t j = 0; j < x->cols; j++)
        for (int64_t i = 0; i < x->ld; i++) {
            size_t at = (size_t)(i + j * x->ld) * size;
            if (!is_inside(x, i - x->row, j - x->col) && memcmp(after + at, before + at, size))
                fail_msg("element (%d, %d) is not the routine's and was touched", (int)(i - x->row),
                         (int)(j - x->col));
        }
    free(after);
}

void sweep_take(sweep *s, sweep_matrix *x)
{
    uint64_t digest = 0;
    if (s->checked)
        check_outside(x);
    OK(twill_digest(x->array, x->part, &digest));
    sweep_bits(s, &digest, sizeof digest);
    twill_array_free(x->array);
    twill_array_free(x->whole);
    free(x->memory);
    free(x->before);
    free(x->full);
}

dense sweep_before(const sweep *s, const sweep_matrix *x, dense_shape shape)
{
    dense a = dense_of(x->full, twill_array_type(x->array), x->m, x->n, shape, x->part);
    dense_scale(a, ldexp(1.0, -s->c->exponent));
    return a;
}

dense sweep_after(const sweep_matrix *x, dense_shape shape, int exponent)
{
    dense a = dense_read(x->array, shape, x->part);
    dense_scale(a, ldexp(1.0, exponent));
    return a;
}

void sweep_solved(sweep *s, dense a, const sweep_matrix *b, char op)
{
    dense turned = dense_op(a, op), x = sweep_after(b, DENSE_GENERAL, s->c->exponent);
    dense right = dense_of(b->full, s->c->type->type, b->m, b->n, DENSE_GENERAL, TWILL_LOWER);
    sweep_ratio(s, "solution", dense_solve_ratio(turned, x, right, s->c->type->eps));
    dense_free(turned);
    dense_free(x);
    dense_free(right);
}

void sweep_condition(sweep *s, dense a, double rcond)
{
    if (!s->checked)
        return;
    dense one = dense_identity(a.rows), inverse = dense_solve(a, one);
    double exact = a.rows ? 1.0 / (dense_norm(a) * dense_norm(inverse)) : 1.0;
    if (!(rcond >= 0.99 * exact && rcond <= 10.0 * exact))
        fail_msg("condition: %g, not %g", rcond, exact);
    dense_free(one);
    dense_free(inverse);
}

void sweep_inverted(sweep *s, const sweep_matrix *a, dense_shape shape)
{
    if (!s->checked)
        return;
    dense before = sweep_before(s, a, shape), y = sweep_after(a, shape, s->c->exponent);
    sweep_ratio(s, "inverse", dense_inverse_ratio(before, y, s->c->type->eps));
    dense_free(before);
    dense_free(y);
}
