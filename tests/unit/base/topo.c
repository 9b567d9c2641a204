/* The machine: described ones, and this one inside the mask it was given. */
#include "support/test.h"

#include "base/topo.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

TEST(a_described_machine_is_counted)
{
    static const struct {
        const char *description;
        int packages, numa_nodes, cores, pus;
    } cases[] = {
        {"package:1 core:1 pu:1", 1, 1, 1, 1},
        {"package:2 core:4 pu:1", 2, 1, 8, 8},
        {"package:2 numa:1 l3:2 core:2 pu:2", 2, 2, 8, 16},
        {"numa:4 package:1 core:3 pu:1", 4, 4, 12, 12},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        tw_topo topo;
        OK(tw_topo_open(&topo, cases[i].description));
        assert_true(topo.foreign);
        assert_int_equal(topo.machine.packages, cases[i].packages);
        assert_int_equal(topo.machine.numa_nodes, cases[i].numa_nodes);
        assert_int_equal(topo.machine.cores, cases[i].cores);
        assert_int_equal(topo.machine.pus, cases[i].pus);
        assert_int_equal(topo.machine.cores_allowed, cases[i].cores);
        assert_int_equal(topo.ncores, cases[i].cores);
        tw_topo_close(&topo);
    }
}

TEST(distances_follow_the_tree)
{
    static const struct {
        const char *description;
        int a, b, distance;
    } cases[] = {
        {"package:2 core:4 pu:1", 0, 0, 0},
        {"package:2 core:4 pu:1", 0, 3, 1},
        {"package:2 core:4 pu:1", 3, 4, 2},
        {"package:2 core:4 pu:1", 7, 0, 2},
        {"package:2 numa:1 l3:2 core:2 pu:2", 0, 1, 1},
        {"package:2 numa:1 l3:2 core:2 pu:2", 1, 2, 2},
        {"package:2 numa:1 l3:2 core:2 pu:2", 0, 4, 3},
        {"package:2 numa:1 l3:2 core:2 pu:2", 5, 4, 1},
        /* more workers than cores: they share them */
        {"package:2 core:4 pu:1", 1, 9, 0},
        {"package:2 core:4 pu:1", 8, 4, 2},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        tw_topo topo;
        OK(tw_topo_open(&topo, cases[i].description));
        assert_int_equal(tw_topo_distance(&topo, cases[i].a, cases[i].b), cases[i].distance);
        assert_int_equal(tw_topo_distance(&topo, cases[i].b, cases[i].a), cases[i].distance);
        tw_topo_close(&topo);
    }
}

TEST(a_bad_description_is_refused)
{
    const char *const bad[] = {"nonsense", "package:two", "no_such_file.xml", "core:0 pu:1"};
    for (int i = 0; i < COUNT(bad); i++) {
        tw_topo topo;
        REFUSED(tw_topo_open(&topo, bad[i]), TWILL_ERR_OPTION, bad[i]);
    }
}

TEST(a_machine_recorded_in_a_file_is_read)
{
    const char *file = "recorded.xml";
    tw_topo made, read;
    OK(tw_topo_open(&made, "package:2 l3:1 core:3 pu:2"));
    assert_int_equal(hwloc_topology_export_xml(made.topology, file, 0), 0);
    OK(tw_topo_open(&read, file));
    assert_int_equal(read.ncores, 6);
    assert_int_equal(read.machine.packages, 2);
    for (int i = 0; i < 6; i++)
        assert_int_equal(tw_topo_distance(&read, 0, i), tw_topo_distance(&made, 0, i));
    tw_topo_close(&made);
    tw_topo_close(&read);
    unlink(file);
}

TEST(this_machine_has_cores_memory_and_a_name)
{
    tw_topo topo;
    OK(tw_topo_open(&topo, NULL));
    assert_false(topo.foreign);
    assert_true(topo.ncores >= 1 && topo.ncores <= topo.machine.pus);
    assert_true(topo.machine.memory > 0);
    assert_string_not_equal(topo.machine.cpu, "");
    tw_topo_close(&topo);
}

TEST(the_peak_is_measured_once_when_it_is_asked_for)
{
    tw_topo topo;
    OK(tw_topo_open(&topo, NULL));
    assert_null(topo.machine.peak_how);
    tw_topo_measure(&topo);
    double peak = topo.machine.peak_gflops;
    assert_true(peak > 0);
    assert_non_null(strstr(topo.machine.peak_how, "measured"));
    tw_topo_measure(&topo);
    assert_true(topo.machine.peak_gflops == peak);
    tw_topo_close(&topo);
}

TEST(the_peak_of_another_machine_is_unknown)
{
    tw_topo topo;
    OK(tw_topo_open(&topo, "package:2 core:2 pu:1"));
    tw_topo_measure(&topo);
    assert_true(topo.machine.peak_gflops == 0);
    assert_non_null(strstr(topo.machine.peak_how, "unknown"));
    tw_topo_close(&topo);
}

/* ---- masks: each case is a process of its own ----------------------------------------------- */

static int last_cpu(void)
{
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    int cpu = CPU_SETSIZE - 1;
    while (cpu > 0 && !CPU_ISSET(cpu, &set))
        cpu--;
    return cpu;
}

static void restrict_to(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static int only_one_core_is_used(void *arg)
{
    int cpu = *(int *)arg, core, pu;
    twill *tw;
    twill_machine machine = {.size = sizeof machine};
    restrict_to(cpu);
    if (twill_start(&tw, NULL) != TWILL_OK)
        return 1;
    twill_machine_info(tw, &machine);
    if (machine.cores_allowed != 1 || twill_workers(tw) != 1)
        return 2;
    if (twill_worker_place(tw, 0, &core, &pu) != TWILL_OK || pu != cpu || core < 0)
        return 3;
    twill_stop(tw);
    return 0;
}

TEST(without_options_there_is_one_worker_per_core_of_the_mask)
{
    int cpu = last_cpu();
    assert_int_equal(test_child(only_one_core_is_used, &cpu, 20), 0);
}

/* More workers than the mask has cores: all of them still run inside it. */
static twill_outcome note_place(twill_task *t)
{
    atomic_int *outside = *(atomic_int *const *)twill_task_data(t, 0);
    int cpu = (int)twill_task_int(t, 1);
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    if (CPU_COUNT(&set) != 1 || !CPU_ISSET(cpu, &set) || sched_getcpu() != cpu)
        atomic_fetch_add(outside, 1);
    return TWILL_DONE;
}

static const twill_class note = {
    .size = sizeof(twill_class), .name = "note", .chores = {TWILL_CPU(note_place)}};

static int workers_stay_inside(void *arg)
{
    int cpu = *(int *)arg;
    atomic_int outside = 0, *count = &outside;
    twill *tw;
    twill_graph *g;
    restrict_to(cpu);
    if (twill_start(&tw, &(twill_options){.size = sizeof(twill_options), .workers = 3}) != TWILL_OK)
        return 1;
    twill_stf_begin(tw, &g);
    for (int i = 0; i < 200; i++)
        twill_insert(g, &note, TWILL_VALUE(count), TWILL_INT(cpu));
    twill_wait(g);
    twill_stop(tw);
    return atomic_load(&outside) ? 2 : 0;
}

TEST(workers_stay_inside_the_mask)
{
    int cpu = last_cpu();
    assert_int_equal(test_child(workers_stay_inside, &cpu, 20), 0);
}

/* The thread that waits works on core 0 meanwhile, and goes back to where it was. */
static int mask_comes_back(void *arg)
{
    (void)arg;
    cpu_set_t before, after;
    atomic_int done = 0, *count = &done;
    twill *tw;
    twill_graph *g;
    sched_getaffinity(0, sizeof before, &before);
    if (twill_start(&tw, NULL) != TWILL_OK)
        return 1;
    twill_stf_begin(tw, &g);
    for (int i = 0; i < 100; i++)
        twill_insert(g, &test_count, TWILL_VALUE(count));
    twill_wait(g);
    sched_getaffinity(0, sizeof after, &after);
    twill_stop(tw);
    return atomic_load(&done) == 100 && CPU_EQUAL(&before, &after) ? 0 : 2;
}

TEST(a_waiting_thread_gets_its_mask_back)
{
    assert_int_equal(test_child(mask_comes_back, NULL, 20), 0);
}

TEST(unbound_workers_have_no_place)
{
    int core = 0, pu = 0;
    twill *tw = test_start(2, NULL);
    OK(twill_worker_place(tw, 1, &core, &pu));
    assert_int_equal(core, -1);
    assert_int_equal(pu, -1);
    REFUSED(twill_worker_place(tw, 2, &core, &pu), TWILL_ERR_ARGUMENT, "no worker 2");
    REFUSED(twill_worker_place(tw, -1, &core, &pu), TWILL_ERR_ARGUMENT, "no worker -1");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_described_machine_is_counted),
        cmocka_unit_test(distances_follow_the_tree),
        cmocka_unit_test(a_bad_description_is_refused),
        cmocka_unit_test(a_machine_recorded_in_a_file_is_read),
        cmocka_unit_test(this_machine_has_cores_memory_and_a_name),
        cmocka_unit_test(the_peak_is_measured_once_when_it_is_asked_for),
        cmocka_unit_test(the_peak_of_another_machine_is_unknown),
        cmocka_unit_test(without_options_there_is_one_worker_per_core_of_the_mask),
        cmocka_unit_test(workers_stay_inside_the_mask),
        cmocka_unit_test(a_waiting_thread_gets_its_mask_back),
        cmocka_unit_test(unbound_workers_have_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
