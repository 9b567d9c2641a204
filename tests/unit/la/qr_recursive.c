/* The recursive factorization of a block of columns against LAPACK's: R, V and T. */
#include "la/qr/qr_recursive.h"

#include "la/kernel/blocks.h"
#include "support/matrix.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 11;

static double uniform(void)
{
    return (double)test_random(&seed, 2001) / 1000 - 1;
}

static void *random_block(twill_type type, int ld, int cols)
{
    void *a = calloc((size_t)ld * (size_t)cols, 16);
    for (int at = 0; at < ld * cols; at++)
        test_store(a, type, at, uniform() + uniform() * I);
    return a;
}

/* The largest difference of two blocks in the rows that `upper` asks for. */
static double difference(twill_type type, int rows, int cols, const void *x, const void *y, int ld,
                         bool upper)
{
    double most = 0;
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < (upper ? j + 1 : rows); i++)
            most =
                fmax(most, cabs(test_load(x, type, i + j * ld) - test_load(y, type, i + j * ld)));
    return most;
}

static void check(const tw_kernels *k, int t, int rows, int cols)
{
    twill_type type = test_types[t].type;
    int ld = rows + 3, ldt = cols + 1, info;
    size_t bytes = (size_t)ld * (size_t)cols * k->size;
    size_t square = (size_t)ldt * (size_t)cols * k->size;
    void *a = random_block(type, ld, cols), *b = memcpy(malloc(bytes), a, bytes);
    void *ta = calloc(1, square), *tb = calloc(1, square), *work = malloc(square);
    tw_geqrt_recursive(k, rows, cols, a, ld, ta, ldt, work);
    k->geqrt(&rows, &cols, &cols, b, &ld, tb, &ldt, work, &info);
    double bound = 100 * sqrt(rows) * test_types[t].eps;
    assert_true(difference(type, ld, cols, a, b, ld, false) < bound * sqrt(rows));
    assert_true(difference(type, cols, cols, ta, tb, ldt, true) < bound);
    free(a), free(b), free(ta), free(tb), free(work);
}

TEST(factors_and_triangles_are_lapacks)
{
    static const struct {
        int rows, cols;
    } shapes[] = {{1, 1}, {40, 32}, {33, 33}, {100, 33}, {64, 64}, {300, 65}, {400, 130}};
    const tw_blas *blas;
    twill *tw = test_start(1, NULL);
    OK(tw_blas_get(tw, &blas));
    for (int t = 0; t < COUNT(test_types); t++)
        for (int i = 0; i < COUNT(shapes); i++)
            check(&blas->kernels[test_types[t].type], t, shapes[i].rows, shapes[i].cols);
    twill_stop(tw);
}

TEST(no_columns_are_factored_at_once)
{
    tw_geqrt_recursive(NULL, 5, 0, NULL, 5, NULL, 1, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_and_triangles_are_lapacks),
        cmocka_unit_test(no_columns_are_factored_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
