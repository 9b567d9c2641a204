/* Reflectors by columns against LAPACK's, plain and for wide vectors. */
#include "la/kernel/house.h"

#include "la/blas/blas.h"
#include "support/matrix.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 45, COLS = 23, LD = 50 };

static uint64_t seed = 5;
static const twill_type types[] = {TWILL_FLOAT32, TWILL_FLOAT64};

static double eps_of(twill_type type)
{
    return type == TWILL_FLOAT32 ? 1.2e-7 : 2.2e-16;
}

static void *random_columns(twill_type type, double factor)
{
    void *a = calloc(LD * COLS, sizeof(double));
    for (int i = 0; i < LD * COLS; i++)
        test_store(a, type, i, factor * ((double)test_random(&seed, 2001) / 1000 - 1));
    return a;
}

static void *at(const tw_kernels *k, void *a, int i, int j)
{
    return (char *)a + (size_t)(i + j * LD) * k->size;
}

static void assert_close(twill_type type, const void *x, const void *y, int n)
{
    for (int i = 0; i < n; i++)
        assert_true(cabs(test_load(x, type, i) - test_load(y, type, i)) < 200 * eps_of(type));
}

/* R, V and T of geqrt. */
static void check_factors(const tw_kernels *k, const tw_house *house)
{
    int rows = ROWS, cols = COLS, ld = LD, info;
    size_t bytes = LD * COLS * k->size;
    void *a = random_columns(k->type, 1), *b = memcpy(malloc(bytes), a, bytes);
    void *ta = calloc(1, bytes), *tb = calloc(1, bytes), *work = malloc(bytes);
    char tau[sizeof(double)];
    for (int j = 0; j < COLS; j++) {
        assert_true(house->make(ROWS - j, at(k, a, j, j), tau));
        house->apply(ROWS - j, COLS - j - 1, at(k, a, j, j), tau, at(k, a, j, j + 1), LD);
        house->link(ROWS - j, j, at(k, a, j, 0), LD, at(k, a, j, j), tau, ta, LD);
    }
    k->geqrt(&rows, &cols, &cols, b, &ld, tb, &ld, work, &info);
    for (int j = 0; j < COLS; j++) {
        assert_close(k->type, at(k, a, 0, j), at(k, b, 0, j), ROWS);
        assert_close(k->type, at(k, ta, 0, j), at(k, tb, 0, j), j + 1);
    }
    free(a), free(b), free(ta), free(tb), free(work);
}

/* One column: as larfg does it, or not at all. */
static void check_reflector(const tw_kernels *k, const tw_house *house, int n, double factor,
                            bool possible)
{
    const int one = 1;
    void *x = random_columns(k->type, factor), *y = malloc(LD * k->size);
    char tau[sizeof(double)], other[sizeof(double)];
    memcpy(y, x, LD * k->size);
    assert_int_equal(house->make(n, x, tau), possible);
    if (!possible) {
        assert_memory_equal(x, y, LD * k->size);
    } else {
        k->larfg(&n, y, (char *)y + k->size, &one, other);
        assert_close(k->type, tau, other, 1);
        assert_close(k->type, (char *)x + k->size, (char *)y + k->size, n - 1);
        test_store(x, k->type, 0, test_load(x, k->type, 0) / factor);
        test_store(y, k->type, 0, test_load(y, k->type, 0) / factor);
        assert_close(k->type, x, y, 1);
    }
    free(x), free(y);
}

static void check_zeros(const tw_kernels *k, const tw_house *house)
{
    void *x = random_columns(k->type, 1), *a = random_columns(k->type, 1), *kept;
    char tau[sizeof(double)];
    memset((char *)x + k->size, 0, (LD - 1) * k->size);
    test_store(a, k->type, 7, (double)INFINITY);
    kept = memcpy(malloc(LD * 4 * k->size), a, LD * 4 * k->size);
    assert_true(house->make(ROWS, x, tau));
    assert_true(test_load(tau, k->type, 0) == 0);
    house->apply(ROWS, 4, x, tau, a, LD);
    assert_memory_equal(a, kept, LD * 4 * k->size); /* the identity, for infinities too */
    test_store(x, k->type, 3, (double)NAN);
    assert_false(house->make(ROWS, x, tau));
    free(x), free(a), free(kept);
}

static void check_all(const tw_kernels *k, const tw_house *house)
{
    bool single = k->type == TWILL_FLOAT32;
    check_factors(k, house);
    check_zeros(k, house);
    for (int n = 2; n <= ROWS; n++)
        check_reflector(k, house, n, 1, true);
    check_reflector(k, house, ROWS, single ? 1e-10 : 1e-110, true);
    check_reflector(k, house, ROWS, single ? 1e10 : 1e110, true);
    check_reflector(k, house, ROWS, single ? 1e-25 : 1e-200, false);
    check_reflector(k, house, ROWS, single ? 1e25 : 1e200, false);
}

TEST(reflectors_are_lapacks)
{
    const tw_blas *blas;
    twill *tw = test_start(1, NULL);
    OK(tw_blas_get(tw, &blas));
    for (int t = 0; t < 2; t++) {
        check_all(&blas->kernels[types[t]], &tw_houses_plain[types[t]]);
        check_all(&blas->kernels[types[t]], tw_house_of(types[t]));
    }
    assert_null(tw_house_of(TWILL_COMPLEX128));
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reflectors_are_lapacks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
