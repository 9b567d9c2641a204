/* A reserved set that grows and shrinks at every task of the path, with eight workers on whatever
 * cores there are: the path gives the numbers of one thread, bit by bit, and nothing hangs. In half
 * of the runs another thread changes the mode meanwhile.
 *
 * TW_STEPS is the number of tasks of the path, over all runs. */
#include "support/limit.h"
#include "support/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <twill/critical.h>

enum { SECONDS = 240, WORKERS = 8, LENGTH = 500, SIDE = 2, N = 48 };

/* A vector that every task of the path makes another one of. */
typedef struct product {
    double x[2][N];
    atomic_int inside, intruders, sides;
} product;
static product p;

static double entry(int i, int j)
{
    return (double)((i * 7 + j * 13) % 11 - 5) / 16;
}

/* Rows first .. end-1 of the step from x[step % 2] to the other one. */
static void rows(int64_t step, int first, int end)
{
    const double *x = p.x[step % 2];
    double *y = p.x[(step + 1) % 2];
    for (int i = first; i < end; i++) {
        double sum = 1;
        for (int j = 0; j < N; j++)
            sum += entry(i, j) * x[j];
        y[i] = sum / (1 + sum * sum);
    }
}

static void enter(void)
{
    if (atomic_fetch_add(&p.inside, 1) > 0)
        atomic_fetch_add(&p.intruders, 1);
}

static twill_outcome alone(twill_task *t)
{
    enter();
    rows(twill_task_int(t, 0), 0, N);
    atomic_fetch_sub(&p.inside, 1);
    return TWILL_DONE;
}

static twill_outcome together(twill_task *t, twill_team *team)
{
    int rank = twill_team_rank(team), size = twill_team_size(team);
    int64_t step = twill_task_int(t, 0);
    if (rank == 0)
        enter();
    int first = N * rank / size, end = N * (rank + 1) / size, middle = (first + end) / 2;
    rows(step, first, middle);
    twill_team_barrier(team);
    rows(step, middle, end);
    twill_team_barrier(team);
    if (rank == 0)
        atomic_fetch_sub(&p.inside, 1);
    return TWILL_DONE;
}

static twill_outcome side(twill_task *t)
{
    volatile double sum = 0;
    for (int i = 0; i < 500 * (1 + (int)twill_task_int(t, 0) % 3); i++)
        sum += entry(i, i);
    atomic_fetch_add(&p.sides, 1);
    return TWILL_DONE;
}

static const twill_class step_class = {.size = sizeof(twill_class),
                                       .name = "step",
                                       .chores = {TWILL_CPU(alone), TWILL_TEAM(together, 0)}};
static const twill_class side_class = {
    .size = sizeof(twill_class), .name = "side", .chores = {TWILL_CPU(side)}};

static twill_graph *make_path(twill *tw)
{
    twill_graph *g;
    int64_t last = -1;
    OK(twill_dag_begin(tw, &g));
    for (int i = 0; i < LENGTH; i++) {
        int64_t step, other;
        OK(twill_dag_add(g, &step, &step_class, TWILL_INT(i)));
        if (last >= 0)
            OK(twill_dag_edge(g, last, step));
        for (int k = 0; k < SIDE; k++) {
            OK(twill_dag_add(g, &other, &side_class, TWILL_INT(i)));
            if (last >= 0)
                OK(twill_dag_edge(g, last, other));
        }
        last = step;
    }
    return g;
}

/* The numbers of one thread. */
static void expect(double *x)
{
    memset(&p, 0, sizeof p);
    for (int i = 0; i < LENGTH; i++)
        rows(i, 0, N);
    memcpy(x, p.x[LENGTH % 2], sizeof p.x[0]);
}

static void set_sizes(twill *tw, uint64_t *seed)
{
    int sizes[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        sizes[i] = (int)test_random(seed, WORKERS);
    twill_critical wanted = {.size = sizeof wanted,
                             .mode = TWILL_MODE_PRESCRIBED,
                             .prescribed = sizes,
                             .prescribed_count = LENGTH};
    OK(twill_critical_set(tw, &wanted));
}

/* Another thread, which changes the mode until it is told to stop. */
typedef struct changer {
    twill *tw;
    uint64_t seed;
    atomic_bool stop;
    atomic_int refused;
} changer;

static void *change_modes(void *arg)
{
    changer *c = arg;
    while (!atomic_load(&c->stop)) {
        int size = (int)test_random(&c->seed, WORKERS);
        twill_critical wanted = {.size = sizeof wanted,
                                 .mode = (twill_mode)test_random(&c->seed, 4),
                                 .reserved = size,
                                 .prescribed = &size,
                                 .prescribed_count = 1};
        if (twill_critical_set(c->tw, &wanted) != TWILL_OK)
            atomic_fetch_add(&c->refused, 1);
        test_sleep_ms(1);
    }
    return NULL;
}

static void run_once(twill_graph *g, const double *expected)
{
    memset(&p, 0, sizeof p);
    OK(twill_dag_run(g));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&p.intruders), 0);
    assert_int_equal(atomic_load(&p.sides), LENGTH * SIDE);
    assert_memory_equal(p.x[LENGTH % 2], expected, sizeof p.x[0]);
}

static void run_all(const char *sched, int64_t runs, bool changes)
{
    double expected[N];
    uint64_t seed = 7;
    expect(expected);
    twill *tw = test_start(WORKERS, sched);
    twill_graph *g = make_path(tw);
    limit_begin(tw, SECONDS, "%s, %lld runs%s", sched, (long long)runs, changes ? ", changes" : "");
    changer c = {.tw = tw, .seed = 11};
    pthread_t thread;
    if (changes)
        assert_int_equal(pthread_create(&thread, NULL, change_modes, &c), 0);
    for (int64_t i = 0; i < runs; i++) {
        if (!changes)
            set_sizes(tw, &seed);
        run_once(g, expected);
    }
    atomic_store(&c.stop, true);
    if (changes)
        pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&c.refused), 0);
    twill_critical_info info = {.size = sizeof info};
    OK(twill_critical_get(tw, &info));
    if (!changes) {
        assert_int_equal(info.tasks, runs * LENGTH);
        assert_true(info.changes > 0 && info.teams > 0);
    }
    limit_end();
    twill_stop(tw);
}

/* 10,000 sizes under `rand`. */
TEST(sizes_change_at_every_task)
{
    int64_t runs = limit_number("TW_STEPS", test_slow() ? 2000 : 10000) / LENGTH;
    run_all("rand", runs, false);
    run_all("lws", (runs + 9) / 10, false);
}

TEST(modes_change_while_graphs_run)
{
    int64_t runs = limit_number("TW_STEPS", test_slow() ? 1000 : 5000) / LENGTH;
    run_all("rand", runs, true);
    run_all("prio", (runs + 1) / 2, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(sizes_change_at_every_task),
        LIMITED_TEST(modes_change_while_graphs_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
