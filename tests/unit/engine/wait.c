/* Waiting: from several threads, for several graphs, and where it is not allowed. */
#include "support/limit.h"
#include "support/test.h"

#include <pthread.h>

enum { THREADS = 4, TILES = 6 };

static twill_outcome add_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += twill_task_int(t, 1);
    return TWILL_DONE;
}

static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

/* ---- several threads ------------------------------------------------------------------------ */

/* A library: it has arrays and graphs of its own in a context that it shares. */
typedef struct library {
    pthread_t thread;
    twill *tw;
    int rounds, wrong;
} library;

static void note(library *l, bool right)
{
    l->wrong += !right;
}

/* Insert tasks into chains, wait, look at the result: all by itself. */
static void insert_and_look(library *l, twill_graph *g, twill_array *a, int64_t *sum)
{
    for (int i = 0; i < 10 * TILES; i++)
        note(l, twill_insert(g, &add, TWILL_RW(twill_tile_at(a, i % TILES, 0)), TWILL_INT(i)) ==
                    TWILL_OK);
    *sum += 45 * TILES * TILES + 10 * (TILES - 1) * TILES / 2;
    note(l, twill_wait(g) == TWILL_OK);
    int64_t total = 0, ld;
    void *data;
    twill_view all = twill_view_all(a);
    note(l, twill_map(all, TWILL_READ, &data, &ld) == TWILL_OK);
    for (int i = 0; i < TILES; i++)
        total += ((int64_t *)data)[i];
    note(l, twill_unmap(all, data) == TWILL_OK);
    note(l, total == *sum);
}

static void *library_main(void *arg)
{
    library *l = arg;
    twill_graph *g;
    twill_array *a;
    int64_t sum = 0;
    twill_pattern p = twill_tiled(TILES, 1, 1, 1);
    note(l, twill_stf_begin(l->tw, &g) == TWILL_OK);
    note(l, twill_array_create(l->tw, &p, TWILL_BYTES, 8, &a) == TWILL_OK);
    for (int i = 0; i < l->rounds; i++)
        insert_and_look(l, g, a, &sum);
    twill_array_free(a);
    twill_graph_free(g);
    return NULL;
}

TEST(libraries_share_a_context_without_knowing_each_other)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        library l[THREADS];
        for (int i = 0; i < THREADS; i++) {
            l[i] = (library){.tw = tw, .rounds = test_slow() ? 3 : 20};
            assert_int_equal(pthread_create(&l[i].thread, NULL, library_main, &l[i]), 0);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(l[i].thread, NULL);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(l[i].wrong, 0);
        twill_stop(tw);
    }
}

/* A waiter for one graph. */
typedef struct waiter {
    pthread_t thread;
    twill_graph *graph;
    atomic_int over;
    twill_status status;
} waiter;

static void *waiter_main(void *arg)
{
    waiter *w = arg;
    w->status = twill_wait(w->graph);
    atomic_store(&w->over, 1);
    return NULL;
}

static void waiter_begin(waiter *w, twill_graph *g)
{
    *w = (waiter){.graph = g};
    assert_int_equal(pthread_create(&w->thread, NULL, waiter_main, w), 0);
}

TEST(each_waiter_goes_on_when_its_own_graph_is_done)
{
    enum { GRAPHS = 3 };
    twill *tw = test_start(2, NULL);
    twill_graph *g[GRAPHS];
    test_hold hold[GRAPHS];
    waiter w[GRAPHS];
    for (int i = 0; i < GRAPHS; i++) {
        OK(twill_stf_begin(tw, &g[i]));
        test_hold_begin(&hold[i], g[i], "hold", TWILL_INT(0));
        waiter_begin(&w[i], g[i]);
    }
    for (int i = GRAPHS - 1; i >= 0; i--) { /* not in the order in which they began to wait */
        test_sleep_ms(5);
        for (int k = 0; k < GRAPHS; k++)
            assert_int_equal(atomic_load(&w[k].over), k > i);
        test_hold_end(&hold[i]);
        REACHES(&w[i].over, 1);
        pthread_join(w[i].thread, NULL);
        assert_int_equal(w[i].status, TWILL_OK);
    }
    twill_stop(tw);
}

TEST(several_threads_may_wait_for_the_same_graph)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    test_hold hold;
    waiter w[THREADS];
    OK(twill_stf_begin(tw, &g));
    test_hold_begin(&hold, g, "hold", TWILL_INT(0));
    for (int i = 0; i < THREADS; i++)
        waiter_begin(&w[i], g);
    test_sleep_ms(5);
    test_hold_end(&hold);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(w[i].thread, NULL);
        assert_int_equal(w[i].status, TWILL_OK);
    }
    twill_stop(tw);
}

/* Somebody else goes on inserting until the wait is over. */
typedef struct feeder {
    twill_graph *g;
    atomic_int over, inserted;
} feeder;

static twill_outcome nap_body(twill_task *t)
{
    (void)t;
    test_sleep_ms(1);
    return TWILL_DONE;
}

static const twill_class nap = {
    .size = sizeof(twill_class), .name = "nap", .chores = {TWILL_CPU(nap_body)}};

static void *keep_inserting(void *arg)
{
    feeder *f = arg;
    while (!atomic_load(&f->over)) {
        if (twill_insert(f->g, &nap, TWILL_INT(0)) == TWILL_OK)
            atomic_fetch_add(&f->inserted, 1);
        int64_t added, done; /* a few are always on their way */
        do {
            twill_graph_progress(f->g, &added, &done);
            if (added - done > 20)
                test_sleep_ms(1);
        } while (added - done > 20);
    }
    return NULL;
}

TEST(a_wait_is_for_the_tasks_so_far)
{
    for (int s = 0; s < test_nsetups; s++) {
        if (test_setups[s].workers < 2)
            continue;
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        feeder f = {.g = NULL};
        pthread_t thread;
        limit_begin(tw, 30, "scheduler %s, %d workers", test_setups[s].sched,
                    test_setups[s].workers);
        OK(twill_stf_begin(tw, &f.g));
        assert_int_equal(pthread_create(&thread, NULL, keep_inserting, &f), 0);
        while (atomic_load(&f.inserted) < 30)
            test_sleep_ms(1);
        OK(twill_wait(f.g));
        atomic_store(&f.over, 1);
        pthread_join(thread, NULL);
        OK(twill_wait(f.g));
        limit_end();
        twill_stop(tw);
    }
}

TEST(a_graph_without_tasks_is_done)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    OK(twill_wait(g));
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_graph_free(NULL);
    REFUSED(twill_wait(NULL), TWILL_ERR_ARGUMENT, "NULL");
    twill_stop(tw);
}

TEST(progress_says_how_much_is_done)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    test_hold hold;
    int64_t added, done;
    twill_array *a = test_integers(tw, 1);
    OK(twill_stf_begin(tw, &g));
    twill_graph_progress(g, &added, &done);
    assert_int_equal(added, 0);
    assert_int_equal(done, 0);
    test_hold_begin(&hold, g, "hold", TWILL_RW(twill_tile_at(a, 0, 0)));
    for (int i = 0; i < 10; i++)
        OK(twill_insert(g, &add, TWILL_RW(twill_tile_at(a, 0, 0)), TWILL_INT(1)));
    twill_graph_progress(g, &added, &done);
    assert_int_equal(added, 11);
    assert_int_equal(done, 0);
    test_hold_end(&hold);
    OK(twill_wait(g));
    twill_graph_progress(g, &added, &done);
    assert_int_equal(added, 11);
    assert_int_equal(done, 11);
    twill_stop(tw);
}

/* ---- inside tasks --------------------------------------------------------------------------- */

static twill_outcome wait_body(twill_task *t)
{
    atomic_int *refused = *(atomic_int *const *)twill_task_data(t, 0);
    twill_graph *other = *(twill_graph *const *)twill_task_data(t, 1);
    atomic_fetch_add(refused, twill_wait(twill_task_graph(t)) == TWILL_ERR_STATE);
    atomic_fetch_add(refused, twill_wait(other) == TWILL_ERR_STATE);
    return TWILL_DONE;
}

static const twill_class waits = {
    .size = sizeof(twill_class), .name = "waits", .chores = {TWILL_CPU(wait_body)}};

TEST(a_task_cannot_wait_for_any_graph_whoever_runs_it)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g, *other;
        atomic_int refused = 0, *count = &refused;
        OK(twill_stf_begin(tw, &g));
        OK(twill_stf_begin(tw, &other));
        for (int i = 0; i < 20; i++)
            OK(twill_insert(g, &waits, TWILL_VALUE(count), TWILL_VALUE(other)));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&refused), 40);
        twill_stop(tw);
    }
}

/* ---- a task of one context that waits in another --------------------------------------------- */

static twill *inner_context;
static twill_graph *outer_graph;
static atomic_int refused;

static twill_outcome wait_outside(twill_task *t)
{
    (void)t;
    atomic_store(&refused, (int)twill_wait(outer_graph));
    return TWILL_DONE;
}

static const twill_class back = {
    .size = sizeof(twill_class), .name = "back", .chores = {TWILL_CPU(wait_outside)}};

static twill_outcome wait_inside(twill_task *t)
{
    twill_graph *g;
    if (twill_stf_begin(inner_context, &g) || twill_insert(g, &back, TWILL_INT(0)) || twill_wait(g))
        return twill_task_fail(t, "%s", twill_message());
    return TWILL_DONE;
}

static const twill_class there = {
    .size = sizeof(twill_class), .name = "there", .chores = {TWILL_CPU(wait_inside)}};

/* The thread is still inside a task of the first context when it runs one of the second. */
TEST(a_task_cannot_wait_for_its_context_through_another_one)
{
    twill *tw = test_start(1, "lws");
    inner_context = test_start(1, "lws");
    OK(twill_stf_begin(tw, &outer_graph));
    OK(twill_insert(outer_graph, &there, TWILL_INT(0)));
    OK(twill_wait(outer_graph));
    assert_int_equal(atomic_load(&refused), TWILL_ERR_STATE);
    twill_stop(inner_context);
    twill_stop(tw);
}

/* ---- while others have long tasks ----------------------------------------------------------- */

static atomic_int long_ones;

static twill_outcome nothing_body(twill_task *t)
{
    (void)t;
    return TWILL_DONE;
}

static twill_outcome long_body(twill_task *t)
{
    (void)t;
    test_sleep_ms(5);
    atomic_fetch_add(&long_ones, 1);
    return TWILL_DONE;
}

static const twill_class nothing = {
    .size = sizeof(twill_class), .name = "nothing", .chores = {TWILL_CPU(nothing_body)}};
static const twill_class lengthy = {
    .size = sizeof(twill_class), .name = "long", .chores = {TWILL_CPU(long_body)}};

/* After many short tasks the waiting thread looks rarely whether it is done. */
TEST(a_wait_runs_few_long_tasks_that_it_is_not_for)
{
    enum { SHORT = 400, LONG = 100, FEW = 4 };
    twill *tw = test_start(1, "lws");
    twill_graph *g, *other;
    OK(twill_stf_begin(tw, &g));
    OK(twill_stf_begin(tw, &other));
    for (int i = 0; i < LONG; i++)
        OK(twill_insert(other, &lengthy, TWILL_INT(i)));
    for (int i = 0; i < SHORT; i++)
        OK(twill_insert(g, &nothing, TWILL_INT(i), TWILL_PRIORITY(1)));
    OK(twill_wait(g));
    assert_true(long_ones <= FEW);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_share_a_context_without_knowing_each_other),
        cmocka_unit_test(each_waiter_goes_on_when_its_own_graph_is_done),
        cmocka_unit_test(several_threads_may_wait_for_the_same_graph),
        LIMITED_TEST(a_wait_is_for_the_tasks_so_far),
        cmocka_unit_test(a_graph_without_tasks_is_done),
        cmocka_unit_test(progress_says_how_much_is_done),
        cmocka_unit_test(a_task_cannot_wait_for_any_graph_whoever_runs_it),
        cmocka_unit_test(a_wait_runs_few_long_tasks_that_it_is_not_for),
        LIMITED_TEST(a_task_cannot_wait_for_its_context_through_another_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
