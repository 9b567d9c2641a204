/* Teams: several workers run one body together. */
#ifndef TW_ENGINE_TEAM_H
#define TW_ENGINE_TEAM_H

#include "base/barrier.h"
#include "base/bell.h"

#include <hwloc.h>
#include <twill/task.h>

typedef struct tw_worker tw_worker;

/* The gathering point and the barrier, part of the leader's worker record. */
typedef struct tw_team {
    twill_task *task;
    const twill_chore *chore; /* what they run */
    bool yields;      /* workers exceed cores: spinning in a barrier would keep others out */
    atomic_int state; /* members so far, members wanted, and SEALED */
    atomic_int size;  /* 0 until sealed */
    atomic_int worst; /* outcome */
    atomic_int left;  /* members that are through */
    tw_barrier barrier;
    tw_bell bell;        /* the leader waits for members to be through */
    tw_lock lock;        /* of the next */
    hwloc_cpuset_t lent; /* where members may run, while they lend their cores (lend.c) */
} tw_team;

/* What one member sees. */
struct twill_team {
    tw_team *shared;
    int rank;
    bool lends;
    hwloc_cpuset_t before; /* of rank 0 while it has the cores of all: where it was */
};

/* Run a team body of a task with w as leader. */
twill_outcome tw_team_lead(tw_worker *w, twill_task *t, const twill_chore *chore);

/* For a team whose members are known: w leads so many; run it with them, when they know; and what
 * one of them does. */
void tw_team_open(tw_worker *w, twill_task *t, const twill_chore *chore, int size);
twill_outcome tw_team_run(tw_team *team);
void tw_team_member(tw_worker *w, tw_team *team, int rank);

/* Join the team that gathers, if there is one and it has room. */
void tw_team_join(tw_worker *w);

#endif
