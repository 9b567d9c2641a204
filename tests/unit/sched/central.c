/* The policies with one central queue: eager, prio, rand. */
#include "support/policy.h"
#include "support/test.h"

#include "sched/sched.h"

#include <string.h>

enum { ITEMS = 300 };

static twill_item items[ITEMS];

/* Push everything, from several workers, and write down the order in which it comes out. */
static void order_of(const twill_sched_ops *ops, uint64_t seed, int *order)
{
    test_policy p;
    test_policy_open(&p, ops, 3, seed);
    for (int i = 0; i < ITEMS; i++) {
        items[i] = (twill_item){.priority = i * 7 % 10, .worker = -1};
        assert_int_equal(test_policy_push(&p, i % 4, &items[i], 1, false), 1);
        assert_int_equal(ops->queued(p.state), i + 1);
    }
    for (int i = 0; i < ITEMS; i++) {
        twill_item *item = ops->pop(p.state, i % 3);
        assert_non_null(item);
        order[i] = (int)(item - items);
    }
    assert_null(ops->pop(p.state, 0));
    assert_int_equal(ops->queued(p.state), 0);
    test_policy_close(&p);
}

TEST(eager_is_first_in_first_out_whatever_the_priority)
{
    int order[ITEMS];
    order_of(&tw_sched_eager, 1, order);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(order[i], i);
}

TEST(prio_is_by_priority_then_first_in_first_out)
{
    int order[ITEMS];
    order_of(&tw_sched_prio, 1, order);
    for (int i = 1; i < ITEMS; i++) {
        int32_t before = items[order[i - 1]].priority, now = items[order[i]].priority;
        assert_true(before > now || (before == now && order[i - 1] < order[i]));
    }
}

TEST(rand_repeats_with_its_seed_and_differs_with_another)
{
    int first[ITEMS], again[ITEMS], other[ITEMS];
    order_of(&tw_sched_rand, 42, first);
    order_of(&tw_sched_rand, 42, again);
    order_of(&tw_sched_rand, 43, other);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
}

/* It is there to produce every order: each item is first for some seed. */
TEST(rand_lets_any_item_be_first)
{
    bool first[ITEMS] = {0};
    int different = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        int order[ITEMS];
        order_of(&tw_sched_rand, seed, order);
        different += !first[order[0]];
        first[order[0]] = true;
    }
    assert_true(different > 100); /* 146 are expected of 200 draws among 300 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eager_is_first_in_first_out_whatever_the_priority),
        cmocka_unit_test(prio_is_by_priority_then_first_in_first_out),
        cmocka_unit_test(rand_repeats_with_its_seed_and_differs_with_another),
        cmocka_unit_test(rand_lets_any_item_be_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
