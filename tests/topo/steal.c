/* Thieves on machines we do not have: from whom they steal is written down and looked at, not
 * timed. */
#include "support/policy.h"
#include "support/test.h"

#include "engine/engine.h"
#include "sched/sched.h"

#include <string.h>

static const char two_sockets[] = "package:2 core:4 pu:1";
static const char caches[] = "package:2 numa:1 l3:2 core:2 pu:2";
static const char *const machines[] = {
    two_sockets,
    caches,
    "numa:4 package:1 core:3 pu:1",
    "package:1 l3:4 l2:2 core:2 pu:1",
    "package:3 core:1 pu:4",
};

/* lws with as many workers as a described machine has cores, told what the engine would tell. */
static void open_machine(test_policy *p, tw_topo *topo, const char *machine)
{
    OK(tw_topo_open(topo, machine));
    twill *tw = test_start_with((twill_options){.topology = machine});
    assert_int_equal(twill_workers(tw), topo->ncores);
    test_policy_open(p, &tw_sched_lws, twill_workers(tw), 1);
    for (int w = 0; w < twill_workers(tw); w++)
        memcpy(p->order[w], tw->env.neighbours(&tw->env, w),
               (size_t)(twill_workers(tw) - 1) * sizeof(int));
    twill_stop(tw);
}

static void close_machine(test_policy *p, tw_topo *topo)
{
    test_policy_close(p);
    tw_topo_close(topo);
}

TEST(neighbours_are_all_the_others_nearest_first)
{
    for (int m = 0; m < COUNT(machines); m++) {
        test_policy p;
        tw_topo topo;
        open_machine(&p, &topo, machines[m]);
        for (int w = 0; w < p.env.workers; w++) {
            unsigned seen = 1u << w;
            int before = 0;
            for (int i = 0; i < p.env.workers - 1; i++) {
                int distance = tw_topo_distance(&topo, w, p.order[w][i]);
                assert_true(distance >= before);
                before = distance;
                seen |= 1u << p.order[w][i];
            }
            assert_int_equal(seen, (1u << p.env.workers) - 1);
        }
        close_machine(&p, &topo);
    }
}

TEST(the_order_of_neighbours_is_as_one_would_write_it_down)
{
    static const struct {
        const char *machine;
        int worker, order[7];
    } cases[] = {
        {two_sockets, 0, {1, 2, 3, 4, 5, 6, 7}},
        {two_sockets, 5, {6, 7, 4, 0, 1, 2, 3}},
        /* the other core of the cache, the other cache of the package, the other package */
        {caches, 0, {1, 2, 3, 4, 5, 6, 7}},
        {caches, 3, {2, 0, 1, 4, 5, 6, 7}},
        {caches, 6, {7, 4, 5, 0, 1, 2, 3}},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        test_policy p;
        tw_topo topo;
        open_machine(&p, &topo, cases[i].machine);
        assert_memory_equal(p.order[cases[i].worker], cases[i].order, sizeof cases[i].order);
        close_machine(&p, &topo);
    }
}

/* Equally near neighbours come in a circle, so that idle workers do not all steal from the same
 * one. */
TEST(thieves_of_one_socket_begin_with_different_victims)
{
    test_policy p;
    tw_topo topo;
    open_machine(&p, &topo, two_sockets);
    for (int w = 0; w < 8; w++)
        for (int other = w / 4 * 4; other < w; other++)
            assert_int_not_equal(p.order[w][0], p.order[other][0]);
    close_machine(&p, &topo);
}

enum { EACH = 3 };

/* Every worker but the thief queues items, and so do external threads. */
static void load_everybody(test_policy *p, int thief, twill_item items[][EACH])
{
    for (int w = 0; w <= p->env.workers; w++) {
        for (int i = 0; i < EACH; i++)
            items[w][i] = (twill_item){.worker = -1};
        if (w != thief)
            test_policy_push(p, w, items[w], EACH, false);
    }
}

TEST(a_thief_empties_the_near_before_it_goes_far)
{
    for (int m = 0; m < COUNT(machines); m++) {
        test_policy p;
        tw_topo topo;
        open_machine(&p, &topo, machines[m]);
        for (int thief = 0; thief < p.env.workers; thief++) {
            twill_item items[POLICY_WORKERS + 1][EACH];
            load_everybody(&p, thief, items);
            p.nchoices = 0;
            int popped = 0, before = 0;
            while (p.ops->pop(p.state, thief))
                popped++;
            assert_int_equal(popped, EACH * p.env.workers);
            for (int i = 0; i < p.nchoices; i++) {
                const test_choice *c = &p.choices[i];
                int far = c->victim == p.env.workers
                              ? INT32_MAX /* external threads are nowhere: last */
                              : tw_topo_distance(&topo, thief, c->victim);
                assert_int_equal(c->thief, thief);
                assert_true(far >= before);
                before = far;
            }
            assert_int_equal(p.choices[p.nchoices - 1].victim, p.env.workers);
        }
        close_machine(&p, &topo);
    }
}

TEST(a_thief_comes_back_when_there_is_something_near_again)
{
    test_policy p;
    tw_topo topo;
    twill_item far[4], near[2];
    open_machine(&p, &topo, two_sockets);
    for (int i = 0; i < 4; i++)
        far[i] = (twill_item){.priority = 1, .worker = -1}; /* with priority: taken one by one */
    for (int i = 0; i < 2; i++)
        near[i] = (twill_item){.worker = -1};
    test_policy_push(&p, 6, far, 4, false);
    assert_ptr_equal(p.ops->pop(p.state, 1), &far[0]);
    test_policy_push(&p, 3, near, 2, false);
    assert_ptr_equal(p.ops->pop(p.state, 1), &near[0]);
    assert_ptr_equal(p.ops->pop(p.state, 1), &near[1]);
    assert_ptr_equal(p.ops->pop(p.state, 1), &far[1]);
    const int victims[] = {6, 3, 3, 6};
    assert_int_equal(p.nchoices, COUNT(victims));
    for (int i = 0; i < p.nchoices; i++)
        assert_int_equal(p.choices[i].victim, victims[i]);
    close_machine(&p, &topo);
}

static twill_outcome nap_body(twill_task *t)
{
    test_sleep_ms(1);
    atomic_fetch_add(*(atomic_int *const *)twill_task_data(t, 0), 1);
    return TWILL_DONE;
}

/* A whole context on such a machine: tasks that take their time are all queued by one worker, and
 * the others come for them. */
TEST(a_context_on_a_described_machine_counts_what_was_stolen)
{
    static const twill_class nap = {
        .size = sizeof(twill_class), .name = "nap", .chores = {TWILL_CPU(nap_body)}};
    twill_graph *g;
    twill_counters c = {.size = sizeof c};
    atomic_int done = 0, *count = &done;
    twill *tw = test_start_with((twill_options){.topology = two_sockets});
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 100; i++)
        OK(twill_insert(g, &nap, TWILL_VALUE(count)));
    OK(twill_wait(g));
    twill_count(tw, &c);
    assert_int_equal(atomic_load(&done), 100);
    assert_true(c.stolen > 0);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_all_the_others_nearest_first),
        cmocka_unit_test(the_order_of_neighbours_is_as_one_would_write_it_down),
        cmocka_unit_test(thieves_of_one_socket_begin_with_different_victims),
        cmocka_unit_test(a_thief_empties_the_near_before_it_goes_far),
        cmocka_unit_test(a_thief_comes_back_when_there_is_something_near_again),
        cmocka_unit_test(a_context_on_a_described_machine_counts_what_was_stolen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
