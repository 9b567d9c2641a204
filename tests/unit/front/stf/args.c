/* Arguments: what was given is what the body gets. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a body noticed; the test looks at it after the wait. */
typedef struct notes {
    atomic_int wrong;
    char what[100];
} notes;

static void expect(notes *n, bool right, const char *what)
{
    if (!right && !atomic_fetch_add(&n->wrong, 1))
        snprintf(n->what, sizeof n->what, "%s", what);
}
#define EXPECT(n, condition) expect((n), (condition), #condition)

static notes *notes_of(const twill_task *t, int arg)
{
    return *(notes *const *)twill_task_data(t, arg);
}

static void check_notes(const notes *n)
{
    if (atomic_load(&n->wrong))
        fail_msg("in the body: %s", n->what);
}

/* Insert one task and wait for it, under several schedulers. */
static void run_everywhere(const twill_class *cls, void (*insert)(twill *tw, twill_graph *g,
                                                                  const twill_class *cls, notes *n))
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        notes n = {0};
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 20; i++)
            insert(tw, g, cls, &n);
        OK(twill_wait(g));
        check_notes(&n);
        twill_counters c = {.size = sizeof c};
        twill_count(tw, &c);
        assert_int_equal(c.executed, 20);
        twill_stop(tw);
    }
}

/* ---- numbers and values --------------------------------------------------------------------- */

static twill_outcome plain_body(twill_task *t)
{
    notes *n = notes_of(t, 0);
    EXPECT(n, twill_task_int(t, 1) == INT64_MIN);
    EXPECT(n, twill_task_real(t, 2) == 0.1);
    EXPECT(n, !strcmp(twill_task_data(t, 3), "a string"));
    EXPECT(n, twill_task_int(t, 4) == -7);
    /* another kind, and no such argument */
    EXPECT(n, twill_task_int(t, 2) == 0 && twill_task_real(t, 1) == 0.0);
    EXPECT(n, twill_task_data(t, 1) == NULL && twill_task_data(t, 2) == NULL);
    EXPECT(n, twill_task_data(t, 5) == NULL && twill_task_data(t, -1) == NULL);
    EXPECT(n, twill_task_ld(t, 1) == 0 && twill_task_rows(t, 9) == 0 && twill_task_cols(t, 0) == 0);
    EXPECT(n, twill_task_array(t, 0) == NULL && twill_task_int(t, 99) == 0);
    EXPECT(n, !strcmp(twill_task_name(t), "named"));
    EXPECT(n, twill_task_worker(t) >= 0 && twill_task_worker(t) < 8);
    return TWILL_DONE;
}

/* Hints stand between the arguments and are not counted. */
static void insert_plain(twill *tw, twill_graph *g, const twill_class *cls, notes *n)
{
    char text[] = "a string";
    (void)tw;
    OK(twill_insert(g, cls, TWILL_PRIORITY(1), TWILL_VALUE(n), TWILL_INT(INT64_MIN),
                    TWILL_NAME("named"), TWILL_REAL(0.1), TWILL_VALUE(text), TWILL_CPU_ONLY,
                    TWILL_COST(1e9, 1e6), TWILL_INT(-7), TWILL_WORKER(0)));
    memset(text, 'x', sizeof text); /* it was copied */
}

TEST(numbers_and_values_arrive_as_given)
{
    static const twill_class plain = {
        .size = sizeof(twill_class), .name = "plain", .chores = {TWILL_CPU(plain_body)}};
    run_everywhere(&plain, insert_plain);
}

/* Sizes around what fits into a pooled task, and some that are larger. */
static const size_t sizes[] = {0, 1, 15, 16, 17, 800, 900, 1000, 1024, 1025, 5000, 1000000};

static twill_outcome sizes_body(twill_task *t)
{
    notes *n = notes_of(t, 0);
    for (int i = 0; i < COUNT(sizes); i++) {
        const unsigned char *data = twill_task_data(t, 1 + i);
        EXPECT(n, data != NULL || sizes[i] == 0);
        EXPECT(n, (uintptr_t)data % 16 == 0);
        for (size_t k = 0; k < sizes[i]; k++)
            EXPECT(n, data[k] == (unsigned char)(k * 7 + sizes[i]));
    }
    return TWILL_DONE;
}

static void insert_sizes(twill *tw, twill_graph *g, const twill_class *cls, notes *n)
{
    twill_arg args[2 + COUNT(sizes)] = {TWILL_VALUE(n)};
    unsigned char *bytes[COUNT(sizes)];
    (void)tw;
    for (int i = 0; i < COUNT(sizes); i++) {
        bytes[i] = malloc(sizes[i] + 1);
        for (size_t k = 0; k < sizes[i]; k++)
            bytes[i][k] = (unsigned char)(k * 7 + sizes[i]);
        args[1 + i] = TWILL_COPY(sizes[i] ? bytes[i] : NULL, sizes[i]);
    }
    args[1 + COUNT(sizes)] = TWILL_END;
    OK(twill_insert_args(g, cls, args));
    for (int i = 0; i < COUNT(sizes); i++)
        free(bytes[i]);
}

TEST(values_of_any_size_are_copied)
{
    static const twill_class all_sizes = {
        .size = sizeof(twill_class), .name = "sizes", .chores = {TWILL_CPU(sizes_body)}};
    run_everywhere(&all_sizes, insert_sizes);
}

/* One at a time as well, so that each is what decides where the task comes from. */
static twill_outcome one_size_body(twill_task *t)
{
    notes *n = notes_of(t, 0);
    const char *data = twill_task_data(t, 1);
    int64_t size = twill_task_int(t, 2);
    for (int64_t k = 0; k < size; k++)
        EXPECT(n, data[k] == 'y');
    return TWILL_DONE;
}

TEST(tasks_of_every_size_come_and_go)
{
    enum { LARGEST = 1200 };
    static const twill_class one_size = {
        .size = sizeof(twill_class), .name = "one size", .chores = {TWILL_CPU(one_size_body)}};
    char bytes[LARGEST];
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    notes n = {0}, *arg = &n;
    memset(bytes, 'y', sizeof bytes);
    OK(twill_stf_begin(tw, &g));
    for (int round = 0; round < 3; round++)
        for (size_t size = 0; size <= LARGEST; size++)
            OK(twill_insert(g, &one_size, TWILL_VALUE(arg), TWILL_COPY(bytes, size),
                            TWILL_INT((int64_t)size)));
    OK(twill_wait(g));
    check_notes(&n);
    twill_stop(tw);
}

/* ---- scratch -------------------------------------------------------------------------------- */

static twill_outcome scratch_body(twill_task *t)
{
    notes *n = notes_of(t, 0);
    char *a = twill_task_data(t, 1), *b = twill_task_data(t, 3);
    EXPECT(n, a && b && (uintptr_t)a % 64 == 0 && (uintptr_t)b % 64 == 0);
    EXPECT(n, a + 1000 <= b || b + 70000 <= a);
    EXPECT(n, twill_task_int(t, 2) == 5);
    memset(a, 1, 1000);
    memset(b, 2, 70000);
    EXPECT(n, a[0] == 1 && a[999] == 1 && b[0] == 2 && b[69999] == 2);
    return TWILL_DONE;
}

static void insert_scratch(twill *tw, twill_graph *g, const twill_class *cls, notes *n)
{
    (void)tw;
    OK(twill_insert(g, cls, TWILL_VALUE(n), TWILL_SCRATCH(1000), TWILL_INT(5), TWILL_SCRATCH(70000),
                    TWILL_SCRATCH(0)));
}

TEST(scratch_is_aligned_and_apart)
{
    static const twill_class scratch = {
        .size = sizeof(twill_class), .name = "scratch", .chores = {TWILL_CPU(scratch_body)}};
    run_everywhere(&scratch, insert_scratch);
}

static twill_outcome nothing_body(twill_task *t)
{
    EXPECT(notes_of(t, 0), twill_task_int(t, 2) == 5);
    return TWILL_DONE;
}

static void insert_nothing(twill *tw, twill_graph *g, const twill_class *cls, notes *n)
{
    (void)tw;
    OK(twill_insert(g, cls, TWILL_VALUE(n), TWILL_SCRATCH(0), TWILL_INT(5)));
}

TEST(scratch_may_be_nothing_at_all)
{
    static const twill_class nothing = {
        .size = sizeof(twill_class), .name = "nothing", .chores = {TWILL_CPU(nothing_body)}};
    run_everywhere(&nothing, insert_nothing);
}

TEST(sizes_that_no_machine_has_are_refused)
{
    static const twill_class nothing = {
        .size = sizeof(twill_class), .name = "nothing", .chores = {TWILL_CPU(nothing_body)}};
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    REFUSED(twill_insert(g, &nothing, TWILL_SCRATCH(SIZE_MAX)), TWILL_ERR_MEMORY, "wants");
    REFUSED(twill_wait(g), TWILL_ERR_MEMORY, "wants");
    REFUSED(twill_insert(g, &nothing, TWILL_COPY(tw, SIZE_MAX - 8)), TWILL_ERR_MEMORY, "wants");
    REFUSED(twill_wait(g), TWILL_ERR_MEMORY, "wants");
    twill_stop(tw);
}

static twill_outcome inner_body(twill_task *t)
{
    memset(twill_task_data(t, 0), 'i', 500);
    return TWILL_DONE;
}

static twill_outcome outer_body(twill_task *t)
{
    static const twill_class inner = {
        .size = sizeof(twill_class), .name = "inner", .chores = {TWILL_CPU(inner_body)}};
    notes *n = notes_of(t, 0);
    char *mine = twill_task_data(t, 1);
    memset(mine, 'o', 500);
    twill_insert(twill_task_graph(t), &inner, TWILL_SCRATCH(500));
    for (int i = 0; i < 500; i++)
        EXPECT(n, mine[i] == 'o');
    return TWILL_DONE;
}

/* A serial context runs the inner task inside the insertion, on the same worker. */
TEST(scratch_of_a_task_is_not_touched_by_one_inside_it)
{
    static const twill_class outer = {
        .size = sizeof(twill_class), .name = "outer", .chores = {TWILL_CPU(outer_body)}};
    twill *tw = test_start(1, "serial");
    twill_graph *g;
    notes n = {0}, *arg = &n;
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 10; i++)
        OK(twill_insert(g, &outer, TWILL_VALUE(arg), TWILL_SCRATCH(500)));
    OK(twill_wait(g));
    check_notes(&n);
    twill_stop(tw);
}

/* ---- data ----------------------------------------------------------------------------------- */

static twill_outcome data_body(twill_task *t)
{
    notes *n = notes_of(t, 2);
    bool last = twill_task_int(t, 3);
    EXPECT(n, twill_task_rows(t, 0) == (last ? 1 : 3) && twill_task_cols(t, 0) == (last ? 2 : 3));
    EXPECT(n, twill_task_ld(t, 0) == 3 && twill_task_ld(t, 1) == 10);
    EXPECT(n, twill_task_rows(t, 1) == 7 && twill_task_cols(t, 1) == 5);
    EXPECT(n, twill_array_type(twill_task_array(t, 0)) == TWILL_FLOAT64);
    EXPECT(n, twill_array_type(twill_task_array(t, 1)) == TWILL_FLOAT32);
    EXPECT(n, twill_task_int(t, 0) == 0 && twill_task_real(t, 1) == 0.0);
    return TWILL_DONE;
}

static void insert_data(twill *tw, twill_graph *g, const twill_class *cls, notes *n)
{
    static float memory[10 * 5];
    twill_array *tiled = test_matrix(tw, TWILL_FLOAT64, 7, 5, 3), *wrapped;
    twill_pattern p = twill_tiled(7, 5, 7, 5);
    OK(twill_array_wrap(tw, &p, TWILL_FLOAT32, 0, memory, 10, &wrapped));
    static int turn;
    int64_t k = turn++ % 2;
    OK(twill_insert(g, cls, TWILL_R(twill_tile_at(tiled, 2 * k, k)),
                    TWILL_RW(twill_tile_at(wrapped, 0, 0)), TWILL_VALUE(n), TWILL_INT(k)));
}

TEST(data_comes_with_its_shape)
{
    static const twill_class shape = {
        .size = sizeof(twill_class), .name = "shape", .chores = {TWILL_CPU(data_body)}};
    run_everywhere(&shape, insert_data);
}

/* ---- a tile named twice --------------------------------------------------------------------- */

static twill_outcome twice_body(twill_task *t)
{
    notes *n = notes_of(t, 3);
    int64_t *first = twill_task_data(t, 0), *second = twill_task_data(t, 2);
    EXPECT(n, first == second && twill_task_data(t, 1) != first);
    EXPECT(n, twill_task_rows(t, 2) == 1 && twill_task_ld(t, 2) == twill_task_ld(t, 0));
    EXPECT(n, twill_task_array(t, 2) == twill_task_array(t, 0));
    *second += *(int64_t *)twill_task_data(t, 1) + 1;
    return TWILL_DONE;
}

TEST(a_tile_named_twice_is_one_access_in_the_stronger_way)
{
    static const struct {
        twill_arg_kind first, second;
    } cases[] = {
        {TWILL_ARG_READ_WRITE, TWILL_ARG_READ_WRITE},
        {TWILL_ARG_READ, TWILL_ARG_READ_WRITE},
        {TWILL_ARG_READ_WRITE, TWILL_ARG_READ},
        {TWILL_ARG_READ, TWILL_ARG_WRITE},
        {TWILL_ARG_WRITE, TWILL_ARG_READ},
        {TWILL_ARG_COMMUTE, TWILL_ARG_COMMUTE},
        {TWILL_ARG_READ, TWILL_ARG_COMMUTE},
        {TWILL_ARG_COMMUTE, TWILL_ARG_WRITE},
    };
    static const twill_class twice = {
        .size = sizeof(twill_class), .name = "twice", .chores = {TWILL_CPU(twice_body)}};
    twill *tw = test_start(4, NULL);
    twill_graph *g;
    notes n = {0}, *arg = &n;
    twill_array *a = test_integers(tw, 2);
    twill_tile *tile = twill_tile_at(a, 0, 0), *other = twill_tile_at(a, 1, 0);
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 100 * COUNT(cases); i++)
        OK(twill_insert(g, &twice, twill_arg_tile(cases[i % COUNT(cases)].first, tile),
                        TWILL_R(other), twill_arg_tile(cases[i % COUNT(cases)].second, tile),
                        TWILL_VALUE(arg)));
    OK(twill_wait(g));
    check_notes(&n);
    assert_int_equal(test_get(a, 0), 100 * COUNT(cases));
    twill_stop(tw);
}

/* While somebody reads the tile, only a task that merely reads it too can run. */
TEST(a_tile_named_twice_waits_as_its_stronger_access_does)
{
    static const struct {
        twill_arg_kind first, second;
        bool waits;
    } cases[] = {
        {TWILL_ARG_READ, TWILL_ARG_READ, false},      {TWILL_ARG_READ, TWILL_ARG_WRITE, true},
        {TWILL_ARG_WRITE, TWILL_ARG_READ, true},      {TWILL_ARG_READ, TWILL_ARG_READ_WRITE, true},
        {TWILL_ARG_READ_WRITE, TWILL_ARG_READ, true}, {TWILL_ARG_READ, TWILL_ARG_COMMUTE, true},
        {TWILL_ARG_COMMUTE, TWILL_ARG_READ, true},    {TWILL_ARG_COMMUTE, TWILL_ARG_COMMUTE, true},
    };
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    twill_array *a = test_integers(tw, 1);
    twill_tile *tile = twill_tile_at(a, 0, 0);
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < COUNT(cases); i++) {
        test_hold reader;
        atomic_int ran = 0, *count = &ran;
        test_hold_begin(&reader, g, "reader", TWILL_R(tile));
        OK(twill_insert(g, &test_count, TWILL_VALUE(count), twill_arg_tile(cases[i].first, tile),
                        twill_arg_tile(cases[i].second, tile)));
        if (cases[i].waits)
            test_sleep_ms(3);
        else
            REACHES(&ran, 1);
        assert_int_equal(atomic_load(&ran), !cases[i].waits);
        test_hold_end(&reader);
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&ran), 1);
    }
    twill_stop(tw);
}

/* ---- what is refused ------------------------------------------------------------------------ */

/* A task that cannot be inserted fails the graph, once. */
static void check_refusal(twill_graph *g, const twill_class *cls, const twill_arg *args,
                          const char *sentence)
{
    atomic_int ran = 0, *count = &ran;
    REFUSED(twill_insert_args(g, cls, args), TWILL_ERR_ARGUMENT, sentence);
    REFUSED(twill_insert(g, &test_count, TWILL_VALUE(count)), TWILL_ERR_ARGUMENT, sentence);
    REFUSED(twill_wait(g), TWILL_ERR_ARGUMENT, sentence);
    OK(twill_insert(g, &test_count, TWILL_VALUE(count)));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&ran), 1);
}

TEST(bad_arguments_are_refused_by_number_and_fail_the_graph)
{
    enum { MANY = 5000 };
    static twill_arg many[MANY + 1];
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    twill_array *a = test_integers(tw, 1);
    const twill_arg outside[] = {TWILL_INT(0), TWILL_R(twill_tile_at(a, 1, 0)), TWILL_END};
    const twill_arg strange[] = {TWILL_INT(0), {.kind = (twill_arg_kind)99}, TWILL_END};
    for (int i = 0; i < MANY; i++)
        many[i] = TWILL_INT(i);
    many[MANY] = TWILL_END;
    OK(twill_stf_begin(tw, &g));
    check_refusal(g, &test_count, outside, "argument 1");
    check_refusal(g, &test_count, strange, "argument 1");
    check_refusal(g, &test_count, many, "at most");
    check_refusal(g, NULL, outside, "NULL");
    check_refusal(g, &test_count, NULL, "NULL");
    REFUSED(twill_insert(NULL, &test_count, TWILL_INT(0)), TWILL_ERR_ARGUMENT, "NULL");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_values_arrive_as_given),
        cmocka_unit_test(values_of_any_size_are_copied),
        cmocka_unit_test(tasks_of_every_size_come_and_go),
        cmocka_unit_test(scratch_is_aligned_and_apart),
        cmocka_unit_test(scratch_may_be_nothing_at_all),
        cmocka_unit_test(sizes_that_no_machine_has_are_refused),
        cmocka_unit_test(scratch_of_a_task_is_not_touched_by_one_inside_it),
        cmocka_unit_test(data_comes_with_its_shape),
        cmocka_unit_test(a_tile_named_twice_is_one_access_in_the_stronger_way),
        cmocka_unit_test(a_tile_named_twice_waits_as_its_stronger_access_does),
        cmocka_unit_test(bad_arguments_are_refused_by_number_and_fail_the_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
