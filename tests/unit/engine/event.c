/* Events: what a sink is told, worker by worker. */
#include "support/test.h"

#include "engine/engine.h"
#include "sched/sched.h"

#include <stdlib.h>

enum { WORKERS = 3, ROOM = 200000 };

/* A sink that keeps everything. Worker 0 stands for whichever thread waits, so it is locked. */
typedef struct keeper {
    tw_sink sink;
    tw_lock lock;
    int n;
    tw_event events[ROOM];
} keeper;

static keeper *kept;

static void keep(tw_sink *sink, const tw_event *event)
{
    keeper *k = (keeper *)sink;
    tw_lock_take(&k->lock);
    if (k->n < ROOM)
        k->events[k->n++] = *event;
    tw_unlock(&k->lock);
}

/* The sink must be there before the workers are: a scheduler's open is called just then. */
static twill_status open_with_sink(const twill_sched_env *env, void **state)
{
    tw_add_sink(env->engine, &kept->sink);
    return tw_sched_lws.open(env, state);
}

static twill *start(void)
{
    static twill_sched_ops watched;
    static const twill_sched_ops *const list[] = {&watched, NULL};
    watched = tw_sched_lws;
    watched.name = "watched";
    watched.open = open_with_sink;
    kept = calloc(1, sizeof *kept);
    assert_non_null(kept);
    kept->sink.take = keep;
    return test_start_with(
        (twill_options){.workers = WORKERS, .sched = "watched", .schedulers = list});
}

static int count_events(tw_event_kind kind)
{
    int n = 0;
    for (int i = 0; i < kept->n; i++)
        n += kept->events[i].kind == kind;
    return n;
}

/* Each worker begins and ends one body after the other, and sleeps between them, not inside. */
static void check_worker(int w)
{
    const void *inside = NULL;
    bool asleep = false;
    uint64_t last = 0;
    for (int i = 0; i < kept->n; i++) {
        const tw_event *e = &kept->events[i];
        if (e->worker != w || e->kind == TW_EVENT_WAIT || e->kind == TW_EVENT_GO)
            continue;
        assert_true(e->ticks >= last || e->ticks == 0);
        last = e->ticks ? e->ticks : last;
        if (e->kind == TW_EVENT_BEGIN) {
            assert_null(inside);
            assert_non_null(e->subject);
            inside = e->subject;
        } else if (e->kind == TW_EVENT_END) {
            assert_ptr_equal(inside, e->subject);
            inside = NULL;
        } else if (e->kind == TW_EVENT_SLEEP || e->kind == TW_EVENT_WAKE) {
            assert_null(inside);
            assert_int_equal(asleep, e->kind == TW_EVENT_WAKE);
            asleep = !asleep;
        }
        assert_true(!inside || !asleep);
    }
    assert_null(inside);
}

static twill_outcome fail_or_not(twill_task *t)
{
    return twill_task_int(t, 0) ? twill_task_fail(t, "asked to") : TWILL_DONE;
}

static const twill_class maybe = {
    .size = sizeof(twill_class), .name = "maybe", .chores = {TWILL_CPU(fail_or_not)}};

TEST(each_worker_begins_and_ends_its_tasks_in_pairs)
{
    enum { TASKS = 5000 };
    twill *tw = start();
    twill_graph *g;
    twill_array *a = test_integers(tw, 20);
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < TASKS; i++) {
        OK(twill_insert(g, &maybe, TWILL_INT(0), TWILL_RW(twill_tile_at(a, i % 20, 0))));
        if (i % 1000 == 0)
            OK(twill_wait(g));
    }
    OK(twill_wait(g));
    twill_stop(tw);
    for (int w = 0; w < WORKERS; w++)
        check_worker(w);
    assert_int_equal(count_events(TW_EVENT_BEGIN), TASKS);
    assert_int_equal(count_events(TW_EVENT_END), TASKS);
    assert_int_equal(count_events(TW_EVENT_WAIT), count_events(TW_EVENT_GO));
    free(kept);
}

TEST(the_end_tells_the_outcome)
{
    const int outcomes[] = {TWILL_DONE, TWILL_ERROR};
    for (int i = 0; i < COUNT(outcomes); i++) {
        twill *tw = start();
        twill_graph *g;
        OK(twill_stf_begin(tw, &g));
        OK(twill_insert(g, &maybe, TWILL_INT(i)));
        assert_int_equal(twill_wait(g), i ? TWILL_ERR_TASK : TWILL_OK);
        twill_stop(tw);
        for (int k = 0; k < kept->n; k++)
            if (kept->events[k].kind == TW_EVENT_END)
                assert_int_equal(kept->events[k].detail, outcomes[i]);
        assert_int_equal(count_events(TW_EVENT_END), 1);
        free(kept);
    }
}

TEST(a_wait_names_its_graph_and_a_theft_its_victim)
{
    twill *tw = start();
    twill_graph *g;
    twill_counters c = {.size = sizeof c};
    atomic_int done = 0, *count = &done;
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 3000; i++)
        OK(twill_insert(g, &test_count, TWILL_VALUE(count)));
    OK(twill_wait(g));
    twill_count(tw, &c);
    twill_stop(tw);
    int64_t stolen = 0;
    bool named = false;
    for (int i = 0; i < kept->n; i++) {
        const tw_event *e = &kept->events[i];
        if (e->kind == TW_EVENT_STEAL) {
            assert_in_range(e->peer, 0, WORKERS);
            assert_int_not_equal(e->peer, e->worker);
            stolen += e->detail;
        }
        named |= e->kind == TW_EVENT_WAIT && e->subject == g;
    }
    assert_true(named);
    assert_int_equal(stolen, c.stolen);
    free(kept);
}

TEST(tasks_that_are_skipped_do_not_begin)
{
    twill *tw = start();
    twill_graph *g;
    test_hold hold;
    atomic_int done = 0, *count = &done;
    twill_array *a = test_integers(tw, 1);
    OK(twill_stf_begin(tw, &g));
    test_hold_begin(&hold, g, "hold", TWILL_RW(twill_tile_at(a, 0, 0)));
    for (int i = 0; i < 10; i++)
        OK(twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_RW(twill_tile_at(a, 0, 0))));
    twill_cancel(g);
    test_hold_end(&hold);
    REFUSED(twill_wait(g), TWILL_ERR_CANCELED, "canceled");
    twill_stop(tw);
    assert_int_equal(count_events(TW_EVENT_BEGIN), 1);
    free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_worker_begins_and_ends_its_tasks_in_pairs),
        cmocka_unit_test(the_end_tells_the_outcome),
        cmocka_unit_test(a_wait_names_its_graph_and_a_theft_its_victim),
        cmocka_unit_test(tasks_that_are_skipped_do_not_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
