/* Where the program's thread is when a context has started: not where a worker is bound, and free
 * to go anywhere that it could go before. */
#include "engine/engine.h"
#include "support/test.h"

#include <sched.h>

/* It begins on the core of the last worker. Returns whether it was found on that of worker 0. */
static bool start_once(int workers)
{
    cpu_set_t before, one, after;
    twill *tw = NULL;
    int core, last, first, at;
    twill_options o = {.size = sizeof o, .workers = workers};
    OK(twill_start(&tw, &o));
    OK(twill_worker_place(tw, workers - 1, &core, &last));
    OK(twill_worker_place(tw, 0, &core, &first));
    twill_stop(tw);
    if (last < 0) /* others of this machine keep them from being bound */
        skip();
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    CPU_SET((size_t)last, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    OK(twill_start(&tw, &o));
    at = sched_getcpu();
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    twill_stop(tw);
    return at == first;
}

TEST(the_program_begins_beside_its_workers)
{
    twill *tw = test_start(1, NULL);
    int cores = tw->topo.ncores, placed = 0;
    twill_stop(tw);
    if (cores < 2)
        skip();
    for (int i = 0; i < 20; i++) /* the system may move it at any time */
        placed += start_once(cores < 4 ? cores : 4);
    assert_true(placed >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_begins_beside_its_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
