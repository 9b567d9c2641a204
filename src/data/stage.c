/* Staging: replicas get room in a space and become valid there, for all values of one piece of work
 * at a time.
 *
 * Whoever waits for room holds none, and those who have it need no more: so with room for one piece
 * of work at a time, one after the other gets on. */
#include "data/stage.h"

/* ---- copies that are awaited ------------------------------------------------------------- */

static void add_ready(tw_staging *s, tw_moves *m)
{
    s->next = m->ready;
    m->ready = s;
}

static void await(tw_staged *d, tw_replica *r)
{
    d->next = r->waiting;
    r->waiting = d;
    d->staging->missing++;
}

/* A copy from the bytes that are about to be written. */
static tw_replica *copy_from(const tw_replica *r)
{
    for (tw_replica *other = r->value->replicas; other; other = other->next)
        if (other->state == TW_REPLICA_ARRIVING && other->source == r)
            return other;
    return NULL;
}

/* The replica has its bytes: let it become valid. */
static void begin(tw_staged *d, tw_moves *m)
{
    tw_replica *r = d->replica;
    if (d->reads && r->state == TW_REPLICA_INVALID)
        tw_replica_fetch(r, m);
    tw_replica *busy = r->state == TW_REPLICA_ARRIVING ? r : d->writes ? copy_from(r) : NULL;
    if (busy)
        await(d, busy);
}

static void unpin_all(tw_staging *s, int n)
{
    for (int i = 0; i < n; i++)
        tw_replica_unpin(s->datum[i].replica);
}

/* ---- room -------------------------------------------------------------------------------- */

/* Bytes that a list of values takes in a space, and how many of them it does not have yet. */
static size_t bytes_of(const tw_staging *s, size_t *missing)
{
    size_t all = 0;
    *missing = 0;
    for (int i = 0; i < s->n; i++) {
        const tw_replica *r = s->datum[i].replica;
        int k = 0;
        while (s->datum[k].replica != r)
            k++;
        if (k < i)
            continue; /* named twice */
        all += tw_replica_bytes(r);
        *missing += r->data ? 0 : tw_replica_bytes(r);
    }
    return all;
}

/* Free replicas that were not used for long until there is room; those that are the only valid ones
 * are copied to the host first, and then there will be room. */
static bool make_room(tw_replicas *all, int space, size_t bytes, tw_moves *m)
{
    tw_residents *in = &all->in[space];
    size_t room = all->space[space]->room, coming = 0;
    tw_replica *r = in->oldest;
    while (r && in->used + bytes > room + coming) {
        tw_replica *next = r->newer;
        tw_replica *host = tw_replica_at(all, r->value, TW_SPACE_HOST);
        if (r->state != TW_REPLICA_DIRTY) {
            tw_replica_free(r);
        } else if (host->state == TW_REPLICA_INVALID && host->pins == 0) {
            /* pinned: somebody is about to write it there, and if that fails, r is what it was */
            coming += tw_replica_bytes(r);
            tw_replica_fetch(host, m);
            host->evicts = true;
            in->leaving++;
        }
        r = next;
    }
    return in->used + bytes <= room;
}

static void enqueue(tw_residents *in, tw_staging *s)
{
    if (in->first == s)
        return;
    s->next = NULL;
    *(in->first ? &in->last->next : &in->first) = s;
    in->last = s;
}

typedef enum admission { REFUSED, WAITS, ADMITTED } admission;

static admission refuse(tw_staging *s, int pinned, twill_status status)
{
    unpin_all(s, pinned);
    s->status = status;
    return REFUSED;
}

/* Give every value a replica with bytes, pinned. */
static admission admit(tw_replicas *all, tw_staging *s, tw_moves *m)
{
    tw_residents *in = &all->in[s->space];
    for (int i = 0; i < s->n; i++) {
        s->datum[i].replica = tw_replica_at(all, s->datum[i].value, s->space);
        if (!s->datum[i].replica)
            return refuse(s, i, TWILL_ERR_MEMORY);
        tw_replica_pin(s->datum[i].replica);
    }
    size_t missing, bytes = bytes_of(s, &missing);
    if (s->space != TW_SPACE_HOST && missing) {
        if (bytes > all->space[s->space]->room)
            return refuse(s, s->n, TWILL_ERR_MEMORY);
        bool first = !in->first || in->first == s;
        if (!first || !make_room(all, s->space, missing, m)) {
            if (first && in->leaving == 0 && all->space[s->space]->no_queue)
                return refuse(s, s->n, TWILL_ERR_MEMORY);
            unpin_all(s, s->n);
            enqueue(in, s);
            return WAITS;
        }
    }
    for (int i = 0; i < s->n; i++)
        if (!tw_replica_alloc(s->datum[i].replica))
            return refuse(s, s->n, TWILL_ERR_MEMORY);
    s->pinned = true;
    return ADMITTED;
}

/* True when there is nothing left to wait for. */
static bool stage(tw_replicas *all, tw_staging *s, tw_moves *m)
{
    s->missing = 0;
    s->pinned = false;
    s->status = TWILL_OK;
    admission admission = admit(all, s, m);
    if (admission != ADMITTED)
        return admission == REFUSED;
    for (int i = 0; i < s->n; i++)
        begin(&s->datum[i], m);
    return s->missing == 0;
}

/* Something may have become free: let those go on that wait for room, in their order. */
static void retry(tw_replicas *all, int space, tw_moves *m)
{
    tw_residents *in = &all->in[space];
    while (in->first) {
        tw_staging *s = in->first, *next = s->next;
        bool over = stage(all, s, m);
        if (in->first == s && !over && s->missing == 0)
            return; /* it still waits for room */
        in->first = next;
        if (over)
            add_ready(s, m);
    }
}

/* What was to make room could not be copied: whoever waits for room would wait for ever. */
static void give_up_first(tw_residents *in, twill_status status, tw_moves *m)
{
    tw_staging *s = in->first;
    if (!s)
        return;
    in->first = s->next;
    s->status = status;
    add_ready(s, m);
}

/* The copy that was to bring home what somebody has written failed: that is lost, and the host goes
 * on with what it had. The value may end now, so nothing of it may be left to be copied. */
static void lose(tw_replica *r, const tw_staged *waiting)
{
    for (; waiting && r->space == TW_SPACE_HOST; waiting = waiting->next)
        if (waiting->home && waiting->replica == r) {
            tw_replica_own(r);
            return;
        }
}

void tw_replica_arrived(tw_replica *r, twill_status status, tw_moves *m)
{
    tw_replicas *all = r->all;
    tw_replica *from = r->source;
    bool good = status == TWILL_OK && !r->overtaken;
    tw_staged *waiting = r->waiting;
    r->waiting = NULL;
    r->source = NULL;
    tw_replica_settle(r, from, good);
    if (status != TWILL_OK)
        lose(r, waiting);
    if (r->evicts)
        all->in[from->space].leaving--;
    r->evicts = false;
    tw_replica_unpin(from);
    tw_replica_unpin(r);
    if (!waiting) /* it was copied to make room */
        tw_replica_make_oldest(from);
    for (tw_staged *d = waiting, *next; d; d = next) {
        tw_staging *s = d->staging;
        next = d->next;
        if (d->replica == r && status != TWILL_OK)
            s->status = status;
        if (--s->missing == 0)
            add_ready(s, m);
    }
    if (status != TWILL_OK && !waiting)
        give_up_first(&all->in[from->space], status, m);
    for (int i = 1; i < all->spaces; i++)
        retry(all, i, m);
}

/* ------------------------------------------------------------------------------------------ */

bool tw_stage(tw_replicas *all, tw_staging *s, void *poller)
{
    tw_moves m = {0};
    for (int i = 0; i < s->n; i++)
        s->datum[i].staging = s;
    tw_lock_take(&all->lock);
    bool over = stage(all, s, &m);
    tw_unlock(&all->lock);
    tw_moves_begin(&m, poller);
    return over;
}

void tw_unstage(tw_replicas *all, tw_staging *s, bool done, void *poller)
{
    tw_moves m = {0};
    tw_lock_take(&all->lock);
    for (int i = 0; i < s->n && s->pinned; i++) {
        if (s->datum[i].writes && done)
            tw_replica_own(s->datum[i].replica);
        else if (s->datum[i].writes)
            tw_replica_disown(s->datum[i].replica);
    }
    if (s->pinned)
        unpin_all(s, s->n);
    for (int i = 1; i < all->spaces; i++)
        retry(all, i, &m);
    tw_unlock(&all->lock);
    tw_moves_begin(&m, poller);
}

const tw_replica *tw_staged_replica(const tw_staging *s, const tw_value *v)
{
    int i = 0;
    while (i < s->n && s->datum[i].value != v)
        i++;
    return i < s->n ? s->datum[i].replica : NULL;
}
