/* Setting, scaling, copying, adding and transposing: every element is what the formula says, and
 * those outside the part stay as they were. */
#include "support/matrix.h"
#include "support/test.h"

#include "sched/sched.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const twill_uplo parts[] = {TWILL_GENERAL, TWILL_LOWER, TWILL_UPPER};
static const twill_trans ops[] = {TWILL_NO_TRANS, TWILL_TRANS, TWILL_CONJ_TRANS};

static bool has(twill_uplo part, int64_t i, int64_t j)
{
    return part == TWILL_GENERAL || test_inside(part, i, j);
}

/* A random matrix in tiles of mb by nb. */
static twill_array *matrix(twill *tw, twill_type type, const int64_t *size, const int64_t *tiles,
                           uint64_t seed)
{
    twill_array *a = NULL;
    twill_pattern p = twill_tiled(size[0], size[1], tiles[0], tiles[1]);
    OK(twill_array_create(tw, &p, type, 0, &a));
    OK(twill_fill_random(a, seed));
    return a;
}

/* Entry of a packed m by n matrix, and of op of it. */
static double complex at(const void *full, twill_type type, int64_t m, twill_trans op, int64_t i,
                         int64_t j)
{
    double complex x = test_load(full, type, op == TWILL_NO_TRANS ? i + j * m : j + i * m);
    return op == TWILL_CONJ_TRANS ? conj(x) : x;
}

static void expect(double complex got, double complex wanted, double eps, const char *what,
                   int64_t i, int64_t j)
{
    if (!(cabs(got - wanted) <= 8.0 * eps * (1.0 + cabs(wanted))))
        fail_msg("%s: entry (%lld, %lld) is %g%+gi and should be %g%+gi", what, (long long)i,
                 (long long)j, creal(got), cimag(got), creal(wanted), cimag(wanted));
}

static double complex value_of(twill_scalar x)
{
    return test_number(x.re, x.im);
}

/* ---- add ------------------------------------------------------------------------------------ */

typedef struct addition {
    twill_uplo part;
    twill_trans op;
    twill_scalar alpha, beta;
} addition;

static void check_sum(twill *tw, const test_type *type, const addition *s, const int64_t *size,
                      const int64_t *a_tiles, const int64_t *b_tiles)
{
    bool straight = s->op == TWILL_NO_TRANS;
    int64_t turned[2] = {size[straight ? 0 : 1], size[straight ? 1 : 0]};
    twill_array *a = matrix(tw, type->type, turned, a_tiles, 1);
    twill_array *b = matrix(tw, type->type, size, b_tiles, 2);
    void *x = test_unpack(a), *before = test_unpack(b);
    OK(twill_add(s->part, s->op, s->alpha, a, s->beta, b));
    void *after = test_unpack(b);
    for (int64_t j = 0; j < size[1]; j++)
        for (int64_t i = 0; i < size[0]; i++) {
            double complex old = test_load(before, type->type, i + j * size[0]);
            double complex sum = value_of(s->alpha) * at(x, type->type, turned[0], s->op, i, j) +
                                 value_of(s->beta) * old;
            double complex got = test_load(after, type->type, i + j * size[0]);
            if (has(s->part, i, j))
                expect(got, sum, type->eps, "sum", i, j);
            else
                assert_true(got == old);
        }
    free(x);
    free(before);
    free(after);
    twill_array_free(a);
    twill_array_free(b);
}

TEST(sums_are_right_for_all_parts_transposes_and_tiles)
{
    static const int64_t sizes[][2] = {{0, 0},   {0, 3},   {4, 0},  {1, 1},
                                       {30, 30}, {23, 37}, {37, 23}};
    static const int64_t tiles[][2] = {{8, 8}, {64, 64}, {5, 9}, {7, 3}};
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int number = 0; number < 9 * COUNT(sizes) * COUNT(tiles); number++) {
            bool is_complex = t >= 2;
            addition s = {parts[number % 3], ops[number / 3 % 3],
                          twill_complex(0.7, is_complex ? -0.3 : 0.0),
                          twill_complex(-1.1, is_complex ? 0.4 : 0.0)};
            int shape = number / 9 % COUNT(sizes), k = number / 9 / COUNT(sizes);
            check_sum(tw, &test_types[t], &s, sizes[shape], tiles[k],
                      tiles[(k + number) % COUNT(tiles)]);
        }
    twill_stop(tw);
}

TEST(what_is_multiplied_by_zero_is_not_read)
{
    static const int64_t size[] = {20, 12}, tiles[] = {7, 7};
    twill_scalar zero = twill_real(0.0), one = twill_real(1.0), nan = twill_real(NAN);
    twill *tw = test_start(2, NULL);
    twill_array *a = matrix(tw, TWILL_FLOAT64, size, tiles, 1),
                *b = matrix(tw, TWILL_FLOAT64, size, tiles, 2);
    uint64_t first, second;
    double norm;
    OK(twill_set(TWILL_GENERAL, nan, nan, b));
    OK(twill_add(TWILL_GENERAL, TWILL_NO_TRANS, one, a, zero, b));
    OK(twill_digest(a, TWILL_GENERAL, &first));
    OK(twill_digest(b, TWILL_GENERAL, &second));
    assert_true(first == second);
    OK(twill_set(TWILL_GENERAL, nan, nan, a));
    OK(twill_add(TWILL_GENERAL, TWILL_NO_TRANS, zero, a, one, b));
    OK(twill_digest(b, TWILL_GENERAL, &second));
    assert_true(first == second);
    OK(twill_scale(TWILL_GENERAL, zero, a));
    OK(twill_norm(TWILL_NORM_MAX, a, &norm));
    assert_true(norm == 0.0);
    twill_stop(tw);
}

TEST(a_matrix_may_be_added_to_itself)
{
    static const int64_t size[] = {20, 30}, tiles[] = {7, 4};
    twill *tw = test_start(2, NULL);
    twill_array *a = matrix(tw, TWILL_FLOAT64, size, tiles, 1),
                *b = matrix(tw, TWILL_FLOAT64, size, tiles, 1);
    uint64_t first, second;
    OK(twill_add(TWILL_LOWER, TWILL_NO_TRANS, twill_real(1.0), a, twill_real(1.0), a));
    OK(twill_scale(TWILL_LOWER, twill_real(2.0), b));
    OK(twill_digest(a, TWILL_GENERAL, &first));
    OK(twill_digest(b, TWILL_GENERAL, &second));
    assert_true(first == second);
    twill_stop(tw);
}

/* ---- copy and transpose --------------------------------------------------------------------- */

static void check_copy(twill *tw, const test_type *from, const test_type *to, twill_uplo part,
                       const int64_t *a_tiles, const int64_t *b_tiles)
{
    static const int64_t size[] = {33, 27};
    twill_array *a = matrix(tw, from->type, size, a_tiles, 1);
    twill_array *b = matrix(tw, to->type, size, b_tiles, 2);
    void *x = test_unpack(a), *before = test_unpack(b);
    OK(twill_copy_uplo(part, a, b));
    void *after = test_unpack(b), *rounded = malloc(16);
    for (int64_t k = 0; k < size[0] * size[1]; k++) {
        test_store(rounded, to->type, 0, test_load(x, from->type, k));
        bool in = has(part, k % size[0], k / size[0]);
        assert_true(test_load(after, to->type, k) ==
                    test_load(in ? rounded : before, to->type, in ? 0 : k));
    }
    free(x);
    free(before);
    free(after);
    free(rounded);
    twill_array_free(a);
    twill_array_free(b);
}

TEST(copies_are_exact_or_rounded_once)
{
    static const int64_t tiles[][2] = {{8, 8}, {40, 5}, {6, 30}};
    twill *tw = test_start(2, NULL);
    for (int from = 0; from < 4; from++)
        for (int to = from / 2 * 2; to < from / 2 * 2 + 2; to++)
            for (int k = 0; k < 9; k++)
                check_copy(tw, &test_types[from], &test_types[to], parts[k % 3], tiles[k / 3],
                           tiles[(from + to + k) % 3]);
    twill_stop(tw);
}

TEST(what_is_too_large_for_single_precision_becomes_infinite)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = test_matrix(tw, TWILL_COMPLEX128, 9, 9, 4),
                *b = test_matrix(tw, TWILL_COMPLEX64, 9, 9, 4);
    double norm;
    OK(twill_set(TWILL_GENERAL, twill_real(1.0), twill_complex(0.0, -1e300), a));
    OK(twill_copy(a, b));
    OK(twill_norm(TWILL_NORM_MAX, b, &norm));
    assert_true(norm == INFINITY);
    twill_stop(tw);
}

TEST(transposing_twice_gives_the_matrix_back)
{
    static const int64_t size[] = {300, 41}, turned[] = {41, 300}, tiles[] = {270, 16};
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int o = 1; o < 3; o++) {
            twill_type type = test_types[t].type;
            twill_array *a = matrix(tw, type, size, tiles, 1),
                        *b = matrix(tw, type, turned, tiles, 2);
            void *x = test_unpack(a);
            OK(twill_transpose(ops[o], a, b));
            void *y = test_unpack(b);
            for (int64_t k = 0; k < 300 * 41; k++)
                assert_true(test_load(x, type, k) == at(y, type, 41, ops[o], k % 300, k / 300));
            OK(twill_fill_random(a, 3));
            OK(twill_transpose(ops[o], b, a));
            void *z = test_unpack(a);
            assert_memory_equal(x, z, 300 * 41 * twill_type_size(type));
            free(x);
            free(y);
            free(z);
            twill_array_free(a);
            twill_array_free(b);
        }
    twill_stop(tw);
}

/* ---- set and scale -------------------------------------------------------------------------- */

TEST(parts_are_set_and_scaled)
{
    static const int64_t sizes[][2] = {{0, 2}, {1, 1}, {20, 20}, {30, 13}, {13, 300}, {300, 13}};
    static const int64_t tiles[][2] = {{8, 8}, {3, 7}, {290, 12}};
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int number = 0; number < 3 * COUNT(sizes) * COUNT(tiles); number++) {
            twill_type type = test_types[t].type;
            twill_uplo part = parts[number % 3];
            const int64_t *size = sizes[number / 3 % COUNT(sizes)];
            twill_array *a = matrix(tw, type, size, tiles[number / 3 / COUNT(sizes)], 1);
            twill_scalar other = twill_complex(2.5, t >= 2 ? -0.5 : 0.0), diagonal = twill_real(3);
            twill_scalar factor = twill_complex(0.5, t >= 2 ? 2.0 : 0.0);
            void *before = test_unpack(a);
            OK(twill_scale(part, factor, a));
            void *scaled = test_unpack(a);
            OK(twill_set(part, other, diagonal, a));
            void *set = test_unpack(a);
            for (int64_t k = 0; k < size[0] * size[1]; k++) {
                int64_t i = k % size[0], j = k / size[0];
                double complex old = test_load(before, type, k);
                if (has(part, i, j))
                    expect(test_load(scaled, type, k), old * value_of(factor), test_types[t].eps,
                           "scaled", i, j);
                else
                    assert_true(test_load(scaled, type, k) == old);
                assert_true(test_load(set, type, k) == (!has(part, i, j) ? old
                                                        : i == j         ? value_of(diagonal)
                                                                         : value_of(other)));
            }
            free(before);
            free(scaled);
            free(set);
            twill_array_free(a);
        }
    twill_stop(tw);
}

TEST(the_identity_has_ones_on_its_diagonal)
{
    static const int64_t size[] = {9, 14}, tiles[] = {4, 4};
    twill *tw = test_start(2, NULL);
    twill_array *a = matrix(tw, TWILL_COMPLEX64, size, tiles, 1);
    OK(twill_fill_identity(a));
    void *full = test_unpack(a);
    for (int64_t k = 0; k < 9 * 14; k++)
        assert_true(test_load(full, TWILL_COMPLEX64, k) == (k % 9 == k / 9 ? 1.0 : 0.0));
    free(full);
    twill_stop(tw);
}

/* ---- inserted ------------------------------------------------------------------------------- */

/* B = 2 A^T - 3 I, in pieces that all depend on one another, without waiting between them. */
static uint64_t program(twill *tw)
{
    static const int64_t size[] = {60, 50}, turned[] = {50, 60}, tiles[] = {9, 7},
                         other[] = {11, 8};
    twill_array *a = matrix(tw, TWILL_FLOAT64, size, tiles, 4);
    twill_array *b = matrix(tw, TWILL_FLOAT64, turned, other, 5);
    twill_array *c = matrix(tw, TWILL_FLOAT64, turned, tiles, 6);
    twill_graph *g;
    uint64_t digest;
    OK(twill_stf_begin(tw, &g));
    OK(twill_transpose_insert(g, TWILL_TRANS, a, b));
    OK(twill_scale_insert(g, TWILL_GENERAL, twill_real(2.0), b));
    OK(twill_set_insert(g, TWILL_GENERAL, twill_real(0.0), twill_real(1.0), c));
    OK(twill_add_insert(g, TWILL_GENERAL, TWILL_NO_TRANS, twill_real(-3.0), c, twill_real(1.0), b));
    OK(twill_copy_insert(g, TWILL_GENERAL, b, c));
    OK(twill_wait(g));
    twill_graph_free(g);
    void *x = test_unpack(a), *y = test_unpack(c);
    for (int64_t j = 0; j < 60; j++)
        for (int64_t i = 0; i < 50; i++)
            assert_true(test_load(y, TWILL_FLOAT64, i + j * 50) ==
                        2.0 * test_load(x, TWILL_FLOAT64, j + i * 60) - (i == j ? 3.0 : 0.0));
    free(x);
    free(y);
    OK(twill_digest(c, TWILL_GENERAL, &digest));
    return digest;
}

TEST(inserted_operations_keep_program_order_and_their_bits)
{
    uint64_t wanted = 0;
    for (int workers = 1; workers <= 8; workers++)
        for (int s = 0; tw_schedulers[s]; s++) {
            twill *tw = test_start(workers, tw_schedulers[s]->name);
            uint64_t digest = program(tw);
            if (workers == 1 && s == 0)
                wanted = digest;
            assert_true(digest == wanted);
            twill_stop(tw);
        }
}

/* ---- what is refused ------------------------------------------------------------------------ */

TEST(what_does_not_fit_is_refused)
{
    twill *tw = test_start(1, NULL);
    twill_scalar one = twill_real(1.0), i = twill_complex(0.0, 1.0);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 20, 10, 8),
                *b = test_matrix(tw, TWILL_FLOAT64, 10, 20, 8);
    twill_array *f = test_matrix(tw, TWILL_FLOAT32, 20, 10, 8),
                *c = test_matrix(tw, TWILL_COMPLEX128, 20, 10, 8);
    twill_array *square = test_matrix(tw, TWILL_FLOAT64, 10, 10, 4);
    twill_uplo nowhere = (twill_uplo)'X';
    twill_trans nothing = (twill_trans)'X';
    REFUSED(twill_copy_uplo(nowhere, a, a), TWILL_ERR_ARGUMENT, "argument 1");
    REFUSED(twill_copy(a, b), TWILL_ERR_ARGUMENT, "size");
    REFUSED(twill_copy(a, c), TWILL_ERR_ARGUMENT, "type");
    REFUSED(twill_copy(a, NULL), TWILL_ERR_ARGUMENT, "NULL");
    REFUSED(twill_add(TWILL_GENERAL, TWILL_NO_TRANS, one, a, one, f), TWILL_ERR_ARGUMENT, "type");
    REFUSED(twill_add(TWILL_GENERAL, nothing, one, a, one, a), TWILL_ERR_ARGUMENT, "argument 2");
    REFUSED(twill_add(TWILL_GENERAL, TWILL_TRANS, one, a, one, a), TWILL_ERR_ARGUMENT, "size");
    REFUSED(twill_transpose(TWILL_NO_TRANS, a, b), TWILL_ERR_ARGUMENT, "argument 1");
    REFUSED(twill_transpose(TWILL_TRANS, square, square), TWILL_ERR_ARGUMENT, "overlap");
    REFUSED(twill_add(TWILL_GENERAL, TWILL_NO_TRANS, i, a, one, a), TWILL_ERR_ARGUMENT,
            "argument 3");
    REFUSED(twill_add(TWILL_GENERAL, TWILL_NO_TRANS, one, a, i, a), TWILL_ERR_ARGUMENT,
            "argument 5");
    REFUSED(twill_scale(TWILL_GENERAL, i, a), TWILL_ERR_ARGUMENT, "argument 2");
    REFUSED(twill_set(TWILL_GENERAL, i, one, a), TWILL_ERR_ARGUMENT, "argument 2");
    REFUSED(twill_set(TWILL_GENERAL, one, i, a), TWILL_ERR_ARGUMENT, "argument 3");
    REFUSED(twill_scale(nowhere, one, a), TWILL_ERR_ARGUMENT, "argument 1");
    REFUSED(twill_set(nowhere, one, one, a), TWILL_ERR_ARGUMENT, "argument 1");
    twill *other = test_start(1, NULL);
    twill_array *far = test_matrix(other, TWILL_FLOAT64, 20, 10, 8);
    REFUSED(twill_copy(a, far), TWILL_ERR_ARGUMENT, "context");
    twill_stop(other);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_right_for_all_parts_transposes_and_tiles),
        cmocka_unit_test(what_is_multiplied_by_zero_is_not_read),
        cmocka_unit_test(a_matrix_may_be_added_to_itself),
        cmocka_unit_test(copies_are_exact_or_rounded_once),
        cmocka_unit_test(what_is_too_large_for_single_precision_becomes_infinite),
        cmocka_unit_test(transposing_twice_gives_the_matrix_back),
        cmocka_unit_test(parts_are_set_and_scaled),
        cmocka_unit_test(the_identity_has_ones_on_its_diagonal),
        cmocka_unit_test(inserted_operations_keep_program_order_and_their_bits),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
