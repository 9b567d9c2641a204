/* Several threads of a rank and its copies of elements of other ranks. */
#include "support/ranks.h"

#include "engine/reach/reach.h"

#include <pthread.h>

enum { N = 32, B = 16 };

/* A thread that waits for all copies. */
typedef struct fence {
    twill *tw;
    atomic_int *over;
} fence;

static void *wait_for_all(void *arg)
{
    fence *f = arg;
    OK(twill_fence(f->tw));
    atomic_store(f->over, 1);
    return NULL;
}

/* The answer comes to rank 0 while one thread has not begun all of its copy, as when it has many
 * tiles of its own to copy, and another one waits for what is under way. */
static void answered_before_all_is_begun(twill *tw, void *arg)
{
    static atomic_int asked, over;
    const int64_t extent = N, block = B, ranks = 2;
    twill_pattern p = twill_pattern_nd(1, &extent, &block, &ranks);
    twill_array *a;
    (void)arg;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    twill_view there = twill_view_tile(a, 1, 0);
    OK(twill_barrier(tw));
    if (twill_rank(tw) == 1) {
        void *data;
        int64_t ld;
        OK(twill_map(there, TWILL_READ_WRITE, &data, &ld));
        OK(twill_barrier(tw));
        REACHES(&asked, 1);
        OK(twill_unmap(there, data));
        REACHES(&over, 1); /* no message but the answer */
    } else {
        double x[B];
        fence f = {tw, &over};
        pthread_t thread;
        tw_reach reach = {0};
        OK(twill_barrier(tw));
        tw_reach_open(&reach, tw);
        tw_worker *w = tw_enter(tw);
        tw_reach_begin(&reach, w, TW_REACH_GET, &there, &(tw_reach_memory){(char *)x, {sizeof *x}});
        tw_exit(w);
        test_sleep_ms(5); /* a worker polls for the answer, */
        assert_int_equal(pthread_create(&thread, NULL, wait_for_all, &f), 0);
        test_sleep_ms(5); /* and the thread sleeps */
        atomic_store(&asked, 1);
        REACHES(&over, 1);
        pthread_join(thread, NULL);
        assert_false(tw_reach_is_over(&reach));
        tw_reach_begun(&reach);
        assert_true(tw_reach_is_over(&reach));
        OK(tw_reach_status(&reach));
    }
    OK(twill_barrier(tw));
    twill_array_free(a);
}

TEST(a_fence_ends_while_others_begin_copies)
{
    const test_ranks r = {.ranks = 2, .workers = 2};
    if (!test_launched()) /* ranks look at one another's counts */
        test_on_ranks(&r, answered_before_all_is_begun, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fence_ends_while_others_begin_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
