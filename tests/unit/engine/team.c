/* Teams: several workers run one body together. */
#include "support/limit.h"
#include "support/test.h"

enum { MOST = 8, PHASES = 20 };

/* Teams that wait long enough to be complete, however slow the machine is. */
static twill *start_patient(int workers, const char *sched)
{
    return test_start_with(
        (twill_options){.workers = workers, .sched = sched, .patience_us = 10000000});
}

/* What the members of one team leave behind. */
typedef struct crew {
    atomic_int ranks, size, members, arrivals, early;
} crew;

/* In each phase everybody arrives, and nobody goes on before all have: the count is exact at both
 * ends of a phase. */
static twill_outcome crew_body(twill_task *t, twill_team *team)
{
    crew *c = *(crew *const *)twill_task_data(t, 0);
    int size = twill_team_size(team), rank = twill_team_rank(team);
    atomic_store(&c->size, size);
    atomic_fetch_or(&c->ranks, 1 << rank);
    atomic_fetch_add(&c->members, 1);
    for (int phase = 1; phase <= PHASES; phase++) {
        atomic_fetch_add(&c->arrivals, 1);
        twill_team_barrier(team);
        if (atomic_load(&c->arrivals) != phase * size)
            atomic_fetch_add(&c->early, 1);
        twill_team_barrier(team);
    }
    return TWILL_DONE;
}

static void check_crew(const crew *c, int size)
{
    assert_int_equal(atomic_load(&c->size), size);
    assert_int_equal(atomic_load(&c->members), size);
    assert_int_equal(atomic_load(&c->ranks), (1 << size) - 1);
    assert_int_equal(atomic_load(&c->arrivals), PHASES * size);
    assert_int_equal(atomic_load(&c->early), 0);
}

TEST(a_patient_team_has_all_it_wants_with_distinct_ranks_and_a_barrier_that_holds)
{
    for (int workers = 1; workers <= MOST; workers++) {
        twill *tw = start_patient(workers, NULL);
        twill_graph *g;
        OK(twill_stf_begin(tw, &g));
        for (int wanted = 0; wanted <= workers; wanted++) {
            const twill_class cls = {.size = sizeof(twill_class),
                                     .name = "crew",
                                     .chores = {TWILL_TEAM(crew_body, wanted)}};
            crew c = {0}, *arg = &c;
            OK(twill_insert(g, &cls, TWILL_VALUE(arg)));
            OK(twill_wait(g));
            check_crew(&c, wanted == 0 ? workers : wanted);
        }
        twill_stop(tw);
    }
}

TEST(a_team_that_wants_more_than_there_are_gets_what_there_is)
{
    static const twill_class large = {
        .size = sizeof(twill_class), .name = "large", .chores = {TWILL_TEAM(crew_body, 100)}};
    twill *tw = start_patient(3, NULL);
    twill_graph *g;
    crew c = {0}, *arg = &c;
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &large, TWILL_VALUE(arg)));
    OK(twill_wait(g));
    check_crew(&c, 3);
    twill_stop(tw);
}

/* Patience is short and workers are busy: teams are as small as it happens, and still correct. */
TEST(teams_of_any_size_work_among_ordinary_tasks)
{
    enum { TEAMS = 12 };
    static const twill_class crew_class = {
        .size = sizeof(twill_class), .name = "crew", .chores = {TWILL_TEAM(crew_body, 0)}};
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        crew c[TEAMS] = {0};
        atomic_int ran = 0, *count = &ran;
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < TEAMS; i++) {
            crew *arg = &c[i];
            OK(twill_insert(g, &crew_class, TWILL_VALUE(arg)));
            for (int k = 0; k < 50; k++)
                OK(twill_insert(g, &test_count, TWILL_VALUE(count)));
        }
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&ran), 50 * TEAMS);
        for (int i = 0; i < TEAMS; i++) {
            int size = atomic_load(&c[i].size);
            assert_in_range(size, 1, test_setups[s].workers);
            check_crew(&c[i], size);
        }
        twill_stop(tw);
    }
}

/* ---- the others ----------------------------------------------------------------------------- */

typedef struct meeting {
    atomic_int inside, ran;
    int wanted;
} meeting;

/* The body ends when the tasks that were inserted meanwhile have run. */
static twill_outcome meeting_body(twill_task *t, twill_team *team)
{
    meeting *m = *(meeting *const *)twill_task_data(t, 0);
    twill_team_barrier(team);
    atomic_store(&m->inside, 1);
    while (atomic_load(&m->ran) < m->wanted)
        test_sleep_ms(1);
    return TWILL_DONE;
}

static twill_outcome nap_body(twill_task *t)
{
    test_sleep_ms((int)twill_task_int(t, 0));
    return TWILL_DONE;
}

static const twill_class nap = {
    .size = sizeof(twill_class), .name = "nap", .chores = {TWILL_CPU(nap_body)}};

/* One worker becomes the leader, one searches when the team gathers, and one is busy; when that one
 * has nothing more to do and sleeps, it must still be woken. */
TEST(whoever_is_not_in_the_team_is_woken)
{
    static const twill_class pair = {
        .size = sizeof(twill_class), .name = "pair", .chores = {TWILL_TEAM(meeting_body, 2)}};
    for (int searches_ms = 0; searches_ms < 20; searches_ms += 5) {
        twill *tw = test_start_with(
            (twill_options){.workers = 4, .spin_us = 30000, .patience_us = 1000000});
        twill_array *a = test_integers(tw, 1);
        twill_graph *g, *h;
        meeting m = {.wanted = 4}, *meeting = &m;
        atomic_int *count = &m.ran;
        limit_begin(tw, 60, "a search of %d ms", searches_ms);
        OK(twill_stf_begin(tw, &g));
        OK(twill_stf_begin(tw, &h));
        OK(twill_insert(g, &nap, TWILL_INT(20), TWILL_RW(twill_tile_at(a, 0, 0))));
        OK(twill_insert(g, &nap, TWILL_INT(100)));
        OK(twill_insert(g, &nap, TWILL_INT(searches_ms)));
        OK(twill_insert(g, &pair, TWILL_VALUE(meeting), TWILL_RW(twill_tile_at(a, 0, 0))));
        REACHES(&m.inside, 1);
        test_sleep_ms(150);
        for (int i = 0; i < m.wanted; i++) {
            OK(twill_insert(h, &test_count, TWILL_VALUE(count)));
            test_sleep_ms(1);
        }
        REACHES(&m.ran, m.wanted); /* without the help of a thread that waits */
        OK(twill_wait(g));
        limit_end();
        twill_stop(tw);
    }
}

/* ---- order and data ------------------------------------------------------------------------- */

enum { NUMBERS = 64 };

/* Cut by index, not by member: the result does not depend on the size. */
static twill_outcome double_body(twill_task *t, twill_team *team)
{
    int64_t *x = twill_task_data(t, 0);
    int size = twill_team_size(team);
    for (int i = twill_team_rank(team); i < NUMBERS; i += size)
        x[i] *= 2;
    twill_team_barrier(team);
    for (int i = size - 1 - twill_team_rank(team); i < NUMBERS; i += size)
        x[i] += 1;
    return TWILL_DONE;
}

static twill_outcome add_body(twill_task *t)
{
    int64_t *x = twill_task_data(t, 0);
    for (int i = 0; i < NUMBERS; i++)
        x[i] += i;
    return TWILL_DONE;
}

TEST(team_tasks_take_their_place_in_the_order_of_tasks)
{
    static const twill_class twice = {
        .size = sizeof(twill_class), .name = "twice", .chores = {TWILL_TEAM(double_body, 0)}};
    static const twill_class add = {
        .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        twill_array *a;
        void *data;
        int64_t ld, wanted[NUMBERS] = {0};
        twill_pattern p = twill_tiled(NUMBERS, 1, NUMBERS, 1);
        OK(twill_array_create(tw, &p, TWILL_BYTES, 8, &a));
        OK(twill_stf_begin(tw, &g));
        for (int k = 0; k < 20; k++) {
            OK(twill_insert(g, &add, TWILL_RW(twill_tile_at(a, 0, 0))));
            OK(twill_insert(g, &twice, TWILL_RW(twill_tile_at(a, 0, 0))));
            for (int i = 0; i < NUMBERS; i++)
                wanted[i] = 2 * (wanted[i] + i) + 1;
        }
        OK(twill_map(twill_view_all(a), TWILL_READ, &data, &ld));
        assert_memory_equal(data, wanted, sizeof wanted);
        OK(twill_unmap(twill_view_all(a), data));
        twill_stop(tw);
    }
}

/* ---- bodies --------------------------------------------------------------------------------- */

static twill_outcome both_team(twill_task *t, twill_team *team)
{
    if (twill_team_rank(team) == 0)
        atomic_fetch_add(*(atomic_int *const *)twill_task_data(t, 0), 100);
    return TWILL_DONE;
}

static twill_outcome both_cpu(twill_task *t)
{
    atomic_fetch_add(*(atomic_int *const *)twill_task_data(t, 0), 1);
    return TWILL_DONE;
}

TEST(one_worker_prefers_the_body_for_one)
{
    static const twill_class both = {.size = sizeof(twill_class),
                                     .name = "both",
                                     .chores = {TWILL_TEAM(both_team, 0), TWILL_CPU(both_cpu)}};
    const int workers[] = {1, 3}, sum[] = {1, 100};
    for (int i = 0; i < COUNT(workers); i++) {
        twill *tw = test_start(workers[i], NULL);
        twill_graph *g;
        atomic_int ran = 0, *count = &ran;
        OK(twill_stf_begin(tw, &g));
        OK(twill_insert(g, &both, TWILL_VALUE(count)));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&ran), sum[i]);
        twill_stop(tw);
    }
}

static twill_outcome last_fails(twill_task *t, twill_team *team)
{
    bool last = twill_team_rank(team) == twill_team_size(team) - 1;
    return last ? twill_task_fail(t, "member %d", twill_team_rank(team)) : TWILL_DONE;
}

TEST(the_outcome_is_the_worst_of_any_member)
{
    static const twill_class bad = {
        .size = sizeof(twill_class), .name = "bad team", .chores = {TWILL_TEAM(last_fails, 0)}};
    for (int workers = 1; workers <= 4; workers++) {
        twill *tw = start_patient(workers, NULL);
        twill_graph *g;
        char sentence[32] = "member 0";
        sentence[7] = (char)('0' + workers - 1);
        OK(twill_stf_begin(tw, &g));
        OK(twill_insert(g, &bad, TWILL_INT(0)));
        REFUSED(twill_wait(g), TWILL_ERR_TASK, sentence);
        CONTAINS(twill_message(), "bad team");
        twill_stop(tw);
    }
}

TEST(a_class_without_any_body_is_refused)
{
    static const twill_class none = {.size = sizeof(twill_class), .name = "none"};
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    REFUSED(twill_insert(g, &none, TWILL_INT(0)), TWILL_ERR_ARGUMENT, "body");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_patient_team_has_all_it_wants_with_distinct_ranks_and_a_barrier_that_holds),
        cmocka_unit_test(a_team_that_wants_more_than_there_are_gets_what_there_is),
        cmocka_unit_test(teams_of_any_size_work_among_ordinary_tasks),
        LIMITED_TEST(whoever_is_not_in_the_team_is_woken),
        cmocka_unit_test(team_tasks_take_their_place_in_the_order_of_tasks),
        cmocka_unit_test(one_worker_prefers_the_body_for_one),
        cmocka_unit_test(the_outcome_is_the_worst_of_any_member),
        cmocka_unit_test(a_class_without_any_body_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
