/* Debug builds notice a thread that uses what is another one's. Builds without assertions skip it.
 */
#include "support/test.h"

#include "engine/engine.h"

#include <assert.h>
#include <stdio.h>

enum { NOTICED = -1 };

/* Each runs in a child process: the record of worker 1, which is a thread of its own. */
static int get_as_another(void *arg)
{
    twill *tw = test_start(2, NULL);
    (void)arg;
    tw_task_get(&tw->worker[1], 1);
    return 0;
}

static int count_as_another(void *arg)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    (void)arg;
    OK(twill_stf_begin(tw, &g));
    tw_graph_added(g, &tw->worker[1], 0, 1);
    return 0;
}

static int push_without_entering(void *arg)
{
    twill *tw = test_start(1, NULL);
    tw_ready none = {0};
    (void)arg;
    tw_push(&tw->worker[0], &none);
    return 0;
}

static int enter_twice(void *arg)
{
    twill *tw = test_start(1, NULL);
    (void)arg;
    tw_return(tw_enter(tw));
    return 0;
}

static int start_without_the_lock(void *arg)
{
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    tw_startup_batch out = {.to_make = 0};
    (void)arg;
    OK(twill_dag_begin(tw, &g));
    g->ops->startup(g, &tw->worker[0], &out);
    return 0;
}

static int keep_to_the_rules(void *arg)
{
    twill *tw = test_start(2, NULL);
    tw_ready none = {0};
    (void)arg;
    tw_worker *w = tw_enter(tw);
    tw_task_put(w, tw_task_get(w, 1));
    tw_push(w, &none);
    tw_exit(w);
    twill_stop(tw);
    return 0;
}

TEST(a_thread_that_is_not_the_worker_is_noticed)
{
    assert_int_equal(test_child(get_as_another, NULL, 20), NOTICED);
    assert_int_equal(test_child(count_as_another, NULL, 20), NOTICED);
    assert_int_equal(test_child(push_without_entering, NULL, 20), NOTICED);
    assert_int_equal(test_child(enter_twice, NULL, 20), NOTICED);
}

TEST(a_lock_that_is_not_held_is_noticed)
{
    assert_int_equal(test_child(start_without_the_lock, NULL, 20), NOTICED);
}

TEST(who_acts_as_the_worker_may)
{
    assert_int_equal(test_child(keep_to_the_rules, NULL, 20), 0);
}

int main(void)
{
    bool noticing = false;
    assert((noticing = true));
    if (!noticing) {
        puts("skipped: this build has no assertions");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_is_not_the_worker_is_noticed),
        cmocka_unit_test(a_lock_that_is_not_held_is_noticed),
        cmocka_unit_test(who_acts_as_the_worker_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
