/* Moments at which two threads meet: each test brings one of them about as often as it can.
 *
 * TW_ROUNDS is the number of times. */
#include "support/limit.h"
#include "support/test.h"

#include <pthread.h>
#include <stdlib.h>

enum { SECONDS = 60, THREADS = 3 };

static int rounds(int wanted)
{
    return (int)limit_number("TW_ROUNDS", test_slow() ? wanted / 10 : wanted);
}

/* One thread's part. Threads do not check with cmocka: they write down what is wrong. */
typedef struct part {
    twill *tw;
    twill_array *a;
    twill_graph *g;
    int number, rounds;
    atomic_bool *stop;
    const char *wrong;
} part;

/* Run the parts in threads of their own, the last one in this thread, and see that all is well. */
static void together(part *p, int n, void *(*main)(void *part))
{
    pthread_t thread[8];
    for (int i = 0; i < n - 1; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, main, &p[i]), 0);
    main(&p[n - 1]);
    for (int i = 0; i < n - 1; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < n; i++)
        if (p[i].wrong)
            fail_msg("thread %d: %s", i, p[i].wrong);
}

static void must(part *p, bool good, const char *what)
{
    if (!good && !p->wrong)
        p->wrong = what;
}

static twill_outcome add_body(twill_task *t)
{
    int64_t *number = twill_task_data(t, 0);
    int64_t before = *number;
    *number = before + 1;
    return TWILL_DONE;
}

static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

/* ---- host access -------------------------------------------------------------------------------
 */

static void *map_often(void *arg)
{
    part *p = arg;
    twill_view v = p->number == 0 ? twill_view_all(p->a) : twill_view_tile(p->a, 0, 0);
    for (int i = 0; i < p->rounds && !p->wrong; i++) {
        int64_t ld;
        void *data = NULL;
        must(p, twill_map(v, TWILL_READ, &data, &ld) == TWILL_OK, "map");
        must(p, data && *(int64_t *)data == 0, "content");
        must(p, twill_unmap(v, data) == TWILL_OK, "unmap");
    }
    return NULL;
}

TEST(threads_map_the_same_view)
{
    twill *tw = test_start(2, "lws");
    part p[4];
    twill_array *a = test_integers(tw, 3);
    limit_begin(tw, SECONDS, "mapping");
    for (int i = 0; i < COUNT(p); i++)
        p[i] = (part){.tw = tw, .a = a, .number = i, .rounds = rounds(20000)};
    together(p, COUNT(p), map_often);
    twill_stop(tw);
    limit_end();
}

static int stop_mapped(void *arg)
{
    void *data;
    int64_t ld;
    twill *tw = test_start(2, arg);
    twill_array *a = test_integers(tw, 2);
    twill_graph *g = NULL;
    OK(twill_map(twill_view_all(a), TWILL_READ_WRITE, &data, &ld));
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &add, TWILL_RW(twill_tile_at(a, 0, 0))));
    twill_stop(tw);
    return 0;
}

/* ---- reductions --------------------------------------------------------------------------------
 */

/* The first thread contributes and reads; the second waits for the graph, which combines. */
static void *contribute_or_wait(void *arg)
{
    part *p = arg;
    twill_graph *mine = NULL;
    if (p->number == 0) {
        while (!atomic_load(p->stop))
            must(p, twill_wait(p->g) == TWILL_OK, "wait");
        return NULL;
    }
    must(p, twill_stf_begin(p->tw, &mine) == TWILL_OK, "begin");
    for (int i = 0; i < p->rounds && !p->wrong; i++) {
        twill_tile *from = twill_tile_at(p->a, 0, 0), *to = twill_tile_at(p->a, 1, 0);
        must(p, twill_insert(p->g, &add, TWILL_REDUCE(from, &test_plus)) == TWILL_OK,
             "contribution");
        must(p, twill_insert(mine, &add, TWILL_RW(from), TWILL_W(to)) == TWILL_OK, "update");
        if (i % 16 == 0) {
            int64_t ld;
            void *data = NULL;
            twill_view v = twill_view_tile(p->a, 0, 0);
            must(p, twill_map(v, TWILL_READ, &data, &ld) == TWILL_OK, "map");
            must(p, data && *(int64_t *)data == 2 * (i + 1), "a contribution came too late");
            must(p, twill_unmap(v, data) == TWILL_OK, "unmap");
        }
    }
    twill_graph_free(mine);
    atomic_store(p->stop, true);
    return NULL;
}

/* Doubling and adding do not commute, so the place of each combination shows in the result. */
static twill_outcome twice_body(twill_task *t)
{
    uint64_t *number = twill_task_data(t, 0);
    *number = 2 * *number + 1;
    return TWILL_DONE;
}

static const twill_class twice = {
    .size = sizeof(twill_class), .name = "twice", .chores = {TWILL_CPU(twice_body)}};

static void *contribute_in_order(void *arg)
{
    part *p = arg;
    if (p->number == 0)
        return contribute_or_wait(arg);
    uint64_t model = 0;
    twill_tile *tile = twill_tile_at(p->a, 2, 0);
    for (int i = 0; i < p->rounds && !p->wrong; i++) {
        must(p, twill_insert(p->g, &add, TWILL_REDUCE(tile, &test_plus)) == TWILL_OK,
             "contribution");
        must(p, twill_insert(p->g, &twice, TWILL_RW(tile)) == TWILL_OK, "update");
        model = 2 * (model + 1) + 1;
    }
    must(p, twill_wait(p->g) == TWILL_OK, "last wait");
    int64_t ld;
    void *data = NULL;
    must(p, twill_map(twill_view_tile(p->a, 2, 0), TWILL_READ, &data, &ld) == TWILL_OK, "map");
    must(p, data && *(uint64_t *)data == model, "an update came before a contribution");
    must(p, twill_unmap(twill_view_tile(p->a, 2, 0), data) == TWILL_OK, "unmap");
    atomic_store(p->stop, true);
    return NULL;
}

static void reduce_between(void *(*main)(void *part))
{
    for (int workers = 1; workers <= 3; workers++) {
        twill *tw = test_start(workers, workers == 3 ? "eager" : "lws");
        twill_graph *g = NULL;
        twill_array *a = test_integers(tw, 3);
        atomic_bool stop = false;
        part p[2];
        limit_begin(tw, SECONDS, "%d workers", workers);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 2; i++)
            p[i] = (part){
                .tw = tw, .a = a, .g = g, .number = i, .rounds = rounds(3000), .stop = &stop};
        together(p, 2, main);
        twill_stop(tw);
    }
    limit_end();
}

TEST(a_wait_combines_while_others_go_on)
{
    reduce_between(contribute_or_wait);
    reduce_between(contribute_in_order);
}

/* ---- insertion ---------------------------------------------------------------------------------
 */

/* With many arguments behind its data a task may be over before the insertion has seen them all;
 * its memory is then another task's, which has data in that place. */
static void *insert_wide(void *arg)
{
    part *p = arg;
    twill_tile *mine = twill_tile_at(p->a, p->number, 0);
    twill_arg args[16];
    int n = 0;
    args[n++] = TWILL_RW(mine);
    if (p->number % 2) {
        for (; n < 12; n++)
            args[n] = TWILL_R(twill_tile_at(p->a, 10 + 10 * p->number + n, 0));
    } else {
        for (; n < 12; n++)
            args[n] = n % 3 ? TWILL_INT(n) : TWILL_R(mine);
    }
    args[n] = TWILL_END;
    for (int i = 0; i < p->rounds; i++)
        must(p, twill_insert_args(p->g, &add, args) == TWILL_OK, "insertion");
    return NULL;
}

TEST(tasks_end_while_they_are_inserted)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        part p[THREADS];
        int n = rounds(4000);
        twill_array *a[THREADS];
        limit_begin(tw, SECONDS, "scheduler %s, %d workers", test_setups[s].sched,
                    test_setups[s].workers);
        for (int i = 0; i < THREADS; i++) {
            a[i] = test_integers(tw, 50);
            p[i] = (part){.tw = tw, .a = a[i], .number = i, .rounds = n};
            OK(twill_stf_begin(tw, &p[i].g));
        }
        together(p, THREADS, insert_wide);
        for (int i = 0; i < THREADS; i++) {
            OK(twill_wait(p[i].g));
            assert_int_equal(test_get(a[i], i), n);
        }
        twill_stop(tw);
    }
    limit_end();
}

/* One worker, a window of a few tasks, and several threads that insert: whoever is last must be
 * able to make room alone. */
static void *insert_many(void *arg)
{
    part *p = arg;
    for (int i = 0; i < p->rounds / (1 + 9 * p->number); i++)
        must(p, twill_insert(p->g, &add, TWILL_RW(twill_tile_at(p->a, p->number, 0))) == TWILL_OK,
             "insertion");
    return NULL;
}

TEST(the_last_one_to_insert_makes_room)
{
    static const char *const schedulers[] = {"serial", "lws", "eager"};
    for (int s = 0; s < 3 * rounds(20); s++) {
        twill *tw = test_start_with(
            (twill_options){.workers = 1, .sched = schedulers[s % 3], .window = 1 + s % 5});
        part p[THREADS];
        twill_array *a = test_integers(tw, THREADS);
        limit_begin(tw, SECONDS, "scheduler %s", schedulers[s % 3]);
        for (int i = 0; i < THREADS; i++) {
            p[i] = (part){.tw = tw, .a = a, .number = i, .rounds = 500};
            OK(twill_stf_begin(tw, &p[i].g));
        }
        together(p, THREADS, insert_many);
        twill_stop(tw);
    }
    limit_end();
}

/* ---- again -------------------------------------------------------------------------------------
 */

static twill_outcome until_body(twill_task *t)
{
    return atomic_load(*(atomic_int **)twill_task_data(t, 0)) ? TWILL_DONE : TWILL_AGAIN;
}

static const twill_class until = {
    .size = sizeof(twill_class), .name = "until", .chores = {TWILL_CPU(until_body)}};

/* A task that cannot run now does not keep the one it needs from running. */
TEST(again_lets_others_run)
{
    for (int s = 0; s < test_nsetups; s++)
        for (int priority = -1; priority <= 1; priority++) {
            twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
            twill_graph *g = NULL;
            twill_array *a = test_integers(tw, 1);
            atomic_int count = 0, *counter = &count;
            void *data;
            int64_t ld;
            limit_begin(tw, SECONDS, "scheduler %s, %d workers, priority %d", test_setups[s].sched,
                        test_setups[s].workers, priority);
            OK(twill_stf_begin(tw, &g));
            /* held back, so that the insertions do not run them (serial) */
            OK(twill_map(twill_view_all(a), TWILL_READ_WRITE, &data, &ld));
            for (int i = 0; i < 10; i++)
                OK(twill_insert(g, i == 3 ? &test_count : &until, TWILL_VALUE(counter),
                                TWILL_R(twill_tile_at(a, 0, 0)),
                                TWILL_PRIORITY(i == 3 ? 0 : priority * i)));
            OK(twill_unmap(twill_view_all(a), data));
            OK(twill_wait(g));
            twill_stop(tw);
        }
    limit_end();
}

TEST(a_context_stops_with_a_view_mapped)
{
    assert_int_equal(test_child(stop_mapped, "lws", 10), 0);
    assert_int_equal(test_child(stop_mapped, "serial", 10), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_stops_with_a_view_mapped), /* forks: before any thread */
        LIMITED_TEST(threads_map_the_same_view),
        LIMITED_TEST(a_wait_combines_while_others_go_on),
        LIMITED_TEST(tasks_end_while_they_are_inserted),
        LIMITED_TEST(the_last_one_to_insert_makes_room),
        LIMITED_TEST(again_lets_others_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
