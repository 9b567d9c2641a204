/* The same things over and over: contexts, graphs, arrays, waits. Nothing is lost on the way.
 *
 * TW_CYCLES is the number of contexts that start and stop (1,000), TW_GRAPHS the number of graphs
 * and of runs (10,000). */
#include "support/limit.h"
#include "support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { SECONDS = 60, ALLOWED = 1 << 20, WAITERS = 4 };

static int64_t graphs_wanted(void)
{
    return limit_number("TW_GRAPHS", test_slow() ? 1000 : 10000);
}

/* Bytes of memory in use, or 0 where the system does not say. */
static int64_t resident(void)
{
    long long size, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f)
        return 0;
    if (fscanf(f, "%lld %lld", &size, &pages) != 2)
        pages = 0;
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

/* `one` is done often; after a fifth of it, memory does not grow any more. */
static void repeat(int64_t times, void (*one)(twill *tw, int64_t i), twill *tw)
{
    int64_t before = 0;
    for (int64_t i = 0; i < times; i++) {
        if (i == times / 5)
            before = resident();
        one(tw, i);
    }
    int64_t grown = resident() - before;
    if (!test_slow() && grown > ALLOWED)
        fail_msg("memory has grown by %lld bytes", (long long)grown);
}

static twill_outcome add_body(twill_task *t)
{
    ++*(int64_t *)twill_task_data(t, 0);
    return TWILL_DONE;
}

static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

/* ---- contexts ----------------------------------------------------------------------------------
 */

static void small_graph(twill *tw, int tasks)
{
    twill_graph *g = NULL;
    twill_array *a = test_integers(tw, 3);
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < tasks; i++)
        OK(twill_insert(g, &add, TWILL_RW(twill_tile_at(a, i % 3, 0))));
    OK(twill_wait(g));
    assert_int_equal(test_get(a, 0) + test_get(a, 1) + test_get(a, 2), tasks);
    twill_graph_free(g);
    twill_array_free(a);
}

TEST(contexts_start_and_stop)
{
    int64_t n = limit_number("TW_CYCLES", test_slow() ? 100 : 1000);
    for (int64_t i = 0; i < n; i++) {
        const test_setup *s = &test_setups[i % test_nsetups];
        limit_begin(NULL, SECONDS, "cycle %lld, scheduler %s, %d workers", (long long)i, s->sched,
                    s->workers);
        twill *tw = test_start(s->workers, s->sched);
        if (i % 3)
            small_graph(tw, (int)(i % 17));
        twill_stop(tw);
    }
    limit_end();
}

/* What is left in a context is freed with it. */
TEST(contexts_stop_with_things_left)
{
    for (int i = 0; i < test_nsetups; i++) {
        limit_begin(NULL, SECONDS, "scheduler %s", test_setups[i].sched);
        twill *tw = test_start(test_setups[i].workers, test_setups[i].sched);
        twill_graph *g = NULL;
        twill_array *a = test_integers(tw, 4);
        OK(twill_stf_begin(tw, &g));
        for (int k = 0; k < 200; k++)
            OK(twill_insert(g, &add, TWILL_RW(twill_tile_at(a, k % 4, 0))));
        twill_stop(tw);
    }
    limit_end();
}

static void *graphs_of_one(void *arg)
{
    for (int i = 0; i < 200; i++)
        small_graph(arg, 20);
    return NULL;
}

TEST(two_contexts_work_at_once)
{
    twill *tw[2] = {test_start(2, "lws"), test_start(3, "rand")};
    pthread_t thread;
    limit_begin(tw[0], SECONDS, "two contexts");
    assert_int_equal(pthread_create(&thread, NULL, graphs_of_one, tw[1]), 0);
    graphs_of_one(tw[0]);
    pthread_join(thread, NULL);
    twill_stop(tw[0]);
    twill_stop(tw[1]);
    limit_end();
}

/* ---- graphs and arrays -------------------------------------------------------------------------
 */

static void one_graph(twill *tw, int64_t i)
{
    small_graph(tw, (int)(i % 23));
}

static void one_array(twill *tw, int64_t i)
{
    twill_array *a = test_integers(tw, 1 + i % 50);
    for (int64_t k = 0; k < 1 + i % 50; k += 7)
        assert_non_null(twill_tile_at(a, k, 0));
    twill_array_free(a);
}

static void one_dag(twill *tw, int64_t i)
{
    twill_graph *g = NULL;
    twill_array *a = test_integers(tw, 1);
    int64_t node[5];
    OK(twill_dag_begin(tw, &g));
    for (int k = 0; k < 5; k++)
        OK(twill_dag_add(g, &node[k], &add, TWILL_RW(twill_tile_at(a, 0, 0))));
    for (int k = 1; k < 5; k++)
        OK(twill_dag_edge(g, node[k - 1], node[k]));
    OK(twill_dag_run(g));
    if (i % 2)
        OK(twill_wait(g));
    twill_graph_free(g);
    assert_int_equal(test_get(a, 0), 5);
    twill_array_free(a);
}

static const struct {
    const char *name;
    void (*one)(twill *tw, int64_t i);
} repeated[] = {{"graphs", one_graph}, {"explicit graphs", one_dag}, {"arrays", one_array}};

TEST(memory_stays_flat)
{
    for (int k = 0; k < COUNT(repeated); k++) {
        twill *tw = test_start(k % 2 ? 3 : 2, k == 1 ? "eager" : "lws");
        limit_begin(tw, 4 * SECONDS, "%s", repeated[k].name);
        repeat(graphs_wanted(), repeated[k].one, tw);
        twill_stop(tw);
    }
    limit_end();
}

/* A run can follow as soon as the wait for the one before has returned. */
TEST(a_graph_runs_often)
{
    for (int workers = 1; workers <= 4; workers++) {
        twill *tw = test_start(workers, "lws");
        twill_graph *g = NULL;
        atomic_int count = 0, *counter = &count;
        int64_t node[3], n = graphs_wanted();
        limit_begin(tw, SECONDS, "%d workers", workers);
        OK(twill_dag_begin(tw, &g));
        for (int i = 0; i < 3; i++)
            OK(twill_dag_add(g, &node[i], &test_count, TWILL_VALUE(counter)));
        OK(twill_dag_edge(g, node[2], node[0]));
        for (int64_t i = 0; i < n; i++) {
            OK(twill_dag_run(g));
            OK(twill_wait(g));
            assert_int_equal(atomic_load(&count), 3 * (i + 1));
        }
        twill_stop(tw);
    }
    limit_end();
}

/* ---- waits -------------------------------------------------------------------------------------
 */

typedef struct waiter {
    twill *tw;
    twill_array *a;
    int number, rounds;
    atomic_int wrong;
} waiter;

/* Each has a graph of its own, and its own tile; all wait at the same time. */
static void *wait_often(void *arg)
{
    waiter *me = arg;
    twill_graph *g = NULL;
    twill_tile *tile = twill_tile_at(me->a, me->number, 0);
    int bad = twill_stf_begin(me->tw, &g) != TWILL_OK;
    for (int i = 0; i < me->rounds && !bad; i++) {
        bad |= twill_insert(g, &add, TWILL_RW(tile)) != TWILL_OK;
        bad |= i % 2 ? twill_wait(g) != TWILL_OK : twill_wait_tile(tile, TWILL_READ) != TWILL_OK;
    }
    twill_graph_free(g);
    atomic_store(&me->wrong, bad);
    return NULL;
}

TEST(many_threads_wait_a_little)
{
    int rounds = test_slow() ? 200 : 2000;
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        waiter w[WAITERS];
        pthread_t thread[WAITERS];
        twill_array *a = test_integers(tw, WAITERS);
        limit_begin(tw, SECONDS, "scheduler %s, %d workers", test_setups[s].sched,
                    test_setups[s].workers);
        for (int i = 0; i < WAITERS; i++) {
            w[i] = (waiter){.tw = tw, .a = a, .number = i, .rounds = rounds};
            assert_int_equal(pthread_create(&thread[i], NULL, wait_often, &w[i]), 0);
        }
        for (int i = 0; i < WAITERS; i++)
            pthread_join(thread[i], NULL);
        for (int i = 0; i < WAITERS; i++) {
            assert_false(atomic_load(&w[i].wrong));
            assert_int_equal(test_get(a, i), rounds);
        }
        twill_stop(tw);
    }
    limit_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(contexts_start_and_stop),   LIMITED_TEST(contexts_stop_with_things_left),
        LIMITED_TEST(two_contexts_work_at_once), LIMITED_TEST(memory_stays_flat),
        LIMITED_TEST(a_graph_runs_often),        LIMITED_TEST(many_threads_wait_a_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
