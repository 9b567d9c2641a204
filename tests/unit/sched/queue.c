/* The queue of one worker under lws. */
#include "support/test.h"

#include "sched/queue.h"

#include <pthread.h>
#include <stdlib.h>

static tw_queue queue;
static twill_item *batch[TW_QUEUE_BATCH];

static int open_queue(void **state)
{
    (void)state;
    queue = (tw_queue){0};
    return tw_queue_open(&queue) ? 0 : -1;
}

static int close_queue(void **state)
{
    (void)state;
    tw_queue_close(&queue);
    return 0;
}

/* There are other victims. Who has found nothing there comes back and waits. */
TEST(a_thief_does_not_wait_for_a_lock_unless_it_says_so)
{
    twill_item item = {.worker = -1};
    assert_int_equal(tw_queue_steal(&queue, batch, false), 0);
    tw_queue_push(&queue, &item);
    tw_lock_take(&queue.lock);
    assert_int_equal(tw_queue_steal(&queue, batch, false), -1);
    tw_unlock(&queue.lock);
    assert_int_equal(tw_queue_steal(&queue, batch, false), 1);
    assert_ptr_equal(batch[0], &item);
}

/* An empty queue is left alone, whoever holds its lock. */
TEST(a_thief_does_not_touch_the_lock_of_an_empty_queue)
{
    tw_lock_take(&queue.lock);
    assert_int_equal(tw_queue_steal(&queue, batch, true), 0);
    assert_null(tw_queue_pop(&queue));
    assert_null(tw_queue_pop_oldest(&queue, true));
    tw_unlock(&queue.lock);
}

TEST(the_size_counts_all_parts)
{
    twill_item items[4] = {{.priority = 0}, {.priority = 3}, {.priority = -1}, {.worker = 1}};
    for (int i = 0; i < 3; i++) {
        tw_queue_push(&queue, &items[i]);
        assert_int_equal(tw_queue_size(&queue), i + 1);
    }
    assert_false(tw_queue_deliver(&queue, &items[3]));
    for (int left = 4; left > 0; left--) {
        assert_int_equal(tw_queue_size(&queue), left);
        assert_non_null(tw_queue_pop(&queue));
    }
    assert_true(tw_queue_empty(&queue));
    assert_true(tw_queue_deliver(&queue, &items[3]));
    assert_false(tw_queue_empty(&queue));
}

/* Whose turn it is among equals is said by who pops. */
TEST(the_oldest_comes_from_the_ring_or_from_the_mailbox)
{
    twill_item own[2] = {0}, sent[2] = {0};
    for (int i = 0; i < 2; i++) {
        tw_queue_push(&queue, &own[i]);
        tw_queue_deliver(&queue, &sent[i]);
    }
    assert_ptr_equal(tw_queue_pop_oldest(&queue, true), &sent[0]);
    assert_ptr_equal(tw_queue_pop_oldest(&queue, false), &own[0]);
    assert_ptr_equal(tw_queue_pop(&queue), &own[1]);
    assert_ptr_equal(tw_queue_pop(&queue), &sent[1]);
}

TEST(every_removal_is_counted)
{
    twill_item items[3] = {{.priority = 1}, {.priority = 0}, {.priority = 0}};
    for (int i = 0; i < 3; i++)
        tw_queue_push(&queue, &items[i]);
    assert_int_equal(atomic_load(&queue.taken), 0);
    tw_queue_pop(&queue);
    assert_int_equal(atomic_load(&queue.taken), 1);
    tw_queue_pop_oldest(&queue, false);
    assert_int_equal(atomic_load(&queue.taken), 2);
    tw_queue_steal(&queue, batch, false);
    assert_int_equal(atomic_load(&queue.taken), 3);
}

/* The counts of the following test carry no order: what there is must come from the queue. */
static atomic_int stolen;

static void *thief(void *arg)
{
    int n = *(int *)arg;
    twill_item *loot[TW_QUEUE_BATCH];
    for (int got = 0; got < n;) {
        int k = tw_queue_steal(&queue, loot, false);
        for (int i = 0; i < k; i++)
            loot[i]->priority++;
        got += k > 0 ? k : 0;
        atomic_store_explicit(&stolen, got, memory_order_relaxed);
        if (k <= 0)
            sched_yield();
    }
    return NULL;
}

/* The ring goes round many times while the owner never takes the lock. */
TEST(places_of_the_ring_are_used_again_without_a_lock)
{
    int n = test_slow() ? 20000 : 200000;
    pthread_t thread;
    twill_item *items = calloc((size_t)n, sizeof *items);
    assert_non_null(items);
    atomic_store(&stolen, 0);
    assert_int_equal(pthread_create(&thread, NULL, thief, &n), 0);
    for (int i = 0; i < n; i++) {
        while (i - atomic_load_explicit(&stolen, memory_order_relaxed) > 500)
            sched_yield();
        tw_queue_push(&queue, &items[i]);
    }
    pthread_join(thread, NULL);
    for (int i = 0; i < n; i++)
        assert_int_equal(items[i].priority, 1);
    assert_true(queue.room == 1024);
    free(items);
}

#define test(name) cmocka_unit_test_setup_teardown(name, open_queue, close_queue)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_thief_does_not_wait_for_a_lock_unless_it_says_so),
        test(a_thief_does_not_touch_the_lock_of_an_empty_queue),
        test(the_size_counts_all_parts),
        test(the_oldest_comes_from_the_ring_or_from_the_mailbox),
        test(every_removal_is_counted),
        test(places_of_the_ring_are_used_again_without_a_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
