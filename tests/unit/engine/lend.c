/* Members of a team lend their cores: who may run where, meanwhile and afterwards. */
#include "engine/engine.h"
#include "support/limit.h"
#include "support/test.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <twill/critical.h>
#ifdef _OPENMP
#include <omp.h>
enum { HAVE_OPENMP = 1 };
#else
enum { HAVE_OPENMP = 0 };
#endif

enum { MOST = 8, NAP_MS = 100 };

/* How the body goes. */
typedef enum way {
    THREADS, /* rank 0 starts threads */
    POOL,    /* it has one from before */
    OPENMP,
    TWICE,       /* two loans, the second asked for twice */
    NAP,         /* rank 0 takes its time */
    FIRST_FAILS, /* without returning the cores */
    LAST_FAILS
} way;

/* What members and threads have seen. */
typedef struct loan {
    way way;
    int size, threads; /* of the team; that worked for rank 0 */
    cpu_set_t own[MOST], after[MOST], lent, seen[MOST];
    double busy[MOST]; /* seconds that this member's thread ran while cores were lent */
    atomic_int wrong;
} loan;

static cpu_set_t here(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    (void)sched_getaffinity(0, sizeof set, &set);
    return set;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- threads of rank 0 ---------------------------------------------------------------------- */

typedef struct helper {
    pthread_t thread;
    twill_team *team; /* to borrow from, first */
    cpu_set_t seen;
} helper;

static void *help(void *arg)
{
    helper *h = arg;
    if (h->team)
        twill_team_borrow(h->team);
    h->seen = here();
    return NULL;
}

static void use_threads(loan *l, int threads)
{
    helper h[MOST] = {0};
    for (int i = 0; i < threads; i++)
        if (pthread_create(&h[i].thread, NULL, help, &h[i]))
            atomic_fetch_add(&l->wrong, 1);
    for (int i = 0; i < threads; i++) {
        pthread_join(h[i].thread, NULL);
        l->seen[i] = h[i].seen;
    }
    l->threads = threads;
}

/* A thread that may run on one core only, as those of a pool that the worker has from before. */
static void use_pool(loan *l, twill_team *team)
{
    helper h = {.team = team};
    pthread_attr_t attributes;
    cpu_set_t one;
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &l->own[0]))
            CPU_SET(i, &one);
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
    if (pthread_create(&h.thread, &attributes, help, &h))
        atomic_fetch_add(&l->wrong, 1);
    pthread_attr_destroy(&attributes);
    pthread_join(h.thread, NULL);
    l->seen[0] = h.seen;
    l->threads = 1;
}

static void use_openmp(loan *l, twill_team *team, int threads)
{
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
    {
        twill_team_borrow(team);
        l->seen[omp_get_thread_num()] = here();
#pragma omp master
        l->threads = omp_get_num_threads();
    }
#else
    (void)l, (void)team, (void)threads;
#endif
}

/* ---- bodies --------------------------------------------------------------------------------- */

static void lend_again(loan *l, twill_team *team)
{
    bool first = twill_team_rank(team) == 0;
    cpu_set_t own;
    twill_team_return(team);
    own = here();
    if (!CPU_EQUAL(&own, &l->own[twill_team_rank(team)]))
        atomic_fetch_add(&l->wrong, 1);
    for (int i = 0; i < 2; i++)
        if (twill_team_lend(team) != (first ? l->size : 0))
            atomic_fetch_add(&l->wrong, 1);
}

static void use_cores(loan *l, twill_team *team, int threads)
{
    if (threads != twill_team_size(team))
        atomic_fetch_add(&l->wrong, 1);
    if (l->way == POOL)
        use_pool(l, team);
    else if (l->way == OPENMP)
        use_openmp(l, team, threads);
    else
        use_threads(l, threads);
    if (l->way == NAP)
        test_sleep_ms(NAP_MS);
}

static twill_outcome lend_body(twill_task *t, twill_team *team)
{
    loan *l = *(loan *const *)twill_task_data(t, 0);
    int rank = twill_team_rank(team);
    l->own[rank] = here();
    if (rank == 0)
        l->size = twill_team_size(team);
    int threads = twill_team_lend(team);
    if (l->way == TWICE)
        lend_again(l, team);
    double begin = cpu_seconds();
    if (rank == 0) {
        l->lent = here();
        use_cores(l, team, threads);
    } else if (threads != 0) {
        atomic_fetch_add(&l->wrong, 1);
    }
    if ((l->way == FIRST_FAILS && rank == 0) ||
        (l->way == LAST_FAILS && rank == twill_team_size(team) - 1))
        return twill_task_fail(t, "planted");
    twill_team_return(team);
    l->busy[rank] = cpu_seconds() - begin;
    l->after[rank] = here();
    return TWILL_DONE;
}

static const twill_class lend_class = {
    .size = sizeof(twill_class), .name = "lend", .chores = {TWILL_TEAM(lend_body, 0)}};

/* ---- what must be --------------------------------------------------------------------------- */

static void check(const loan *l, bool bound)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int i = 0; i < l->size; i++)
        CPU_OR(&all, &all, &l->own[i]);
    assert_int_equal(atomic_load(&l->wrong), 0);
    assert_true(CPU_EQUAL(&l->lent, &all));
    if (bound)
        assert_int_equal(CPU_COUNT(&all), l->size);
    assert_int_equal(l->threads, l->way == POOL ? 1 : l->size);
    for (int i = 0; i < l->threads; i++)
        assert_true(CPU_EQUAL(&l->seen[i], &all));
}

static void check_return(const loan *l)
{
    for (int i = 0; i < l->size; i++) {
        assert_true(CPU_EQUAL(&l->after[i], &l->own[i]));
        if (i > 0 && l->way == NAP) /* it slept */
            assert_true(l->busy[i] < NAP_MS * 1e-3 / 4);
    }
}

/* It ends when the set has so many members, the thread of the test the first of them. */
static twill_outcome gate_body(twill_task *t)
{
    twill_critical_info info = {.size = sizeof info};
    twill *tw = *(twill *const *)twill_task_data(t, 0);
    if (twill_critical_get(tw, &info) != TWILL_OK)
        return TWILL_ERROR;
    bool whole = info.first == 0 && info.members == (int)twill_task_int(t, 1);
    return whole ? TWILL_DONE : TWILL_AGAIN;
}

static const twill_class gate = {
    .size = sizeof(twill_class), .name = "gate", .chores = {TWILL_CPU(gate_body)}};

/* `reserved`: the critical set, of this size, runs it. */
static twill_status run(twill *tw, const twill_class *cls, loan *l, way how, int reserved)
{
    twill_array *a = test_integers(tw, 1);
    twill_tile *tile = twill_tile_at(a, 0, 0);
    twill_graph *g;
    *l = (loan){.way = how};
    OK(twill_stf_begin(tw, &g));
    if (reserved) {
        OK(twill_insert(g, &gate, TWILL_VALUE(tw), TWILL_INT(reserved), TWILL_RW(tile)));
        OK(twill_insert(g, cls, TWILL_VALUE(l), TWILL_RW(tile), TWILL_CRITICAL));
    } else {
        OK(twill_insert(g, cls, TWILL_VALUE(l)));
    }
    twill_status status = twill_wait(g);
    twill_graph_free(g);
    twill_array_free(a);
    return status;
}

/* All ways, one after the other: what one leaves behind, the next would find. */
static void go_all_ways(twill *tw, const twill_class *cls, int size, bool critical)
{
    cpu_set_t before = here(), after;
    loan l;
    int reserved = critical ? size : 0;
    for (way how = THREADS; how <= LAST_FAILS; how++) {
        bool fails = how == FIRST_FAILS || how == LAST_FAILS;
        if (how == OPENMP && !HAVE_OPENMP)
            continue;
        limit_begin(tw, 60, "way %d", how);
        if (fails)
            REFUSED(run(tw, cls, &l, how, reserved), TWILL_ERR_TASK, "planted");
        else
            OK(run(tw, cls, &l, how, reserved));
        limit_end();
        assert_int_equal(l.size, size);
        check(&l, tw_is_bound(tw));
        if (!fails)
            check_return(&l);
        after = here();
        assert_true(CPU_EQUAL(&before, &after));
    }
}

static int cores(void)
{
    twill *tw = test_start(1, NULL);
    int n = tw->topo.ncores;
    twill_stop(tw);
    return n < MOST ? n : MOST;
}

TEST(bound_teams_get_the_cores_of_their_members)
{
    for (int workers = 1; workers <= cores(); workers++) {
        twill *tw = test_start_with(
            (twill_options){.workers = workers, .bind = "on", .patience_us = 10000000});
        go_all_ways(tw, &lend_class, workers, false);
        twill_stop(tw);
    }
}

TEST(workers_that_are_not_bound_or_share_cores_lend_what_they_have)
{
    static const char *const bind[] = {"on", "off"};
    for (int i = 0; i < COUNT(bind); i++) {
        twill *tw = test_start_with(
            (twill_options){.workers = MOST, .bind = bind[i], .patience_us = 10000000});
        go_all_ways(tw, &lend_class, MOST, false);
        twill_stop(tw);
    }
}

static twill_outcome alone(twill_task *t)
{
    return twill_task_fail(t, "the set should run it together");
}

TEST(the_critical_set_lends_its_cores)
{
    static const twill_class both = {.size = sizeof(twill_class),
                                     .name = "both",
                                     .chores = {TWILL_CPU(alone), TWILL_TEAM(lend_body, 0)}};
    const int workers[] = {cores() > 3 ? cores() : 4, MOST};
    for (int i = 0; i < COUNT(workers); i++) {
        twill *tw = test_start_with((twill_options){
            .workers = workers[i], .bind = "on", .mode = "fixed", .reserved = workers[i] - 1});
        go_all_ways(tw, &both, workers[i] - 1, true);
        twill_stop(tw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(bound_teams_get_the_cores_of_their_members),
        LIMITED_TEST(workers_that_are_not_bound_or_share_cores_lend_what_they_have),
        LIMITED_TEST(the_critical_set_lends_its_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
