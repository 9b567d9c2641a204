/* The heap and the list that schedulers are made of. */
#include "support/test.h"

#include "sched/fifo.h"
#include "sched/heap.h"

#include <stdlib.h>

enum { ITEMS = 2000 };

static twill_item *make_items(uint64_t seed, int distinct)
{
    twill_item *items = calloc(ITEMS, sizeof *items);
    for (int i = 0; i < ITEMS; i++)
        items[i].priority = (int32_t)test_random(&seed, (uint64_t)distinct) - distinct / 2;
    return items;
}

/* Of two items that come out one after the other, in which order may that be? */
static bool in_order(const twill_item *first, const twill_item *second)
{
    return first->priority > second->priority ||
           (first->priority == second->priority && first < second);
}

TEST(the_highest_priority_comes_out_first_and_equals_in_order_of_arrival)
{
    const int distinct[] = {1, 2, 7, 1000000};
    for (int d = 0; d < COUNT(distinct); d++) {
        twill_item *items = make_items((uint64_t)d, distinct[d]), *before = NULL;
        tw_heap heap = {0};
        for (int i = 0; i < ITEMS; i++)
            assert_true(tw_heap_push(&heap, &items[i]));
        for (int i = 0; i < ITEMS; i++) {
            twill_item *item = tw_heap_pop(&heap);
            assert_non_null(item);
            assert_true(!before || in_order(before, item));
            before = item;
        }
        assert_null(tw_heap_pop(&heap));
        tw_heap_close(&heap);
        free(items);
    }
}

/* Pushes and pops in any order, against a search through everything that is inside. */
TEST(pops_between_pushes_find_the_best_of_what_is_there)
{
    twill_item *items = make_items(5, 20);
    bool inside[ITEMS] = {0};
    tw_heap heap = {0};
    uint64_t seed = 77;
    for (int next = 0, n = 0; next < ITEMS || n > 0;) {
        if (next < ITEMS && (n == 0 || test_random(&seed, 3))) {
            assert_true(tw_heap_push(&heap, &items[next]));
            inside[next++] = true;
            n++;
            continue;
        }
        int best = -1;
        for (int i = 0; i < next; i++)
            if (inside[i] && (best < 0 || in_order(&items[i], &items[best])))
                best = i;
        assert_ptr_equal(tw_heap_pop(&heap), &items[best]);
        inside[best] = false;
        n--;
    }
    tw_heap_close(&heap);
    free(items);
}

TEST(extreme_priorities_keep_their_order)
{
    twill_item items[] = {{.priority = 0},
                          {.priority = INT32_MIN},
                          {.priority = 1},
                          {.priority = INT32_MAX},
                          {.priority = -1}};
    const int order[] = {3, 2, 0, 4, 1};
    tw_heap heap = {0};
    for (int i = 0; i < COUNT(items); i++)
        assert_true(tw_heap_push(&heap, &items[i]));
    for (int i = 0; i < COUNT(order); i++)
        assert_ptr_equal(tw_heap_pop(&heap), &items[order[i]]);
    tw_heap_close(&heap);
}

TEST(a_list_gives_back_what_came_first)
{
    twill_item items[5];
    tw_fifo fifo = {0};
    assert_null(tw_fifo_pop(&fifo));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT(items); i++)
            tw_fifo_push(&fifo, &items[i]);
        for (int i = 0; i < COUNT(items); i++)
            assert_ptr_equal(tw_fifo_pop(&fifo), &items[i]);
        assert_null(tw_fifo_pop(&fifo));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_highest_priority_comes_out_first_and_equals_in_order_of_arrival),
        cmocka_unit_test(pops_between_pushes_find_the_best_of_what_is_there),
        cmocka_unit_test(extreme_priorities_keep_their_order),
        cmocka_unit_test(a_list_gives_back_what_came_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
