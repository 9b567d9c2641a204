/* Without any memory left, a reduction is combined by a thread that has never used a chain: the
 * primary worker is taken, so it acts as the external one, whose caches are empty. */
#include "support/inject.h"
#include "support/test.h"

#include <pthread.h>

enum { CONTRIBUTIONS = 11 };

static twill_outcome add(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += 1;
    return TWILL_DONE;
}

static const twill_class add_class = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add)}};

static void *wait_for(void *graph)
{
    return twill_wait(graph) == TWILL_OK ? NULL : graph;
}

TEST(an_external_thread_combines_without_memory)
{
    twill *tw = test_start(2, "lws");
    twill_array *a = test_integers(tw, 1);
    twill_graph *g, *other;
    test_hold hold = {0};
    pthread_t sitter;
    void *failed;
    OK(twill_stf_begin(tw, &g));
    OK(twill_stf_begin(tw, &other));
    for (int i = 0; i < CONTRIBUTIONS; i++)
        OK(twill_insert(g, &add_class, TWILL_REDUCE(twill_tile_at(a, 0, 0), &test_plus)));
    test_hold_begin(&hold, other, "hold", TWILL_INT(0));
    assert_int_equal(pthread_create(&sitter, NULL, wait_for, other), 0);
    test_sleep_ms(50); /* it sits, or else this test shows nothing */
    inject_begin(1, INT64_MAX);
    twill_status status = twill_wait(g);
    inject_end();
    test_hold_end(&hold);
    pthread_join(sitter, &failed);
    assert_null(failed);
    OK(status);
    assert_int_equal(test_get(a, 0), CONTRIBUTIONS);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_external_thread_combines_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
