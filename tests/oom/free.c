/* What needs memory to wait waits without it too. */
#include "support/inject.h"
#include "support/limit.h"
#include "support/test.h"

#include <pthread.h>

enum { TILES = 100, PATIENCE = 20 };

typedef struct freeing {
    twill_array *a;
    atomic_int go, returned;
} freeing;

static void *free_array(void *arg)
{
    freeing *f = arg;
    while (!f->go)
        test_sleep_ms(1);
    twill_array_free(f->a);
    f->returned = 1;
    return NULL;
}

/* A task that stays has one of the tiles, in a context that has no epoch at hand. */
TEST(an_array_is_freed_after_its_tasks)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    test_hold hold;
    freeing f = {.a = test_integers(tw, TILES)};
    pthread_t thread;
    limit_begin(tw, PATIENCE, "freeing an array without memory");
    OK(twill_stf_begin(tw, &g));
    test_hold_begin(&hold, g, "hold", TWILL_RW(twill_tile_at(f.a, 7, 0)));
    assert_int_equal(pthread_create(&thread, NULL, free_array, &f), 0);
    inject_begin(1, INT64_MAX);
    f.go = 1;
    test_sleep_ms(20);
    assert_int_equal(f.returned, 0);
    test_hold_end(&hold);
    pthread_join(thread, NULL);
    OK(twill_wait(g));
    twill_stop(tw);
    inject_end();
    limit_end();
}

TEST(a_context_with_everything_left_in_it_stops)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    twill_array *a = test_integers(tw, TILES);
    atomic_int counter = 0, *arg = &counter;
    limit_begin(tw, PATIENCE, "stopping a context without memory");
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < TILES; i++)
        OK(twill_insert(g, &test_count, TWILL_VALUE(arg), TWILL_RW(twill_tile_at(a, i, 0))));
    inject_begin(1, INT64_MAX);
    twill_stop(tw);
    inject_end();
    limit_end();
    assert_int_equal(counter, TILES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(an_array_is_freed_after_its_tasks),
        LIMITED_TEST(a_context_with_everything_left_in_it_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
