/* What bodies of parameterised graphs see: values travel from task to task, writers get their own
 * bytes while others read, memory changes when nobody reads it any more. */
#include "support/test.h"

#include "data/array.h"

#include <string.h>

enum { READERS = 100 };

typedef struct globals {
    twill_array *a, *b;
    int64_t readers;
    atomic_int *done, *wrong, *held;
    const twill_datatype *type;
} globals;

/* ---- one writer among readers ---------------------------------------------------------------
 *
 *   FIRST()   READ x <- A(0)   -> x LOOK(0 .. readers-1)  -> x CHANGE()
 *   LOOK(i)   READ x           the body expects 1, however late it runs
 *   CHANGE()  RW x  -> A(0)    the body makes 2 of it
 */
enum { FIRST, LOOK, CHANGE };

static int64_t no_inputs(const void *globals_, const int64_t *p)
{
    (void)globals_, (void)p;
    return 0;
}

static int64_t one_input(const void *globals_, const int64_t *p)
{
    (void)globals_, (void)p;
    return 1;
}

static bool start_one(const void *globals_, int64_t *p, bool first)
{
    (void)globals_, (void)p;
    return first;
}

static void take_first_tile(twill_ptg_inputs *in, const void *globals_, const int64_t *p)
{
    (void)p;
    twill_ptg_memory(in, 0, twill_tile_at(((const globals *)globals_)->a, 0, 0));
}

static void first_release(twill_ptg_outputs *out, const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    (void)p;
    twill_ptg_output(out, 0);
    twill_ptg_send(out, CHANGE, 0, NULL);
    for (int64_t i = 0; i < g->readers; i++)
        twill_ptg_send(out, LOOK, 0, &i);
}

static twill_outcome nothing(twill_task *t, const void *globals_, const int64_t *p,
                             const twill_flow *flow)
{
    (void)t, (void)globals_, (void)p, (void)flow;
    return TWILL_DONE;
}

static twill_outcome look(twill_task *t, const void *globals_, const int64_t *p,
                          const twill_flow *flow)
{
    const globals *g = globals_;
    (void)t, (void)p;
    test_sleep_ms(g->readers < 10 ? 20 : 0); /* let CHANGE come first */
    if (*(const int64_t *)flow[0].data != 1)
        atomic_fetch_add(g->wrong, 1);
    atomic_fetch_add(g->done, 1);
    return TWILL_DONE;
}

static twill_outcome change(twill_task *t, const void *globals_, const int64_t *p,
                            const twill_flow *flow)
{
    const globals *g = globals_;
    (void)t, (void)p;
    if (*(int64_t *)flow[0].data != 1 || flow[0].rows != 1 || flow[0].cols != 1)
        atomic_fetch_add(g->wrong, 1);
    *(int64_t *)flow[0].data = 2;
    return TWILL_DONE;
}

static void store_first_tile(twill_ptg_outputs *out, const void *globals_, const int64_t *p)
{
    (void)p;
    twill_ptg_output(out, 0);
    twill_ptg_store(out, twill_tile_at(((const globals *)globals_)->a, 0, 0), NULL);
}

static const char *const i_only[] = {"i"};
static const twill_ptg_flow reads_x[] = {{.name = "x", .mode = TWILL_FLOW_READ}};
static const twill_ptg_flow changes_x[] = {{.name = "x", .mode = TWILL_FLOW_READ_WRITE}};

static const twill_ptg_class first_class = {.size = sizeof(twill_ptg_class),
                                            .name = "FIRST",
                                            .flows = 1,
                                            .flow = reads_x,
                                            .inputs = no_inputs,
                                            .startup = start_one,
                                            .bind = take_first_tile,
                                            .release = first_release,
                                            .chores = {TWILL_CPU(nothing)}};
static const twill_ptg_class look_class = {.size = sizeof(twill_ptg_class),
                                           .name = "LOOK",
                                           .parameters = 1,
                                           .flows = 1,
                                           .parameter = i_only,
                                           .flow = reads_x,
                                           .inputs = one_input,
                                           .chores = {TWILL_CPU(look)}};
static const twill_ptg_class change_class = {.size = sizeof(twill_ptg_class),
                                             .name = "CHANGE",
                                             .flows = 1,
                                             .flow = changes_x,
                                             .inputs = one_input,
                                             .release = store_first_tile,
                                             .chores = {TWILL_CPU(change)}};

static const twill_ptg_collection uses_a[] = {
    {.name = "A", .offset = offsetof(globals, a), .access = TWILL_READ_WRITE}};

static const twill_ptg_graph one_writer = {
    .size = sizeof(twill_ptg_graph),
    .name = "one_writer",
    .classes = 3,
    .collections = 1,
    .cls = (const twill_ptg_class *const[]){&first_class, &look_class, &change_class},
    .collection = uses_a};

static void run_one_writer(twill *tw, int64_t readers)
{
    atomic_int done = 0, wrong = 0;
    globals g = {.a = test_integers(tw, 1), .readers = readers, .done = &done, .wrong = &wrong};
    twill_graph *graph;
    OK(twill_ptg_new(tw, &one_writer, &g, sizeof g, &graph));
    for (int run = 0; run < 3; run++) {
        void *x;
        int64_t ld;
        OK(twill_map(twill_view_all(g.a), TWILL_WRITE, &x, &ld));
        *(int64_t *)x = 1;
        OK(twill_unmap(twill_view_all(g.a), x));
        OK(twill_ptg_run(graph));
        OK(twill_wait(graph));
        assert_int_equal(test_get(g.a, 0), 2);
    }
    assert_int_equal(done, 3 * readers);
    assert_int_equal(wrong, 0);
    twill_graph_free(graph);
    twill_array_free(g.a);
}

TEST(a_writer_does_not_disturb_readers_of_the_same_value)
{
    for (int i = 0; i < test_nsetups; i++) {
        twill *tw = test_start(test_setups[i].workers, test_setups[i].sched);
        run_one_writer(tw, 0);
        run_one_writer(tw, 2);
        run_one_writer(tw, READERS);
        twill_stop(tw);
    }
}

static twill_outcome add_body(twill_task *t)
{
    test_sleep_ms(5);
    *(int64_t *)twill_task_data(t, 0) += twill_task_int(t, 1);
    return TWILL_DONE;
}

static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

/* ---- an array that is only read --------------------------------------------------------------
 *
 * The same, but CHANGE stores to B(0). */
static void store_elsewhere(twill_ptg_outputs *out, const void *globals_, const int64_t *p)
{
    (void)p;
    twill_ptg_output(out, 0);
    twill_ptg_store(out, twill_tile_at(((const globals *)globals_)->b, 0, 0), NULL);
}

static const twill_ptg_class elsewhere_class = {.size = sizeof(twill_ptg_class),
                                                .name = "CHANGE",
                                                .flows = 1,
                                                .flow = changes_x,
                                                .inputs = one_input,
                                                .release = store_elsewhere,
                                                .chores = {TWILL_CPU(change)}};

static const twill_ptg_graph from_a_to_b = {
    .size = sizeof(twill_ptg_graph),
    .name = "from_a_to_b",
    .classes = 3,
    .collections = 2,
    .cls = (const twill_ptg_class *const[]){&first_class, &look_class, &elsewhere_class},
    .collection = (const twill_ptg_collection[]){
        {.name = "A", .offset = offsetof(globals, a), .access = TWILL_READ},
        {.name = "B", .offset = offsetof(globals, b), .access = TWILL_WRITE}}};

TEST(an_array_that_is_only_read_stays_as_it_is)
{
    twill *tw = test_start(2, "lws");
    atomic_int done = 0, wrong = 0;
    globals g = {.a = test_integers(tw, 1), .done = &done, .wrong = &wrong};
    g.b = test_integers(tw, 1);
    twill_graph *stf, *graph;
    OK(twill_stf_begin(tw, &stf));
    OK(twill_insert(stf, &add, TWILL_RW(twill_tile_at(g.a, 0, 0)), TWILL_INT(1)));
    OK(twill_ptg_new(tw, &from_a_to_b, &g, sizeof g, &graph));
    OK(twill_ptg_run(graph));
    OK(twill_wait(graph));
    OK(twill_wait(stf));
    assert_int_equal(test_get(g.a, 0), 1);
    assert_int_equal(test_get(g.b, 0), 2);
    assert_int_equal(wrong, 0);
    twill_graph_free(graph);
    twill_graph_free(stf);
    twill_stop(tw);
}

/* ---- what memory keeps ------------------------------------------------------------------------
 *
 * FIRST, or the same with RW x and a store to A(0), sends its value to CHANGE, which stores
 * nothing. */
static const twill_ptg_class changes_nothing = {.size = sizeof(twill_ptg_class),
                                                .name = "CHANGE",
                                                .flows = 1,
                                                .flow = changes_x,
                                                .inputs = one_input,
                                                .chores = {TWILL_CPU(change)}};

static void store_and_send(twill_ptg_outputs *out, const void *globals_, const int64_t *p)
{
    store_first_tile(out, globals_, p);
    twill_ptg_send(out, CHANGE, 0, NULL);
}

static const twill_ptg_class storing_class = {.size = sizeof(twill_ptg_class),
                                              .name = "FIRST",
                                              .flows = 1,
                                              .flow = changes_x,
                                              .inputs = no_inputs,
                                              .startup = start_one,
                                              .bind = take_first_tile,
                                              .release = store_and_send,
                                              .chores = {TWILL_CPU(nothing)}};

static const twill_ptg_graph keeping[] = {
    {.size = sizeof(twill_ptg_graph),
     .name = "reads",
     .classes = 3,
     .collections = 1,
     .cls = (const twill_ptg_class *const[]){&first_class, &look_class, &changes_nothing},
     .collection = uses_a},
    {.size = sizeof(twill_ptg_graph),
     .name = "stores",
     .classes = 3,
     .collections = 1,
     .cls = (const twill_ptg_class *const[]){&storing_class, &look_class, &changes_nothing},
     .collection = uses_a},
};

TEST(memory_keeps_what_was_read_or_stored_when_the_value_changes)
{
    twill *tw = test_start(2, "lws");
    for (int i = 0; i < COUNT(keeping); i++) {
        atomic_int done = 0, wrong = 0;
        globals g = {.a = test_integers(tw, 1), .done = &done, .wrong = &wrong};
        twill_graph *stf, *graph;
        OK(twill_stf_begin(tw, &stf));
        OK(twill_insert(stf, &add, TWILL_RW(twill_tile_at(g.a, 0, 0)), TWILL_INT(1)));
        OK(twill_ptg_new(tw, &keeping[i], &g, sizeof g, &graph));
        for (int run = 0; run < 2; run++) {
            OK(twill_ptg_run(graph));
            OK(twill_wait(graph));
            assert_int_equal(test_get(g.a, 0), 1);
        }
        OK(twill_wait(stf));
        assert_int_equal(wrong, 0);
        twill_graph_free(graph);
        twill_graph_free(stf);
        twill_array_free(g.a);
    }
    twill_stop(tw);
}

/* ---- composition with insertion -------------------------------------------------------------- */

TEST(a_graph_takes_its_turn_among_inserted_tasks)
{
    twill *tw = test_start(3, "lws");
    atomic_int done = 0, wrong = 0;
    globals g = {.a = test_integers(tw, 1), .readers = 1, .done = &done, .wrong = &wrong};
    twill_graph *stf, *graph;
    OK(twill_stf_begin(tw, &stf));
    OK(twill_ptg_new(tw, &one_writer, &g, sizeof g, &graph));
    OK(twill_insert(stf, &add, TWILL_RW(twill_tile_at(g.a, 0, 0)), TWILL_INT(1)));
    OK(twill_ptg_run(graph)); /* must see 1, and leaves 2 */
    OK(twill_insert(stf, &add, TWILL_RW(twill_tile_at(g.a, 0, 0)), TWILL_INT(40)));
    OK(twill_wait(stf));
    OK(twill_wait(graph));
    assert_int_equal(wrong, 0);
    assert_int_equal(test_get(g.a, 0), 42);
    twill_graph_free(graph);
    twill_graph_free(stf);
    twill_array_free(g.a);
    twill_stop(tw);
}

TEST(a_graph_does_not_read_what_a_failed_one_left)
{
    twill *tw = test_start(2, "lws");
    atomic_int done = 0, wrong = 0;
    globals g = {.a = test_integers(tw, 1), .readers = 1, .done = &done, .wrong = &wrong};
    twill_graph *stf, *graph;
    OK(twill_stf_begin(tw, &stf));
    OK(twill_ptg_new(tw, &one_writer, &g, sizeof g, &graph));
    OK(twill_insert(stf, &test_planted, TWILL_RW(twill_tile_at(g.a, 0, 0))));
    OK(twill_ptg_run(graph));
    REFUSED(twill_wait(graph), TWILL_ERR_CANCELED, "failed");
    REFUSED(twill_wait(stf), TWILL_ERR_TASK, "planted");
    assert_int_equal(done, 0);
    twill_graph_free(graph);
    twill_graph_free(stf);
    twill_array_free(g.a);
    twill_stop(tw);
}

/* ---- fresh buffers and regions --------------------------------------------------------------
 *
 *   MAKE()  WRITE x <- NEW [type]  -> A(0) [type]    the body fills x with 7
 */
static void take_fresh(twill_ptg_inputs *in, const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    (void)p;
    twill_ptg_fresh(in, 0, g->type, g->type ? g->a : NULL);
}

static void store_region(twill_ptg_outputs *out, const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    (void)p;
    twill_ptg_output(out, 0);
    twill_ptg_store(out, twill_tile_at(g->a, 0, 0), g->type);
}

static twill_outcome fill(twill_task *t, const void *globals_, const int64_t *p,
                          const twill_flow *flow)
{
    (void)t, (void)globals_, (void)p;
    for (int64_t j = 0; j < flow[0].cols; j++)
        for (int64_t i = 0; i < flow[0].rows; i++)
            ((double *)flow[0].data)[i + j * flow[0].ld] = 7;
    return TWILL_DONE;
}

static const twill_ptg_class make_class = {
    .size = sizeof(twill_ptg_class),
    .name = "MAKE",
    .flows = 1,
    .flow = (const twill_ptg_flow[]){{.name = "x", .mode = TWILL_FLOW_WRITE}},
    .inputs = no_inputs,
    .startup = start_one,
    .bind = take_fresh,
    .release = store_region,
    .chores = {TWILL_CPU(fill)}};

static const twill_ptg_graph make_graph = {.size = sizeof(twill_ptg_graph),
                                           .name = "make",
                                           .classes = 1,
                                           .collections = 1,
                                           .cls = (const twill_ptg_class *const[]){&make_class},
                                           .collection = uses_a};

TEST(a_store_changes_its_region_only)
{
    twill *tw = test_start(2, "lws");
    for (int region = TWILL_REGION_FULL; region <= TWILL_REGION_UPPER; region++) {
        twill_datatype type = {.size = sizeof(twill_datatype), .region = (twill_region)region};
        globals g = {.a = test_matrix(tw, TWILL_FLOAT64, 5, 5, 5), .type = &type};
        twill_graph *graph;
        OK(twill_ptg_new(tw, &make_graph, &g, sizeof g, &graph));
        OK(twill_ptg_run(graph));
        OK(twill_wait(graph));
        void *x;
        int64_t ld;
        OK(twill_map(twill_view_all(g.a), TWILL_READ, &x, &ld));
        for (int64_t j = 0; j < 5; j++)
            for (int64_t i = 0; i < 5; i++) {
                bool inside = region == TWILL_REGION_FULL || i == j ||
                              (region == TWILL_REGION_LOWER) == (i > j);
                assert_true(((double *)x)[i + j * ld] == (inside ? 7 : 0));
            }
        OK(twill_unmap(twill_view_all(g.a), x));
        twill_graph_free(graph);
        twill_array_free(g.a);
    }
    twill_stop(tw);
}

TEST(a_fresh_buffer_of_unknown_size_is_refused)
{
    twill *tw = test_start(2, "lws");
    globals g = {.a = test_matrix(tw, TWILL_FLOAT64, 5, 5, 5)};
    twill_graph *graph;
    OK(twill_ptg_new(tw, &make_graph, &g, sizeof g, &graph));
    OK(twill_ptg_run(graph));
    REFUSED(twill_wait(graph), TWILL_ERR_ARGUMENT, "flow x of MAKE(): the size of its NEW buffer");
    twill_graph_free(graph);
    twill_array_free(g.a);
    twill_stop(tw);
}

/* ---- letting go ------------------------------------------------------------------------- */

/* How many hold the tile when the task tells others that it is done. */
static void note_holders(twill_ptg_outputs *out, const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    const twill_tile *tile = twill_tile_at(g->a, 0, 0);
    (void)out, (void)p;
    atomic_store(g->held, tw_readers(atomic_load(&tile->value.refs)));
}

static int holders_when_told(twill *tw, uint32_t ends)
{
    atomic_int held = -1;
    globals g = {.a = test_integers(tw, 1), .held = &held};
    const twill_ptg_class reader = {.size = sizeof(twill_ptg_class),
                                    .name = "READER",
                                    .flows = 1,
                                    .flow = reads_x,
                                    .ends = ends,
                                    .inputs = no_inputs,
                                    .startup = start_one,
                                    .bind = take_first_tile,
                                    .release = note_holders,
                                    .chores = {TWILL_CPU(nothing)}};
    const twill_ptg_graph one_reader = {.size = sizeof(twill_ptg_graph),
                                        .name = "one_reader",
                                        .classes = 1,
                                        .collections = 1,
                                        .cls = (const twill_ptg_class *const[]){&reader},
                                        .collection = uses_a};
    twill_graph *graph;
    OK(twill_ptg_new(tw, &one_reader, &g, sizeof g, &graph));
    OK(twill_ptg_run(graph));
    OK(twill_wait(graph));
    twill_graph_free(graph);
    twill_array_free(g.a);
    return held;
}

TEST(what_ends_is_free_when_others_hear_of_it)
{
    twill *tw = test_start(2, NULL);
    assert_int_equal(holders_when_told(tw, 0), 1);
    assert_int_equal(holders_when_told(tw, 1), 0);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_writer_does_not_disturb_readers_of_the_same_value),
        cmocka_unit_test(an_array_that_is_only_read_stays_as_it_is),
        cmocka_unit_test(memory_keeps_what_was_read_or_stored_when_the_value_changes),
        cmocka_unit_test(a_graph_takes_its_turn_among_inserted_tasks),
        cmocka_unit_test(a_graph_does_not_read_what_a_failed_one_left),
        cmocka_unit_test(a_store_changes_its_region_only),
        cmocka_unit_test(a_fresh_buffer_of_unknown_size_is_refused),
        cmocka_unit_test(what_ends_is_free_when_others_hear_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
