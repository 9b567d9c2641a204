/* [critical] and [team] of parameterised graphs: who runs what. The graph is in critical.jdf. */
#include "support/test.h"

#include <twill/critical.h>

#include "critical.h"

enum { N = 30, WIDTH = 3, RESERVED = 2 };

/* What bodies have seen. */
typedef struct record {
    twill *tw;
    int reserved; /* 0: any worker may run anything */
    atomic_int elsewhere, intruders, wrong_size, alone, together, sides, largest, teams, tries;
    atomic_int tried[N];
} record;

twill_outcome gate_body(twill_task *t, void *seen);
twill_outcome path_alone(twill_task *t, void *seen, int64_t i);
twill_outcome path_together(twill_task *t, twill_team *team, void *seen, int64_t i);
twill_outcome side_body(twill_task *t, void *seen);
twill_outcome try_body(twill_task *t, void *seen, int64_t i);
twill_outcome teams_body(twill_team *team, void *seen);

twill_outcome gate_body(twill_task *t, void *seen)
{
    (void)t;
    const record *r = seen;
    twill_critical_info info = {.size = sizeof info};
    if (twill_critical_get(r->tw, &info) != TWILL_OK)
        return TWILL_ERROR;
    bool ready = r->reserved == 0 || (info.first == 0 && info.members == r->reserved);
    return ready ? TWILL_DONE : TWILL_AGAIN;
}

static void ordinary(const twill_task *t, record *r)
{
    if (twill_task_worker(t) < r->reserved)
        atomic_fetch_add(&r->intruders, 1);
}

twill_outcome path_alone(twill_task *t, void *seen, int64_t i)
{
    record *r = seen;
    atomic_fetch_add(&r->alone, 1);
    if (i % 3 == 2)
        ordinary(t, r);
    else if (r->reserved && twill_task_worker(t) != 0)
        atomic_fetch_add(&r->elsewhere, 1);
    if (r->reserved && i % 3 != 2 && i % 2 == 0) /* it has wanted a team */
        atomic_fetch_add(&r->wrong_size, 1);
    return TWILL_DONE;
}

twill_outcome path_together(twill_task *t, twill_team *team, void *seen, int64_t i)
{
    record *r = seen;
    if (twill_team_rank(team) == 0) {
        atomic_fetch_add(&r->together, 1);
        if (twill_team_size(team) != r->reserved || i % 3 == 2 || i % 2 == 1)
            atomic_fetch_add(&r->wrong_size, 1);
        if (twill_task_worker(t) != 0)
            atomic_fetch_add(&r->elsewhere, 1);
    }
    twill_team_barrier(team);
    return TWILL_DONE;
}

twill_outcome side_body(twill_task *t, void *seen)
{
    record *r = seen;
    atomic_fetch_add(&r->sides, 1);
    ordinary(t, r);
    return TWILL_DONE;
}

twill_outcome try_body(twill_task *t, void *seen, int64_t i)
{
    record *r = seen;
    ordinary(t, r);
    if (atomic_fetch_add(&r->tried[i], 1) < 2)
        return TWILL_AGAIN;
    atomic_fetch_add(&r->tries, 1);
    return TWILL_DONE;
}

twill_outcome teams_body(twill_team *team, void *seen)
{
    record *r = seen;
    int size = twill_team_size(team);
    if (twill_team_rank(team) == 0) {
        atomic_fetch_add(&r->teams, 1);
        if (size > atomic_load(&r->largest)) /* one at a time gathers; a guess is enough */
            atomic_store(&r->largest, size);
    }
    return TWILL_DONE;
}

static void run(twill *tw, record *r, int reserved)
{
    twill_graph *g;
    *r = (record){.tw = tw, .reserved = reserved};
    OK(twill_critical_new(tw, test_integers(tw, N), N, WIDTH, 1, r, &g));
    OK(twill_ptg_run(g));
    OK(twill_wait(g));
    twill_graph_free(g);
    assert_int_equal(atomic_load(&r->elsewhere), 0);
    assert_int_equal(atomic_load(&r->intruders), 0);
    assert_int_equal(atomic_load(&r->wrong_size), 0);
    assert_int_equal(atomic_load(&r->alone) + atomic_load(&r->together), N);
    assert_int_equal(atomic_load(&r->sides), N * WIDTH);
    assert_int_equal(atomic_load(&r->tries), N);
    assert_int_equal(atomic_load(&r->teams), N);
}

TEST(critical_instances_are_the_sets_and_no_others)
{
    static record r;
    for (int i = 0; i < test_nsetups; i++) {
        if (test_setups[i].workers <= RESERVED)
            continue;
        twill *tw = test_start_with((twill_options){.workers = test_setups[i].workers,
                                                    .sched = test_setups[i].sched,
                                                    .mode = "fixed",
                                                    .reserved = RESERVED});
        run(tw, &r, RESERVED);
        assert_int_equal(atomic_load(&r.together), N / 3);
        twill_stop(tw);
    }
}

TEST(without_a_set_they_are_like_any_other)
{
    static record r;
    for (int i = 0; i < test_nsetups; i++) {
        twill *tw = test_start(test_setups[i].workers, test_setups[i].sched);
        run(tw, &r, 0);
        assert_int_equal(atomic_load(&r.together), 0);
        twill_stop(tw);
    }
}

/* A team that is not the set's, whose task has data: as many as there are. */
TEST(a_class_without_critical_tasks_gathers_its_teams)
{
    static record r;
    int largest = 0;
    twill *tw = test_start(3, "lws");
    for (int again = 0; again < 50 && largest < 2; again++) {
        run(tw, &r, 0);
        largest = atomic_load(&r.largest);
    }
    assert_in_range(largest, 2, 3);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(critical_instances_are_the_sets_and_no_others),
        cmocka_unit_test(without_a_set_they_are_like_any_other),
        cmocka_unit_test(a_class_without_critical_tasks_gathers_its_teams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
