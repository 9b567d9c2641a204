/* Gathering, running and leaving a team. */
#include "engine/team.h"

#include "base/clock.h"
#include "base/minmax.h"
#include "engine/engine.h"

/* One word says it all, because a worker may look at a team that is over: at whatever gathers in
 * the same record by then, it sees a state that belongs together. */
enum { MEMBERS = 0xfff, WANTED = 0x1000, SEALED = 1 << 30, SPINS = 2000 };

static int members(int state)
{
    return state & MEMBERS;
}

static int wanted_by(int state)
{
    return (state & ~SEALED) / WANTED;
}

int twill_team_size(const twill_team *team)
{
    return atomic_load_explicit(&team->shared->size, memory_order_relaxed);
}

int twill_team_rank(const twill_team *team)
{
    return team->rank;
}

static void relax(const tw_team *team, int *spins)
{
    if (team->yields || ++*spins > SPINS)
        sched_yield();
    else
        tw_pause();
}

void twill_team_barrier(twill_team *member)
{
    tw_barrier_wait(&member->shared->barrier);
}

static void run_member(tw_team *team, int rank)
{
    twill_team member = {.shared = team, .rank = rank};
    twill_task *t = team->task;
    int outcome = (int)team->chore->body.team(t, &member);
    twill_team_return(&member); /* a body that fails may leave with them */
    int worst = atomic_load_explicit(&team->worst, memory_order_relaxed);
    while (outcome > worst &&
           !atomic_compare_exchange_weak_explicit(&team->worst, &worst, outcome,
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

/* Wait for members until the team is full or patience ends, then close the door. */
static void gather(tw_worker *w, tw_team *team, int wanted)
{
    twill *tw = w->tw;
    double until = tw_seconds() + tw->patience;
    int spins = 0;
    while (members(atomic_load_explicit(&team->state, memory_order_relaxed)) < wanted &&
           tw_seconds() < until)
        relax(team, &spins);
    int size = members(atomic_fetch_or_explicit(&team->state, SEALED, memory_order_acq_rel));
    atomic_store_explicit(&tw->team, NULL, memory_order_relaxed);
    tw_barrier_open(&team->barrier, size, team->yields);
    /* release pairs with the acquire in tw_team_join */
    atomic_store_explicit(&team->size, size, memory_order_release);
}

void tw_team_open(tw_worker *w, twill_task *t, const twill_chore *chore, int size)
{
    tw_team *team = &w->team;
    team->task = t;
    team->chore = chore;
    team->yields = tw_is_crowded(w->tw);
    atomic_store_explicit(&team->size, size, memory_order_relaxed);
    atomic_store_explicit(&team->worst, TWILL_DONE, memory_order_relaxed);
    atomic_store_explicit(&team->left, 0, memory_order_relaxed);
    tw_barrier_open(&team->barrier, size ? size : 1, team->yields);
}

twill_outcome tw_team_run(tw_team *team)
{
    int size = atomic_load_explicit(&team->size, memory_order_relaxed);
    run_member(team, 0);
    int left = atomic_load_explicit(&team->left, memory_order_acquire);
    while (left < size - 1)
        left = tw_bell_wait(&team->bell, &team->left, left, team->yields);
    return (twill_outcome)atomic_load_explicit(&team->worst, memory_order_relaxed);
}

/* Let w's team gather, as soon as no other does. */
static void begin_gathering(tw_worker *w, tw_team *team, int wanted)
{
    twill *tw = w->tw;
    tw_team *nobody = NULL;
    int spins = 0;
    while (!atomic_compare_exchange_strong_explicit(&tw->team, &nobody, team, memory_order_release,
                                                    memory_order_relaxed)) {
        tw_return(w);
        tw_team_join(w); /* one team gathers at a time: help that one first */
        tw_leave(w);
        relax(team, &spins);
        nobody = NULL;
    }
    tw_wake_team(tw, wanted - 1);
}

twill_outcome tw_team_lead(tw_worker *w, twill_task *t, const twill_chore *chore)
{
    twill *tw = w->tw;
    tw_team *team = &w->team;
    int wanted = chore->team_size > 0 ? chore->team_size : tw->workers;
    if (tw_unlikely(tw_task_flags(t) & TW_TASK_SIZED))
        wanted = t->team;
    wanted = tw_min(wanted, tw->workers - tw_reserved(tw));
    tw_team_open(w, t, chore, wanted > 1 ? 0 : 1);
    if (wanted > 1) {
        /* release: a worker that still holds an earlier team of this record may join through the
         * state alone */
        atomic_store_explicit(&team->state, 1 + wanted * WANTED, memory_order_release);
        begin_gathering(w, team, wanted);
        gather(w, team, wanted);
    }
    return tw_team_run(team);
}

void tw_team_member(tw_worker *w, tw_team *team, int rank)
{
    /* a leader that helps another team before its own is inside a body already */
    twill_task *before = atomic_load_explicit(&w->running, memory_order_relaxed);
    twill_graph *graph = w->body_graph;
    uint16_t flags = w->body_flags;
    w->body_graph = team->task->graph;
    w->body_flags = tw_task_flags(team->task);
    atomic_store_explicit(&w->running, team->task, memory_order_release);
    tw_emit(&w->tw->sink, TW_EVENT_JOIN, w->index, team->task, -1, rank);
    tw_leave(w);
    run_member(team, rank);
    tw_return(w);
    tw_emit(&w->tw->sink, TW_EVENT_LEAVE, w->index, NULL, -1, 0);
    atomic_store_explicit(&w->running, before, memory_order_release);
    w->body_graph = graph;
    w->body_flags = flags;
    /* release: what this member wrote, for the leader that completes the task */
    atomic_fetch_add_explicit(&team->left, 1, memory_order_release);
    tw_bell_ring(&team->bell);
}

void tw_team_join(tw_worker *w)
{
    assert(tw_is_inside(w));
    tw_team *team = atomic_load_explicit(&w->tw->team, memory_order_acquire);
    if (!team || team == &w->team || tw_is_reserved(w))
        return;
    int state = atomic_load_explicit(&team->state, memory_order_relaxed);
    do {
        if (state & SEALED || members(state) >= wanted_by(state))
            return;
    } while (!atomic_compare_exchange_weak_explicit(&team->state, &state, state + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    /* The body may be long: others search meanwhile, and take what only this worker could. */
    tw_publish(w);
    tw_stop_searching(w);
    int spins = 0;
    /* A leader whose team does not gather yet may be held by a report: do not hold up that one. */
    tw_leave(w);
    while (atomic_load_explicit(&team->size, memory_order_acquire) == 0)
        relax(team, &spins);
    tw_return(w);
    tw_team_member(w, team, members(state));
}
