/* Tasks on devices: whatever these are, results are those of one core. */
#include "support/test.h"
#include "support/touch.h"

#include "base/mix.h"

#include <stdio.h>
#include <string.h>

enum { TILES = 6, TASKS = 100 };

typedef struct fixture {
    twill *tw;
    twill_graph *g;
    twill_array *a;
    int64_t memory[TILES], model[TILES];
    atomic_int on_device, on_core;
    struct fixture *self; /* for bodies */
} fixture;

static void begin(fixture *f, int workers, const char *devices)
{
    memset(f, 0, sizeof *f);
    f->self = f;
    twill_pattern p = twill_tiled(TILES, 1, 1, 1);
    f->tw = test_start_with((twill_options){.size = sizeof(twill_options),
                                            .workers = workers,
                                            .bind = "off",
                                            .tune = "off",
                                            .devices = devices});
    OK(twill_array_wrap(f->tw, &p, TWILL_BYTES, 8, f->memory, TILES, &f->a));
    OK(twill_stf_begin(f->tw, &f->g));
}

static twill_tile *tile(const fixture *f, int i)
{
    return twill_tile_at(f->a, i % TILES, 0);
}

static void check(fixture *f)
{
    OK(twill_wait(f->g));
    for (int i = 0; i < TILES; i++)
        assert_int_equal(test_get(f->a, i), f->model[i]);
}

static void end(fixture *f)
{
    check(f);
    twill_stop(f->tw);
}

static twill_device_info info_of(const fixture *f, int device)
{
    twill_device_info info = {.size = sizeof info};
    OK(twill_device_get(f->tw, device, &info));
    return info;
}

/* ---- bodies ------------------------------------------------------------------------------- */

static int64_t mixed(int64_t x, int64_t y)
{
    return (int64_t)tw_mix((uint64_t)x * 3 + (uint64_t)y);
}

typedef struct operands {
    int64_t *x;
    const int64_t *y;
} operands;

static void mix_there(void *arg)
{
    const operands *o = arg;
    *o->x = mixed(*o->x, *o->y);
}

static operands operands_of(const twill_task *t)
{
    return (operands){twill_task_data(t, 0), twill_task_data(t, 1)};
}

/* RW, R, and argument 2 is the fixture. */
static twill_outcome mix_on_core(twill_task *t)
{
    fixture *f = *(fixture *const *)twill_task_data(t, 2);
    operands o = operands_of(t);
    mix_there(&o);
    atomic_fetch_add(&f->on_core, 1);
    return TWILL_DONE;
}

static twill_outcome mix_on_device(twill_task *t, void *queue)
{
    fixture *f = *(fixture *const *)twill_task_data(t, 2);
    operands o = operands_of(t);
    bool elsewhere = o.x < f->memory || o.x >= f->memory + TILES;
    atomic_fetch_add(&f->on_device, elsewhere);
    size_t offset = 1;
    if (queue != twill_task_queue(t) || twill_task_device(t) < 1)
        return twill_task_fail(t, "the queue is another one");
    if (twill_task_memory(t, 0, &offset) != o.x || offset || twill_task_memory(t, 9, &offset))
        return twill_task_fail(t, "the data is elsewhere");
    return twill_queue_call(queue, mix_there, &o, sizeof o) == TWILL_OK ? TWILL_DONE : TWILL_ERROR;
}

static const twill_class both = {.size = sizeof(twill_class),
                                 .name = "mix",
                                 .chores = {TWILL_HOST(mix_on_device), TWILL_CPU(mix_on_core)}};
static const twill_class core_only = {
    .size = sizeof(twill_class), .name = "mix", .chores = {TWILL_CPU(mix_on_core)}};

static void insert(fixture *f, const twill_class *cls, int i, int k)
{
    OK(twill_insert(f->g, cls, TWILL_RW(tile(f, i)), TWILL_R(tile(f, k)), TWILL_VALUE(f->self)));
    f->model[i % TILES] = mixed(f->model[i % TILES], f->model[k % TILES]);
}

static void insert_random(fixture *f, uint64_t seed)
{
    for (int n = 0; n < TASKS; n++) {
        int i = (int)test_random(&seed, TILES), k = (int)test_random(&seed, TILES - 1);
        insert(f, test_random(&seed, 4) ? &both : &core_only, i, k + (k >= i));
    }
}

/* ---- tests -------------------------------------------------------------------------------- */

TEST(random_tasks_leave_what_one_core_would)
{
    static const char *const devices[] = {
        "host:0",
        "cpu,host:0",
        "host:1",
        "cpu,host:0*3/lanes=1",
        "cpu,host:1*2/lanes=4",
        "host:0/room=16",
        "cpu,host:1*3/room=24/lanes=3",
        "cpu,host:0,host:1/room=16",
        "host:0*2/slow=3",
    };
    for (int i = 0; i < COUNT(devices); i++)
        for (int workers = 1; workers <= 3; workers += 2) {
            fixture f;
            begin(&f, workers, devices[i]);
            insert_random(&f, (uint64_t)i + 1);
            check(&f);
            assert_true(strncmp(devices[i], "cpu", 3) == 0 || atomic_load(&f.on_device) > 0);
            insert_random(&f, 77);
            end(&f);
        }
}

TEST(without_cores_devices_run_all_that_they_can)
{
    fixture f;
    begin(&f, 2, "host:0*2");
    assert_int_equal(twill_devices(f.tw), 2);
    for (int n = 0; n < TASKS; n++)
        insert(&f, &both, n, n + 1);
    check(&f);
    assert_int_equal(atomic_load(&f.on_core), 0);
    assert_int_equal(atomic_load(&f.on_device), TASKS);
    twill_device_info one = info_of(&f, 1), two = info_of(&f, 2);
    assert_string_equal(one.name, "host:0.1");
    assert_int_equal(one.tasks + two.tasks, TASKS);
    assert_true(one.bytes_in > 0 && one.bytes_out > 0);
    assert_int_equal(one.failed, 0);
    REFUSED(twill_device_get(f.tw, 3, &one), TWILL_ERR_ARGUMENT, "no device 3; there are 2");
    twill_stop(f.tw);
}

static twill_outcome nothing(twill_task *t, void *queue)
{
    (void)t, (void)queue;
    return TWILL_DONE;
}

static twill_outcome never(twill_task *t)
{
    return twill_task_fail(t, "it ran on a core");
}

TEST(tasks_without_data_run_on_devices_too)
{
    static const twill_class cls = {.size = sizeof(twill_class),
                                    .name = "empty",
                                    .chores = {TWILL_CPU(never), TWILL_HOST(nothing)}};
    fixture f;
    begin(&f, 2, "host:0,host:1");
    for (int n = 0; n < TASKS; n++)
        OK(twill_insert(f.g, &cls, TWILL_PRIORITY(n % 5)));
    check(&f);
    assert_int_equal(info_of(&f, 1).tasks + info_of(&f, 2).tasks, TASKS);
    REFUSED((twill_insert(f.g, &cls, TWILL_CPU_ONLY), twill_wait(f.g)), TWILL_ERR_TASK,
            "ran on a core");
    twill_stop(f.tw);
}

static twill_outcome too_large(twill_task *t, void *queue)
{
    (void)queue;
    return twill_task_fail(t, "it ran on the device");
}

TEST(a_task_that_does_not_fit_runs_on_a_core)
{
    static const twill_class cls = {.size = sizeof(twill_class),
                                    .name = "large",
                                    .chores = {TWILL_HOST(too_large), TWILL_CPU(mix_on_core)}};
    fixture f;
    begin(&f, 2, "host:0/room=15");
    insert(&f, &cls, 0, 1);
    end(&f);
    assert_int_equal(atomic_load(&f.on_core), 1);
}

static twill_outcome look(twill_task *t)
{
    return *(const int64_t *)twill_task_data(t, 0) ? twill_task_numerical(t, 7) : TWILL_DONE;
}

static twill_outcome mix_and_look(twill_task *t, void *queue)
{
    twill_task_then(t, look);
    return mix_on_device(t, queue);
}

TEST(what_stands_behind_a_body_decides_its_outcome)
{
    static const twill_class cls = {.size = sizeof(twill_class),
                                    .name = "look",
                                    .chores = {TWILL_HOST(mix_and_look), TWILL_CPU(never)}};
    fixture f;
    begin(&f, 2, "host:0");
    insert(&f, &cls, 0, 1);
    REFUSED(twill_wait(f.g), TWILL_ERR_NUMERICAL, "task look: numerical failure, info = 7");
    twill_stop(f.tw);
}

TEST(failing_bodies_say_why)
{
    static const twill_class cls = {.size = sizeof(twill_class),
                                    .name = "planted",
                                    .chores = {TWILL_HOST(too_large), TWILL_CPU(never)}};
    fixture f;
    begin(&f, 2, "host:0");
    insert(&f, &cls, 0, 1);
    REFUSED(twill_wait(f.g), TWILL_ERR_TASK, "task planted failed: it ran on the device");
    twill_stop(f.tw);
}

/* It fails in the middle: what has come home by then is intact, and later tasks run on cores. */
TEST(a_device_that_fails_is_named_and_gets_no_more_tasks)
{
    fixture f;
    begin(&f, 2, "cpu,host:0/fail=1");
    f.memory[0] = f.model[0] = 5;
    for (int n = 0; n < 20; n++)
        OK(twill_insert(f.g, &both, TWILL_RW(tile(&f, 1)), TWILL_R(tile(&f, 0)),
                        TWILL_VALUE(f.self)));
    REFUSED(twill_wait(f.g), TWILL_ERR_SYSTEM, "device host:0 failed");
    assert_int_equal(info_of(&f, 1).failed, 1);
    assert_int_equal(test_get(f.a, 0), 5);
    int before = atomic_load(&f.on_device);
    f.model[1] = test_get(f.a, 1);
    for (int n = 0; n < 20; n++)
        insert(&f, &both, n, n + 1);
    check(&f);
    assert_int_equal(atomic_load(&f.on_device), before);
    twill_stop(f.tw);
}

TEST(devices_that_are_not_there_are_refused)
{
    twill *tw;
    twill_options o = {.size = sizeof o, .workers = 1, .devices = "cpu,host:7"};
    REFUSED(twill_start(&tw, &o), TWILL_ERR_OPTION, "no device host:7; of that kind there are 2");
    o.devices = "cpu,abacus:0";
    REFUSED(twill_start(&tw, &o), TWILL_ERR_OPTION, "no kind of devices 'abacus'");
    o.devices = "cpu,host:0*12,host:1*12";
    REFUSED(twill_start(&tw, &o), TWILL_ERR_OPTION, "at most 12 devices");
}

TEST(workers_share_the_cores_with_devices_that_are_made_of_them)
{
    int core, pu;
    twill *tw = test_start_with((twill_options){
        .size = sizeof(twill_options), .workers = 2, .bind = "on", .devices = "cpu,host:0"});
    OK(twill_worker_place(tw, 1, &core, &pu));
    assert_int_equal(core, -1);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_tasks_leave_what_one_core_would),
        cmocka_unit_test(without_cores_devices_run_all_that_they_can),
        cmocka_unit_test(tasks_without_data_run_on_devices_too),
        cmocka_unit_test(a_task_that_does_not_fit_runs_on_a_core),
        cmocka_unit_test(what_stands_behind_a_body_decides_its_outcome),
        cmocka_unit_test(failing_bodies_say_why),
        cmocka_unit_test(a_device_that_fails_is_named_and_gets_no_more_tasks),
        cmocka_unit_test(devices_that_are_not_there_are_refused),
        cmocka_unit_test(workers_share_the_cores_with_devices_that_are_made_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
