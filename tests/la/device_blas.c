/* Routines of linear algebra of every driver: four types, odd sizes, all flags, with gaps between
 * columns, and NaN wherever a routine must neither look nor write. */
#include "base/mix.h"
#include "support/dense.h"
#include "support/devices.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 3, LIMIT = 30 };

static const tw_driver *drivers[2];
static int count;

/* What a test works with. */
static tw_executor *e;
static const test_type *t;
static uint64_t seed;

static double next(void)
{
    return (double)(tw_mix(++seed) >> 11) * 0x1p-52 - 1;
}

static bool is_complex(void)
{
    return t->type == TWILL_COMPLEX64 || t->type == TWILL_COMPLEX128;
}

static size_t size(void)
{
    return twill_type_size(t->type);
}

/* For all devices and types; one of them where compilers of kernels are slow, too. */
static void everywhere(void (*test)(void))
{
    for (int d = 0; d < count; d++) {
        e = device_executor(drivers[d], 2);
        for (t = test_types + (test_slow() ? 3 : 0); t < test_types + 4; t++)
            test();
        e->close(e);
    }
}

/* ---- operands ---------------------------------------------------------------------------- */

/* A matrix on host and device, of ld m + GAP. */
typedef struct operand {
    int64_t m, n;
    char *host;
    tw_place place;
} operand;

static const char whole = 'A';

static bool is_there(char uplo, int64_t i, int64_t j)
{
    return uplo == whole || (uplo == 'L' ? i >= j : i <= j);
}

static void upload(operand *a)
{
    const int64_t ld = a->m + GAP;
    OK(device_move(e, a->place.at, ld, a->host, ld, ld, a->n, size()));
}

/* Random elements of the triangle, `more` on the diagonal. */
static operand make(int64_t m, int64_t n, char uplo, double more)
{
    const int64_t ld = m + GAP;
    operand a = {m, n, malloc((size_t)(ld * n + 1) * size()), {NULL, ld}};
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < ld; i++) {
            double complex x = test_number(next(), next());
            if (i == j)
                x += more;
            test_store(a.host, t->type, i + j * ld,
                       i < m && is_there(uplo, i, j) ? x : test_number(NAN, NAN));
        }
    a.place = device_store(e, a.host, ld, ld, n, size());
    return a;
}

/* It again, as complex numbers. */
static dense read(const operand *a, dense_shape shape, char uplo)
{
    char *packed = malloc((size_t)(a->m * a->n + 1) * size());
    for (int64_t j = 0; j < a->n; j++)
        memcpy(packed + (size_t)(j * a->m) * size(), a->host + (size_t)(j * a->place.ld) * size(),
               (size_t)a->m * size());
    dense d = dense_of(packed, t->type, a->m, a->n, shape, uplo == 'U' ? TWILL_UPPER : TWILL_LOWER);
    free(packed);
    return d;
}

/* What the device has now; what is NaN must be so still. */
static void download(operand *a, char uplo)
{
    const int64_t ld = a->place.ld;
    device_fetch(e, a->host, ld, a->place, ld, a->n, size());
    for (int64_t j = 0; j < a->n; j++)
        for (int64_t i = 0; i < ld; i++)
            if (i >= a->m || !is_there(uplo, i, j))
                assert_true(isnan(creal(test_load(a->host, t->type, i + j * ld))));
}

static void drop(operand *a)
{
    device_drop(e, a->place, a->place.ld, a->n, size());
    free(a->host);
}

static void enqueued(tw_launch *l, twill_status status, int info)
{
    int32_t told[2];
    OK(device_end(e, l, status, told));
    assert_int_equal(told[0], info);
}

/* Enqueue a routine alone in a launch; the arguments after the type. */
#define CALL(info, routine, ...)                                                    \
    do {                                                                            \
        tw_launch launch;                                                           \
        device_begin(e, &launch);                                                   \
        enqueued(&launch, e->blas->routine(&launch, t->type, __VA_ARGS__), (info)); \
    } while (0)

/* |A - B| is nothing beside `scale`; both end. */
static void same(dense a, dense b, double scale)
{
    for (int64_t i = 0; i < a.rows * a.cols; i++)
        a.at[i] -= b.at[i];
    double ratio = dense_norm(a) / (scale * t->eps * (double)(a.rows + a.cols));
    if (!(ratio < LIMIT))
        fail_msg("%s: ratio %g", t->name, ratio);
    dense_free(a);
    dense_free(b);
}

/* Scalars of the type, and what they are. */
typedef struct scalar {
    double bytes[2];
    double complex x;
} scalar;

static scalar scalar_of(double re, double im)
{
    scalar s = {.x = is_complex() ? test_number(re, im) : re};
    test_store(s.bytes, t->type, 0, s.x);
    return s;
}

static dense keep_triangle(dense a, char uplo)
{
    for (int64_t j = 0; j < a.cols; j++)
        for (int64_t i = 0; i < a.rows; i++)
            if (!is_there(uplo, i, j))
                a.at[i + j * a.rows] = 0;
    return a;
}

/* ---- level 3 ----------------------------------------------------------------------------- */

static void check_gemm(char ta, char tb, int64_t m, int64_t n, int64_t k)
{
    operand a = ta == 'N' ? make(m, k, whole, 0) : make(k, m, whole, 0);
    operand b = tb == 'N' ? make(k, n, whole, 0) : make(n, k, whole, 0);
    operand c = make(m, n, whole, 0);
    const scalar alpha = scalar_of(0.5, -2), beta = scalar_of(-1, 0.25);
    dense wanted = dense_zeros(m, n), da = read(&a, DENSE_GENERAL, 0),
          db = read(&b, DENSE_GENERAL, 0), dc = read(&c, DENSE_GENERAL, 0);
    for (int64_t i = 0; i < m * n; i++)
        wanted.at[i] = beta.x * dc.at[i];
    dense_multiply(alpha.x, ta, da, tb, db, wanted);
    CALL(0, gemm, ta, tb, m, n, k, alpha.bytes, a.place, b.place, beta.bytes, c.place);
    download(&c, whole);
    same(wanted, read(&c, DENSE_GENERAL, 0), (double)(k + 1));
    dense_free(da);
    dense_free(db);
    dense_free(dc);
    drop(&a);
    drop(&b);
    drop(&c);
}

static void gemm(void)
{
    for (const char *ta = "NTC"; *ta; ta++)
        for (const char *tb = "NTC"; *tb; tb++)
            check_gemm(*ta, *tb, 37, 21, 45);
    check_gemm('N', 'N', 1, 1, 1);
    check_gemm('N', 'C', 8, 4, 0);
    check_gemm('N', 'N', 70, 33, 16);
}

TEST(gemm_is_right)
{
    everywhere(gemm);
}

/* With B or, of rank k, without. */
static void check_rank(bool hermitian, char uplo, char trans, bool two)
{
    const int64_t n = 43, k = 18;
    const char other = hermitian ? 'C' : 'T';
    operand a = trans == 'N' ? make(n, k, whole, 0) : make(k, n, whole, 0);
    operand b = trans == 'N' ? make(n, k, whole, 0) : make(k, n, whole, 0);
    operand c = make(n, n, uplo, 0);
    scalar alpha = scalar_of(0.5, hermitian && !two ? 0 : -2);
    scalar beta = scalar_of(-1, hermitian ? 0 : 0.25);
    dense da = read(&a, DENSE_GENERAL, 0), db = read(&b, DENSE_GENERAL, 0);
    dense wanted = read(&c, hermitian ? DENSE_HERMITIAN : DENSE_SYMMETRIC, uplo);
    for (int64_t i = 0; i < n * n; i++)
        wanted.at[i] *= beta.x;
    char ta = trans == 'N' ? 'N' : other, tb = trans == 'N' ? other : 'N';
    dense_multiply(alpha.x, ta, da, tb, two ? db : da, wanted);
    if (two)
        dense_multiply(hermitian ? conj(alpha.x) : alpha.x, ta, db, tb, da, wanted);
    if (two)
        CALL(0, her2k, hermitian, uplo, trans, n, k, alpha.bytes, a.place, b.place, beta.bytes,
             c.place);
    else
        CALL(0, herk, hermitian, uplo, trans, n, k, alpha.bytes, a.place, beta.bytes, c.place);
    download(&c, uplo);
    for (int64_t i = 0; i < n && hermitian; i++)
        assert_true(cimag(test_load(c.host, t->type, i + i * c.place.ld)) == 0);
    same(keep_triangle(wanted, uplo), keep_triangle(read(&c, DENSE_GENERAL, 0), uplo),
         (double)(k + 1));
    dense_free(da);
    dense_free(db);
    drop(&a);
    drop(&b);
    drop(&c);
}

static void rank_updates(void)
{
    for (int two = 0; two < 2; two++)
        for (int hermitian = 0; hermitian < 2; hermitian++)
            for (const char *uplo = "LU"; *uplo; uplo++) {
                check_rank(hermitian, *uplo, 'N', two);
                check_rank(hermitian, *uplo, hermitian ? 'C' : 'T', two);
            }
}

TEST(rank_updates_are_right)
{
    everywhere(rank_updates);
}

static void check_symm(bool hermitian, char side, char uplo)
{
    const int64_t m = 39, n = 22, order = side == 'L' ? m : n;
    operand a = make(order, order, uplo, 0), b = make(m, n, whole, 0), c = make(m, n, whole, 0);
    const scalar alpha = scalar_of(0.5, -2), beta = scalar_of(-1, 0.25);
    dense da = read(&a, hermitian ? DENSE_HERMITIAN : DENSE_SYMMETRIC, uplo);
    dense db = read(&b, DENSE_GENERAL, 0), wanted = read(&c, DENSE_GENERAL, 0);
    for (int64_t i = 0; i < m * n; i++)
        wanted.at[i] *= beta.x;
    dense_multiply(alpha.x, 'N', side == 'L' ? da : db, 'N', side == 'L' ? db : da, wanted);
    CALL(0, symm, hermitian, side, uplo, m, n, alpha.bytes, a.place, b.place, beta.bytes, c.place);
    download(&c, whole);
    same(wanted, read(&c, DENSE_GENERAL, 0), (double)order);
    dense_free(da);
    dense_free(db);
    drop(&a);
    drop(&b);
    drop(&c);
}

static void symmetric_products(void)
{
    for (int hermitian = 0; hermitian < 2; hermitian++)
        for (const char *side = "LR"; *side; side++)
            for (const char *uplo = "LU"; *uplo; uplo++)
                check_symm(hermitian, *side, *uplo);
}

TEST(symmetric_products_are_right)
{
    everywhere(symmetric_products);
}

/* A triangle whose inverse is small; with a unit diagonal, of small elements, and NaN on it. */
static operand make_triangle(int64_t n, char uplo, char diag)
{
    operand a = make(n, n, uplo, 4);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            int64_t at = i + j * a.place.ld;
            if (i == j && diag == 'U')
                test_store(a.host, t->type, at, test_number(NAN, NAN));
            else if (i != j && is_there(uplo, i, j))
                test_store(a.host, t->type, at, test_load(a.host, t->type, at) / sqrt((double)n));
        }
    upload(&a);
    return a;
}

/* B := alpha op(A) B, or the X of which that is B. */
static void check_triangular(bool solves, char side, char uplo, char trans, char diag)
{
    const int64_t m = 71, n = 37, order = side == 'L' ? m : n;
    operand a = make_triangle(order, uplo, diag), b = make(m, n, whole, 0);
    const scalar alpha = scalar_of(0.5, -2);
    dense da = read(&a, diag == 'U' ? DENSE_UNIT_TRIANGLE : DENSE_TRIANGLE, uplo);
    dense db = read(&b, DENSE_GENERAL, 0), got = dense_zeros(m, n), wanted = dense_zeros(m, n);
    if (solves)
        CALL(0, trsm, side, uplo, trans, diag, m, n, alpha.bytes, a.place, b.place);
    else
        CALL(0, trmm, side, uplo, trans, diag, m, n, alpha.bytes, a.place, b.place);
    download(&b, whole);
    dense x = read(&b, DENSE_GENERAL, 0);
    dense *from = solves ? &x : &db, *to = solves ? &db : &x;
    dense_multiply(solves ? 1 : alpha.x, side == 'L' ? trans : 'N', side == 'L' ? da : *from,
                   side == 'L' ? 'N' : trans, side == 'L' ? *from : da, wanted);
    for (int64_t i = 0; i < m * n; i++)
        got.at[i] = to->at[i] * (solves ? alpha.x : 1);
    same(wanted, got, 4 * (double)order);
    dense_free(da);
    dense_free(db);
    dense_free(x);
    drop(&a);
    drop(&b);
}

static void triangular(void)
{
    for (int solves = 0; solves < 2; solves++)
        for (const char *side = "LR"; *side; side++)
            for (const char *uplo = "LU"; *uplo; uplo++)
                for (const char *trans = "NTC"; *trans; trans++)
                    for (const char *diag = "NU"; *diag; diag++)
                        check_triangular(solves, *side, *uplo, *trans, *diag);
}

TEST(triangles_multiply_and_solve)
{
    everywhere(triangular);
}

/* ---- factorizations ---------------------------------------------------------------------- */

static void check_potrf(char uplo, int64_t n, int fails)
{
    operand a = make(n, n, uplo, (double)n + 2);
    for (int64_t i = 0; i < n; i++) { /* imaginary parts on the diagonal are not looked at */
        int64_t at = i + i * a.place.ld;
        double x = fails == i + 1 ? -1 : creal(test_load(a.host, t->type, at));
        test_store(a.host, t->type, at, x);
    }
    upload(&a);
    dense wanted = read(&a, DENSE_HERMITIAN, uplo), product = dense_zeros(n, n);
    CALL(fails, potrf, uplo, n, a.place);
    download(&a, uplo);
    dense l = read(&a, DENSE_TRIANGLE, uplo);
    dense_multiply(1, uplo == 'L' ? 'N' : 'C', l, uplo == 'L' ? 'C' : 'N', l, product);
    if (fails) {
        dense_free(product);
        dense_free(wanted);
    } else {
        same(product, wanted, (double)n);
    }
    dense_free(l);
    drop(&a);
}

static void check_trtri(char uplo, char diag, int64_t n)
{
    operand a = make_triangle(n, uplo, diag);
    const dense_shape shape = diag == 'U' ? DENSE_UNIT_TRIANGLE : DENSE_TRIANGLE;
    dense before = read(&a, shape, uplo), product = dense_zeros(n, n);
    CALL(0, trtri, uplo, diag, n, a.place);
    download(&a, uplo);
    dense inverse = read(&a, shape, uplo);
    dense_multiply(1, 'N', before, 'N', inverse, product);
    same(product, dense_identity(n), (double)n);
    dense_free(before);
    dense_free(inverse);
    drop(&a);
}

static void cholesky(void)
{
    for (const char *uplo = "LU"; *uplo; uplo++) {
        check_potrf(*uplo, 1, 0);
        check_potrf(*uplo, 31, 0);
        check_potrf(*uplo, 107, 0);
        check_potrf(*uplo, 107, 42);
        check_potrf(*uplo, 107, 107);
        for (const char *diag = "NU"; *diag; diag++) {
            check_trtri(*uplo, *diag, 19);
            check_trtri(*uplo, *diag, 107);
        }
        operand a = make_triangle(70, *uplo, 'N');
        test_store(a.host, t->type, 40 + 40 * a.place.ld, 0);
        test_store(a.host, t->type, 60 + 60 * a.place.ld, 0);
        upload(&a);
        CALL(41, trtri, *uplo, 'N', 70, a.place);
        drop(&a);
    }
}

TEST(cholesky_and_inverses_are_right)
{
    everywhere(cholesky);
}

/* Numbers of 64 bits on the device. */
static tw_place make_pivots(int64_t k)
{
    int64_t *zeros = calloc((size_t)k + 1, sizeof *zeros);
    tw_place place = device_store(e, zeros, k, k, 1, sizeof *zeros);
    free(zeros);
    return place;
}

/* The interchanges of a whole matrix, forward and backward, are those of the rows. */
static void check_laswp(const operand *before, tw_place ipiv, const int64_t *pivots, int64_t k)
{
    operand a = *before;
    a.host = malloc((size_t)(a.place.ld * a.n + 1) * size());
    memcpy(a.host, before->host, (size_t)(a.place.ld * a.n) * size());
    a.place = device_store(e, a.host, a.place.ld, a.place.ld, a.n, size());
    dense wanted = read(&a, DENSE_GENERAL, 0), first = dense_copy(wanted);
    for (int64_t i = 0; i < k; i++)
        dense_swap_rows(wanted, i, pivots[i] - 1);
    CALL(0, laswp, true, a.n, a.place, 0, k, ipiv);
    download(&a, whole);
    same(wanted, read(&a, DENSE_GENERAL, 0), 1);
    CALL(0, laswp, false, a.n, a.place, 0, k, ipiv);
    download(&a, whole);
    same(first, read(&a, DENSE_GENERAL, 0), 1);
    drop(&a);
}

static void check_getrf(int64_t m, int64_t n, int64_t zero_column)
{
    const int64_t k = m < n ? m : n;
    operand a = make(m, n, whole, 0), before = a;
    for (int64_t i = 0; zero_column && i < m; i++)
        test_store(a.host, t->type, i + (zero_column - 1) * a.place.ld, 0);
    upload(&a);
    dense wanted = read(&a, DENSE_GENERAL, 0), l = dense_zeros(m, k), u = dense_zeros(k, n),
          product = dense_zeros(m, n);
    before.host = malloc((size_t)(a.place.ld * n + 1) * size());
    memcpy(before.host, a.host, (size_t)(a.place.ld * n) * size());
    tw_place ipiv = make_pivots(k);
    CALL((int)zero_column, getrf, m, n, a.place, ipiv);
    int64_t *pivots = calloc((size_t)k + 1, sizeof *pivots);
    device_fetch(e, pivots, k, ipiv, k, 1, sizeof *pivots);
    download(&a, whole);
    dense lu = read(&a, DENSE_GENERAL, 0);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            double complex x = lu.at[i + j * m];
            if (i > j) {
                l.at[i + j * m] = x;
                assert_true(cabs(x) <= 1.5); /* |re| + |im| chooses the pivot */
            } else {
                u.at[i + j * k] = x;
            }
        }
    for (int64_t i = 0; i < k; i++) {
        assert_in_range(pivots[i], i + 1, m);
        l.at[i + i * m] = 1;
        dense_swap_rows(wanted, i, pivots[i] - 1);
    }
    dense_multiply(1, 'N', l, 'N', u, product);
    same(product, wanted, 10 * sqrt((double)m));
    check_laswp(&before, ipiv, pivots, k);
    dense_free(l);
    dense_free(u);
    dense_free(lu);
    free(before.host);
    free(pivots);
    device_drop(e, ipiv, k, 1, sizeof *pivots);
    drop(&a);
}

static void lu(void)
{
    check_getrf(53, 53, 0);
    check_getrf(90, 41, 0);
    check_getrf(41, 90, 0);
    check_getrf(1, 5, 0);
    check_getrf(100, 7, 0);
    check_getrf(60, 60, 38);
}

TEST(lu_and_interchanges_are_right)
{
    everywhere(lu);
}

/* Q from the identity, from both sides: A = Q R, Q^H Q = I, and the sides agree. */
static void check_geqrf(int64_t m, int64_t n)
{
    const int64_t k = m < n ? m : n;
    operand a = make(m, n, whole, 0), tau = make(k, 1, whole, 0);
    dense before = read(&a, DENSE_GENERAL, 0), product = dense_zeros(m, n),
          gram = dense_zeros(m, m);
    CALL(0, geqrf, m, n, a.place, tau.place);
    download(&a, whole);
    dense r = keep_triangle(read(&a, DENSE_GENERAL, 0), 'U'), q[4];
    for (int i = 0; i < 4; i++) {
        operand c = make(m, m, whole, 0);
        for (int64_t j = 0; j < m; j++)
            for (int64_t s = 0; s < m; s++)
                test_store(c.host, t->type, s + j * c.place.ld, s == j);
        upload(&c);
        CALL(0, unmqr, i < 2 ? 'L' : 'R', i % 2 ? 'C' : 'N', m, m, k, a.place, tau.place, c.place);
        download(&c, whole);
        q[i] = read(&c, DENSE_GENERAL, 0);
        drop(&c);
    }
    dense_multiply(1, 'N', q[0], 'N', r, product);
    dense_multiply(1, 'C', q[0], 'N', q[0], gram);
    same(product, before, (double)n);
    same(gram, dense_identity(m), (double)m);
    same(dense_copy(q[0]), q[2], (double)m);
    dense adjoint = dense_op(q[0], 'C');
    same(dense_copy(adjoint), q[1], (double)m);
    same(adjoint, q[3], (double)m);
    dense_free(q[0]);
    dense_free(r);
    drop(&a);
    drop(&tau);
}

static void qr(void)
{
    check_geqrf(53, 53);
    check_geqrf(90, 41);
    check_geqrf(41, 90);
    check_geqrf(1, 5);
    check_geqrf(33, 1);
}

TEST(qr_is_right)
{
    everywhere(qr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_is_right),
        cmocka_unit_test(rank_updates_are_right),
        cmocka_unit_test(symmetric_products_are_right),
        cmocka_unit_test(triangles_multiply_and_solve),
        cmocka_unit_test(cholesky_and_inverses_are_right),
        cmocka_unit_test(lu_and_interchanges_are_right),
        cmocka_unit_test(qr_is_right),
    };
    count = device_drivers(drivers);
    if (count == 0) {
        puts("no driver finds a device here");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
