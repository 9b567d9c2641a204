/* Which rank has a copy of which tile. The owner of a tile and whoever has a copy of it see every
 * insertion that uses or ends the copy, and forget the least recently used ones by the same rule:
 * so the owner knows what it has to send again. */
#include "front/stf/ranks.h"

#include "base/mix.h"

#include <stdlib.h>

/* ---- tiles ------------------------------------------------------------------------------- */

static tw_stf_tile **chain_of(tw_stf_ranks *s, const twill_tile *tile)
{
    return &s->tiles[tw_mix((uint64_t)(uintptr_t)tile) % TW_STF_CHAINS];
}

static tw_stf_tile *find_tile(tw_stf_ranks *s, const twill_tile *tile)
{
    tw_stf_tile *x = *chain_of(s, tile);
    while (x && x->tile != tile)
        x = x->next;
    return x;
}

static tw_stf_tile *note_tile(tw_stf_ranks *s, twill_tile *tile)
{
    tw_stf_tile *x = find_tile(s, tile);
    if (x || !(x = malloc(sizeof *x)))
        return x;
    *x = (tw_stf_tile){*chain_of(s, tile), tile, NULL};
    *chain_of(s, tile) = x;
    return x;
}

/* ---- by use ------------------------------------------------------------------------------ */

static tw_stf_copies *list_of(tw_stf_ranks *s, const twill_tile *tile, int peer)
{
    return tw_tile_is_local(tile) ? &s->lent[peer] : &s->borrowed[peer];
}

static void take_out(tw_stf_copies *list, tw_stf_copy *c)
{
    *(c->older ? &c->older->newer : &list->oldest) = c->newer;
    *(c->newer ? &c->newer->older : &list->newest) = c->older;
    list->n--;
}

static void put_newest(tw_stf_copies *list, tw_stf_copy *c)
{
    c->older = list->newest;
    c->newer = NULL;
    *(c->older ? &c->older->newer : &list->oldest) = c;
    list->newest = c;
    list->n++;
}

/* The one used last comes first: few ranks use a tile at a time. */
static tw_stf_copy *find_copy(tw_stf_tile *x, int peer)
{
    tw_stf_copy **link = &x->copies;
    while (*link && (*link)->peer != peer)
        link = &(*link)->next;
    tw_stf_copy *c = *link;
    if (c && c != x->copies) {
        *link = c->next;
        c->next = x->copies;
        x->copies = c;
    }
    return c;
}

tw_stf_copy *tw_stf_copy_use(tw_stf_ranks *s, twill_tile *tile, int peer, int64_t number,
                             bool *made)
{
    tw_stf_copies *list = list_of(s, tile, peer);
    tw_stf_tile *x = note_tile(s, tile);
    tw_stf_copy *c = x ? find_copy(x, peer) : NULL;
    *made = x && !c;
    if (c)
        take_out(list, c);
    else if (!x || !(c = malloc(sizeof *c)))
        return NULL;
    if (*made) {
        *c = (tw_stf_copy){.next = x->copies, .of = x, .peer = peer};
        x->copies = c;
    }
    c->used = number;
    put_newest(list, c);
    return c;
}

/* From the list of its tile. */
static void unlink_copy(tw_stf_copy *c)
{
    tw_stf_copy **link = &c->of->copies;
    while (*link != c)
        link = &(*link)->next;
    *link = c->next;
}

bool tw_stf_copy_forget(tw_stf_ranks *s, const tw_stf_copy *like, int64_t number, twill_tile **tile)
{
    bool lent = tw_tile_is_local(like->of->tile);
    tw_stf_copies *list = lent ? &s->lent[like->peer] : &s->borrowed[like->peer];
    tw_stf_copy *c = list->oldest;
    if (list->n <= s->most || c->used == number)
        return false;
    take_out(list, c);
    *tile = lent || !c->of ? NULL : c->of->tile;
    if (c->of)
        unlink_copy(c);
    free(c);
    return true;
}

/* ---- versions ---------------------------------------------------------------------------- */

static void age(tw_stf_tile *x)
{
    for (tw_stf_copy *c = x->copies; c; c = c->next)
        c->valid = false;
}

void tw_stf_copies_age(tw_stf_ranks *s, const twill_tile *tile)
{
    tw_stf_tile *x = find_tile(s, tile);
    if (x)
        age(x);
}

void tw_stf_copies_age_some(tw_stf_ranks *s, tw_tile_test *wanted, void *arg)
{
    for (int i = 0; i < TW_STF_CHAINS; i++)
        for (tw_stf_tile *x = s->tiles[i]; x; x = x->next)
            if (wanted(x->tile, arg))
                age(x);
}

bool tw_stf_copies_have(tw_stf_ranks *s, const twill_tile *tile)
{
    const tw_stf_tile *x = find_tile(s, tile);
    return x && x->copies;
}

/* ---- ends -------------------------------------------------------------------------------- */

/* Copies go on to count until they are forgotten: another rank may free the array sooner or later.
 */
void tw_stf_copies_lose(tw_stf_ranks *s, const twill_array *a)
{
    for (int i = 0; i < TW_STF_CHAINS; i++)
        for (tw_stf_tile **link = &s->tiles[i]; *link;) {
            tw_stf_tile *x = *link;
            if (x->tile->array != a) {
                link = &x->next;
                continue;
            }
            for (tw_stf_copy *c = x->copies; c; c = c->next)
                c->of = NULL;
            *link = x->next;
            free(x);
        }
}

static void clear_list(tw_stf_copies *list)
{
    while (list->oldest) {
        tw_stf_copy *c = list->oldest;
        take_out(list, c);
        free(c);
    }
}

void tw_stf_copies_clear(tw_stf_ranks *s, void (*drop)(tw_stf_ranks *s, twill_tile *tile))
{
    for (int i = 0; i < TW_STF_CHAINS; i++)
        while (s->tiles[i]) {
            tw_stf_tile *x = s->tiles[i];
            s->tiles[i] = x->next;
            if (x->copies && !tw_tile_is_local(x->tile))
                drop(s, x->tile);
            free(x);
        }
    for (int i = 0; s->lent && i < s->common->tw->data.ranks; i++) {
        clear_list(&s->lent[i]);
        clear_list(&s->borrowed[i]);
    }
}
