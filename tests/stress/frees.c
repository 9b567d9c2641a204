/* Arrays are freed as soon as nothing uses them, while the graphs that used them come to their
 * ends.
 *
 * TW_ROUNDS is the number of times. */
#include "support/limit.h"
#include "support/test.h"

#include <pthread.h>

enum { SECONDS = 60, ARRAYS = 300, TILES = 2000, FEW = 6 };

static int rounds(int wanted)
{
    return (int)limit_number("TW_ROUNDS", test_slow() ? wanted / 5 : wanted);
}

static twill_outcome touch_body(twill_task *t)
{
    ++*(int64_t *)twill_task_data(t, 0);
    return TWILL_DONE;
}

static const twill_class touch = {
    .size = sizeof(twill_class), .name = "touch", .chores = {TWILL_CPU(touch_body)}};

/* ---- nested graphs -------------------------------------------------------------------------- */

typedef struct house {
    twill_array *array[ARRAYS];
    atomic_int full;
} house;

static twill_outcome outer_body(twill_task *t)
{
    house *h = *(house **)twill_task_data(t, 0);
    twill_graph *g;
    if (twill_nest(t, &g) != TWILL_OK)
        return twill_task_fail(t, "%s", twill_message());
    for (int i = 0; i < ARRAYS; i++)
        twill_insert(g, &touch, TWILL_RW(twill_tile_at(h->array[i], 0, 0)));
    atomic_store(&h->full, 1);
    return twill_nest_end(g);
}

static const twill_class outer = {
    .size = sizeof(twill_class), .name = "outer", .chores = {TWILL_CPU(outer_body)}};

TEST(a_nested_graph_ends_while_its_arrays_are_freed)
{
    twill *tw = test_start(3, "lws");
    static house all;
    house *h = &all;
    limit_begin(tw, SECONDS, "freeing");
    for (int r = 0; r < rounds(200); r++) {
        twill_graph *g;
        atomic_store(&h->full, 0);
        for (int i = 0; i < ARRAYS; i++)
            h->array[i] = test_integers(tw, 1);
        OK(twill_stf_begin(tw, &g));
        OK(twill_insert(g, &outer, TWILL_VALUE(h)));
        while (!atomic_load(&h->full))
            sched_yield();
        for (int i = ARRAYS - 1; i >= 0; i--)
            twill_array_free(h->array[i]);
        OK(twill_wait(g));
        twill_graph_free(g);
    }
    twill_stop(tw);
    limit_end();
}

/* ---- failures ------------------------------------------------------------------------------- */

typedef struct wreck {
    twill_array *array[FEW];
    atomic_int inserted;
} wreck;

static void *clear_away(void *arg)
{
    wreck *w = arg;
    while (!atomic_load(&w->inserted))
        sched_yield();
    for (int i = FEW - 1; i >= 0; i--)
        twill_array_free(w->array[i]);
    return NULL;
}

/* The report lifts the poison from all tiles of all arrays that the graph has touched. */
TEST(a_failure_is_reported_while_its_arrays_are_freed)
{
    twill *tw = test_start(2, "lws");
    limit_begin(tw, SECONDS, "failing");
    for (int r = 0; r < rounds(100); r++) {
        wreck w = {.inserted = 0};
        twill_graph *g;
        pthread_t thread;
        for (int i = 0; i < FEW; i++) {
            w.array[i] = test_integers(tw, TILES);
            for (int k = 0; k < TILES; k++)
                twill_tile_at(w.array[i], k, 0);
        }
        OK(twill_stf_begin(tw, &g));
        assert_int_equal(pthread_create(&thread, NULL, clear_away, &w), 0);
        for (int i = 0; i < FEW; i++)
            OK(twill_insert(g, i < FEW - 1 ? &touch : &test_planted,
                            TWILL_RW(twill_tile_at(w.array[i], 0, 0))));
        atomic_store(&w.inserted, 1);
        REFUSED(twill_wait(g), TWILL_ERR_TASK, "planted");
        pthread_join(thread, NULL);
        twill_graph_free(g);
    }
    twill_stop(tw);
    limit_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(a_nested_graph_ends_while_its_arrays_are_freed),
        LIMITED_TEST(a_failure_is_reported_while_its_arrays_are_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
