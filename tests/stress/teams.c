/* Teams of all sizes, one after the other and side by side: every member takes part in every step,
 * nobody takes part twice, and nobody is inside when the task is over.
 *
 * TW_ROUNDS is the number of teams in a round. */
#include "support/limit.h"
#include "support/test.h"

enum { SECONDS = 60, STEPS = 4, TEAMS = 5 };

/* What the members of one team do together. */
typedef struct drill {
    atomic_int inside, arrived[STEPS], sum;
    int data[STEPS]; /* written by one member, read by the others after the barrier */
    atomic_int wrong;
} drill;

static twill_outcome team_body(twill_task *t, twill_team *team)
{
    drill *d = *(drill **)twill_task_data(t, 0);
    int size = twill_team_size(team), rank = twill_team_rank(team);
    atomic_fetch_add(&d->inside, 1);
    atomic_fetch_add(&d->sum, rank);
    for (int step = 0; step < STEPS; step++) {
        if (step % size == rank)
            d->data[step]++;
        atomic_fetch_add_explicit(&d->arrived[step], 1, memory_order_relaxed);
        twill_team_barrier(team);
        bool all = atomic_load_explicit(&d->arrived[step], memory_order_relaxed) == size;
        if (!all || rank >= size || d->data[step] != d->data[0])
            atomic_store(&d->wrong, 1 + step);
    }
    atomic_fetch_sub(&d->inside, 1);
    return TWILL_DONE;
}

/* Comes after the team, and makes the drill ready for the next one. */
static twill_outcome check_body(twill_task *t)
{
    drill *d = *(drill **)twill_task_data(t, 0);
    int size = atomic_load(&d->arrived[0]);
    if (atomic_load(&d->inside) != 0 || atomic_load(&d->sum) != size * (size - 1) / 2)
        atomic_store(&d->wrong, -1);
    for (int step = 0; step < STEPS; step++) {
        if (atomic_load(&d->arrived[step]) != size || size == 0)
            atomic_store(&d->wrong, -2);
        atomic_store(&d->arrived[step], 0);
    }
    atomic_store(&d->sum, 0);
    return TWILL_DONE;
}

static const twill_class teams[TEAMS] = {
    {.size = sizeof(twill_class), .name = "team of 1", .chores = {TWILL_TEAM(team_body, 1)}},
    {.size = sizeof(twill_class), .name = "team of 2", .chores = {TWILL_TEAM(team_body, 2)}},
    {.size = sizeof(twill_class), .name = "team of 3", .chores = {TWILL_TEAM(team_body, 3)}},
    {.size = sizeof(twill_class), .name = "team of 100", .chores = {TWILL_TEAM(team_body, 100)}},
    {.size = sizeof(twill_class), .name = "team of all", .chores = {TWILL_TEAM(team_body, 0)}},
};
static const twill_class check = {
    .size = sizeof(twill_class), .name = "check", .chores = {TWILL_CPU(check_body)}};

/* `lanes` chains of teams, independent of each other. */
static void run(twill *tw, int lanes, int rounds)
{
    static drill drills[4];
    twill_graph *g = NULL;
    twill_array *a = test_integers(tw, lanes);
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < rounds; i++)
        for (int lane = 0; lane < lanes; lane++) {
            drill *d = &drills[lane];
            twill_tile *tile = twill_tile_at(a, lane, 0);
            OK(twill_insert(g, &teams[(i + lane) % TEAMS], TWILL_VALUE(d), TWILL_RW(tile)));
            OK(twill_insert(g, &check, TWILL_VALUE(d), TWILL_RW(tile)));
        }
    OK(twill_wait(g));
    for (int lane = 0; lane < lanes; lane++)
        assert_int_equal(atomic_load(&drills[lane].wrong), 0);
    twill_graph_free(g);
    twill_array_free(a);
}

TEST(members_meet)
{
    int rounds = (int)limit_number("TW_ROUNDS", test_slow() ? 40 : 200);
    for (int s = 0; s < test_nsetups; s++)
        for (int lanes = 1; lanes <= 4; lanes++) {
            twill *tw = test_start_with((twill_options){.workers = test_setups[s].workers,
                                                        .sched = test_setups[s].sched,
                                                        .patience_us = 5 * lanes});
            limit_begin(tw, SECONDS, "scheduler %s, %d workers, %d at a time", test_setups[s].sched,
                        test_setups[s].workers, lanes);
            run(tw, lanes, rounds);
            twill_stop(tw);
        }
    limit_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {LIMITED_TEST(members_meet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
