/* What a failure leaves behind, and how one gets rid of it: data that failed tasks should have
 * written is not used by anybody until the failure was reported or the data is overwritten. */
#include "support/limit.h"
#include "support/test.h"

enum { SECONDS = 30 };

typedef struct scene {
    twill *tw;
    twill_array *a;
    twill_graph *bad, *good;
    atomic_int ran, *counter;
} scene;

static twill_tile *tile(const scene *s, int i)
{
    return twill_tile_at(s->a, i, 0);
}

static twill_outcome seven_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) = 7;
    return TWILL_DONE;
}

static twill_outcome add_body(twill_task *t)
{
    ++*(int64_t *)twill_task_data(t, 0);
    return TWILL_DONE;
}

static const twill_class seven = {
    .size = sizeof(twill_class), .name = "seven", .chores = {TWILL_CPU(seven_body)}};
static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

/* Run a scene over all setups, in a fresh context with two graphs and four tiles each time. */
static void play(void (*act)(scene *s))
{
    for (int i = 0; i < test_nsetups; i++) {
        scene s = {.tw = test_start(test_setups[i].workers, test_setups[i].sched)};
        limit_begin(s.tw, SECONDS, "scheduler %s, %d workers", test_setups[i].sched,
                    test_setups[i].workers);
        s.counter = &s.ran;
        s.a = test_integers(s.tw, 4);
        OK(twill_stf_begin(s.tw, &s.bad));
        OK(twill_stf_begin(s.tw, &s.good));
        act(&s);
        twill_stop(s.tw);
    }
    limit_end();
}

static void spoil(scene *s, int i)
{
    OK(twill_insert(s->bad, &test_planted, TWILL_RW(tile(s, i))));
}

static void count_reader(scene *s, twill_graph *g, twill_arg data)
{
    OK(twill_insert(g, &test_count, TWILL_VALUE(s->counter), data));
}

static void unusable(scene *s, int i)
{
    void *data;
    int64_t ld;
    REFUSED(twill_map(twill_view_tile(s->a, i, 0), TWILL_READ, &data, &ld), TWILL_ERR_CANCELED,
            "failed");
    REFUSED(twill_wait_tile(tile(s, i), TWILL_READ), TWILL_ERR_CANCELED, "failed");
}

/* ---- scenes ------------------------------------------------------------------------------------
 */

static void readers(scene *s)
{
    spoil(s, 0);
    count_reader(s, s->good, TWILL_R(tile(s, 0)));
    unusable(s, 0);
    REFUSED(twill_wait(s->good), TWILL_ERR_CANCELED, "reads data of a task that failed");
    unusable(s, 0); /* that was the report of another failure */
    REFUSED(twill_wait(s->bad), TWILL_ERR_TASK, "planted");
    assert_int_equal(atomic_load(&s->ran), 0);
    count_reader(s, s->good, TWILL_R(tile(s, 0)));
    OK(twill_wait(s->good));
    assert_int_equal(atomic_load(&s->ran), 1);
    assert_int_equal(test_get(s->a, 0), 0);
}

TEST(readers_do_not_run)
{
    play(readers);
}

/* Through readers, updates and commuting updates, and from tile to tile. */
static void spreading(scene *s)
{
    twill_graph *third = NULL;
    OK(twill_stf_begin(s->tw, &third));
    spoil(s, 0);
    count_reader(s, s->good, TWILL_R(tile(s, 0)));
    OK(twill_insert(third, &test_count, TWILL_VALUE(s->counter), TWILL_COMMUTE(tile(s, 0)),
                    TWILL_W(tile(s, 1))));
    unusable(s, 0);
    unusable(s, 1);
    REFUSED(twill_wait(third), TWILL_ERR_CANCELED, "failed");
    REFUSED(twill_wait(s->good), TWILL_ERR_CANCELED, "failed");
    REFUSED(twill_wait(s->bad), TWILL_ERR_TASK, "planted");
    assert_int_equal(atomic_load(&s->ran), 0);
    assert_int_equal(test_get(s->a, 0) + test_get(s->a, 1), 0);
}

TEST(it_spreads)
{
    play(spreading);
}

static void overwriting(scene *s)
{
    void *data;
    int64_t ld;
    twill_view v = twill_view_tile(s->a, 1, 0);
    spoil(s, 0);
    OK(twill_insert(s->good, &seven, TWILL_W(tile(s, 0))));
    OK(twill_insert(s->good, &add, TWILL_RW(tile(s, 0))));
    OK(twill_wait(s->good));
    assert_int_equal(test_get(s->a, 0), 8);
    REFUSED(twill_wait(s->bad), TWILL_ERR_TASK, "planted");

    spoil(s, 1);
    OK(twill_map(v, TWILL_WRITE, &data, &ld));
    *(int64_t *)data = 5;
    OK(twill_unmap(v, data));
    OK(twill_insert(s->good, &add, TWILL_RW(tile(s, 1))));
    OK(twill_wait(s->good));
    assert_int_equal(test_get(s->a, 1), 6);
}

TEST(whoever_overwrites_ends_it)
{
    play(overwriting);
}

/* After good waits and bad ones, in any order, the same graph and the same tiles go on. */
static void repeating(scene *s)
{
    for (int i = 0; i < 6; i++) {
        OK(twill_insert(s->bad, &add, TWILL_RW(tile(s, 0))));
        if (i % 3)
            OK(twill_wait(s->bad));
        spoil(s, 1);
        (void)twill_insert(s->bad, &test_planted, TWILL_RW(tile(s, 2)));
        REFUSED(twill_wait(s->bad), TWILL_ERR_TASK, "planted");
        OK(twill_wait(s->bad));
        assert_int_equal(test_get(s->a, 1) + test_get(s->a, 2), 0);
    }
    twill_graph_free(s->bad);
    OK(twill_stf_begin(s->tw, &s->bad));
    spoil(s, 3);
    REFUSED(twill_wait(s->bad), TWILL_ERR_TASK, "planted");
    assert_int_equal(test_get(s->a, 3), 0);
}

TEST(a_report_ends_it)
{
    play(repeating);
}

/* The same for explicit graphs. */
static void running(scene *s)
{
    twill_graph *bad = NULL, *good = NULL;
    int64_t node;
    OK(twill_dag_begin(s->tw, &bad));
    OK(twill_dag_begin(s->tw, &good));
    OK(twill_dag_add(bad, &node, &test_planted, TWILL_RW(tile(s, 0))));
    OK(twill_dag_add(good, &node, &add, TWILL_RW(tile(s, 0))));
    for (int i = 0; i < 3; i++) {
        OK(twill_dag_run(bad));
        count_reader(s, s->good, TWILL_R(tile(s, 0)));
        OK(twill_dag_run(good));
        unusable(s, 0);
        REFUSED(twill_wait(good), TWILL_ERR_CANCELED, "failed");
        REFUSED(twill_wait(s->good), TWILL_ERR_CANCELED, "failed");
        REFUSED(twill_wait(bad), TWILL_ERR_TASK, "planted");
        assert_int_equal(test_get(s->a, 0), i);
        OK(twill_dag_run(good));
        OK(twill_wait(good));
        assert_int_equal(test_get(s->a, 0), i + 1);
    }
    assert_int_equal(atomic_load(&s->ran), 0);
}

TEST(explicit_graphs_do_the_same)
{
    play(running);
}

/* ---- reductions and nested graphs --------------------------------------------------------------
 */

static void reducing(scene *s)
{
    for (int i = 0; i < 20; i++)
        OK(twill_insert(s->good, &add, TWILL_REDUCE(tile(s, 0), &test_plus)));
    OK(twill_insert(s->good, &add, TWILL_RW(tile(s, 0))));
    OK(twill_wait(s->good));
    assert_int_equal(test_get(s->a, 0), 21);

    for (int i = 0; i < 20; i++)
        (void)twill_insert(s->bad, i == 11 ? &test_planted : &add,
                           TWILL_REDUCE(tile(s, 0), &test_plus));
    REFUSED(twill_wait(s->bad), TWILL_ERR_TASK, "planted");
    OK(twill_insert(s->bad, &seven, TWILL_W(tile(s, 0))));
    OK(twill_insert(s->bad, &add, TWILL_REDUCE(tile(s, 0), &test_plus)));
    OK(twill_wait(s->bad));
    assert_int_equal(test_get(s->a, 0), 8);
}

TEST(reductions_can_fail)
{
    play(reducing);
}

/* Inside a task, spoil a tile that the task does not hold. */
static twill_outcome nest_body(twill_task *t)
{
    const scene *s = *(scene *const *)twill_task_data(t, 0);
    twill_graph *g;
    if (twill_nest(t, &g) != TWILL_OK ||
        twill_insert(g, &test_planted, TWILL_RW(tile(s, 1))) != TWILL_OK)
        return TWILL_ERROR;
    return twill_nest_end(g);
}

static const twill_class nest = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

/* Until the tasks are done, without asking what became of them. */
static void pass(scene *s)
{
    int64_t added, done;
    do {
        OK(twill_wait(s->good));
        twill_graph_progress(s->bad, &added, &done);
    } while (added != done);
}

static void nesting(scene *s)
{
    OK(twill_insert(s->bad, &nest, TWILL_VALUE(s), TWILL_RW(tile(s, 0))));
    if (twill_workers(s->tw) > 1) { /* somebody runs it while nobody waits for it */
        pass(s);
        unusable(s, 0);
        unusable(s, 1);
    }
    REFUSED(twill_wait(s->bad), TWILL_ERR_TASK, "in task nest: task bad failed: planted");
    assert_int_equal(test_get(s->a, 0) + test_get(s->a, 1), 0);
}

TEST(a_nested_failure_stays_until_the_report)
{
    play(nesting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(readers_do_not_run),
        LIMITED_TEST(it_spreads),
        LIMITED_TEST(whoever_overwrites_ends_it),
        LIMITED_TEST(a_report_ends_it),
        LIMITED_TEST(explicit_graphs_do_the_same),
        LIMITED_TEST(reductions_can_fail),
        LIMITED_TEST(a_nested_failure_stays_until_the_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
