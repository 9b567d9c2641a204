/* What a use works on comes to the host, some of it at a time: what ends a wait needs no memory.
 * First what it reads; if all of that has come, what it writes becomes invalid elsewhere. So a use
 * that is refused has changed nothing. */
#include "engine/use.h"

#include <stdlib.h>

enum { BATCH = 64 };

struct tw_fetch {
    bool owns;        /* all that it reads has come */
    uint32_t slot;    /* where it is: in the tiles of the use, */
    int box;          /* or in the tiles of its arrays */
    twill_tile *tile; /* of that box, or NULL: its next tile is the first */
    tw_staging *staging;
};

bool tw_fetch_open(tw_use *use)
{
    if (use->tw->data.replicas.spaces == 1)
        return true;
    tw_fetch *f = calloc(1, sizeof *f + sizeof *f->staging + BATCH * sizeof *f->staging->datum);
    if (f)
        f->staging = (tw_staging *)(f + 1);
    use->fetch = f;
    return f;
}

/* The tile after the one where it is, of the arrays of the use; NULL when that was the last. */
static twill_tile *next_tile(tw_use *use)
{
    tw_fetch *f = use->fetch;
    for (; f->box < use->nboxes; f->box++) {
        twill_array *root = use->boxes[f->box].root;
        if (!f->tile) {
            tw_lock_take(&root->make_lock);
            f->tile = root->made;
            tw_unlock(&root->make_lock);
        } else {
            f->tile = f->tile->made;
        }
        if (f->tile)
            return f->tile;
    }
    return NULL;
}

static void add(const tw_fetch *f, twill_tile *tile, bool reads, bool writes)
{
    tw_staging *s = f->staging;
    if (tw_value_is_replicated(&tile->value) && (f->owns ? writes : reads))
        s->datum[s->n++] =
            (tw_staged){.value = &tile->value, .reads = reads, .writes = f->owns && writes};
}

/* The next values that have been elsewhere; false when there are no more. */
static bool collect(tw_use *use)
{
    tw_fetch *f = use->fetch;
    tw_staging *s = f->staging;
    const twill_task *t = use->task;
    s->n = 0;
    for (; f->slot < t->nslots && s->n < BATCH; f->slot++) {
        const tw_slot *slot = &t->slots[f->slot];
        add(f, slot->u.tile, slot->mode != TW_WRITE, slot->mode != TW_READ);
    }
    for (twill_tile *tile; s->n < BATCH && (tile = next_tile(use));) {
        const tw_box *box = &use->boxes[f->box].box;
        int64_t block[TWILL_DIMS];
        tw_tile_block(tile, block);
        /* read in any case: a graph need not write all of the arrays that it writes */
        if (tw_box_has(box, block))
            add(f, tile, true, box->access & TWILL_WRITE);
    }
    return s->n > 0;
}

/* Chains keep others away from here on. */
static void finish(tw_use *use, tw_worker *w)
{
    tw_staging *s = use->fetch->staging;
    if (s->status != TWILL_OK)
        use->status = s->status;
    tw_unstage(&use->tw->data.replicas, s, s->status == TWILL_OK, w);
}

static void fetched(tw_staging *s, void *poller);

static void rewind_to_first(tw_fetch *f)
{
    f->slot = 0;
    f->box = 0;
    f->tile = NULL;
}

/* True when there are values left to stage. */
static bool collect_next(tw_use *use)
{
    tw_fetch *f = use->fetch;
    if (collect(use))
        return true;
    if (f->owns || use->status != TWILL_OK)
        return false;
    f->owns = true;
    rewind_to_first(f);
    return collect(use);
}

static bool go_on(tw_use *use, tw_worker *w)
{
    while (collect_next(use)) {
        if (!tw_stage(&use->tw->data.replicas, use->fetch->staging, w))
            return false;
        finish(use, w);
    }
    return true;
}

static void fetched(tw_staging *s, void *poller)
{
    tw_use *use = s->owner;
    finish(use, poller);
    if (go_on(use, poller))
        tw_use_give(use, poller);
}

bool tw_fetch_begin(tw_use *use, tw_worker *w)
{
    tw_fetch *f = use->fetch;
    rewind_to_first(f);
    f->owns = false;
    f->staging->owner = use;
    f->staging->ready = fetched;
    f->staging->space = TW_SPACE_HOST;
    use->status = TWILL_OK;
    return go_on(use, w);
}
