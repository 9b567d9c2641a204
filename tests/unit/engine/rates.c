/* What contexts learn of their devices, and what cw and dmda make of it. Tasks sleep, so that how
 * fast this machine is makes no difference. */
#include "support/test.h"

#include "base/clock.h"

#include <twill/device.h>

#include <string.h>
#include <unistd.h>

enum { TASKS = 300, ON_CORE = 8000, ON_DEVICE = 1000 }; /* microseconds */

static void sleep_there(void *arg)
{
    usleep(*(const useconds_t *)arg);
}

static twill_outcome on_device(twill_task *t, void *queue)
{
    (void)t;
    useconds_t us = ON_DEVICE;
    return twill_queue_call(queue, sleep_there, &us, sizeof us) == TWILL_OK ? TWILL_DONE
                                                                            : TWILL_ERROR;
}

static twill_outcome on_core(twill_task *t)
{
    (void)t;
    usleep(ON_CORE);
    return TWILL_DONE;
}

static const twill_class doze = {.size = sizeof(twill_class),
                                 .name = "doze",
                                 .chores = {TWILL_HOST(on_device), TWILL_CPU(on_core)}};
static const twill_class core_only = {
    .size = sizeof(twill_class), .name = "doze", .chores = {TWILL_CPU(on_core)}};

typedef struct outcome {
    double seconds, weights[4];
    int64_t tasks[4]; /* of cores, and of each device */
} outcome;

/* Independent tasks, a tile each. */
static outcome run(const char *sched, const char *devices, const char *tune, int n)
{
    outcome o = {0};
    twill_graph *g;
    twill *tw = test_start_with((twill_options){.size = sizeof(twill_options),
                                                .workers = 2,
                                                .bind = "off",
                                                .sched = sched,
                                                .tune = tune,
                                                .devices = devices});
    twill_array *a = test_integers(tw, TASKS);
    OK(twill_stf_begin(tw, &g));
    double begun = tw_seconds();
    for (int i = 0; i < n; i++)
        OK(twill_insert(g, &doze, TWILL_RW(twill_tile_at(a, i, 0))));
    OK(twill_wait(g));
    o.seconds = tw_seconds() - begun;
    o.tasks[0] = n;
    for (int d = 1; d <= twill_devices(tw); d++) {
        twill_device_info info = {.size = sizeof info};
        OK(twill_device_get(tw, d, &info));
        o.tasks[d] = info.tasks;
        o.tasks[0] -= info.tasks;
    }
    OK(twill_device_weights(tw, "doze", 8, o.weights));
    twill_stop(tw);
    return o;
}

/* Two devices, of which one is four times as slow: 1000, 250, and two workers with 125 each. */
static void tasks_are_shared_by_weights(void **state)
{
    const char *sched = *state;
    outcome o = run(sched, "cpu,host:0/lanes=1,host:0/lanes=1/slow=4", "off", TASKS);
    double ideal = TASKS / (1000.0 + 250 + 2 * 125);
    print_message("%s: %.3f s, ideal %.3f s; cores %d, devices %d and %d\n", sched, o.seconds,
                  ideal, (int)o.tasks[0], (int)o.tasks[1], (int)o.tasks[2]);
    assert_true(o.tasks[0] > 0 && o.tasks[1] > o.tasks[2] && o.tasks[2] > 0);
    assert_true(o.weights[1] > 2 * o.weights[2] && o.weights[2] > 0);
    assert_true(o.weights[0] > 0 && o.weights[0] < 130);
    assert_true(o.tasks[1] > TASKS / 3 || test_slow());
    /* other tests run at the same time; but without devices it took as long as sleep takes */
    assert_true(o.seconds < 0.8 * TASKS * ON_CORE * 1e-6 / 2 || test_slow());
}

/* Few tasks: one on a core would be the last to be done. Only who knows that leaves it alone. */
TEST(what_was_learned_is_known_in_the_next_context)
{
    char file[200];
    assert_non_null(getcwd(file, sizeof file - 20));
    strcat(file, "/tuned");
    run("dmda", "cpu,host:0/lanes=1", file, TASKS);
    outcome again = run("dmda", "cpu,host:0/lanes=1", file, 3);
    assert_true(again.weights[1] > 2 * again.weights[0] && again.weights[0] > 0);
    assert_int_equal(again.tasks[0], 0);
    assert_int_equal(access("tuned.capability", R_OK), 0);
    outcome other = run("dmda", "cpu,host:0/lanes=1/slow=2", file, 0);
    assert_true(other.weights[1] == 0 && other.weights[0] > 0); /* that one is another kind */
}

TEST(off_means_no_file)
{
    run("cw", "cpu,host:0", "off", 3);
    assert_int_not_equal(access("cache/twill", F_OK), 0);
}

/* What no device can run is not learned. */
TEST(only_what_can_be_chosen_is_learned)
{
    double weights[2] = {1, 1};
    twill_graph *g;
    twill *tw = test_start_with((twill_options){
        .size = sizeof(twill_options), .workers = 1, .tune = "off", .devices = "cpu,host:0"});
    twill_array *a = test_integers(tw, 1);
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &core_only, TWILL_RW(twill_tile_at(a, 0, 0))));
    OK(twill_wait(g));
    OK(twill_device_weights(tw, "doze", 8, weights));
    assert_true(weights[0] == 0 && weights[1] == 0);
    REFUSED(twill_device_weights(tw, NULL, 8, weights), TWILL_ERR_ARGUMENT, "is NULL");
    REFUSED(twill_device_weights(tw, "doze", -1, weights), TWILL_ERR_ARGUMENT, "negative");
    twill_stop(tw);
}

TEST(without_devices_nothing_is_learned)
{
    double weights[1] = {1};
    twill *tw = test_start_with((twill_options){.size = sizeof(twill_options), .devices = "cpu"});
    OK(twill_device_weights(tw, "doze", 8, weights));
    assert_true(weights[0] == 0);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"tasks are shared by weights: cw", tasks_are_shared_by_weights, NULL, NULL, "cw"},
        {"tasks are shared by weights: dmda", tasks_are_shared_by_weights, NULL, NULL, "dmda"},
        cmocka_unit_test(what_was_learned_is_known_in_the_next_context),
        cmocka_unit_test(off_means_no_file),
        cmocka_unit_test(only_what_can_be_chosen_is_learned),
        cmocka_unit_test(without_devices_nothing_is_learned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
