/* Reports while teams gather: a worker that has joined a team and waits for its leader does not
 * keep the report waiting, which may hold the leader. */
#include "_common.h"

enum { TEAMS = 8 };
static twill *tw;
static atomic_int ran, stop;

static twill_outcome team_body(twill_task *t, twill_team *team)
{
    (void)t;
    if (twill_team_rank(team) == 0)
        atomic_fetch_add(&ran, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class pair = {
    .size = sizeof(twill_class), .name = "pair", .chores = {TWILL_TEAM(team_body, 2)}};

static void *report(void *arg)
{
    while (!atomic_load(&stop)) {
        twill_describe(tw, NULL, 0);
        nap_ns((long)draw(2000));
    }
    return arg;
}

int main(void)
{
    tw = start_with((twill_options){.patience_us = 1 + draw(3)});
    twill_graph *g = begin(tw);
    pthread_t reporter = thread(report, NULL);
    for (int i = 0; i < TEAMS; i++)
        succeed(twill_insert(g, &pair, TWILL_INT(i)), "twill_insert");
    succeed(twill_wait(g), "twill_wait");
    atomic_store(&stop, 1);
    pthread_join(reporter, NULL);
    must(ran == TEAMS, "a team did not run once");
    twill_stop(tw);
    return 0;
}
