/* Tasks on a second memory: whatever its room, results are those of one memory. */
#include "support/steps.h"
#include "support/test.h"
#include "support/touch.h"

#include "base/mix.h"

#include <stdio.h>
#include <string.h>

enum { TILES = 6, TASKS = 200 };

/* An array over memory of the test: bodies that work elsewhere are seen. */
typedef struct fixture {
    twill *tw;
    twill_graph *g;
    twill_array *a;
    int64_t memory[TILES], model[TILES];
    atomic_int elsewhere;
    struct fixture *self; /* for bodies */
} fixture;

static void begin(fixture *f, int workers, const char *shadow)
{
    memset(f, 0, sizeof *f);
    f->self = f;
    twill_pattern p = twill_tiled(TILES, 1, 1, 1);
    f->tw = test_start_with((twill_options){
        .size = sizeof(twill_options), .workers = workers, .bind = "off", .shadow = shadow});
    OK(twill_array_wrap(f->tw, &p, TWILL_BYTES, 8, f->memory, TILES, &f->a));
    OK(twill_stf_begin(f->tw, &f->g));
}

static twill_tile *tile(const fixture *f, int i)
{
    return twill_tile_at(f->a, i % TILES, 0);
}

/* All tiles are what the model says. */
static void end(fixture *f)
{
    OK(twill_wait(f->g));
    for (int i = 0; i < TILES; i++)
        assert_int_equal(test_get(f->a, i), f->model[i]);
    twill_stop(f->tw);
}

static int64_t mixed(int64_t x, int64_t y)
{
    return (int64_t)tw_mix((uint64_t)x * 3 + (uint64_t)y);
}

/* RW, R: argument 2 is the fixture. */
static twill_outcome mix_body(twill_task *t)
{
    fixture *f = *(fixture *const *)twill_task_data(t, 2);
    int64_t *x = twill_task_data(t, 0);
    *x = mixed(*x, *(const int64_t *)twill_task_data(t, 1));
    if (x < f->memory || x >= f->memory + TILES)
        atomic_fetch_add(&f->elsewhere, 1);
    return TWILL_DONE;
}

static const twill_class mix_class = {
    .size = sizeof(twill_class), .name = "mix", .chores = {TWILL_CPU(mix_body)}};

static void model_mix(fixture *f, int i, int k)
{
    f->model[i % TILES] = mixed(f->model[i % TILES], f->model[k % TILES]);
}

/* Argument 0: one more; argument 1, if it is there: how often it asks to be run again first. */
static twill_outcome add_body(twill_task *t)
{
    atomic_int *again = *(atomic_int *const *)twill_task_data(t, 1);
    if (again && atomic_fetch_sub(again, 1) > 0)
        return TWILL_AGAIN;
    *(int64_t *)twill_task_data(t, 0) += 1;
    return TWILL_DONE;
}

static const twill_class add_class = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

static void insert_add(fixture *f, twill_arg data, atomic_int *again)
{
    OK(twill_insert(f->g, &add_class, data, TWILL_VALUE(again)));
}

static twill_outcome write_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) = twill_task_int(t, 1);
    return TWILL_DONE;
}

static const twill_class write_class = {
    .size = sizeof(twill_class), .name = "write", .chores = {TWILL_CPU(write_body)}};

/* Every tile is written, and is nowhere but in the other memory. */
static void write_all(fixture *f, int64_t first)
{
    for (int i = 0; i < TILES; i++) {
        f->model[i] = first + i;
        OK(twill_insert(f->g, &write_class, TWILL_W(tile(f, i)), TWILL_INT(first + i)));
    }
    OK(twill_wait(f->g));
    assert_memory_not_equal(f->memory, f->model, sizeof f->memory);
}

/* ---- room --------------------------------------------------------------------------------------
 */

static const char *const rooms[] = {"1,room=16,delay=5", "1,room=16,delay=0", "1,room=24,delay=40",
                                    "0.5,room=16,delay=9", "1,delay=9"};

TEST(inserted_tasks_get_on_with_room_for_one)
{
    for (int r = 0; r < COUNT(rooms); r++)
        for (int workers = 1; workers <= 3; workers++) {
            fixture f;
            begin(&f, workers, rooms[r]);
            for (int i = 0; i < TASKS; i++) {
                OK(twill_insert(f.g, &mix_class, TWILL_RW(tile(&f, i)), TWILL_R(tile(&f, i + 1)),
                                TWILL_VALUE(f.self)));
                model_mix(&f, i, i + 1);
            }
            OK(twill_wait(f.g));
            assert_true(atomic_load(&f.elsewhere) > 0);
            end(&f);
        }
}

TEST(explicit_graphs_get_on_with_room_for_one)
{
    for (int r = 0; r < COUNT(rooms); r++) {
        fixture f;
        twill_graph *dag;
        int64_t last = -1, task;
        begin(&f, 2, rooms[r]);
        OK(twill_dag_begin(f.tw, &dag));
        for (int i = 0; i < 2 * TILES; i++) {
            OK(twill_dag_add(dag, &task, &mix_class, TWILL_RW(tile(&f, i)),
                             TWILL_R(tile(&f, i + 1)), TWILL_VALUE(f.self)));
            if (last >= 0)
                OK(twill_dag_edge(dag, last, task));
            last = task;
        }
        for (int run = 0; run < 4; run++) {
            for (int i = 0; i < 2 * TILES; i++)
                model_mix(&f, i, i + 1);
            OK(twill_dag_run(dag));
            OK(twill_wait(dag));
        }
        assert_true(atomic_load(&f.elsewhere) > 0);
        end(&f);
    }
}

TEST(parameterised_graphs_get_on_with_room_for_one)
{
    for (int r = 0; r < COUNT(rooms); r++) {
        fixture f;
        twill_graph *ptg;
        begin(&f, 2, rooms[r]);
        OK(steps_new(f.tw, &(steps){f.a, TILES, 10, f.memory, &f.elsewhere}, &ptg));
        for (int run = 0; run < 3; run++) {
            OK(twill_ptg_run(ptg));
            OK(twill_wait(ptg));
        }
        for (int i = 0; i < TILES; i++)
            f.model[i] = 30;
        assert_true(atomic_load(&f.elsewhere) > 0);
        end(&f);
    }
}

TEST(what_never_fits_runs_on_the_cores)
{
    fixture f;
    begin(&f, 2, "1,room=15");
    for (int i = 0; i < TASKS; i++) {
        OK(twill_insert(f.g, &mix_class, TWILL_RW(tile(&f, i)), TWILL_R(tile(&f, i + 1)),
                        TWILL_VALUE(f.self)));
        model_mix(&f, i, i + 1);
    }
    OK(twill_wait(f.g));
    assert_int_equal(atomic_load(&f.elsewhere), 0);
    end(&f);
}

/* Who has the room may itself wait for those that find none. */
TEST(nobody_waits_for_room_that_a_task_holds)
{
    fixture f;
    test_hold hold;
    atomic_int done = 0, *count = &done;
    begin(&f, 2, "1,room=8");
    test_hold_begin(&hold, f.g, "hold", TWILL_RW(tile(&f, 0)));
    OK(twill_insert(f.g, &test_count, TWILL_VALUE(count), TWILL_RW(tile(&f, 1))));
    REACHES(&done, 1);
    test_hold_end(&hold);
    end(&f);
}

/* ---- kinds of tasks ----------------------------------------------------------------------------
 */

static twill_outcome piece_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += 1;
    return TWILL_DONE;
}

static const twill_class piece_class = {
    .size = sizeof(twill_class), .name = "piece", .chores = {TWILL_CPU(piece_body)}};

enum { BLOCK = 6 };

/* The tile as finer ones, each of which is changed twice inside. */
static twill_outcome nest_body(twill_task *t)
{
    twill_graph *g;
    twill_array *fine;
    twill_pattern p = twill_tiled(BLOCK, 1, 2, 1);
    twill *tw = twill_array_context(twill_task_array(t, 0));
    if (twill_nest(t, &g) != TWILL_OK ||
        twill_array_wrap(tw, &p, TWILL_BYTES, 8, twill_task_data(t, 0), BLOCK, &fine) != TWILL_OK)
        return TWILL_ERROR;
    for (int i = 0; i < BLOCK; i++)
        (void)twill_insert(g, &piece_class, TWILL_RW(twill_tile_at(fine, i % 3, 0)));
    return twill_nest_end(g);
}

static const twill_class nest_class = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

TEST(nested_graphs_work_on_the_bytes_of_their_task)
{
    static const char *const texts[] = {"0.5,room=48,delay=9", "1,room=48", "1", "0.5,room=16"};
    for (int r = 0; r < COUNT(texts); r++) {
        twill *tw = test_start_with((twill_options){
            .size = sizeof(twill_options), .workers = 2, .bind = "off", .shadow = texts[r]});
        twill_graph *g;
        twill_array *a;
        twill_pattern p = twill_tiled(2 * BLOCK, 1, BLOCK, 1);
        OK(twill_array_create(tw, &p, TWILL_BYTES, 8, &a));
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 40; i++)
            OK(twill_insert(g, &nest_class, TWILL_RW(twill_tile_at(a, i % 2, 0))));
        OK(twill_wait(g));
        for (int i = 0; i < 2; i++) {
            void *data;
            int64_t ld;
            OK(twill_map(twill_view_tile(a, i, 0), TWILL_READ, &data, &ld));
            for (int k = 0; k < BLOCK; k++)
                assert_int_equal(((int64_t *)data)[k], k % 2 ? 0 : 40);
            OK(twill_unmap(twill_view_tile(a, i, 0), data));
        }
        twill_stop(tw);
    }
}

static twill_outcome team_body(twill_task *t, twill_team *team)
{
    twill_team_barrier(team);
    if (twill_team_rank(team) == 0)
        *(int64_t *)twill_task_data(t, 0) += 1;
    return TWILL_DONE;
}

static const twill_class team_class = {
    .size = sizeof(twill_class), .name = "team", .chores = {TWILL_TEAM(team_body, 2)}};

TEST(all_kinds_of_tasks_see_the_same_data)
{
    for (int r = 0; r < COUNT(rooms); r++) {
        fixture f;
        atomic_int again = 20;
        begin(&f, 3, rooms[r]);
        for (int i = 0; i < 30 * TILES; i++) {
            int k = i % TILES;
            f.model[k]++;
            if (i % 5 == 0)
                insert_add(&f, TWILL_RW(tile(&f, k)), &again);
            else if (i % 5 == 1)
                insert_add(&f, TWILL_COMMUTE(tile(&f, k)), NULL);
            else if (i % 5 == 2)
                insert_add(&f, TWILL_REDUCE(tile(&f, k), &test_plus), NULL);
            else if (i % 5 == 3)
                OK(twill_insert(f.g, &team_class, TWILL_RW(tile(&f, k))));
            else
                OK(twill_insert(f.g, &piece_class, TWILL_RW(tile(&f, k))));
        }
        end(&f);
    }
}

TEST(a_canceled_graph_ends_while_its_data_is_on_its_way)
{
    fixture f;
    begin(&f, 2, "1,room=16,delay=2000");
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < TILES; i++)
            insert_add(&f, TWILL_RW(tile(&f, i)), NULL);
        twill_cancel(f.g);
        REFUSED(twill_wait(f.g), TWILL_ERR_CANCELED, "canceled");
    }
    write_all(&f, 7);
    end(&f);
}

TEST(a_report_names_tasks_whose_data_is_on_its_way)
{
    char text[4000] = "";
    for (int seed = 1; seed <= 50 && !strstr(text, "its data is on its way"); seed++) {
        fixture f;
        char shadow[60];
        snprintf(shadow, sizeof shadow, "1,delay=1000000,seed=%d", seed);
        begin(&f, 2, shadow);
        for (int i = 0; i < 2; i++)
            insert_add(&f, TWILL_RW(tile(&f, 0)), NULL);
        f.model[0] = 2;
        for (int i = 0; i < 100 && !strstr(text, "its data is on its way"); i++)
            twill_describe(f.tw, text, sizeof text);
        end(&f);
    }
    CONTAINS(text, "held by add (its data is on its way)");
}

/* ---- the host ----------------------------------------------------------------------------------
 */

TEST(the_program_sees_what_tasks_wrote_and_they_what_it_wrote)
{
    for (int r = 0; r < COUNT(rooms); r++) {
        fixture f;
        begin(&f, 2, rooms[r]);
        for (int i = 0; i < TASKS; i++) {
            void *data;
            int64_t ld;
            twill_view v = twill_view_tile(f.a, i % TILES, 0);
            insert_add(&f, TWILL_RW(tile(&f, i)), NULL);
            OK(twill_map(v, TWILL_READ_WRITE, &data, &ld));
            assert_int_equal(*(int64_t *)data, ++f.model[i % TILES]);
            f.model[i % TILES] = *(int64_t *)data *= 2;
            OK(twill_unmap(v, data));
            insert_add(&f, TWILL_RW(tile(&f, i)), NULL);
            f.model[i % TILES]++;
        }
        OK(twill_wait(f.g));
        OK(twill_wait_tile(tile(&f, 0), TWILL_READ));
        assert_int_equal(f.memory[0], f.model[0]);
        end(&f);
    }
}

static twill_outcome do_nothing(twill_task *t, void *arg)
{
    (void)t, (void)arg;
    return TWILL_DONE;
}

/* A graph may write some of an array and leave the rest. */
TEST(a_graph_keeps_what_it_does_not_write)
{
    fixture f;
    touch t = {.body = do_nothing};
    twill_graph *ptg;
    begin(&f, 2, "1");
    write_all(&f, 100);
    touch_add(&t, f.a, TWILL_WRITE);
    OK(touch_new(f.tw, &t, &ptg));
    OK(twill_ptg_run(ptg));
    OK(twill_wait(ptg));
    end(&f);
}

TEST(memory_has_what_was_written_when_its_array_is_freed)
{
    fixture f;
    begin(&f, 2, "1,delay=100");
    write_all(&f, 10);
    twill_array_free(f.a);
    assert_memory_equal(f.memory, f.model, sizeof f.memory);
    twill_stop(f.tw);
    begin(&f, 2, "1,delay=100");
    write_all(&f, 20);
    twill_stop(f.tw);
    assert_memory_equal(f.memory, f.model, sizeof f.memory);
}

TEST(contexts_have_memories_of_their_own)
{
    fixture f[3];
    for (int i = 0; i < 3; i++)
        begin(&f[i], 1 + i, i ? "1,room=16,delay=20" : "off");
    for (int k = 0; k < TASKS; k++) {
        insert_add(&f[k % 3], TWILL_RW(tile(&f[k % 3], k)), NULL);
        f[k % 3].model[k % TILES]++;
    }
    for (int i = 0; i < 3; i++)
        end(&f[i]);
}

TEST(bad_values_of_the_option_are_refused)
{
    static const char *const bad[] = {
        "on",          "1.5",         "-0.1",       "nan",        "0.5,",    "0.5,room",
        "0.5,room=",   "0.5,room=-1", "0.5,fail=2", "0.5;seed=1", "0.5,x=1", "0.5,seed=1,,delay=1",
        "0.5,delay=x", "room=5",      ",",          "0.5 "};
    for (int i = 0; i < COUNT(bad); i++) {
        twill *tw;
        twill_options o = {.size = sizeof o, .workers = 1, .bind = "off", .shadow = bad[i]};
        REFUSED(twill_start(&tw, &o), TWILL_ERR_OPTION, "option shadow");
        CONTAINS(twill_message(), bad[i]);
    }
    twill_stop(test_start_with((twill_options){.size = sizeof(twill_options),
                                               .workers = 1,
                                               .bind = "off",
                                               .shadow = "1,seed=5,delay=0,fail=0,room=1e6"}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inserted_tasks_get_on_with_room_for_one),
        cmocka_unit_test(explicit_graphs_get_on_with_room_for_one),
        cmocka_unit_test(parameterised_graphs_get_on_with_room_for_one),
        cmocka_unit_test(what_never_fits_runs_on_the_cores),
        cmocka_unit_test(nobody_waits_for_room_that_a_task_holds),
        cmocka_unit_test(nested_graphs_work_on_the_bytes_of_their_task),
        cmocka_unit_test(all_kinds_of_tasks_see_the_same_data),
        cmocka_unit_test(a_canceled_graph_ends_while_its_data_is_on_its_way),
        cmocka_unit_test(a_report_names_tasks_whose_data_is_on_its_way),
        cmocka_unit_test(the_program_sees_what_tasks_wrote_and_they_what_it_wrote),
        cmocka_unit_test(a_graph_keeps_what_it_does_not_write),
        cmocka_unit_test(memory_has_what_was_written_when_its_array_is_freed),
        cmocka_unit_test(contexts_have_memories_of_their_own),
        cmocka_unit_test(bad_values_of_the_option_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
