/* Blocks dealt by weights, and dealt again. */
#include "support/test.h"

#include <twill/pattern.h>

#include <math.h>
#include <string.h>

enum { MOST = 1000 };

/* How long the blocks from `from` on take, over what they would with blocks of any size. */
static double loss(int64_t from, int64_t blocks, int64_t n, const double *weights,
                   const int64_t *owner)
{
    double sum = 0, most = 0;
    for (int64_t r = 0; r < n; r++) {
        double count = 0;
        for (int64_t b = from; b < blocks; b++)
            count += owner[b] == r;
        sum += weights[r];
        if (count > 0)
            most = fmax(most, count / weights[r]);
    }
    return most / ((double)(blocks - from) / sum);
}

TEST(turns_follow_weights)
{
    const double weights[] = {10, 8, 5};
    int64_t owner[46], count[3] = {0};
    OK(twill_pattern_deal(46, 3, weights, owner));
    for (int b = 0; b < 46; b++)
        count[owner[b]]++;
    assert_int_equal(count[0], 20);
    assert_int_equal(count[1], 16);
    assert_int_equal(count[2], 10);
    for (int b = 0; b + 5 < 46; b++) /* nobody has them all in a row */
        assert_true(owner[b] != owner[b + 1] || owner[b] != owner[b + 2] ||
                    owner[b] != owner[b + 3]);
}

TEST(equal_weights_are_cyclic)
{
    const double weights[] = {3, 3, 3, 3};
    int64_t owner[20];
    OK(twill_pattern_deal(20, 4, weights, owner));
    for (int b = 0; b + 4 < 20; b++)
        assert_int_equal(owner[b], owner[b + 4]);
}

TEST(every_tail_is_in_proportion)
{
    static int64_t owner[MOST];
    uint64_t seed = 4;
    for (int round = 0; round < 50; round++) {
        double weights[8];
        int64_t n = 1 + (int64_t)test_random(&seed, 8);
        for (int64_t r = 0; r < n; r++)
            weights[r] = (double)(1 + test_random(&seed, 40));
        OK(twill_pattern_deal(MOST, n, weights, owner));
        for (int64_t from = 0; from < MOST; from += 37) {
            double whole = 0, least = 1e9;
            for (int64_t r = 0; r < n; r++) {
                whole += weights[r];
                least = fmin(least, weights[r]);
            }
            /* one block more for somebody, at most */
            double most = 1 + (whole / least) / (double)(MOST - from);
            assert_true(loss(from, MOST, n, weights, owner) <= most + 1e-9);
        }
    }
}

TEST(who_has_no_weight_gets_nothing)
{
    const double weights[] = {0, 2, 0, 1};
    int64_t owner[30], moved;
    OK(twill_pattern_deal(30, 4, weights, owner));
    for (int b = 0; b < 30; b++)
        assert_true(owner[b] == 1 || owner[b] == 3);
    for (int b = 0; b < 30; b++)
        owner[b] = 0;
    OK(twill_pattern_deal_again(30, 4, weights, 10, 0.5, owner, &moved));
    assert_int_equal(moved, 20);
    for (int b = 0; b < 30; b++)
        assert_true(b < 10 ? owner[b] == 0 : owner[b] == 1 || owner[b] == 3);
}

TEST(small_changes_move_nothing)
{
    const double before[] = {10, 8, 5}, after[] = {9.7, 8.2, 5.1};
    int64_t owner[100], old[100], moved = -1;
    OK(twill_pattern_deal(100, 3, before, owner));
    memcpy(old, owner, sizeof old);
    OK(twill_pattern_deal_again(100, 3, after, 0, 0.1, owner, &moved));
    assert_int_equal(moved, 0);
    assert_memory_equal(old, owner, sizeof old);
}

/* One of two becomes half as fast: a sixth of the blocks must move, and hardly more do. */
TEST(large_changes_move_what_they_must)
{
    const double before[] = {1, 1}, after[] = {1, 0.5};
    int64_t owner[300], old[300], moved;
    OK(twill_pattern_deal(300, 2, before, owner));
    memcpy(old, owner, sizeof old);
    OK(twill_pattern_deal_again(300, 2, after, 60, 0.05, owner, &moved));
    int changed = 0;
    for (int b = 0; b < 300; b++)
        changed += owner[b] != old[b];
    assert_int_equal(changed, moved);
    assert_memory_equal(old, owner, 60 * sizeof *old);
    assert_in_range(moved, 240 / 2 - 240 / 3 - 8, 240 / 2 - 240 / 3 + 2);
    assert_true(loss(60, 300, 2, after, owner) <= 1.06);
}

TEST(bad_arguments_are_refused)
{
    int64_t owner[4] = {0, 0, 7, 0}, moved;
    const double weights[] = {1, 2}, none[] = {0, 0}, negative[] = {1, -1};
    assert_int_equal(twill_pattern_deal(4, 2, none, owner), TWILL_ERR_ARGUMENT);
    assert_int_equal(twill_pattern_deal(4, 2, negative, owner), TWILL_ERR_ARGUMENT);
    assert_int_equal(twill_pattern_deal(4, 0, weights, owner), TWILL_ERR_ARGUMENT);
    assert_int_equal(twill_pattern_deal(-1, 2, weights, owner), TWILL_ERR_ARGUMENT);
    assert_int_equal(twill_pattern_deal_again(4, 2, weights, 0, 0.1, owner, &moved),
                     TWILL_ERR_ARGUMENT);
    assert_int_equal(twill_pattern_deal_again(4, 2, weights, 5, 0.1, owner, &moved),
                     TWILL_ERR_ARGUMENT);
    assert_int_equal(twill_pattern_deal_again(4, 2, weights, 3, -1, owner, &moved),
                     TWILL_ERR_ARGUMENT);
    OK(twill_pattern_deal_again(4, 2, weights, 3, 0.1, owner, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_follow_weights),
        cmocka_unit_test(equal_weights_are_cyclic),
        cmocka_unit_test(every_tail_is_in_proportion),
        cmocka_unit_test(who_has_no_weight_gets_nothing),
        cmocka_unit_test(small_changes_move_nothing),
        cmocka_unit_test(large_changes_move_what_they_must),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
