/* Hazards of whole tasks. */
#include "engine/hazard.h"

#include "engine/use.h"

enum { FEW = 8, REFUSED = -1 };

static tw_mode mode_of(twill_arg_kind kind)
{
    switch (kind) {
    case TWILL_ARG_READ:
        return TW_READ;
    case TWILL_ARG_WRITE:
        return TW_WRITE;
    case TWILL_ARG_COMMUTE:
        return TW_COMMUTE;
    default:
        return TW_UPDATE;
    }
}

void tw_slot_set_tile(twill_task *t, uint32_t index, twill_arg_kind kind, twill_tile *tile)
{
    tw_slot *slot = &t->slots[index];
    slot->access.epoch = NULL;
    slot->u.tile = tile;
    slot->kind = (uint8_t)kind;
    slot->mode = (uint8_t)mode_of(kind);
    slot->token = false;
    slot->index = index;
}

/* A slot whose tile has a chain to enter: not a second mention of the same tile. */
static bool enters(const tw_slot *slot)
{
    return tw_slot_is_data(slot) && slot->u.tile;
}

bool tw_access_poisoned(twill *tw, tw_access *access)
{
    uint32_t poison = tw_access_poison(access);
    bool holds = poison && tw_poison_holds(tw, poison);
    if (!holds)
        tw_access_cure(access, poison);
    return holds;
}

/* Enter every chain; the number granted at once. The arrays are locked. With the last one entered
 * the task may be gone, so nothing is looked at after it. */
static int enter_all(tw_worker *w, twill_task *t)
{
    int granted = 0;
    int left = atomic_load_explicit(&t->wait, memory_order_relaxed);
    for (tw_slot *slot = t->slots; left > 0; slot++) {
        if (!enters(slot))
            continue;
        left--;
        twill_tile *tile = slot->u.tile;
        assert(tw_is_locked(&tile->array->lock));
        tw_entry entry = tw_chain_enter(&tile->chain, &slot->access, (tw_mode)slot->mode, tile,
                                        &w->tw->data.epochs, &w->epochs);
        if (tw_unlikely(entry == TW_ENTRY_POISONED) && tw_access_poisoned(w->tw, &slot->access))
            atomic_fetch_or_explicit(&t->flags, TW_TASK_POISONED, memory_order_relaxed);
        granted += entry != TW_ENTRY_WAITS;
    }
    return granted;
}

int tw_hazards_enter_locked(tw_worker *w, twill_task *t)
{
    return enter_all(w, t);
}

static int enter_one(tw_worker *w, twill_task *t, twill_array *only)
{
    tw_lock_take(&only->lock);
    bool met = tw_likely(!only->coarse) || tw_wholes_meet(w, t);
    int granted = tw_likely(met) ? enter_all(w, t) : REFUSED;
    tw_unlock(&only->lock);
    return granted;
}

/* ---- tiles of several arrays ------------------------------------------------------------- */

static twill_array *array_of(tw_access *access)
{
    return ((tw_slot *)access)->u.tile->array;
}

/* Two lists in the order of addresses become one. */
static tw_access *merge(tw_access *a, tw_access *b)
{
    tw_access *head, **end = &head;
    while (a && b) {
        tw_access **first = array_of(a) <= array_of(b) ? &a : &b;
        *end = *first;
        end = &(*first)->next;
        *first = *end;
    }
    *end = a ? a : b;
    return head;
}

/* Accesses in the order of the addresses of their arrays, which is the order of locking. They are
 * linked where lists of waiting accesses will be: that needs no memory. */
static tw_access *by_array(twill_task *t)
{
    tw_access *sorted[32] = {NULL}; /* lists of 1, 2, 4 ... */
    const twill_array *last = NULL;
    for (uint32_t i = 0; i < t->nslots; i++) {
        tw_access *list = &t->slots[i].access;
        if (!enters(&t->slots[i]) || array_of(list) == last)
            continue;
        last = array_of(list);
        list->next = NULL;
        int k = 0;
        for (; sorted[k]; sorted[k++] = NULL)
            list = merge(sorted[k], list);
        sorted[k] = list;
    }
    tw_access *all = NULL;
    for (int k = 0; k < 32; k++)
        all = merge(sorted[k], all);
    return all;
}

static int enter_several(tw_worker *w, twill_task *t)
{
    twill_array *locked = NULL;
    bool coarse = false;
    for (tw_access *access = by_array(t); access; access = access->next) {
        twill_array *a = array_of(access);
        if (a == locked)
            continue;
        tw_lock_take(&a->lock);
        a->locked_before = locked;
        locked = a;
        coarse |= a->coarse;
    }
    bool met = tw_likely(!coarse) || tw_wholes_meet(w, t);
    int granted = tw_likely(met) ? enter_all(w, t) : REFUSED;
    while (locked) {
        twill_array *a = locked;
        locked = a->locked_before;
        tw_unlock(&a->lock);
    }
    return granted;
}

/* ------------------------------------------------------------------------------------------ */

/* It is in no chain, whatever it was in before. */
TW_NOINLINE static tw_entered refuse(twill_task *t)
{
    for (uint32_t i = 0; i < t->nslots; i++)
        if (enters(&t->slots[i]))
            t->slots[i].access.epoch = NULL;
    return TW_ENTERED_NONE;
}

tw_entered tw_hazards_enter(tw_worker *w, twill_task *t, twill_array *only)
{
    int inputs = atomic_load_explicit(&t->wait, memory_order_relaxed);
    if (inputs == 0)
        return TW_ENTERED_GRANTED;
    int granted = tw_likely(only != NULL) ? enter_one(w, t, only) : enter_several(w, t);
    if (tw_unlikely(w->epochs.more != NULL)) /* what was reserved and not needed is for all */
        tw_pool_return(&w->tw->data.epochs, &w->epochs.more);
    if (granted == inputs)
        return TW_ENTERED_GRANTED;
    if (tw_unlikely(granted == REFUSED))
        return refuse(t);
    /* Grants that came meanwhile have counted down already; ours are taken off in one step. With
     * none of ours, the task may be gone by now. */
    bool last = granted > 0 &&
                atomic_fetch_sub_explicit(&t->wait, granted, memory_order_acq_rel) == granted;
    return last ? TW_ENTERED_GRANTED : TW_ENTERED_WAITS;
}

/* Who had the token before may have failed since the task was granted its access. */
static void inherit(twill_task *t, tw_access *access)
{
    if (tw_unlikely(tw_access_poison(access)) && tw_access_poisoned(t->graph->tw, access))
        atomic_fetch_or_explicit(&t->flags, TW_TASK_POISONED, memory_order_relaxed);
}

bool tw_tokens_take(twill_task *t)
{
    /* In the order of addresses, so that no two tasks can wait for each other. */
    for (;;) {
        tw_slot *first = NULL;
        for (uint32_t i = 0; i < t->nslots; i++) {
            tw_slot *slot = &t->slots[i];
            if (enters(slot) && slot->mode == TW_COMMUTE && !slot->token &&
                (!first || slot->u.tile < first->u.tile))
                first = slot;
        }
        if (!first)
            return true;
        first->token = true; /* before: when it is handed over, the task is not ours any more */
        if (!tw_token_take(&first->access))
            return false;
        inherit(t, &first->access);
    }
}

/* A waiting task gets the token of one that is through; it may need more of them. */
TW_NOINLINE static void pass_token(tw_worker *w, tw_access *access, tw_ready *ready)
{
    tw_access *heir = tw_token_give(access);
    if (!heir)
        return;
    twill_task *t = tw_access_task(heir);
    if (tw_is_traced(w))
        tw_emit_grant(w, t);
    inherit(t, heir);
    if (tw_tokens_take(t))
        tw_ready_add(ready, t);
}

/* Begin the epochs behind some drained ones. In steps, because each step waits for lines that
 * another core wrote last: what the steps need of all epochs is fetched at once. */
static void advance(tw_worker *w, tw_epoch **drained, int n, tw_ready *ready)
{
    tw_grants grants[FEW];
    for (int i = 0; i < n; i++)
        __builtin_prefetch(drained[i]->next, 1);
    for (int i = 0; i < n; i++) {
        grants[i] = tw_chain_advance(drained[i], &w->tw->data.epochs, &w->epochs);
        __builtin_prefetch(grants[i].list);
    }
    for (int i = 0; i < n; i++)
        while (grants[i].list) {
            tw_access *access = grants[i].list;
            grants[i].list = access->next; /* before: the task may run and be gone */
            tw_task_grant(w, tw_access_task(access), grants[i].poison, ready);
        }
}

tw_value *tw_hazards_reads(const twill_task *t, int arg, atomic_int **readers)
{
    const tw_slot *slot = &t->slots[arg];
    if ((uint32_t)arg >= t->nslots || !tw_slot_is_data(slot) || slot->mode != TW_READ ||
        !slot->access.epoch)
        return NULL;
    *readers = &slot->access.epoch->pending;
    return &slot->u.tile->value;
}

void tw_hazards_leave(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready)
{
    tw_epoch *drained[FEW];
    int n = 0;
    for (tw_slot *slot = t->slots, *end = slot + t->nslots; slot < end; slot++) {
        if (!tw_slot_is_data(slot) || !slot->access.epoch)
            continue;
        if (tw_unlikely(slot->token)) {
            if (poison) /* before the next one looks */
                tw_access_set_poison(&slot->access, poison);
            pass_token(w, &slot->access, ready);
        }
        tw_epoch *e = tw_chain_leave(&slot->access, slot->mode != TW_READ ? poison : 0);
        if (e)
            drained[n++] = e;
        if (tw_unlikely(n == FEW)) {
            advance(w, drained, n, ready);
            n = 0;
        }
    }
    if (n > 0)
        advance(w, drained, n, ready);
}
