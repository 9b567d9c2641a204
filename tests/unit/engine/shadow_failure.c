/* Copies between memories that fail: it is said, nothing hangs, and data and graphs stay usable. */
#include "support/steps.h"
#include "support/test.h"
#include "support/touch.h"

#include <stdio.h>
#include <string.h>

enum { TILES = 4, SEEDS = 40 };

typedef struct fixture {
    twill *tw;
    twill_graph *g;
    twill_array *a;
    atomic_int ran[TILES];
} fixture;

static void begin(fixture *f, const char *format, int seed)
{
    char shadow[80];
    snprintf(shadow, sizeof shadow, format, seed);
    memset(f, 0, sizeof *f);
    f->tw = test_start_with((twill_options){
        .size = sizeof(twill_options), .workers = 2, .bind = "off", .shadow = shadow});
    f->a = test_integers(f->tw, TILES);
    OK(twill_stf_begin(f->tw, &f->g));
}

static bool is_copy_failure(twill_status status)
{
    if (status == TWILL_OK)
        return false;
    assert_int_equal(status, TWILL_ERR_SYSTEM);
    if (!strstr(twill_message(), "a copy failed") &&
        !strstr(twill_message(), "could not be copied"))
        fail_msg("%s", twill_message());
    return true;
}

/* However often the copy to the host fails: some time it does not. */
static int64_t get(twill_array *a, int i)
{
    void *data;
    int64_t ld;
    twill_view v = twill_view_tile(a, i, 0);
    while (is_copy_failure(twill_map(v, TWILL_READ, &data, &ld)))
        ;
    int64_t value = *(int64_t *)data;
    OK(twill_unmap(v, data));
    return value;
}

static twill_outcome add_body(twill_task *t)
{
    atomic_int *ran = *(atomic_int *const *)twill_task_data(t, 1);
    *(int64_t *)twill_task_data(t, 0) += 1;
    atomic_fetch_add(ran, 1);
    return TWILL_DONE;
}

static const twill_class add_class = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

static twill_outcome write_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) = 7;
    return TWILL_DONE;
}

static const twill_class write_class = {
    .size = sizeof(twill_class), .name = "write", .chores = {TWILL_CPU(write_body)}};

/* A tile is nowhere but in the other memory, from which no copy succeeds. */
static void begin_unreachable(fixture *f)
{
    begin(f, "1,fail=1,seed=%d", 1);
    OK(twill_insert(f->g, &write_class, TWILL_W(twill_tile_at(f->a, 0, 0))));
    OK(twill_wait(f->g));
}

TEST(tasks_that_did_not_run_wrote_nothing)
{
    int failures = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
        fixture f;
        begin(&f, seed % 2 ? "0.7,room=16,fail=0.3,delay=9,seed=%d" : "0.7,fail=0.3,seed=%d", seed);
        for (int round = 0; round < 3; round++) {
            for (int k = 0; k < 8 * TILES; k++) {
                atomic_int *ran = &f.ran[k % TILES];
                (void)twill_insert(f.g, &add_class, TWILL_RW(twill_tile_at(f.a, k % TILES, 0)),
                                   TWILL_VALUE(ran),
                                   TWILL_R(twill_tile_at(f.a, (k + 1) % TILES, 0)));
            }
            failures += is_copy_failure(twill_wait(f.g));
            for (int i = 0; i < TILES; i++)
                assert_int_equal(get(f.a, i), atomic_load(&f.ran[i]));
        }
        twill_stop(f.tw);
    }
    assert_true(failures > SEEDS / 4);
}

static twill_status run_dag(twill_graph *dag)
{
    twill_status status = twill_dag_run(dag);
    return status == TWILL_OK ? twill_wait(dag) : status;
}

TEST(explicit_graphs_run_again_after_a_failure)
{
    for (int seed = 1; seed <= SEEDS; seed++) {
        fixture f;
        twill_graph *dag;
        begin(&f, "0.7,room=8,fail=0.2,delay=5,seed=%d", seed);
        OK(twill_dag_begin(f.tw, &dag));
        for (int k = 0; k < TILES; k++) {
            atomic_int *ran = &f.ran[k];
            OK(twill_dag_add(dag, NULL, &add_class, TWILL_RW(twill_tile_at(f.a, k, 0)),
                             TWILL_VALUE(ran)));
        }
        for (int run = 0; run < 5; run++) {
            is_copy_failure(run_dag(dag));
            for (int i = 0; i < TILES; i++)
                assert_int_equal(get(f.a, i), atomic_load(&f.ran[i]));
        }
        twill_stop(f.tw);
    }
}

static twill_status run_ptg(twill_graph *ptg)
{
    twill_status status = twill_ptg_run(ptg);
    return status == TWILL_OK ? twill_wait(ptg) : status;
}

TEST(parameterised_graphs_run_again_after_a_failure)
{
    enum { LENGTH = 3 };
    int failures = 0, successes = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
        fixture f;
        twill_graph *ptg;
        begin(&f, "0.5,room=16,fail=0.1,delay=5,seed=%d", seed);
        OK(steps_new(f.tw, &(steps){.a = f.a, .tiles = TILES, .length = LENGTH}, &ptg));
        for (int run = 0; run < 5; run++) {
            int64_t before[TILES];
            for (int i = 0; i < TILES; i++)
                before[i] = get(f.a, i);
            bool failed = is_copy_failure(run_ptg(ptg));
            failures += failed;
            successes += !failed;
            for (int i = 0; i < TILES; i++)
                assert_in_range(get(f.a, i) - before[i], failed ? 0 : LENGTH, LENGTH);
        }
        twill_stop(f.tw);
    }
    assert_true(failures > 0 && successes > 0);
}

TEST(sums_are_reported_or_right)
{
    for (int seed = 1; seed <= 2 * SEEDS; seed++) {
        fixture f;
        begin(&f,
              seed % 2 ? "0.8,room=24,delay=30,seed=%d" : "0.8,room=24,delay=9,fail=0.05,seed=%d",
              seed);
        for (int k = 0; k < 20 * TILES; k++) { /* every fifth ends a reduction */
            atomic_int *ran = &f.ran[k % TILES];
            twill_tile *tile = twill_tile_at(f.a, k % TILES, 0);
            (void)twill_insert(f.g, &add_class,
                               k / TILES % 5 == 4 ? TWILL_RW(tile) : TWILL_REDUCE(tile, &test_plus),
                               TWILL_VALUE(ran));
        }
        bool failed = is_copy_failure(twill_wait(f.g));
        for (int i = 0; i < TILES && !failed; i++)
            failed = is_copy_failure(twill_wait_tile(twill_tile_at(f.a, i, 0), TWILL_READ));
        failed |= is_copy_failure(twill_wait(f.g));
        for (int i = 0; i < TILES && !failed; i++)
            assert_int_equal(get(f.a, i), 20);
        twill_stop(f.tw);
    }
}

static void add_up(fixture *f)
{
    atomic_int *ran = &f->ran[0];
    twill_tile *tile = twill_tile_at(f->a, 0, 0);
    for (int i = 0; i < 3; i++)
        OK(twill_insert(f->g, &add_class, TWILL_REDUCE(tile, &test_plus), TWILL_VALUE(ran)));
    OK(twill_insert(f->g, &add_class, TWILL_RW(tile), TWILL_VALUE(ran)));
}

/* The next reduction frees partial results of the one before, which nobody reads any more; they may
 * not be on their way home then. */
TEST(partial_results_are_freed_whatever_makes_room)
{
    for (int seed = 1; seed <= SEEDS; seed++) {
        fixture f;
        begin(&f, "1,room=24,delay=3000,seed=%d", seed);
        for (int round = 0; round < 3; round++) {
            add_up(&f);
            OK(twill_wait(f.g));
            for (int i = 1; i < TILES; i++)
                OK(twill_insert(f.g, &write_class, TWILL_W(twill_tile_at(f.a, i, 0))));
            test_sleep_ms(1);
            add_up(&f);
            OK(twill_wait(f.g));
        }
        assert_int_equal(get(f.a, 0), atomic_load(&f.ran[0]));
        twill_stop(f.tw);
    }
}

TEST(who_cannot_see_the_data_is_told)
{
    fixture f;
    void *data;
    int64_t ld;
    begin_unreachable(&f);
    twill_tile *tile = twill_tile_at(f.a, 0, 0);
    REFUSED(twill_map(twill_view_tile(f.a, 0, 0), TWILL_READ, &data, &ld), TWILL_ERR_SYSTEM,
            "the data to be mapped could not be copied to the host");
    REFUSED(twill_wait_tile(tile, TWILL_READ), TWILL_ERR_SYSTEM,
            "the tile could not be copied to the host");
    OK(twill_wait_tile(twill_tile_at(f.a, 1, 0), TWILL_READ));
    OK(twill_map(twill_view_tile(f.a, 0, 0), TWILL_WRITE, &data, &ld));
    *(int64_t *)data = 8;
    OK(twill_unmap(twill_view_tile(f.a, 0, 0), data));
    assert_int_equal(get(f.a, 0), 8);
    twill_stop(f.tw);
}

/* The first tile is to be overwritten, the second one in part, so it must come. */
TEST(a_refused_map_overwrites_nothing)
{
    int refused = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
        fixture f;
        twill_array *b;
        void *data;
        int64_t ld;
        twill_pattern p = twill_tiled(4, 1, 2, 1);
        begin(&f, "1,fail=0.5,seed=%d", seed);
        OK(twill_array_create(f.tw, &p, TWILL_BYTES, 8, &b));
        for (int i = 0; i < 2; i++)
            OK(twill_insert(f.g, &write_class, TWILL_W(twill_tile_at(b, i, 0))));
        twill_view v = twill_view_sub(twill_view_all(b), 0, 0, 3, 1);
        if (is_copy_failure(twill_map(v, TWILL_WRITE, &data, &ld))) {
            refused++;
            assert_int_equal(get(b, 0), 7);
        } else {
            OK(twill_unmap(v, data));
        }
        twill_stop(f.tw);
    }
    assert_in_range(refused, 1, SEEDS - 1);
}

static twill_outcome no_body(twill_task *t, void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
    (void)t;
    return TWILL_DONE;
}

TEST(graphs_whose_data_is_not_there_do_not_run)
{
    fixture f;
    twill_graph *dag, *ptg;
    begin_unreachable(&f);
    touch t = {.body = no_body, .arg = &f.ran[1]};
    atomic_int *ran = &f.ran[0];
    OK(twill_dag_begin(f.tw, &dag));
    OK(twill_dag_add(dag, NULL, &add_class, TWILL_RW(twill_tile_at(f.a, 0, 0)), TWILL_VALUE(ran)));
    OK(twill_dag_run(dag));
    REFUSED(twill_wait(dag), TWILL_ERR_SYSTEM, "data that could not be copied to the host");
    touch_add(&t, f.a, TWILL_READ_WRITE);
    OK(touch_new(f.tw, &t, &ptg));
    OK(twill_ptg_run(ptg));
    REFUSED(twill_wait(ptg), TWILL_ERR_SYSTEM, "data that could not be copied to the host");
    assert_int_equal(atomic_load(&f.ran[0]) + atomic_load(&f.ran[1]), 0);
    twill_stop(f.tw);
}

/* Evictions of tiles that could not be brought home are under way when their array is freed. */
TEST(arrays_are_freed_whatever_becomes_of_copies)
{
    for (int seed = 1; seed <= SEEDS; seed++) {
        fixture f;
        begin(&f, "1,room=32,fail=0.8,delay=60,seed=%d", seed);
        twill_array *b = test_integers(f.tw, TILES);
        for (int i = 0; i < TILES; i++)
            OK(twill_insert(f.g, &write_class, TWILL_W(twill_tile_at(f.a, i, 0))));
        OK(twill_wait(f.g));
        for (int i = 0; i < TILES; i++)
            (void)twill_insert(f.g, &write_class, TWILL_W(twill_tile_at(b, i, 0)));
        twill_array_free(f.a);
        is_copy_failure(twill_wait(f.g));
        twill_stop(f.tw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_that_did_not_run_wrote_nothing),
        cmocka_unit_test(explicit_graphs_run_again_after_a_failure),
        cmocka_unit_test(parameterised_graphs_run_again_after_a_failure),
        cmocka_unit_test(sums_are_reported_or_right),
        cmocka_unit_test(partial_results_are_freed_whatever_makes_room),
        cmocka_unit_test(who_cannot_see_the_data_is_told),
        cmocka_unit_test(a_refused_map_overwrites_nothing),
        cmocka_unit_test(graphs_whose_data_is_not_there_do_not_run),
        cmocka_unit_test(arrays_are_freed_whatever_becomes_of_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
