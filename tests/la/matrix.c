/* Filling, copying and measuring: entries depend on seed and place alone, rates are positive. */
#include "support/test.h"

#include <math.h>

static double entry(twill_array *a, int64_t i, int64_t j)
{
    twill_view v = twill_view_sub(twill_view_all(a), i, j, 1, 1);
    void *data;
    int64_t ld;
    OK(twill_map(v, TWILL_READ, &data, &ld));
    double x = *(const double *)data;
    OK(twill_unmap(v, data));
    return x;
}

static twill_array *matrix(twill *tw, int64_t m, int64_t n, int64_t nb)
{
    twill_array *a = NULL;
    twill_pattern p = twill_tiled(m, n, nb, nb);
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    return a;
}

TEST(random_entries_depend_on_seed_and_place_alone)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = matrix(tw, 37, 23, 8), *b = matrix(tw, 37, 23, 11);
    uint64_t first, second, other;
    assert_int_equal(twill_array_uplo(a), TWILL_GENERAL);
    OK(twill_fill_random(a, 7));
    OK(twill_fill_random(b, 7));
    OK(twill_digest(a, TWILL_GENERAL, &first));
    OK(twill_digest(b, TWILL_GENERAL, &second));
    OK(twill_fill_random(b, 8));
    OK(twill_digest(b, TWILL_GENERAL, &other));
    assert_true(first == second);
    assert_true(first != other);
    for (int i = 0; i < 37; i++)
        assert_true(fabs(entry(a, i, i % 23)) <= 0.5);
    twill_stop(tw);
}

TEST(a_hermitian_matrix_is_its_own_mirror_image)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = matrix(tw, 20, 20, 6), *b = matrix(tw, 20, 20, 6);
    OK(twill_fill_hermitian(a, 3));
    OK(twill_fill_spd(b, 3));
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++) {
            assert_true(entry(a, i, j) == entry(a, j, i));
            assert_true(entry(b, i, j) == entry(a, i, j) + (i == j ? 20 : 0));
        }
    OK(twill_copy(a, b));
    uint64_t first, second;
    OK(twill_fill_symmetric(a, 3)); /* for real types the same */
    OK(twill_digest(a, TWILL_UPPER, &first));
    OK(twill_digest(b, TWILL_UPPER, &second));
    assert_true(first == second);
    twill_stop(tw);
}

TEST(matrices_that_do_not_fit_are_refused)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = matrix(tw, 20, 10, 5), *b = matrix(tw, 20, 20, 5);
    REFUSED(twill_copy(a, b), TWILL_ERR_ARGUMENT, "differ");
    REFUSED(twill_fill_spd(a, 1), TWILL_ERR_ARGUMENT, "square");
    REFUSED(twill_fill_random(NULL, 1), TWILL_ERR_ARGUMENT, "NULL");
    twill_stop(tw);
}

TEST(the_rate_of_products_is_a_rate)
{
    twill *tw = test_start(2, NULL);
    double rate = -1;
    OK(twill_gemm_rate(tw, TWILL_COMPLEX64, 64, &rate));
    assert_true(rate > 0.01 && rate < 1e6);
    REFUSED(twill_gemm_rate(tw, TWILL_FLOAT64, 0, &rate), TWILL_ERR_ARGUMENT, "tile size");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_entries_depend_on_seed_and_place_alone),
        cmocka_unit_test(a_hermitian_matrix_is_its_own_mirror_image),
        cmocka_unit_test(matrices_that_do_not_fit_are_refused),
        cmocka_unit_test(the_rate_of_products_is_a_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
