/* Host access among tasks: who waits for whom, and what happens when that is oneself. */
#include "support/test.h"

#include <pthread.h>

static twill *tw;
static twill_graph *g;
static twill_array *a;

static int start(void **state)
{
    (void)state;
    tw = test_start(3, NULL);
    OK(twill_stf_begin(tw, &g));
    a = test_integers(tw, 4);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    twill_stop(tw);
    return 0;
}

static twill_tile *tile(int64_t i)
{
    return twill_tile_at(a, i, 0);
}

static twill_outcome add_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += twill_task_int(t, 1);
    return TWILL_DONE;
}

static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

static void *map_tile(int64_t i, twill_access mode)
{
    void *data = NULL;
    int64_t ld;
    OK(twill_map(twill_view_tile(a, i, 0), mode, &data, &ld));
    return data;
}

/* ---- waiting for tasks ---------------------------------------------------------------------- */

/* Another thread that maps tile 0, so that the test can see it wait. */
typedef struct mapper {
    twill_access mode;
    atomic_int mapped;
    int64_t seen;
    twill_status status;
    pthread_t thread;
} mapper;

static void *mapper_main(void *arg)
{
    mapper *m = arg;
    void *data;
    int64_t ld;
    twill_view v = twill_view_tile(a, 0, 0);
    m->status = twill_map(v, m->mode, &data, &ld);
    if (m->status == TWILL_OK) {
        m->seen = *(int64_t *)data;
        atomic_store(&m->mapped, 1);
        m->status = twill_unmap(v, data);
    }
    return NULL;
}

static void mapper_begin(mapper *m, twill_access mode)
{
    *m = (mapper){.mode = mode};
    assert_int_equal(pthread_create(&m->thread, NULL, mapper_main, m), 0);
}

static void mapper_end(mapper *m)
{
    pthread_join(m->thread, NULL);
    assert_int_equal(m->status, TWILL_OK);
    assert_int_equal(atomic_load(&m->mapped), 1);
}

TEST(a_map_waits_for_earlier_tasks_that_conflict)
{
    static const struct {
        twill_arg_kind held;
        twill_access mode;
        bool waits;
    } cases[] = {
        {TWILL_ARG_READ, TWILL_READ, false},      {TWILL_ARG_READ, TWILL_WRITE, true},
        {TWILL_ARG_READ, TWILL_READ_WRITE, true}, {TWILL_ARG_WRITE, TWILL_READ, true},
        {TWILL_ARG_READ_WRITE, TWILL_READ, true}, {TWILL_ARG_READ_WRITE, TWILL_WRITE, true},
        {TWILL_ARG_COMMUTE, TWILL_READ, true},    {TWILL_ARG_WRITE, TWILL_READ_WRITE, true},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        test_hold hold;
        mapper m;
        test_hold_begin(&hold, g, "hold", twill_arg_tile(cases[i].held, tile(0)));
        mapper_begin(&m, cases[i].mode);
        if (cases[i].waits) {
            test_sleep_ms(5);
            assert_int_equal(atomic_load(&m.mapped), 0);
        } else {
            REACHES(&m.mapped, 1);
        }
        test_hold_end(&hold);
        mapper_end(&m);
        OK(twill_wait(g));
    }
}

TEST(a_map_sees_what_all_earlier_tasks_wrote)
{
    for (int round = 0; round < 50; round++) {
        int64_t before = test_get(a, 0);
        for (int i = 0; i < 20; i++)
            OK(twill_insert(g, &add, TWILL_RW(tile(0)), TWILL_INT(1)));
        int64_t *data = map_tile(0, TWILL_READ_WRITE);
        assert_int_equal(*data, before + 20);
        *data += 1000;
        OK(twill_unmap(twill_view_tile(a, 0, 0), data));
        OK(twill_insert(g, &add, TWILL_RW(tile(0)), TWILL_INT(-1000)));
        OK(twill_wait(g));
        assert_int_equal(test_get(a, 0), before + 20);
    }
}

TEST(later_tasks_wait_until_the_unmap)
{
    static const struct {
        twill_access mode;
        bool reader_waits;
    } cases[] = {{TWILL_READ, false}, {TWILL_WRITE, true}, {TWILL_READ_WRITE, true}};
    for (int i = 0; i < COUNT(cases); i++) {
        atomic_int readers = 0, writers = 0, *r = &readers, *w = &writers;
        void *data = map_tile(0, cases[i].mode);
        OK(twill_insert(g, &test_count, TWILL_VALUE(r), TWILL_R(tile(0))));
        OK(twill_insert(g, &test_count, TWILL_VALUE(w), TWILL_RW(tile(0))));
        if (cases[i].reader_waits)
            test_sleep_ms(5);
        else
            REACHES(&readers, 1);
        assert_int_equal(atomic_load(&readers), !cases[i].reader_waits);
        assert_int_equal(atomic_load(&writers), 0);
        OK(twill_unmap(twill_view_tile(a, 0, 0), data));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&readers) + atomic_load(&writers), 2);
    }
}

TEST(other_tiles_go_on_while_one_is_mapped)
{
    void *data = map_tile(0, TWILL_READ_WRITE);
    OK(twill_insert(g, &add, TWILL_RW(tile(1)), TWILL_INT(5)));
    OK(twill_wait(g));
    assert_int_equal(test_get(a, 1), 5);
    OK(twill_unmap(twill_view_tile(a, 0, 0), data));
}

TEST(waiting_for_a_tile_waits_for_those_who_write_it_or_also_read_it)
{
    test_hold reader;
    OK(twill_insert(g, &add, TWILL_RW(tile(0)), TWILL_INT(1)));
    test_hold_begin(&reader, g, "reader", TWILL_R(tile(0)));
    OK(twill_wait_tile(tile(0), TWILL_READ)); /* though the reader is still there */
    assert_int_equal(test_get(a, 0), 1);
    mapper m;
    mapper_begin(&m, TWILL_WRITE);
    test_sleep_ms(5);
    assert_int_equal(atomic_load(&m.mapped), 0);
    test_hold_end(&reader);
    mapper_end(&m);
    OK(twill_wait_tile(tile(0), TWILL_WRITE));
    REFUSED(twill_wait_tile(NULL, TWILL_READ), TWILL_ERR_ARGUMENT, "NULL");
}

/* ---- waiting for oneself -------------------------------------------------------------------- */

TEST(a_thread_that_would_wait_for_its_own_map_is_told)
{
    twill_view v = twill_view_tile(a, 0, 0);
    void *data = map_tile(0, TWILL_WRITE), *other;
    int64_t ld;
    atomic_int done = 0, *count = &done;
    OK(twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_RW(tile(0))));
    REFUSED(twill_wait(g), TWILL_ERR_STUCK, "twill_unmap");
    REFUSED(twill_map(v, TWILL_READ, &other, &ld), TWILL_ERR_STUCK, "twill_unmap");
    REFUSED(twill_wait_tile(tile(0), TWILL_READ), TWILL_ERR_STUCK, "twill_unmap");
    assert_int_equal(atomic_load(&done), 0);
    OK(twill_unmap(v, data));
    OK(twill_wait(g)); /* and all is well again */
    assert_int_equal(atomic_load(&done), 1);
    OK(twill_map(v, TWILL_READ, &other, &ld));
    OK(twill_unmap(v, other));
}

TEST(a_read_that_becomes_a_write_is_told_too)
{
    twill_view v = twill_view_tile(a, 0, 0);
    void *data = map_tile(0, TWILL_READ), *other;
    int64_t ld;
    REFUSED(twill_map(v, TWILL_READ_WRITE, &other, &ld), TWILL_ERR_STUCK, "twill_unmap");
    OK(twill_unmap(v, data));
}

TEST(an_array_that_is_still_mapped_is_not_freed_under_the_program)
{
    void *data = map_tile(2, TWILL_READ_WRITE);
    *(int64_t *)data = 7;
    twill_array_free(a); /* stuck: the context frees it in the end */
    assert_int_equal(*(int64_t *)data, 7);
    OK(twill_unmap(twill_view_tile(a, 2, 0), data));
}

/* ---- inside tasks --------------------------------------------------------------------------- */

static twill_outcome map_body(twill_task *t)
{
    atomic_int *refusals = *(atomic_int *const *)twill_task_data(t, 0);
    void *data;
    int64_t ld;
    atomic_fetch_add(refusals, twill_map(twill_view_tile(a, 0, 0), TWILL_READ, &data, &ld) ==
                                   TWILL_ERR_STATE);
    atomic_fetch_add(refusals, twill_wait_tile(tile(0), TWILL_READ) == TWILL_ERR_STATE);
    atomic_fetch_add(refusals, twill_wait(g) == TWILL_ERR_STATE);
    return TWILL_DONE;
}

static const twill_class map_inside = {
    .size = sizeof(twill_class), .name = "map inside", .chores = {TWILL_CPU(map_body)}};

TEST(inside_tasks_nothing_waits)
{
    atomic_int refusals = 0, *count = &refusals;
    for (int i = 0; i < 30; i++)
        OK(twill_insert(g, &map_inside, TWILL_VALUE(count)));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&refusals), 90);
}

#define test(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_map_waits_for_earlier_tasks_that_conflict),
        test(a_map_sees_what_all_earlier_tasks_wrote),
        test(later_tasks_wait_until_the_unmap),
        test(other_tiles_go_on_while_one_is_mapped),
        test(waiting_for_a_tile_waits_for_those_who_write_it_or_also_read_it),
        test(a_thread_that_would_wait_for_its_own_map_is_told),
        test(a_read_that_becomes_a_write_is_told_too),
        test(an_array_that_is_still_mapped_is_not_freed_under_the_program),
        test(inside_tasks_nothing_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
