/* Random matrices that cannot be factored: zeros, NaN, infinities, matrices that are not definite.
 * Info is LAPACK's. */
#include "support/sweep.h"

#include "support/indefinite.h"
#include "support/lu.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- damage -------------------------------------------------------------------------------- */

static void clear_row(void *full, twill_type type, int64_t m, int64_t n, int64_t row)
{
    for (int64_t j = 0; j < n; j++)
        test_store(full, type, row + j * m, 0.0);
}

static void clear_column(void *full, twill_type type, int64_t m, int64_t column)
{
    for (int64_t i = 0; i < m; i++)
        test_store(full, type, i + column * m, 0.0);
}

/* A number where it hurts. */
static double draw_harm(uint64_t *seed)
{
    static const double harms[] = {0.0, -1.0, NAN, INFINITY, -INFINITY, 1e5};
    return harms[test_random(seed, 6)];
}

/* The same on both sides of the diagonal. */
static void harm(void *full, twill_type type, int64_t n, uint64_t seed)
{
    int64_t i = (int64_t)test_random(&seed, (uint64_t)n), j = i;
    double value = draw_harm(&seed);
    if (test_random(&seed, 3) == 0)
        j = (int64_t)test_random(&seed, (uint64_t)n);
    test_store(full, type, i + j * n, value);
    test_store(full, type, j + i * n, value);
}

static void *copy_of(const sweep *s, const void *full, int64_t count)
{
    size_t bytes = (size_t)count * twill_type_size(s->c->type->type);
    void *copy = malloc(bytes + 1);
    assert_non_null(copy);
    memcpy(copy, full, bytes);
    return copy;
}

static void fit(sweep_case *c)
{
    c->exponent = 0;
    c->m += !c->m, c->n += !c->n;
}

static void expect_info(sweep *s, int64_t info, int64_t wanted)
{
    sweep_bits(s, &info, sizeof info);
    if (info != wanted)
        fail_msg("info is %d, LAPACK's is %d", (int)info, (int)wanted);
}

/* What is left when there is no result may differ. */
static void forget(sweep_matrix *x)
{
    OK(twill_set(x->part, twill_real(0.0), twill_real(0.0), x->array));
}

/* ---- routines ------------------------------------------------------------------------------ */

static void potrf(sweep *s)
{
    const sweep_case *c = s->c;
    int64_t n = c->n, info = 0;
    void *full = sweep_definite(s, n);
    harm(full, c->type->type, n, c->number);
    void *copy = copy_of(s, full, n * n);
    int wanted = test_lapack(s->tw, c->type, c->uplo, copy, n);
    sweep_matrix a = sweep_put_a(s, full, n, n, c->uplo);
    twill_graph *g = sweep_begin(s);
    OK(g ? twill_potrf_insert(g, c->uplo, a.array, &c->options)
         : twill_potrf(c->uplo, a.array, &info));
    expect_info(s, g ? sweep_end(g) : info, wanted);
    forget(&a);
    free(copy);
    sweep_take(s, &a);
}

/* Lines of zeros, and perhaps something harmful: the factorization is completed all the same. */
static void getrf(sweep *s)
{
    const sweep_case *c = s->c;
    twill_type type = c->type->type;
    int64_t m = c->m, n = c->n, info = 0;
    uint64_t seed = c->number;
    void *full = sweep_random(s, m, n, 0.0, 1);
    for (int lines = 1 + (int)test_random(&seed, 3); lines > 0; lines--)
        if (test_random(&seed, 3))
            clear_column(full, type, m, (int64_t)test_random(&seed, (uint64_t)n));
        else
            clear_row(full, type, m, n, (int64_t)test_random(&seed, (uint64_t)m));
    if (c->lq)
        test_store(full, type, (int64_t)test_random(&seed, (uint64_t)(m * n)), draw_harm(&seed));
    void *copy = copy_of(s, full, m * n);
    int64_t *theirs = calloc((size_t)(m + n), sizeof *theirs);
    int64_t wanted = test_lu(type, copy, m, n, theirs);
    sweep_matrix a = sweep_put_a(s, full, m, n, TWILL_GENERAL);
    twill_array *ipiv;
    OK(twill_pivots_create(a.array, &ipiv));
    OK(twill_getrf(a.array, ipiv, &info));
    expect_info(s, info, wanted);
    void *after = test_unpack(a.array);
    int64_t *ours = test_pivots(ipiv);
    for (int64_t i = 0; i < m && i < n; i++)
        if (ours[i] != theirs[i])
            fail_msg("pivot %d is %d, LAPACK's is %d", (int)i, (int)ours[i], (int)theirs[i]);
    double ratio = test_lu_residual(c->type, a.full, after, ours, m, n);
    if (!c->lq)
        sweep_ratio(s, "factors", ratio);
    free(copy);
    free(theirs);
    free(after);
    free(ours);
    twill_array_free(ipiv);
    sweep_take(s, &a);
}

static bool has_nan(dense a)
{
    for (int64_t i = 0; i < a.rows * a.cols; i++)
        if (isnan(creal(a.at[i])) || isnan(cimag(a.at[i])))
            return true;
    return false;
}

static int64_t call_sysv(const sweep_case *c, const sweep_matrix *a, const sweep_matrix *b)
{
    int64_t info = -1;
    OK(c->hermitian ? twill_hesv(c->uplo, a->array, b->array, &info)
                    : twill_sysv(c->uplo, a->array, b->array, &info));
    return info;
}

/* A line of zeros; B stays, for there is no solution. */
static void sysv(sweep *s)
{
    const sweep_case *c = s->c;
    twill_type type = c->type->type;
    int64_t n = c->n, line = (int64_t)(c->number % (uint64_t)n);
    void *full = sweep_mirrored(s, n, c->hermitian);
    clear_row(full, type, n, n, line);
    clear_column(full, type, n, line);
    void *copy = copy_of(s, full, n * n);
    int *theirs = calloc((size_t)n, sizeof *theirs);
    sweep_matrix a = sweep_put_a(s, full, n, n, c->uplo), b = sweep_put_b(s, n);
    indefinite p = {.hermitian = c->hermitian, .uplo = c->uplo, .a = a.array};
    expect_info(s, call_sysv(c, &a, &b), indefinite_lapack(s->tw, &p, copy, theirs));
    b.read_only = true;
    free(copy);
    free(theirs);
    sweep_take(s, &a);
    sweep_take(s, &b);
}

/* A NaN is not lost: either there is no solution, or it is not a number. Where a NaN or an infinity
 * on the diagonal ends up does not depend on how the BLAS compares it with numbers, so that info is
 * LAPACK's, as long as it does not work in blocks, which look for nothing. */
static void sysv_of_nan(sweep *s)
{
    enum { UNBLOCKED = 64 };
    const sweep_case *c = s->c;
    int64_t n = c->n, at = (int64_t)(c->number % (uint64_t)(n * n));
    int64_t i = at / n, j = c->lq ? i : at % n;
    bool nan = c->diag == TWILL_UNIT || i != j;
    int theirs[UNBLOCKED];
    void *full = sweep_mirrored(s, n, c->hermitian);
    test_store(full, c->type->type, i + j * n, nan ? NAN : INFINITY);
    test_store(full, c->type->type, j + i * n, nan ? NAN : INFINITY);
    void *copy = copy_of(s, full, n * n);
    sweep_matrix a = sweep_put_a(s, full, n, n, c->uplo), b = sweep_put_b(s, n);
    indefinite p = {.hermitian = c->hermitian, .uplo = c->uplo, .a = a.array};
    int64_t info = call_sysv(c, &a, &b);
    b.read_only = info > 0;
    dense x = sweep_after(&b, DENSE_GENERAL, 0);
    if (nan && info == 0 && c->k > 0 && !has_nan(x))
        fail_msg("a NaN is lost");
    bool comparable = i == j && n <= UNBLOCKED;
    expect_info(s, info, comparable ? indefinite_lapack(s->tw, &p, copy, theirs) : info);
    dense_free(x);
    free(copy);
    sweep_take(s, &a);
    sweep_take(s, &b);
}

/* A random matrix with a column of zeros, whose number is returned. */
static int64_t put_singular(sweep *s, int64_t m, int64_t n, sweep_matrix *a)
{
    int64_t at = (int64_t)(s->c->number / 3 % (uint64_t)(m < n ? m : n));
    void *full = sweep_random(s, m, n, 0.0, 1);
    if (m < n)
        clear_row(full, s->c->type->type, m, n, at);
    else
        clear_column(full, s->c->type->type, m, at);
    *a = sweep_put_a(s, full, m, n, TWILL_GENERAL);
    return at + 1;
}

/* B stays, and so do the factors when they are to be inverted. */
static void gesv(sweep *s)
{
    const sweep_case *c = s->c;
    int64_t info = 0;
    uint64_t factors = 0, after = 1;
    sweep_matrix a, b = sweep_put_b(s, c->n);
    int64_t wanted = put_singular(s, c->n, c->n, &a);
    twill_array *ipiv;
    OK(twill_pivots_create(a.array, &ipiv));
    OK(twill_gesv(a.array, ipiv, b.array, &info));
    expect_info(s, info, wanted);
    OK(twill_digest(a.array, TWILL_GENERAL, &factors));
    OK(twill_getri(a.array, ipiv, &info));
    expect_info(s, info, wanted);
    OK(twill_digest(a.array, TWILL_GENERAL, &after));
    assert_true(after == factors);
    b.read_only = true;
    twill_array_free(ipiv);
    sweep_take(s, &a);
    sweep_take(s, &b);
}

/* A column of zeros in a tall matrix, or a row in a wide one. */
static void gels(sweep *s)
{
    const sweep_case *c = s->c;
    int64_t info = 0;
    sweep_matrix a, b = sweep_put_b(s, c->m > c->n ? c->m : c->n);
    int64_t wanted = put_singular(s, c->m, c->n, &a);
    bool alone = c->m == 1 || c->n == 1; /* A is zero, and so is the solution */
    OK(twill_gels(TWILL_NO_TRANS, a.array, b.array, &info));
    expect_info(s, info, alone || c->k == 0 ? 0 : wanted);
    forget(&b);
    sweep_take(s, &a);
    sweep_take(s, &b);
}

/* Zeros on the diagonal, of a triangle or a factor: the first counts, and the matrix stays. */
static void trtri(sweep *s)
{
    const sweep_case *c = s->c;
    int64_t n = c->n, info = 0, first = n;
    uint64_t seed = c->number;
    void *full = sweep_random(s, n, n, 2.0, 1);
    for (int zeros = 1 + (int)test_random(&seed, 3); zeros > 0; zeros--) {
        int64_t at = (int64_t)test_random(&seed, (uint64_t)n);
        test_store(full, c->type->type, at + at * n, 0.0);
        first = at < first ? at : first;
    }
    sweep_matrix a = sweep_put_a(s, full, n, n, c->uplo);
    OK(c->lq ? twill_potri(c->uplo, a.array, &info)
             : twill_trtri(c->uplo, TWILL_NON_UNIT, a.array, &info));
    expect_info(s, info, first + 1);
    a.read_only = true;
    sweep_take(s, &a);
}

const sweep_routine sweep_info[] = {
    {"potrf of a damaged matrix", potrf, fit, false},
    {"getrf of a singular matrix", getrf, fit, false},
    {"gesv of a singular matrix", gesv, fit, false},
    {"gels of a singular matrix", gels, fit, false},
    {"sysv of a singular matrix", sysv, fit, false},
    {"sysv of NaN or infinity", sysv_of_nan, fit, false},
    {"trtri or potri of a singular matrix", trtri, fit, false},
    {NULL, NULL, NULL, false},
};
