/* A searcher joins a team: while the team's body runs, the worker that is left runs what is
 * inserted. The body ends only when that has been done. */
#include "_common.h"

enum { SMALL = 3, ROUNDS = 3 };
static atomic_int inside, over, small[ROUNDS * SMALL], done;

static twill_outcome team_body(twill_task *t, twill_team *team)
{
    (void)t;
    twill_team_barrier(team);
    atomic_store(&inside, twill_team_size(team));
    while (!atomic_load(&over))
        nap_ns(5000000);
    twill_team_barrier(team);
    progress();
    return TWILL_DONE;
}

static twill_outcome nap_body(twill_task *t)
{
    nap_ns((long)twill_task_int(t, 1));
    return TWILL_DONE;
}

static twill_outcome small_body(twill_task *t)
{
    atomic_fetch_add(&small[twill_task_int(t, 0)], 1);
    atomic_fetch_add(&done, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class pair = {
    .size = sizeof(twill_class), .name = "pair", .chores = {TWILL_TEAM(team_body, 2)}};
static const twill_class nap = {
    .size = sizeof(twill_class), .name = "nap", .chores = {TWILL_CPU(nap_body)}};
static const twill_class little = {
    .size = sizeof(twill_class), .name = "small", .chores = {TWILL_CPU(small_body)}};

int main(void)
{
    /* this thread, two for the team, one for the rest */
    twill *tw = start_with((twill_options){.workers = 4, .spin_us = 10, .patience_us = 20});
    int rounds = twill_workers(tw) == 4 ? ROUNDS : 0; /* a serial context has one worker */
    twill_array *a = integers(tw, 1);
    twill_graph *g = begin(tw), *h = begin(tw);
    for (int r = 0; r < rounds; r++) {
        inside = over = done = 0;
        for (int i = 0; i < 2; i++)
            succeed(twill_insert(g, &nap, TWILL_INT(i), TWILL_INT(draw(12000))), "twill_insert");
        succeed(twill_insert(g, &pair, TWILL_RW(twill_tile_at(a, 0, 0))), "twill_insert");
        while (!inside)
            nap_ns(1000);
        nap_ns((long)draw(20000));
        for (int i = 0; i < SMALL; i++) {
            succeed(twill_insert(h, &little, TWILL_INT(r * SMALL + i)), "twill_insert");
            nap_ns((long)draw(20000));
        }
        while (done < SMALL)
            nap_ns(1000000);
        over = 1;
        succeed(twill_wait(g), "twill_wait");
    }
    succeed(twill_wait(h), "twill_wait");
    each_once(small, rounds * SMALL);
    twill_stop(tw);
    return 0;
}
