/* lws: what the owner takes, what thieves take, and in which order. */
#include "support/policy.h"
#include "support/test.h"

#include "sched/sched.h"

#include <stdlib.h>

static test_policy policy;

static int open_policy(void **state)
{
    (void)state;
    test_policy_open(&policy, &tw_sched_lws, 4, 1);
    return 0;
}

static int close_policy(void **state)
{
    (void)state;
    test_policy_close(&policy);
    return 0;
}

static twill_item *pop(int w)
{
    return policy.ops->pop(policy.state, w);
}

/* Items with these priorities and nobody's in particular. */
static void set(twill_item *items, int n, const int32_t *priorities)
{
    for (int i = 0; i < n; i++)
        items[i] = (twill_item){.priority = priorities ? priorities[i] : 0, .worker = -1};
}

TEST(the_owner_takes_the_newest)
{
    twill_item items[5];
    set(items, 5, NULL);
    assert_int_equal(test_policy_push(&policy, 1, items, 5, false), 5);
    for (int i = 4; i >= 0; i--)
        assert_ptr_equal(pop(1), &items[i]);
    assert_null(pop(1));
}

/* In the slot, in the ring or in the heap: only what others have is not one's own. */
TEST(a_worker_knows_what_it_has_itself)
{
    const int32_t priorities[] = {0, 5};
    for (int soon = 0; soon < 2; soon++)
        for (int i = 0; i < 2; i++) {
            twill_item item;
            set(&item, 1, &priorities[i]);
            assert_false(policy.ops->has_own(policy.state, 2));
            test_policy_push(&policy, 2, &item, 1, soon);
            assert_true(policy.ops->has_own(policy.state, 2));
            assert_false(policy.ops->has_own(policy.state, 1));
            assert_ptr_equal(pop(2), &item);
        }
    assert_false(policy.ops->has_own(policy.state, 2));
}

TEST(priorities_come_first_and_best_first)
{
    const int32_t priorities[] = {0, 3, 1, 9, 2};
    twill_item items[5];
    set(items, 5, priorities);
    test_policy_push(&policy, 0, items, 5, false);
    const int order[] = {3, 1, 4, 2, 0};
    for (int i = 0; i < 5; i++)
        assert_ptr_equal(pop(0), &items[order[i]]);
}

/* The best of what was just enabled stays where only its worker finds it. */
TEST(one_item_is_kept_private_when_its_worker_pops_soon)
{
    const int32_t priorities[] = {1, 5, 2};
    twill_item items[3];
    set(items, 3, priorities);
    assert_int_equal(test_policy_push(&policy, 2, items, 3, true), 2);
    assert_ptr_equal(pop(0), &items[2]);
    assert_ptr_equal(pop(1), &items[0]);
    assert_null(pop(3));
    assert_ptr_equal(pop(2), &items[1]);
    assert_null(pop(2));
}

TEST(something_better_than_the_private_item_is_taken_before_it)
{
    twill_item low, high;
    set(&low, 1, (int32_t[]){1});
    set(&high, 1, (int32_t[]){7});
    test_policy_push(&policy, 2, &low, 1, true);
    test_policy_push(&policy, 2, &high, 1, false);
    assert_ptr_equal(pop(2), &high);
    assert_ptr_equal(pop(2), &low);
}

TEST(a_thief_takes_the_best_of_what_has_priority)
{
    const int32_t priorities[] = {0, 4, 6};
    twill_item items[3];
    set(items, 3, priorities);
    test_policy_push(&policy, 1, items, 3, false);
    assert_ptr_equal(pop(3), &items[2]);
    assert_ptr_equal(pop(3), &items[1]);
    assert_ptr_equal(pop(3), &items[0]);
    assert_int_equal(policy.nchoices, 3);
}

TEST(a_thief_takes_the_oldest_half_and_at_most_32)
{
    enum { MANY = 200 };
    static twill_item items[MANY];
    set(items, MANY, NULL);
    test_policy_push(&policy, 1, items, 10, false);
    for (int i = 0; i < 5; i++) /* oldest first, the others are its own now */
        assert_ptr_equal(pop(0), &items[i]);
    assert_int_equal(policy.nchoices, 1);
    assert_int_equal(policy.choices[0].victim, 1);
    assert_int_equal(policy.choices[0].n, 5);
    test_policy_push(&policy, 2, items + 10, MANY - 10, false);
    while (pop(1))
        ; /* its own five, then from the others */
    int most = 0;
    for (int i = 0; i < policy.nchoices; i++)
        most = policy.choices[i].n > most ? policy.choices[i].n : most;
    assert_int_equal(most, 32);
}

TEST(an_item_for_another_worker_waits_there)
{
    twill_item mine, his;
    set(&mine, 1, NULL);
    set(&his, 1, NULL);
    his.worker = 3;
    test_policy_push(&policy, 0, &mine, 1, false);
    test_policy_push(&policy, 0, &his, 1, true);
    assert_ptr_equal(pop(0), &mine);
    assert_ptr_equal(pop(3), &his);
    assert_int_equal(policy.nchoices, 0);
}

TEST(a_preference_for_a_worker_that_does_not_exist_is_ignored)
{
    twill_item item;
    set(&item, 1, NULL);
    item.worker = 99;
    test_policy_push(&policy, 0, &item, 1, false);
    assert_ptr_equal(pop(0), &item);
}

TEST(the_ring_grows_without_losing_items)
{
    enum { MANY = 10000 };
    twill_item *items = calloc(MANY, sizeof *items);
    set(items, MANY, NULL);
    /* not in one piece, so that the ring has moved round before it grows */
    int pushed = 0, popped = 0;
    while (pushed < MANY) {
        int n = MANY - pushed < 700 ? MANY - pushed : 700;
        assert_int_equal(test_policy_push(&policy, 1, items + pushed, n, false), n);
        pushed += n;
        for (int i = 0; i < 100; i++)
            popped += pop(i % 2 ? 1 : 3) != NULL;
        assert_int_equal(policy.ops->queued(policy.state), pushed - popped);
    }
    while (pop(1) || pop(3))
        popped++;
    assert_int_equal(popped, MANY);
    free(items);
}

#define test(name) cmocka_unit_test_setup_teardown(name, open_policy, close_policy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(the_owner_takes_the_newest),
        test(a_worker_knows_what_it_has_itself),
        test(priorities_come_first_and_best_first),
        test(one_item_is_kept_private_when_its_worker_pops_soon),
        test(something_better_than_the_private_item_is_taken_before_it),
        test(a_thief_takes_the_best_of_what_has_priority),
        test(a_thief_takes_the_oldest_half_and_at_most_32),
        test(an_item_for_another_worker_waits_there),
        test(a_preference_for_a_worker_that_does_not_exist_is_ignored),
        test(the_ring_grows_without_losing_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
