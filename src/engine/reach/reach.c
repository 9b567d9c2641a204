/* Messages about copies that reach other ranks, and ranks that stop. */
#include "engine/reach/inside.h"

#include <stdlib.h>
#include <string.h>

static bool read_head(const void *bytes, size_t size, tw_reach_head *h)
{
    if (size == sizeof *h)
        memcpy(h, bytes, sizeof *h);
    return size == sizeof *h;
}

static void note_left(twill *tw, tw_worker *w, int rank)
{
    tw_asking *all = &tw->reaches->asking;
    tw_lock_take(&all->lock);
    tw->reaches->left[rank] = true;
    tw_unlock(&all->lock);
    twill_status status =
        tw_fail(TWILL_ERR_STATE, "rank %d has stopped: it cannot be reached any more", rank);
    tw_asking_fail(tw, w, rank, status);
}

/* What is no message is as good as none. */
static void handle(void *arg, int from, const void *head_bytes, size_t head_size, const void *data,
                   size_t size, void *poller)
{
    tw_reach_head h;
    if (!read_head(head_bytes, head_size, &h))
        return;
    switch ((tw_reach_say)h.say) {
    case TW_REACH_ASK:
        tw_serve(arg, poller, from, &h, data, size);
        break;
    case TW_REACH_ANSWER:
        tw_asking_answered(arg, poller, from, &h, data, size);
        break;
    case TW_REACH_LEFT:
        tw_meet_left(arg, from, &h);
        note_left(arg, poller, from);
        break;
    case TW_REACH_MEET:
        tw_meet_came(arg, &h);
        break;
    }
}

static void *place(void *arg, int from, const void *head_bytes, size_t head_size, size_t size,
                   void *poller)
{
    tw_reach_head h;
    (void)poller;
    bool answer = read_head(head_bytes, head_size, &h) && h.say == TW_REACH_ANSWER;
    return answer ? tw_asking_place(arg, from, &h, size) : NULL;
}

bool tw_reaches_open(twill *tw, tw_comm *comm)
{
    tw_reaches *r = calloc(1, sizeof *r);
    bool *left = calloc((size_t)comm->ranks, sizeof *left);
    if (!r || !left || !tw_servings_open(&r->servings, comm->ranks)) {
        free(left);
        free(r);
        return false;
    }
    tw_asking_open(&r->asking);
    r->comm = comm;
    r->left = left;
    tw->reaches = r;
    tw_comm_set_handler(comm, TW_REACH_HANDLER, handle, tw);
    tw_comm_set_place(comm, TW_REACH_HANDLER, place);
    return true;
}

void tw_reaches_leave(twill *tw)
{
    const tw_reach_head h = {.say = TW_REACH_LEFT, .id = (uint64_t)tw->reaches->meeting.number};
    const tw_comm_message m = {.handler = TW_REACH_HANDLER, .head = &h, .head_size = sizeof h};
    for (int rank = 0; rank < tw->data.ranks; rank++)
        if (rank != tw->data.rank)
            (void)tw_comm_send(tw->reaches->comm, rank, &m); /* there is no later chance */
}

void tw_reaches_close(twill *tw)
{
    if (!tw->reaches)
        return;
    tw_servings_close(&tw->reaches->servings);
    free(tw->reaches->left);
    free(tw->reaches);
    tw->reaches = NULL;
}

void tw_reaches_poll(twill *tw, tw_worker *w)
{
    if (tw_unlikely(tw->reaches->servings.early != NULL))
        tw_serve_early(tw, w);
    if (tw_unlikely(atomic_load_explicit(&tw->reaches->servings.owed, memory_order_relaxed) > 0))
        tw_serve_owed(tw);
}

void tw_reaches_cut_off(twill *tw, tw_worker *w)
{
    tw_lock_take(&tw->reaches->asking.lock);
    memset(tw->reaches->left, 1, (size_t)tw->data.ranks);
    tw_unlock(&tw->reaches->asking.lock);
    twill_status status = tw_fail(TWILL_ERR_SYSTEM, "%s", tw_comm_failure(tw->reaches->comm));
    tw_asking_fail(tw, w, -1, status);
}

bool tw_reaches_end(twill_array *root)
{
    tw_reaches *r = root->context->reaches;
    if (!r)
        return true;
    tw_lock_take(&r->lock);
    root->unreachable = true;
    bool none = root->visitors == 0;
    tw_unlock(&r->lock);
    return none;
}
