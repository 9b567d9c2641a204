/* Teams: several team tasks of several sizes, with barriers, beside ordinary tasks. Every rank runs
 * once, nobody passes a barrier before the others have come. */
#include "_common.h"

enum { TEAMS = 4, SINGLES = 6, MOST = 16 };
static atomic_int ranks[TEAMS][MOST], begun[TEAMS], size_of[TEAMS], singles[SINGLES];
static int64_t sum[TEAMS];

static twill_outcome team_body(twill_task *t, twill_team *team)
{
    int number = (int)twill_task_int(t, 1), size = twill_team_size(team);
    int rank = twill_team_rank(team);
    must(rank < size, "a rank is too high");
    must(atomic_fetch_add(&ranks[number][rank], 1) == 0, "a rank ran twice");
    atomic_fetch_add(&begun[number], 1);
    twill_team_barrier(team);
    must(begun[number] == size, "somebody passed the barrier too early");
    if (rank == 0)
        sum[number] = ++*(int64_t *)twill_task_data(t, 0);
    twill_team_barrier(team);
    must(sum[number] != 0, "the barrier hides what was written before it");
    twill_team_barrier(team);
    size_of[number] = size;
    progress();
    return TWILL_DONE;
}

static const twill_class team_of[] = {
    {.size = sizeof(twill_class), .name = "team of all", .chores = {TWILL_TEAM(team_body, 0)}},
    {.size = sizeof(twill_class), .name = "pair", .chores = {TWILL_TEAM(team_body, 2)}},
    {.size = sizeof(twill_class), .name = "three", .chores = {TWILL_TEAM(team_body, 3)}},
};

static twill_outcome single_body(twill_task *t)
{
    atomic_fetch_add(&singles[twill_task_int(t, 0)], 1);
    progress();
    return TWILL_DONE;
}

static const twill_class single = {
    .size = sizeof(twill_class), .name = "single", .chores = {TWILL_CPU(single_body)}};

static void check_team(int number)
{
    for (int i = 0; i < MOST; i++)
        must(ranks[number][i] == (i < size_of[number]), "a rank did not run");
}

int main(void)
{
    twill *tw = start_with((twill_options){.patience_us = 1 + draw(20)});
    twill_array *a = integers(tw, 2);
    twill_graph *g = begin(tw);
    for (int i = 0; i < TEAMS + SINGLES; i++)
        succeed(i < TEAMS
                    ? twill_insert(g, &team_of[draw(3)],
                                   TWILL_RW(twill_tile_at(a, (int64_t)draw(2), 0)), TWILL_INT(i))
                    : twill_insert(g, &single, TWILL_INT(i - TEAMS)),
                "twill_insert");
    succeed(twill_wait(g), "twill_wait");
    for (int i = 0; i < TEAMS; i++)
        check_team(i);
    each_once(singles, SINGLES);
    must(read_integer(a, 0) + read_integer(a, 1) == TEAMS, "a team did not run once");
    twill_stop(tw);
    return 0;
}
