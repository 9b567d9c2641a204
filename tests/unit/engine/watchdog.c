/* The watchdog: a planted stall is reported, with who waits for what and who has it. */
#include "support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 8192 };

/* What the watchdog said, and how often. */
typedef struct listener {
    pthread_mutex_t mutex;
    char text[TEXT];
    atomic_int times;
} listener;

static void listen(void *arg, const char *text)
{
    listener *l = arg;
    pthread_mutex_lock(&l->mutex);
    snprintf(l->text, sizeof l->text, "%s", text);
    pthread_mutex_unlock(&l->mutex);
    atomic_fetch_add(&l->times, 1);
}

static twill *start(listener *l)
{
    *l = (listener){.mutex = PTHREAD_MUTEX_INITIALIZER};
    return test_start_with(
        (twill_options){.workers = 3, .watchdog = 0.1, .report = listen, .report_arg = l});
}

/* The text of the report, once there is one. */
static void wait_for_report(listener *l, char *copy)
{
    REACHES(&l->times, 1);
    pthread_mutex_lock(&l->mutex);
    memcpy(copy, l->text, TEXT);
    pthread_mutex_unlock(&l->mutex);
}

/* ---- reports -------------------------------------------------------------------------------- */

TEST(a_stall_is_reported_with_task_tile_and_holder)
{
    listener l;
    char text[TEXT];
    twill *tw = start(&l);
    twill_graph *g;
    test_hold hold;
    atomic_int ran = 0, *count = &ran;
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 8, 8, 2);
    OK(twill_stf_begin(tw, &g));
    test_hold_begin(&hold, g, "the holder", TWILL_RW(twill_tile_at(a, 1, 2)));
    OK(twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_R(twill_tile_at(a, 1, 2)),
                    TWILL_RW(twill_tile_at(a, 3, 0)), TWILL_NAME("the blocked")));
    OK(twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_RW(twill_tile_at(a, 3, 0)),
                    TWILL_NAME("behind it")));
    wait_for_report(&l, text);
    CONTAINS(text, "the blocked");
    CONTAINS(text, "tile (1, 2)");
    CONTAINS(text, "held by the holder");
    CONTAINS(text, "behind it");
    CONTAINS(text, "tile (3, 0)");
    CONTAINS(text, "held by the blocked");
    CONTAINS(text, "3 of 3 tasks are not done");
    test_hold_end(&hold);
    OK(twill_wait(g));
    twill_stop(tw);
    assert_int_equal(atomic_load(&ran), 2);
}

TEST(a_stall_is_reported_once_and_the_next_one_again)
{
    listener l;
    twill *tw = start(&l);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    for (int i = 1; i <= 2; i++) {
        test_hold hold;
        test_hold_begin(&hold, g, "hold", TWILL_INT(0));
        REACHES(&l.times, i);
        test_sleep_ms(300);
        assert_int_equal(atomic_load(&l.times), i);
        test_hold_end(&hold);
        OK(twill_wait(g));
    }
    twill_stop(tw);
}

TEST(an_idle_context_is_not_a_stall)
{
    listener l;
    twill *tw = start(&l);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    test_sleep_ms(400);
    OK(twill_wait(g));
    twill_stop(tw);
    assert_int_equal(atomic_load(&l.times), 0);
}

static twill_outcome slow_body(twill_task *t)
{
    (void)t;
    test_sleep_ms(40);
    return TWILL_DONE;
}

TEST(slow_progress_is_not_a_stall)
{
    static const twill_class slow = {
        .size = sizeof(twill_class), .name = "slow", .chores = {TWILL_CPU(slow_body)}};
    listener l;
    l = (listener){.mutex = PTHREAD_MUTEX_INITIALIZER};
    twill *tw = test_start_with(
        (twill_options){.workers = 2, .watchdog = 1.0, .report = listen, .report_arg = &l});
    twill_graph *g;
    twill_array *a = test_integers(tw, 1);
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 40; i++)
        OK(twill_insert(g, &slow, TWILL_RW(twill_tile_at(a, 0, 0))));
    OK(twill_wait(g));
    twill_stop(tw);
    assert_int_equal(atomic_load(&l.times), 0);
}

static twill_outcome stubborn_body(twill_task *t)
{
    return atomic_load(*(atomic_int *const *)twill_task_data(t, 0)) ? TWILL_DONE : TWILL_AGAIN;
}

/* It is run again and again, but no task has ended. */
TEST(a_task_that_asks_again_for_ever_is_a_stall)
{
    static const twill_class stubborn = {
        .size = sizeof(twill_class), .name = "stubborn", .chores = {TWILL_CPU(stubborn_body)}};
    listener l;
    twill *tw = start(&l);
    twill_graph *g;
    atomic_int free = 0, *gate = &free;
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &stubborn, TWILL_VALUE(gate)));
    test_sleep_ms(600);
    atomic_store(&free, 1);
    OK(twill_wait(g));
    twill_stop(tw);
    assert_int_equal(atomic_load(&l.times), 1);
    CONTAINS(l.text, "stubborn");
}

/* ---- twill_describe ------------------------------------------------------------------------- */

static void describe(twill *tw, char *text)
{
    size_t needed = twill_describe(tw, text, TEXT);
    assert_true(needed < TEXT);
    assert_int_equal(strlen(text), needed);
}

TEST(a_description_is_cut_to_its_room_and_says_what_it_needs)
{
    listener l;
    char text[TEXT], part[10];
    twill *tw = start(&l);
    twill_graph *g;
    test_hold hold;
    describe(tw, text);
    assert_string_equal(text, "");
    OK(twill_stf_begin(tw, &g));
    test_hold_begin(&hold, g, "hold", TWILL_INT(0));
    describe(tw, text);
    CONTAINS(text, "hold");
    assert_int_equal(twill_describe(tw, part, sizeof part), strlen(text));
    assert_int_equal(strlen(part), sizeof part - 1);
    assert_memory_equal(part, text, sizeof part - 1);
    assert_int_equal(twill_describe(tw, NULL, 0), strlen(text));
    test_hold_end(&hold);
    twill_stop(tw);
}

TEST(a_host_access_that_holds_a_tile_is_described)
{
    listener l;
    char text[TEXT];
    void *data;
    int64_t ld;
    twill *tw = start(&l);
    twill_graph *g;
    atomic_int ran = 0, *count = &ran;
    twill_array *a = test_integers(tw, 2);
    twill_view v = twill_view_tile(a, 1, 0);
    OK(twill_stf_begin(tw, &g));
    OK(twill_map(v, TWILL_WRITE, &data, &ld));
    OK(twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_R(twill_tile_at(a, 1, 0)),
                    TWILL_NAME("reader")));
    describe(tw, text);
    CONTAINS(text, "host access holds 1 tiles");
    CONTAINS(text, "reader");
    CONTAINS(text, "held by host access");
    OK(twill_unmap(v, data));
    twill_stop(tw);
}

/* A task behind another in some way, and what the description must contain. */
typedef struct blockade {
    bool large, commutes, by_edges;
} blockade;

static void check_blockade(const blockade *b)
{
    static const char bulk[4000];
    listener l;
    char text[TEXT];
    twill *tw = start(&l);
    twill_graph *g, *dag;
    test_hold hold, *arg = &hold;
    atomic_int ran = 0, *count = &ran;
    int64_t node;
    twill_array *a = test_integers(tw, 2);
    twill_tile *tile = twill_tile_at(a, 1, 0);
    OK(twill_stf_begin(tw, &g));
    OK(twill_dag_begin(tw, &dag));
    twill_arg data = b->commutes ? TWILL_COMMUTE(tile) : TWILL_RW(tile);
    if (b->by_edges) {
        atomic_store(&hold.task, NULL);
        OK(twill_dag_add(dag, &node, &test_hold_class, TWILL_VALUE(arg), data,
                         TWILL_NAME("holder")));
        OK(twill_dag_run(dag));
        for (int i = 0; i < 10000 && !atomic_load(&hold.task); i++)
            test_sleep_ms(1);
        assert_non_null(atomic_load(&hold.task));
    } else {
        test_hold_begin(&hold, g, "holder", data);
    }
    OK(twill_insert(g, &test_count, TWILL_VALUE(count), data,
                    TWILL_COPY(bulk, b->large ? sizeof bulk : 1), TWILL_NAME("blocked")));
    describe(tw, text);
    test_hold_end(&hold);
    twill_stop(tw);
    CONTAINS(text, "holder");
    CONTAINS(text, "blocked");
    CONTAINS(text, "tile (1, 0)");
}

TEST(a_task_with_large_values_is_described)
{
    check_blockade(&(blockade){.large = true});
}

TEST(a_task_that_waits_for_its_turn_to_commute_is_described)
{
    check_blockade(&(blockade){.commutes = true});
}

TEST(a_task_of_an_explicit_graph_is_described)
{
    check_blockade(&(blockade){.by_edges = true});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stall_is_reported_with_task_tile_and_holder),
        cmocka_unit_test(a_stall_is_reported_once_and_the_next_one_again),
        cmocka_unit_test(an_idle_context_is_not_a_stall),
        cmocka_unit_test(slow_progress_is_not_a_stall),
        cmocka_unit_test(a_task_that_asks_again_for_ever_is_a_stall),
        cmocka_unit_test(a_description_is_cut_to_its_room_and_says_what_it_needs),
        cmocka_unit_test(a_host_access_that_holds_a_tile_is_described),
        cmocka_unit_test(a_task_with_large_values_is_described),
        cmocka_unit_test(a_task_that_waits_for_its_turn_to_commute_is_described),
        cmocka_unit_test(a_task_of_an_explicit_graph_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
