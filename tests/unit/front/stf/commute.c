/* COMMUTE: one task at a time, in whatever order they come. */
#include "support/test.h"

enum { TILES = 3 };

/* Two numbers per tile that are equal unless somebody is between adding to one and the other. */
typedef struct pair {
    int64_t a, b;
} pair;

typedef struct watch {
    atomic_int inside[TILES], overlaps;
} watch;

static void add_slowly(watch *w, pair *p, int64_t tile)
{
    if (atomic_fetch_add(&w->inside[tile], 1) || p->a != p->b)
        atomic_fetch_add(&w->overlaps, 1);
    p->a++;
    for (volatile int i = 0; i < 50; i++)
        ;
    p->b++;
    atomic_fetch_sub(&w->inside[tile], 1);
}

static twill_outcome add_body(twill_task *t)
{
    watch *w = *(watch *const *)twill_task_data(t, 0);
    add_slowly(w, twill_task_data(t, 2), twill_task_int(t, 1) % TILES);
    if (twill_task_data(t, 3))
        add_slowly(w, twill_task_data(t, 3), (twill_task_int(t, 1) + 1) % TILES);
    return TWILL_DONE;
}

static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

static twill_array *make_pairs(twill *tw)
{
    twill_array *a;
    twill_pattern p = twill_tiled(TILES, 1, 1, 1);
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(pair), &a));
    return a;
}

static void check_pairs(twill_array *a, int64_t wanted)
{
    void *data;
    int64_t ld;
    OK(twill_map(twill_view_all(a), TWILL_READ, &data, &ld));
    for (int i = 0; i < TILES; i++) {
        assert_int_equal(((pair *)data)[i].a, wanted);
        assert_int_equal(((pair *)data)[i].b, wanted);
    }
    OK(twill_unmap(twill_view_all(a), data));
}

TEST(commuting_tasks_exclude_each_other)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        watch w = {0}, *arg = &w;
        twill_array *a = make_pairs(tw);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 300 * TILES; i++)
            OK(twill_insert(g, &add, TWILL_VALUE(arg), TWILL_INT(i),
                            TWILL_COMMUTE(twill_tile_at(a, i % TILES, 0))));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&w.overlaps), 0);
        check_pairs(a, 300);
        twill_stop(tw);
    }
}

/* Two tiles each, round in a circle: whoever took them in the order given would deadlock. */
TEST(tasks_that_need_two_turns_do_not_lock_each_other_out)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        watch w = {0}, *arg = &w;
        twill_array *a = make_pairs(tw);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 200 * TILES; i++)
            OK(twill_insert(g, &add, TWILL_VALUE(arg), TWILL_INT(i),
                            TWILL_COMMUTE(twill_tile_at(a, i % TILES, 0)),
                            TWILL_COMMUTE(twill_tile_at(a, (i + 1) % TILES, 0))));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&w.overlaps), 0);
        check_pairs(a, 400);
        twill_stop(tw);
    }
}

TEST(a_commuting_task_does_not_wait_for_one_that_cannot_start_yet)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    test_hold hold;
    atomic_int first = 0, second = 0, *f = &first, *s = &second;
    twill_array *a = test_integers(tw, 2);
    twill_tile *shared = twill_tile_at(a, 0, 0), *held = twill_tile_at(a, 1, 0);
    OK(twill_stf_begin(tw, &g));
    test_hold_begin(&hold, g, "hold", TWILL_RW(held));
    OK(twill_insert(g, &test_count, TWILL_VALUE(f), TWILL_COMMUTE(shared), TWILL_R(held)));
    OK(twill_insert(g, &test_count, TWILL_VALUE(s), TWILL_COMMUTE(shared)));
    REACHES(&second, 1);
    assert_int_equal(atomic_load(&first), 0);
    test_hold_end(&hold);
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&first), 1);
    twill_stop(tw);
}

static twill_outcome square_body(twill_task *t)
{
    int64_t *x = twill_task_data(t, 0);
    *x *= *x;
    return TWILL_DONE;
}

static twill_outcome plus_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += twill_task_int(t, 1);
    return TWILL_DONE;
}

/* Runs of commuting tasks are fenced by the tasks of other kinds around them. */
TEST(other_accesses_come_before_and_after_a_run_of_commuting_tasks)
{
    static const twill_class square = {
        .size = sizeof(twill_class), .name = "square", .chores = {TWILL_CPU(square_body)}};
    static const twill_class plus = {
        .size = sizeof(twill_class), .name = "plus", .chores = {TWILL_CPU(plus_body)}};
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        twill_array *a = test_integers(tw, 1);
        twill_tile *tile = twill_tile_at(a, 0, 0);
        OK(twill_stf_begin(tw, &g));
        for (int run = 0; run < 3; run++) {
            for (int i = 1; i <= 2; i++)
                OK(twill_insert(g, &plus, TWILL_COMMUTE(tile), TWILL_INT(i)));
            OK(twill_insert(g, &square, TWILL_RW(tile)));
        }
        OK(twill_wait(g));
        assert_int_equal(test_get(a, 0), ((3 * 3 + 3) * (3 * 3 + 3) + 3) * ((12 * 12) + 3));
        twill_stop(tw);
    }
}

/* The same tile twice in one task: it would wait for its own turn. */
TEST(a_tile_may_be_named_twice_in_a_commuting_task)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    watch w = {0}, *arg = &w;
    twill_array *a = make_pairs(tw);
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 50 * TILES; i++)
        OK(twill_insert(g, &add, TWILL_VALUE(arg), TWILL_INT(i),
                        TWILL_COMMUTE(twill_tile_at(a, i % TILES, 0)), TWILL_INT(0),
                        TWILL_COMMUTE(twill_tile_at(a, i % TILES, 0))));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&w.overlaps), 0);
    check_pairs(a, 50);
    twill_stop(tw);
}

TEST(a_failing_commuting_task_passes_its_turn_on)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    watch w = {0}, *arg = &w;
    twill_array *a = make_pairs(tw);
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 50; i++) {
        twill_status status =
            i == 10 ? twill_insert(g, &test_planted, TWILL_COMMUTE(twill_tile_at(a, 0, 0)))
                    : twill_insert(g, &add, TWILL_VALUE(arg), TWILL_INT(0),
                                   TWILL_COMMUTE(twill_tile_at(a, 0, 0)));
        assert_true(status == TWILL_OK || status == TWILL_ERR_TASK);
    }
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "planted");
    OK(twill_insert(g, &add, TWILL_VALUE(arg), TWILL_INT(0),
                    TWILL_COMMUTE(twill_tile_at(a, 0, 0))));
    OK(twill_wait(g));
    twill_stop(tw);
}

/* ---- failures ------------------------------------------------------------------------------- */

static atomic_int let_fail;

static twill_outcome fail_late(twill_task *t)
{
    while (!atomic_load(&let_fail))
        test_sleep_ms(1);
    return twill_task_fail(t, "planted");
}

static const twill_class late = {
    .size = sizeof(twill_class), .name = "late", .chores = {TWILL_CPU(fail_late)}};

/* A task of another graph that waits for its turn reads what the failed one left. */
TEST(who_comes_after_a_failure_does_not_run)
{
    twill *tw = test_start(3, "lws");
    twill_array *a = test_integers(tw, 1);
    twill_tile *tile = twill_tile_at(a, 0, 0);
    atomic_int ran = 0, *count = &ran;
    twill_graph *bad, *other;
    OK(twill_stf_begin(tw, &bad));
    OK(twill_stf_begin(tw, &other));
    atomic_store(&let_fail, 0);
    OK(twill_insert(bad, &late, TWILL_COMMUTE(tile)));
    OK(twill_insert(other, &test_count, TWILL_VALUE(count), TWILL_COMMUTE(tile)));
    atomic_store(&let_fail, 1);
    REFUSED(twill_wait(other), TWILL_ERR_CANCELED, "reads data of a task that failed");
    REFUSED(twill_wait(bad), TWILL_ERR_TASK, "planted");
    assert_int_equal(atomic_load(&ran), 0);
    OK(twill_insert(other, &test_count, TWILL_VALUE(count), TWILL_COMMUTE(tile)));
    OK(twill_wait(other));
    assert_int_equal(atomic_load(&ran), 1);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commuting_tasks_exclude_each_other),
        cmocka_unit_test(tasks_that_need_two_turns_do_not_lock_each_other_out),
        cmocka_unit_test(a_commuting_task_does_not_wait_for_one_that_cannot_start_yet),
        cmocka_unit_test(other_accesses_come_before_and_after_a_run_of_commuting_tasks),
        cmocka_unit_test(a_tile_may_be_named_twice_in_a_commuting_task),
        cmocka_unit_test(a_failing_commuting_task_passes_its_turn_on),
        cmocka_unit_test(who_comes_after_a_failure_does_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
