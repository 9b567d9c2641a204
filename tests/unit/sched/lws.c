/* lws: what the owner takes, what thieves take, and in which order. */
#include "support/policy.h"
#include "support/test.h"

#include "sched/sched.h"

#include <stdlib.h>

enum { WORKERS = 4 };

static test_policy policy;

static int open_policy(void **state)
{
    (void)state;
    test_policy_open(&policy, &tw_sched_lws, WORKERS, 1);
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

TEST(negative_priorities_come_last)
{
    const int32_t priorities[] = {-5, 0, -9, 2, 0, -5};
    const int own[] = {3, 4, 1, 0, 5, 2}, stolen[] = {3, 1, 4, 0, 5, 2};
    twill_item items[6];
    for (int thief = 0; thief < 2; thief++) {
        set(items, 6, priorities);
        test_policy_push(&policy, 0, items, 6, false);
        for (int i = 0; i < 6; i++)
            assert_ptr_equal(pop(thief), &items[thief ? stolen[i] : own[i]]);
        assert_null(pop(thief));
    }
}

TEST(an_ordinary_item_comes_before_a_private_one_with_negative_priority)
{
    twill_item low, ordinary;
    set(&low, 1, (int32_t[]){-1});
    set(&ordinary, 1, NULL);
    test_policy_push(&policy, 2, &ordinary, 1, false);
    assert_int_equal(test_policy_push(&policy, 2, &low, 1, true), 0);
    assert_ptr_equal(pop(2), &ordinary);
    assert_ptr_equal(pop(2), &low);
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

/* What was taken before it may be long. Others can have it, and are told. */
TEST(a_private_item_that_is_not_popped_is_private_no_more)
{
    twill_item low, high;
    set(&low, 1, (int32_t[]){1});
    set(&high, 1, (int32_t[]){7});
    test_policy_push(&policy, 2, &high, 1, false);
    assert_int_equal(test_policy_push(&policy, 2, &low, 1, true), 0);
    assert_int_equal(policy.visible, 0);
    assert_ptr_equal(pop(2), &high);
    assert_int_equal(policy.visible, 1);
    assert_int_equal(policy.ops->queued(policy.state), 1);
    assert_ptr_equal(pop(3), &low);
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
    assert_int_equal(policy.visible, 4); /* a worker that looked too early is told of them */
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

/* Pushed by others or by itself: the order is that of the priorities. */
TEST(items_for_a_worker_come_in_the_order_of_priorities)
{
    const int32_t priorities[] = {0, 5, -1}, own_priorities[] = {3, 0, -2};
    twill_item sent[3], own[3];
    set(sent, 3, priorities);
    set(own, 3, own_priorities);
    for (int i = 0; i < 3; i++)
        sent[i].worker = 1;
    test_policy_push(&policy, 0, sent, 3, false);
    test_policy_push(&policy, 1, own, 2, false);
    assert_int_equal(test_policy_push(&policy, 1, own + 2, 1, true), 0);
    twill_item *const order[] = {&sent[1], &own[0], &own[1], &sent[0], &sent[2], &own[2]};
    for (int i = 0; i < COUNT(order); i++)
        assert_ptr_equal(pop(1), order[i]);
}

/* It comes back later: whoever waits has a goal to look at meanwhile. Unless half a millisecond has
 * passed before the pop, each time. */
TEST(a_thief_does_not_wait_for_what_is_left_to_another)
{
    int left = 0;
    for (int i = 0; i < 100; i++) {
        twill_item item = {.worker = 3};
        test_policy_push(&policy, 0, &item, 1, false);
        if (!pop(1)) {
            assert_ptr_equal(pop(3), &item);
            left++;
        }
    }
    assert_true(left > 0);
}

/* The owner is away: one more item does not mean that the others wait longer. */
TEST(items_for_a_worker_that_is_away_are_taken_while_more_of_them_come)
{
    enum { FIRST = 100, MORE = 50 };
    twill_item items[FIRST + MORE], *item;
    set(items, FIRST + MORE, NULL);
    for (int i = 0; i < FIRST + MORE; i++)
        items[i].worker = 3;
    test_policy_push(&policy, WORKERS, items, FIRST, false);
    while (!(item = pop(0)))
        assert_true(policy.ops->queued(policy.state) > 0);
    assert_ptr_equal(item, items);
    for (int i = 1; i <= MORE; i++) {
        test_policy_push(&policy, WORKERS, &items[FIRST + i - 1], 1, false);
        assert_ptr_equal(pop(i % 3), &items[i]);
    }
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
        assert_in_range(policy.ops->queued(policy.state), WORKERS, pushed - popped);
    }
    while (pop(1) || pop(3))
        popped++;
    assert_int_equal(popped, MANY);
    free(items);
}

/* More workers than one word has bits. */
TEST(one_of_many_workers_finds_what_all_have)
{
    enum { MANY = POLICY_WORKERS };
    static test_policy many;
    static twill_item items[MANY + 1];
    test_policy_open(&many, &tw_sched_lws, MANY, 1);
    for (int thief = 0; thief < MANY; thief += 43) {
        set(items, MANY + 1, (int32_t[MANY + 1]){[3] = 1, [70] = -1});
        for (int w = 0; w <= MANY; w++)
            test_policy_push(&many, w, &items[w], 1, false);
        assert_in_range(many.ops->queued(many.state), MANY, MANY + 1);
        for (int i = 0; i <= MANY; i++)
            assert_non_null(many.ops->pop(many.state, thief));
        assert_null(many.ops->pop(many.state, thief));
        assert_int_equal(many.ops->queued(many.state), 0);
    }
    test_policy_close(&many);
}

#define test(name) cmocka_unit_test_setup_teardown(name, open_policy, close_policy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(the_owner_takes_the_newest),
        test(a_worker_knows_what_it_has_itself),
        test(priorities_come_first_and_best_first),
        test(negative_priorities_come_last),
        test(an_ordinary_item_comes_before_a_private_one_with_negative_priority),
        test(one_item_is_kept_private_when_its_worker_pops_soon),
        test(something_better_than_the_private_item_is_taken_before_it),
        test(a_private_item_that_is_not_popped_is_private_no_more),
        test(a_thief_takes_the_best_of_what_has_priority),
        test(a_thief_takes_the_oldest_half_and_at_most_32),
        test(an_item_for_another_worker_waits_there),
        test(items_for_a_worker_come_in_the_order_of_priorities),
        test(a_thief_does_not_wait_for_what_is_left_to_another),
        test(items_for_a_worker_that_is_away_are_taken_while_more_of_them_come),
        test(a_preference_for_a_worker_that_does_not_exist_is_ignored),
        test(the_ring_grows_without_losing_items),
        test(one_of_many_workers_finds_what_all_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
