/* Generators: mirrored matrices, and positive definite ones with the eigenvalues they promise. */
#include "support/matrix.h"
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const char *const eigenvalue_names[] = {"ssyev_", "dsyev_", "cheev_", "zheev_"};

/* Real types have no array of real work space. */
typedef void real_syev(const char *, const char *, const int *, void *, const int *, void *, void *,
                       const int *, int *, size_t, size_t);
typedef void complex_heev(const char *, const char *, const int *, void *, const int *, void *,
                          void *, const int *, void *, int *, size_t, size_t);

/* LAPACK's eigenvalues of the lower triangle, the smallest first, in w. */
static void eigenvalues(twill *tw, int t, void *full, int n, double *w)
{
    const tw_blas *blas;
    int size = 64 * n, info = -1;
    void *work = calloc((size_t)size, 16), *extra = calloc((size_t)(3 * n), 8);
    void *values = calloc((size_t)n, 8);
    assert_true(work && extra && values);
    OK(tw_blas_get(tw, &blas));
    void *found = blas->library.symbol(&blas->library, eigenvalue_names[t]);
    assert_non_null(found);
    if (t < 2)
        (*(real_syev **)&found)("N", "L", &n, full, &n, values, work, &size, &info, 1, 1);
    else
        (*(complex_heev **)&found)("N", "L", &n, full, &n, values, work, &size, extra, &info, 1, 1);
    assert_int_equal(info, 0);
    for (int i = 0; i < n; i++)
        w[i] = creal(test_load(values, t % 2 ? TWILL_FLOAT64 : TWILL_FLOAT32, i));
    free(work);
    free(extra);
    free(values);
}

TEST(the_condition_number_is_the_one_asked_for)
{
    enum { N = 61 };
    static const double conds[] = {1.0, 10.0, 1e3};
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int c = 0; c < COUNT(conds); c++) {
            twill_array *a = test_matrix(tw, test_types[t].type, N, N, 16);
            double w[N], within = 40.0 * test_types[t].eps;
            OK(twill_fill_spd_cond(a, 17, conds[c]));
            void *full = test_unpack(a);
            eigenvalues(tw, t, full, N, w);
            for (int k = 0; k < N; k++)
                assert_true(fabs(w[N - 1 - k] - pow(conds[c], -k / (N - 1.0))) <= within);
            free(full);
            twill_array_free(a);
        }
    twill_stop(tw);
}

/* ---- entries -------------------------------------------------------------------------------- */

typedef twill_status generator(twill_array *a, uint64_t seed);

static twill_status fill_cond(twill_array *a, uint64_t seed)
{
    return twill_fill_spd_cond(a, seed, 1e4);
}

static generator *const generators[] = {twill_fill_hermitian, twill_fill_spd, fill_cond,
                                        twill_fill_symmetric};

TEST(mirrored_matrices_are_their_own_mirror_images_for_any_tiles)
{
    enum { N = 40 };
    twill *tw = test_start(2, NULL);
    twill_pattern p = twill_tiled(N, N, 7, 12);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int k = 0; k < COUNT(generators); k++) {
            twill_type type = test_types[t].type;
            twill_array *a = test_matrix(tw, type, N, N, 9), *b,
                        *c = test_matrix(tw, type, N, N, 9);
            uint64_t first, second, other;
            OK(twill_array_create(tw, &p, type, 0, &b));
            OK(generators[k](a, 3));
            OK(generators[k](b, 3));
            OK(generators[k](c, 4));
            OK(twill_digest(a, TWILL_GENERAL, &first));
            OK(twill_digest(b, TWILL_GENERAL, &second));
            OK(twill_digest(c, TWILL_GENERAL, &other));
            assert_true(first == second && first != other);
            void *full = test_unpack(a);
            bool seen = t < 2;
            for (int64_t i = 0; i < N; i++)
                for (int64_t j = 0; j <= i; j++) {
                    double complex x = test_load(full, type, i + j * N);
                    double complex y = test_load(full, type, j + i * N);
                    assert_true(x == (generators[k] == twill_fill_symmetric ? y : conj(y)));
                    seen |= cimag(x) != 0.0;
                }
            assert_true(seen); /* complex matrices are complex */
            free(full);
            twill_array_free(a);
            twill_array_free(b);
            twill_array_free(c);
        }
    twill_stop(tw);
}

TEST(small_matrices_are_no_exception)
{
    twill *tw = test_start(1, NULL);
    twill_array *none = test_matrix(tw, TWILL_COMPLEX128, 0, 0, 4),
                *one = test_matrix(tw, TWILL_COMPLEX128, 1, 1, 4);
    double norm;
    for (int k = 0; k < COUNT(generators); k++) {
        OK(generators[k](none, 1));
        OK(generators[k](one, 1));
    }
    OK(twill_fill_spd_cond(one, 1, 50.0));
    OK(twill_norm(TWILL_NORM_FRO, one, &norm));
    assert_true(fabs(norm - 1.0) < 4 * DBL_EPSILON);
    twill_stop(tw);
}

TEST(what_cannot_be_generated_is_refused)
{
    twill *tw = test_start(1, NULL);
    twill_array *tall = test_matrix(tw, TWILL_FLOAT64, 20, 10, 5),
                *a = test_matrix(tw, TWILL_FLOAT64, 9, 9, 5);
    for (int k = 0; k < COUNT(generators); k++)
        REFUSED(generators[k](tall, 1), TWILL_ERR_ARGUMENT, "square");
    REFUSED(twill_fill_spd_cond(a, 1, 0.5), TWILL_ERR_ARGUMENT, "argument 3");
    REFUSED(twill_fill_spd_cond(a, 1, NAN), TWILL_ERR_ARGUMENT, "argument 3");
    REFUSED(twill_fill_spd_cond(a, 1, INFINITY), TWILL_ERR_ARGUMENT, "argument 3");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_condition_number_is_the_one_asked_for),
        cmocka_unit_test(mirrored_matrices_are_their_own_mirror_images_for_any_tiles),
        cmocka_unit_test(small_matrices_are_no_exception),
        cmocka_unit_test(what_cannot_be_generated_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
