/* Boxes of tiles, and the list of uses of an array. */
#include "data/whole.h"

#include <stdlib.h>

/* ---- boxes --------------------------------------------------------------------------------- */

tw_box tw_box_of(const twill_array *a, twill_access access)
{
    tw_box box = {.access = access};
    for (int d = 0; d < TWILL_DIMS; d++) {
        box.first[d] = a->origin[d];
        box.end[d] = a->origin[d] + a->blocks[d];
    }
    return box;
}

bool tw_box_has(const tw_box *box, const int64_t *block)
{
    for (int d = 0; d < TWILL_DIMS; d++)
        if (block[d] < box->first[d] || block[d] >= box->end[d])
            return false;
    return true;
}

static bool meets(const tw_box *a, const tw_box *b)
{
    for (int d = 0; d < TWILL_DIMS; d++)
        if (a->first[d] >= b->end[d] || b->first[d] >= a->end[d])
            return false;
    return true;
}

static bool conflicts(const tw_box *a, const tw_box *b)
{
    return ((a->access | b->access) & TWILL_WRITE) && meets(a, b);
}

static int access_at(const tw_whole *u, const int64_t *block)
{
    int access = 0;
    for (int i = 0; i < u->boxes; i++)
        if (tw_box_has(&u->box[i], block))
            access |= (int)u->box[i].access;
    return access;
}

int tw_whole_access(const tw_whole *u, const twill_tile *tile)
{
    int64_t block[TWILL_DIMS];
    tw_tile_block(tile, block);
    return access_at(u, block);
}

bool tw_whole_conflicts(const tw_whole *u, const tw_whole *v)
{
    for (int i = 0; i < u->boxes; i++)
        for (int k = 0; k < v->boxes; k++)
            if (conflicts(&u->box[i], &v->box[k]))
                return true;
    return false;
}

/* ---- the list ------------------------------------------------------------------------------ */

int tw_whole_enter(tw_whole *u)
{
    int before = 0;
    tw_whole **link = &u->root->wholes;
    for (; *link; link = &(*link)->next)
        before += !(*link)->over && tw_whole_conflicts(*link, u);
    *link = u;
    u->next = NULL;
    u->number = ++u->root->entered;
    u->root->coarse = true;
    return before;
}

/* Is there a remainder of an earlier failure where `u` wrote without reading? */
static bool outdates(const tw_whole *u)
{
    for (const tw_whole *v = u->root->wholes; v != u; v = v->next)
        for (int i = 0; v->over && i < u->boxes; i++)
            for (int k = 0; k < v->boxes; k++)
                if (u->box[i].access == TWILL_WRITE && conflicts(&u->box[i], &v->box[k]))
                    return true;
    return false;
}

static bool writes(const tw_whole *u)
{
    int access = 0;
    for (int i = 0; i < u->boxes; i++)
        access |= (int)u->box[i].access;
    return access & TWILL_WRITE;
}

static void unlink_whole(tw_whole *u)
{
    tw_whole **link = &u->root->wholes;
    while (*link != u)
        link = &(*link)->next;
    *link = u->next;
}

bool tw_whole_leave(tw_whole *u, uint32_t poison)
{
    u->last = u->root->entered;
    u->poison = poison;
    u->over = poison ? writes(u) : outdates(u);
    if (!u->over)
        unlink_whole(u);
    u->root->remainders |= u->over;
    u->leaving = true;
    return u->over;
}

void tw_whole_released(tw_whole *u)
{
    u->leaving = false;
}

bool tw_whole_uses(const twill_array *root, const tw_box *box)
{
    for (const tw_whole *u = root->wholes; u; u = u->next)
        for (int i = 0; !u->over && i < u->boxes; i++)
            if (meets(&u->box[i], box))
                return true;
    return false;
}

static tw_whole **forget_at(tw_whole **link)
{
    tw_whole *u = *link;
    *link = u->next;
    free(u);
    return link;
}

void tw_whole_forget(twill_array *root, tw_poison_test *holds, void *arg)
{
    bool failed = false; /* a remainder before this one still counts */
    tw_whole **link = &root->wholes;
    while (*link) {
        const tw_whole *u = *link;
        bool counts = u->over && (u->leaving || (u->poison ? holds(arg, u->poison) : failed));
        failed |= counts;
        link = u->over && !counts ? forget_at(link) : &(*link)->next;
    }
    root->remainders = failed;
}

void tw_whole_forget_all(twill_array *root)
{
    tw_whole **link = &root->wholes;
    while (*link)
        link = (*link)->over ? forget_at(link) : &(*link)->next;
    root->remainders = false;
}

/* ---- poison -------------------------------------------------------------------------------- */

/* The mark that a tile has from remainders before `u` which its chain has not seen. */
static uint32_t mark_of(const tw_whole *u, const int64_t *block)
{
    const twill_array *root = u->root;
    int64_t number = 0, blocks = 1;
    if (!tw_array_stores(root, block[0], block[1]))
        return 0;
    for (int d = 0; d < root->pattern.ndim; d++) {
        number += block[d] * blocks;
        blocks *= root->blocks[d];
    }
    const twill_tile *tile = &root->tiles[number];
    uint64_t seen = __atomic_load_n(&tile->array, __ATOMIC_ACQUIRE) ? tile->seen : 0;
    uint32_t mark = 0;
    for (const tw_whole *v = root->wholes; v && v->number < u->number; v = v->next) {
        int access = v->over && v->number > seen ? access_at(v, block) : 0;
        if (access & TWILL_WRITE && (v->poison || access == TWILL_WRITE))
            mark = v->poison;
    }
    return mark;
}

static bool next_block(const tw_box *box, int64_t *block)
{
    for (int d = 0; d < TWILL_DIMS; d++) {
        if (++block[d] < box->end[d])
            return true;
        block[d] = box->first[d];
    }
    return false;
}

/* Tile by tile: that is slow, and happens between a failure and the end of the wait for it. */
static bool reads_poison(const tw_whole *u, const tw_box *box)
{
    int64_t block[TWILL_DIMS];
    for (int d = 0; d < TWILL_DIMS; d++)
        block[d] = box->first[d];
    do
        if (access_at(u, block) & TWILL_READ && mark_of(u, block))
            return true;
    while (next_block(box, block));
    return false;
}

bool tw_whole_is_poisoned(const tw_whole *u)
{
    bool poisoned = false;
    for (int i = 0; i < u->boxes && !poisoned; i++)
        poisoned = reads_poison(u, &u->box[i]);
    return poisoned;
}
