/* Ranks meet: a barrier. In round k each rank tells the one 2^k further, and waits for the one as
 * far before it; after the last round news of all has come to everybody, by way of others. */
#include "engine/reach/inside.h"

#include <twill/copy.h>

static int rounds_of(int ranks)
{
    int rounds = 0;
    while (1 << rounds < ranks)
        rounds++;
    return rounds;
}

void tw_meet_came(twill *tw, const tw_reach_head *h)
{
    tw_meeting *m = &tw->reaches->meeting;
    tw_lock_take(&tw->reaches->lock);
    if (h->id < TW_MEET_ROUNDS)
        m->come[h->id]++;
    tw_unlock(&tw->reaches->lock);
    tw_wake_waiters(tw);
}

void tw_meet_left(twill *tw, int rank, const tw_reach_head *h)
{
    tw_meeting *m = &tw->reaches->meeting;
    tw_lock_take(&tw->reaches->lock);
    bool fewer = !m->any_left || (int64_t)h->id < m->left_at;
    m->left_at = fewer ? (int64_t)h->id : m->left_at;
    m->left_first = fewer ? rank : m->left_first;
    m->any_left = true;
    tw_unlock(&tw->reaches->lock);
    tw_wake_waiters(tw);
}

/* This rank, in its barrier number `number` and its round `round`. */
typedef struct turn {
    twill *tw;
    int64_t number;
    int round;
    bool missing; /* a rank has stopped before this barrier */
} turn;

static bool has_come(void *arg)
{
    turn *x = arg;
    const tw_meeting *m = &x->tw->reaches->meeting;
    tw_lock_take(&x->tw->reaches->lock);
    bool come = m->come[x->round] >= x->number;
    x->missing = !come && m->any_left && m->left_at < x->number;
    tw_unlock(&x->tw->reaches->lock);
    return come || x->missing || tw_comm_failure(x->tw->reaches->comm);
}

static twill_status take_turn(turn *x)
{
    twill_status status = tw_wait(x->tw, &(tw_goal){has_come, x});
    const char *why = tw_comm_failure(x->tw->reaches->comm);
    if (status != TWILL_OK)
        return status;
    if (x->missing)
        return tw_fail(TWILL_ERR_STATE, "rank %d has stopped: all ranks meet at a barrier",
                       x->tw->reaches->meeting.left_first);
    return why ? tw_fail(TWILL_ERR_SYSTEM, "%s", why) : TWILL_OK;
}

static twill_status meet(twill *tw)
{
    tw_reaches *r = tw->reaches;
    turn x = {.tw = tw, .number = r->meeting.number + 1};
    twill_status status = TWILL_OK;
    const int rank = tw->data.rank, ranks = tw->data.ranks;
    for (; x.round < rounds_of(ranks) && status == TWILL_OK; x.round++) {
        const tw_reach_head h = {.say = TW_REACH_MEET, .id = (uint64_t)x.round};
        const tw_comm_message m = {.handler = TW_REACH_HANDLER, .head = &h, .head_size = sizeof h};
        status = tw_comm_send(r->comm, (int)((rank + (INT64_C(1) << x.round)) % ranks), &m);
        if (status == TWILL_OK)
            status = take_turn(&x);
    }
    if (status == TWILL_OK)
        r->meeting.number++;
    return status;
}

twill_status twill_barrier(twill *tw)
{
    if (!tw)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_barrier: the context is NULL");
    if (tw_in_task(tw))
        return tw_fail(TWILL_ERR_STATE, "twill_barrier is not possible inside a task");
    twill_status status = twill_fence(tw);
    if (status != TWILL_OK || !tw->reaches)
        return status;
    tw_remote_expect(tw, 1);
    status = meet(tw);
    tw_worker *w = tw_enter(tw);
    tw_remote_settle(tw, w, 1);
    tw_exit(w);
    return status;
}

static bool none_under_way(void *arg)
{
    tw_asking *all = &((twill *)arg)->reaches->asking;
    tw_lock_take(&all->lock);
    bool none = all->requests == 0;
    tw_unlock(&all->lock);
    return none;
}

twill_status twill_fence(twill *tw)
{
    if (!tw)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_fence: the context is NULL");
    return tw->reaches ? tw_wait(tw, &(tw_goal){none_under_way, tw}) : TWILL_OK;
}
