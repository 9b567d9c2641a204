/* Columns of a panel: what they compute, and the same bits whatever the width of vectors. */
#include "la/leaf.h"

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
    return tw_leaf_of(TWILL_F64) == &tw_leaves_wide[TWILL_F64];
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_any_width_give_the_same_bits),
        cmocka_unit_test(the_largest_element_is_found_as_lapack_finds_it),
        cmocka_unit_test(a_solve_does_not_depend_on_how_many_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
