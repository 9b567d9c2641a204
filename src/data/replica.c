/* States of replicas, and the copies between them. */
#include "data/replica.h"

#include "base/clock.h"
#include "data/stage.h"

#include <stdlib.h>

void tw_replicas_open(tw_replicas *all, void (*expect)(tw_replicas *all, int copies, void *poller))
{
    *all = (tw_replicas){.spaces = 1, .expect = expect};
}

int tw_replicas_add(tw_replicas *all, tw_space *space)
{
    if (all->spaces == TW_SPACES)
        return -1;
    all->space[all->spaces] = space;
    return all->spaces++;
}

/* ---- records ----------------------------------------------------------------------------- */

static tw_replica *first_of(const tw_value *v)
{
    return tw_value_is_replicated(v) ? v->replicas : NULL;
}

static bool is_valid(const tw_replica *r)
{
    return r->state == TW_REPLICA_VALID || r->state == TW_REPLICA_DIRTY;
}

/* Say in the value where it is valid. */
static void note_valid(tw_value *v)
{
    uint16_t valid = TW_REPLICATED;
    for (const tw_replica *r = v->replicas; r; r = r->next)
        if (is_valid(r))
            valid |= (uint16_t)(1u << r->space);
    atomic_store_explicit(&v->valid, valid, memory_order_relaxed);
}

static void set_state(tw_replica *r, tw_replica_state state)
{
    r->state = state;
    note_valid(r->value);
}

static tw_replica *find(const tw_value *v, int space)
{
    tw_replica *r = first_of(v);
    while (r && r->space != space)
        r = r->next;
    return r;
}

static tw_replica *new_record(tw_replicas *all, tw_value *v, int space)
{
    tw_replica *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (tw_replica){.all = all, .value = v, .space = space, .ld = v->rows > 0 ? v->rows : 1};
    if (space == TW_SPACE_HOST) {
        bool valid = atomic_load_explicit(&v->valid, memory_order_relaxed) & 1;
        r->state = valid ? TW_REPLICA_VALID : TW_REPLICA_INVALID;
        r->data = v->host.data;
        r->ld = v->host.ld;
    }
    r->next = first_of(v);
    v->replicas = r;
    note_valid(v);
    return r;
}

tw_replica *tw_replica_at(tw_replicas *all, tw_value *v, int space)
{
    if (!find(v, TW_SPACE_HOST) && !new_record(all, v, TW_SPACE_HOST))
        return NULL;
    tw_replica *r = find(v, space);
    return r ? r : new_record(all, v, space);
}

/* ---- pins and the order of use ------------------------------------------------------------ */

static tw_residents *residents_of(const tw_replica *r)
{
    return &r->all->in[r->space];
}

static void unlink_resident(tw_replica *r)
{
    tw_residents *in = residents_of(r);
    *(r->older ? &r->older->newer : &in->oldest) = r->newer;
    *(r->newer ? &r->newer->older : &in->newest) = r->older;
    r->older = r->newer = NULL;
}

/* Bytes on the host belong to the value: nobody wants them back. */
static bool is_resident(const tw_replica *r)
{
    return r->space != TW_SPACE_HOST && r->data;
}

void tw_replica_pin(tw_replica *r)
{
    if (r->pins++ == 0 && is_resident(r))
        unlink_resident(r);
}

void tw_replica_unpin(tw_replica *r)
{
    tw_residents *in = residents_of(r);
    if (--r->pins > 0 || !is_resident(r))
        return;
    r->older = in->newest;
    *(in->newest ? &in->newest->newer : &in->oldest) = r;
    in->newest = r;
}

void tw_replica_make_oldest(tw_replica *r)
{
    tw_residents *in = residents_of(r);
    if (r->pins > 0 || !is_resident(r))
        return;
    unlink_resident(r);
    r->newer = in->oldest;
    *(in->oldest ? &in->oldest->older : &in->newest) = r;
    in->oldest = r;
}

size_t tw_replica_bytes(const tw_replica *r)
{
    return (size_t)r->value->rows * (size_t)r->value->cols * r->value->element;
}

/* The replica is pinned. */
bool tw_replica_alloc(tw_replica *r)
{
    if (r->data || r->space == TW_SPACE_HOST)
        return r->data;
    const tw_space *space = r->all->space[r->space];
    r->data = space->alloc(space, tw_replica_bytes(r));
    if (r->data)
        residents_of(r)->used += tw_replica_bytes(r);
    return r->data;
}

void tw_replica_free(tw_replica *r)
{
    if (!is_resident(r))
        return;
    const tw_space *space = r->all->space[r->space];
    unlink_resident(r);
    space->free(space, r->data, tw_replica_bytes(r));
    residents_of(r)->used -= tw_replica_bytes(r);
    r->data = NULL;
    set_state(r, TW_REPLICA_INVALID);
}

/* ---- copies ------------------------------------------------------------------------------ */

/* Where to copy from: the host, if it can be. */
static tw_replica *valid_replica(const tw_value *v)
{
    tw_replica *best = NULL;
    for (tw_replica *r = v->replicas; r; r = r->next)
        if (is_valid(r) && (!best || r->space == TW_SPACE_HOST))
            best = r;
    return best;
}

static tw_replica *replica_of(tw_copy *copy)
{
    return (tw_replica *)(void *)((char *)copy - offsetof(tw_replica, copy));
}

static void copied(tw_copy *copy, twill_status status, void *poller)
{
    tw_moves m = {0};
    tw_replica *r = replica_of(copy);
    tw_replicas *all = r->all;
    tw_lock_take(&all->lock);
    if (status == TWILL_OK) {
        all->in[r->space].bytes_in += (int64_t)tw_replica_bytes(r);
        all->in[r->source->space].bytes_out += (int64_t)tw_replica_bytes(r);
        if (all->measured)
            all->measured(all, r->source->space, r->space, tw_replica_bytes(r),
                          tw_seconds() - copy->begun);
    }
    tw_replica_arrived(r, status, &m);
    tw_unlock(&all->lock);
    tw_moves_begin(&m, poller);
    all->expect(all, -1, poller);
}

void tw_replica_fetch(tw_replica *r, tw_moves *m)
{
    const tw_value *v = r->value;
    tw_replica *from = valid_replica(v);
    if (!from) { /* nobody has written it: any content will do */
        set_state(r, TW_REPLICA_VALID);
        return;
    }
    tw_replica_pin(from);
    tw_replica_pin(r);
    r->state = TW_REPLICA_ARRIVING;
    r->source = from;
    r->overtaken = false;
    r->copy = (tw_copy){.next = m->copies,
                        .to = r->data,
                        .from = from->data,
                        .ld_to = (size_t)r->ld * v->element,
                        .ld_from = (size_t)from->ld * v->element,
                        .rows = (size_t)v->rows * v->element,
                        .cols = (size_t)v->cols,
                        .into = r->all->space[r->space],
                        .out_of = r->all->space[from->space],
                        .done = copied};
    m->copies = &r->copy;
}

void tw_replica_settle(tw_replica *r, tw_replica *from, bool good)
{
    if (good && r->space == TW_SPACE_HOST && from->state == TW_REPLICA_DIRTY)
        from->state = TW_REPLICA_VALID;
    set_state(r, good ? TW_REPLICA_VALID : TW_REPLICA_INVALID);
}

void tw_replica_own(tw_replica *r)
{
    for (tw_replica *other = r->value->replicas; other; other = other->next)
        if (other->state == TW_REPLICA_ARRIVING)
            other->overtaken = true;
        else if (other != r)
            other->state = TW_REPLICA_INVALID;
    set_state(r, r->space == TW_SPACE_HOST ? TW_REPLICA_VALID : TW_REPLICA_DIRTY);
}

void tw_replica_disown(tw_replica *r)
{
    bool others = false;
    for (const tw_replica *other = r->value->replicas; other; other = other->next)
        others |= other != r && is_valid(other);
    if (r->space == TW_SPACE_HOST && is_valid(r))
        tw_replica_own(r); /* others are clean: they may be freed, so the host keeps what it has */
    else if (others)
        set_state(r, TW_REPLICA_INVALID);
}

void tw_moves_begin(tw_moves *m, void *poller)
{
    while (m->copies) {
        tw_copy *copy = m->copies;
        const tw_replica *r = replica_of(copy);
        tw_space *space = r->all->space[r->space ? r->space : r->source->space];
        m->copies = copy->next;
        r->all->expect(r->all, 1, poller);
        if (r->all->measured)
            copy->begun = tw_seconds();
        space->start(space, copy);
    }
    while (m->ready) {
        tw_staging *s = m->ready;
        m->ready = s->next;
        s->ready(s, poller);
    }
}

bool tw_replicas_poll(tw_replicas *all, void *poller)
{
    bool some = false;
    for (int i = 1; i < all->spaces; i++)
        some |= all->space[i]->poll && all->space[i]->poll(all->space[i], poller);
    return some;
}

/* ---- changes from outside ---------------------------------------------------------------- */

void tw_replicas_changed(tw_replicas *all, tw_value *v)
{
    tw_lock_take(&all->lock);
    tw_replica *host = find(v, TW_SPACE_HOST);
    if (host)
        tw_replica_own(host);
    tw_unlock(&all->lock);
}

bool tw_replicas_forget(tw_replicas *all, tw_value *v)
{
    bool idle = true;
    tw_lock_take(&all->lock);
    tw_replica *host = find(v, TW_SPACE_HOST);
    if (host)
        tw_replica_own(host);
    for (const tw_replica *r = first_of(v); r; r = r->next)
        idle = idle && r->pins == 0;
    tw_unlock(&all->lock);
    return idle;
}

void tw_replicas_drop(tw_replicas *all, tw_value *v)
{
    tw_lock_take(&all->lock);
    for (tw_replica *r = first_of(v), *next; r; r = next) {
        next = r->next;
        tw_replica_free(r);
        v->replicas = next;
        free(r);
    }
    atomic_store_explicit(&v->valid, 1u << TW_SPACE_HOST, memory_order_relaxed);
    tw_unlock(&all->lock);
}
