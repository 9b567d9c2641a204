/* Who gets what under cw and dmda, when there are devices. */
#include "support/policy.h"
#include "support/test.h"

#include "sched/choose.h"
#include "sched/sched.h"

#include <stdlib.h>

enum { WORKERS = 4, CPU = 1, GPU = 2, OTHER = 4 };

static test_policy policy;

/* Two devices; a worker takes ten times as long as the first one. */
static int open_policy(void **state)
{
    test_policy_open_with(&policy, *state, WORKERS, 2);
    policy.seconds[0] = 1;
    policy.seconds[1] = 0.1;
    policy.seconds[2] = 0.2;
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

static twill_item *pop_device(int d)
{
    return pop(WORKERS + d);
}

static int push(twill_item *items, int n, uint16_t devices)
{
    for (int i = 0; i < n; i++)
        items[i] = (twill_item){.worker = -1, .devices = devices};
    return test_policy_push(&policy, WORKERS, items, n, false);
}

static int queued(void)
{
    return policy.ops->queued(policy.state);
}

static void an_item_goes_only_to_whom_it_names(void **state)
{
    (void)state;
    twill_item cpu[2], gpu[2], other[2];
    assert_int_equal(push(gpu, 2, GPU), 0);
    assert_int_equal(push(other, 2, OTHER), 0);
    assert_int_equal(queued(), 0);
    assert_null(pop(0));
    assert_int_equal(push(cpu, 2, CPU), 2);
    for (int i = 0; i < 2; i++) {
        assert_ptr_equal(pop_device(2), &other[i]);
        assert_ptr_equal(pop_device(1), &gpu[i]);
    }
    assert_null(pop_device(1));
    assert_null(pop_device(2));
    assert_non_null(pop(0));
    assert_non_null(pop(1));
    assert_null(pop(2));
}

/* 33 items: in two seconds the first device does 19, the other one 10, and each core one. */
static void queues_are_as_long_as_executors_are_fast(void **state)
{
    (void)state;
    twill_item items[33];
    int n[3] = {0};
    assert_int_equal(push(items, 33, CPU | GPU | OTHER), WORKERS);
    for (int w = 0; w < WORKERS; w++)
        n[0] += pop(w) != NULL;
    assert_int_equal(n[0], WORKERS);
    for (bool some = true; some;) {
        some = false;
        policy.time += 0.2;
        for (int k = 0; k < 2; k++)
            if (pop_device(1)) {
                n[1]++;
                some = true;
            }
        if (pop_device(2)) {
            n[2]++;
            some = true;
        }
    }
    assert_int_equal(n[0] + n[1] + n[2], 33);
    assert_in_range(n[1], 19, 20); /* the faster one helps the other in the end */
    assert_in_range(n[2], 9, 10);
}

/* Five take the GPU half a second: a core would be done later. */
static void cores_leave_to_a_device_what_that_does_earlier(void **state)
{
    (void)state;
    twill_item items[5];
    assert_int_equal(push(items, 5, CPU | GPU), 0);
    assert_int_equal(queued(), 0);
    assert_null(pop(0));
    for (int i = 0; i < 5; i++)
        assert_ptr_equal(pop_device(1), &items[i]);
}

/* It turns out that the device is slower than was thought. */
static void cores_take_what_a_device_would_do_too_late(void **state)
{
    (void)state;
    twill_item items[8];
    assert_int_equal(push(items, 8, CPU | GPU), 0);
    policy.seconds[1] = 5;
    int told = policy.visible;
    assert_ptr_equal(pop_device(1), &items[0]);
    assert_true(policy.visible > told);
    assert_true(queued() > 0);
    assert_non_null(pop(0));
    assert_non_null(pop(1));
}

static void a_device_helps_cores(void **state)
{
    (void)state;
    twill_item items[6];
    policy.seconds[1] = 100;
    assert_int_equal(push(items, 6, CPU | GPU), 6);
    assert_null(pop_device(1));
    policy.seconds[1] = 0.1;
    assert_non_null(pop_device(1));
    assert_int_equal(queued(), 5);
}

static void higher_priorities_come_first(void **state)
{
    (void)state;
    twill_item items[9];
    for (int i = 0; i < 9; i++)
        items[i] = (twill_item){.priority = i * 5 % 9, .worker = -1, .devices = GPU};
    test_policy_push(&policy, 0, items, 9, true);
    for (int i = 8; i >= 0; i--) {
        const twill_item *item = pop_device(1);
        assert_non_null(item);
        assert_int_equal(item->priority, i);
    }
}

/* What only cores can run waits elsewhere: the better one comes first, and of two that are equal
 * each in turn. */
static void workers_compare_with_what_only_they_can_run(void **state)
{
    (void)state;
    twill_item shared[8], own[8];
    policy.seconds[1] = 1000;
    push(shared, 8, CPU | GPU);
    push(own, 8, CPU);
    int n = 0;
    for (int i = 0; i < 8; i++) {
        const twill_item *item = pop(0);
        n += item >= shared && item < shared + 8;
    }
    assert_in_range(n, 3, 5);
    while (pop(0))
        ;
    push(shared, 2, CPU | GPU);
    own[0] = (twill_item){.priority = 3, .worker = -1, .devices = CPU};
    test_policy_push(&policy, 0, own, 1, false);
    assert_ptr_equal(pop(0), &own[0]);
    own[0].priority = -3;
    test_policy_push(&policy, 0, own, 1, false);
    assert_true(pop(0) != own && pop(0) != own);
    assert_ptr_equal(pop(0), &own[0]);
    assert_null(pop(0));
}

/* Without an estimate, all get some, and nobody is idle while another has more than enough. */
static void everybody_works_while_nothing_is_known(void **state)
{
    (void)state;
    twill_item items[60];
    for (int d = 0; d < 3; d++)
        policy.seconds[d] = 0;
    int n = push(items, 60, CPU | GPU | OTHER), out = 0;
    assert_in_range(n, 30, 50);
    while (pop_device(2))
        out++;
    assert_true(out > 50);
    while (pop(0) || pop_device(1))
        out++;
    assert_int_equal(out, 60);
}

/* It goes to whom it is to be tried on, and stays there. */
static void what_is_to_be_tried_is(void **state)
{
    (void)state;
    twill_item items[4];
    policy.seconds[0] = 0;
    policy.tried = CPU;
    assert_int_equal(push(items, 4, CPU | GPU), 1);
    for (int i = 0; i < 3; i++)
        assert_non_null(pop_device(1));
    assert_null(pop_device(1));
    assert_non_null(pop(2));
}

/* Copies count for one of the two policies. */
static void data_counts_for_dmda(void **state)
{
    const twill_sched_ops *ops = *state;
    twill_item item;
    policy.copies[1] = 10;
    push(&item, 1, GPU | OTHER);
    int first = ops == &tw_sched_dmda ? 2 : 1;
    assert_null(pop(0));
    policy.seconds[3 - first] = 1e9; /* does not take it */
    assert_null(pop_device(3 - first));
    assert_ptr_equal(pop_device(first), &item);
}

#define test(name, policy)                                                              \
    {                                                                                   \
#name ": " #policy, name, open_policy, close_policy, (void *)&tw_sched_##policy \
    }
#define both(name) test(name, cw), test(name, dmda)

int main(void)
{
    const struct CMUnitTest tests[] = {
        both(an_item_goes_only_to_whom_it_names),
        both(queues_are_as_long_as_executors_are_fast),
        both(cores_leave_to_a_device_what_that_does_earlier),
        both(cores_take_what_a_device_would_do_too_late),
        both(a_device_helps_cores),
        both(higher_priorities_come_first),
        both(workers_compare_with_what_only_they_can_run),
        both(everybody_works_while_nothing_is_known),
        both(what_is_to_be_tried_is),
        both(data_counts_for_dmda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
