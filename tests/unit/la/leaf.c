/* Columns of a panel: what they compute, and the same bits whatever the width of vectors. */
#include "la/lu/panel.h"

#include "support/matrix.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 53, COLS = 11, LD = 61 };

static uint64_t seed = 9;

static double uniform(void)
{
    return (double)test_random(&seed, 1 << 20) / (1 << 20) - 0.5;
}

static void *columns(twill_type type)
{
    void *a = calloc(LD * TW_LEAF, 16);
    for (int i = 0; i < LD * TW_LEAF; i++)
        test_store(a, type, i, test_number(uniform(), uniform()));
    return a;
}

/* Both compilations of one step give the same bits; where this processor cannot run the wide one,
 * there is nothing to compare. */
static bool has_wide(void)
{
    return tw_leaf_of(TWILL_FLOAT64) == &tw_leaves_wide[TWILL_FLOAT64];
}

TEST(vectors_of_any_width_give_the_same_bits)
{
    for (int t = 0; t < COUNT(test_types) && has_wide(); t++) {
        twill_type type = test_types[t].type;
        const tw_leaf *leaf[2] = {&tw_leaves_plain[type], &tw_leaves_wide[type]};
        void *a = columns(type), *x[2] = {columns(type), NULL}, *u = columns(type);
        size_t bytes = LD * TW_LEAF * leaf[0]->size;
        x[1] = malloc(bytes);
        memcpy(x[1], x[0], bytes);
        for (int w = 0; w < 2; w++) {
            leaf[w]->update(ROWS, COLS, a, LD, u, x[w]);
            leaf[w]->scale(ROWS, u, x[w]);
            tw_leaf_solve(leaf[w], TW_LEAF, COLS, a, LD, x[w], LD);
        }
        assert_memory_equal(x[0], x[1], bytes);
        for (int first = 0; first < 2; first++) {
            double size = leaf[0]->largest(ROWS, a, first);
            assert_true(size == leaf[1]->largest(ROWS, a, first));
            assert_int_equal(leaf[0]->find(ROWS, a, size), leaf[1]->find(ROWS, a, size));
        }
        free(a);
        free(u);
        free(x[0]);
        free(x[1]);
    }
}

TEST(the_largest_element_is_found_as_lapack_finds_it)
{
    for (int t = 0; t < COUNT(test_types); t++) {
        twill_type type = test_types[t].type;
        const tw_leaf *leaf = tw_leaf_of(type);
        void *x = columns(type);
        test_store(x, type, 40, -3.0);
        test_store(x, type, 45, 3.0);
        assert_true(leaf->largest(ROWS, x, true) == 3.0);
        assert_int_equal(leaf->find(ROWS, x, 3.0), 40);
        test_store(x, type, 7, (double)NAN); /* not in front: it loses every comparison */
        assert_true(leaf->largest(ROWS, x, true) == 3.0);
        test_store(x, type, 0, (double)NAN);
        assert_true(isnan(leaf->largest(ROWS, x, true)));
        assert_true(leaf->largest(ROWS, x, false) == 3.0);
        assert_true(leaf->largest(1, x, false) == -1.0);
        free(x);
    }
}

/* One column at a time and many at once are rounded alike. */
TEST(a_solve_does_not_depend_on_how_many_there_are)
{
    for (int t = 0; t < COUNT(test_types); t++) {
        twill_type type = test_types[t].type;
        const tw_leaf *leaf = tw_leaf_of(type);
        void *l = columns(type), *x = columns(type), *y = malloc(LD * TW_LEAF * 16);
        memcpy(y, x, LD * TW_LEAF * leaf->size);
        tw_leaf_solve(leaf, TW_LEAF, COLS, l, LD, x, LD);
        for (int c = 0; c < COLS; c++)
            tw_leaf_solve(leaf, TW_LEAF, 1, l, LD, (char *)y + (size_t)(c * LD) * leaf->size, LD);
        assert_memory_equal(x, y, LD * TW_LEAF * leaf->size);
        free(l);
        free(x);
        free(y);
    }
}

/* ---- a whole matrix ------------------------------------------------------------------------- */

/* Ties, zeros, NaN and numbers whose reciprocals overflow, among others. */
static void *awkward(twill_type type, int kind)
{
    void *a = columns(type);
    double least = type == TWILL_FLOAT32 || type == TWILL_COMPLEX64 ? 1e-39 : 1e-310;
    for (int i = 0; i < LD * TW_LEAF; i++) {
        double complex x = test_load(a, type, i);
        if (kind == 1)
            test_store(a, type, i, round(4 * creal(x)));
        else if (kind == 2)
            test_store(a, type, i, i % 7 ? x : 0);
        else if (kind == 3)
            test_store(a, type, i, x * least);
        else if (kind == 4 && i == 2 * LD + 5)
            test_store(a, type, i, (double)NAN);
    }
    return a;
}

static void factor_as_panel(const tw_kernels *k, const tw_leaf *leaf, const twill_flow *x,
                            int64_t *pivots)
{
    double best[TW_LEAF];
    tw_panel p = {.kernels = k,
                  .leaf = leaf,
                  .tiles = x,
                  .rows = x->rows,
                  .cols = x->cols,
                  .nb = TW_LEAF,
                  .pivots = pivots,
                  .best = best,
                  .search = true};
    tw_panel_factor(&p, NULL);
}

static void check_factor(const tw_kernels *k, const tw_leaf *leaf, int kind, int rows, int cols)
{
    int64_t pivots[TW_LEAF], others[TW_LEAF];
    void *a = awkward(k->type, kind), *b = malloc(LD * TW_LEAF * k->size);
    memcpy(b, a, LD * TW_LEAF * k->size);
    leaf->factor(rows, cols, a, LD, pivots);
    factor_as_panel(k, leaf, &(twill_flow){b, LD, rows, cols}, others);
    for (int i = 0; i < rows && i < cols; i++)
        assert_int_equal(pivots[i], others[i]);
    assert_memory_equal(a, b, LD * TW_LEAF * k->size);
    free(a);
    free(b);
}

TEST(a_small_matrix_has_the_bits_of_a_panel)
{
    static const int sizes[] = {1, 2, 5, 16, 31, 32};
    const tw_blas *blas;
    twill *tw = test_start(1, NULL);
    OK(tw_blas_get(tw, &blas));
    for (int t = 0; t < COUNT(test_types); t++)
        for (int kind = 0; kind < 5; kind++)
            for (int i = 0; i < COUNT(sizes) * COUNT(sizes); i++) {
                twill_type type = test_types[t].type;
                const tw_kernels *k = &blas->kernels[type];
                int rows = sizes[i / COUNT(sizes)], cols = sizes[i % COUNT(sizes)];
                check_factor(k, &tw_leaves_plain[type], kind, rows, cols);
                if (has_wide())
                    check_factor(k, &tw_leaves_wide[type], kind, rows, cols);
            }
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_any_width_give_the_same_bits),
        cmocka_unit_test(the_largest_element_is_found_as_lapack_finds_it),
        cmocka_unit_test(a_solve_does_not_depend_on_how_many_there_are),
        cmocka_unit_test(a_small_matrix_has_the_bits_of_a_panel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
