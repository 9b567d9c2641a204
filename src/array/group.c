/* Groups of ranks: made, freed, and asked about their ranks and units. */
#include "array/group.h"

#include "base/status.h"
#include "engine/remote/places.h"

#include <stdlib.h>
#include <string.h>

static int by_rank(const void *x, const void *y)
{
    const tw_group_member *a = x, *b = y;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

twill_status tw_group_make(twill *tw, twill_group *parent, int64_t size, const int64_t *rank,
                           twill_group **out)
{
    twill_group *g = calloc(1, sizeof *g);
    if (!g)
        goto no_memory;
    pthread_mutex_init(&g->mutex, NULL);
    g->tw = tw;
    g->parent = parent;
    g->size = size;
    g->rank = calloc((size_t)size, sizeof *g->rank);
    g->member = calloc((size_t)size, sizeof *g->member);
    if (!g->rank || !g->member)
        goto undo_group;
    for (int64_t i = 0; i < size; i++) {
        g->rank[i] = rank[i];
        g->member[i] = (tw_group_member){rank[i], i};
    }
    qsort(g->member, (size_t)size, sizeof *g->member, by_rank);
    *out = g;
    return TWILL_OK;
undo_group:
    g->parent = NULL;
    twill_group_free(g);
no_memory:
    return tw_fail(TWILL_ERR_MEMORY, "no memory for a group of %lld ranks", (long long)size);
}

twill_status twill_group_all(twill *tw, twill_group **group)
{
    if (!tw || !group)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_group_all: an argument is NULL");
    int64_t ranks = twill_ranks(tw), *rank = calloc((size_t)ranks, sizeof *rank);
    if (!rank)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a group of %lld ranks", (long long)ranks);
    for (int64_t r = 0; r < ranks; r++)
        rank[r] = r;
    twill_status status = tw_group_make(tw, NULL, ranks, rank, group);
    free(rank);
    return status;
}

void twill_group_free(twill_group *g)
{
    if (!g || g->parent)
        return;
    for (int64_t i = 0; i < g->parts; i++) {
        g->part[i]->parent = NULL;
        twill_group_free(g->part[i]);
    }
    for (tw_group_deal *deal = g->deals, *next; deal; deal = next) {
        next = deal->next;
        free(deal);
    }
    pthread_mutex_destroy(&g->mutex);
    free(g->part);
    free(g->member);
    free(g->rank);
    free(g);
}

/* ---- ranks ------------------------------------------------------------------------------- */

int64_t twill_group_size(const twill_group *g)
{
    return g->size;
}

int64_t twill_group_rank(const twill_group *g, int64_t number)
{
    return number >= 0 && number < g->size ? g->rank[number] : -1;
}

int64_t twill_group_number(const twill_group *g, int64_t rank)
{
    tw_group_member key = {.rank = rank};
    const tw_group_member *m =
        bsearch(&key, g->member, (size_t)g->size, sizeof *g->member, by_rank);
    return m ? m->number : -1;
}

int64_t twill_group_mine(const twill_group *g)
{
    return twill_group_number(g, twill_rank(g->tw));
}

bool twill_group_equal(const twill_group *a, const twill_group *b)
{
    return a->size == b->size && !memcmp(a->rank, b->rank, (size_t)a->size * sizeof *a->rank);
}

/* ---- parts ------------------------------------------------------------------------------- */

int64_t twill_group_parts(const twill_group *g)
{
    return g->parts;
}

twill_group *twill_group_part(const twill_group *g, int64_t i)
{
    return i >= 0 && i < g->parts ? g->part[i] : NULL;
}

twill_group *twill_group_part_of(const twill_group *g, int64_t rank)
{
    for (int64_t i = 0; i < g->parts; i++)
        if (twill_group_number(g->part[i], rank) >= 0)
            return g->part[i];
    return NULL;
}

twill_group *twill_group_parent(const twill_group *g)
{
    return g->parent;
}

/* ---- units ------------------------------------------------------------------------------- */

static int64_t units_of(const twill_group *g, twill_unit_kind kind, int64_t rank)
{
    tw_place place;
    if (kind == TWILL_UNIT_RANK)
        return 1;
    if (tw_places_get(g->tw, (int)rank, &place) != TWILL_OK)
        return 0;
    return kind == TWILL_UNIT_WORKER ? place.workers : place.devices;
}

int64_t twill_group_units(const twill_group *g, twill_unit_kind kind)
{
    int64_t units = 0;
    for (int64_t i = 0; i < g->size && (unsigned)kind <= TWILL_UNIT_DEVICE; i++)
        units += units_of(g, kind, g->rank[i]);
    return units;
}

twill_status twill_group_unit(const twill_group *g, twill_unit_kind kind, int64_t i,
                              twill_unit *unit)
{
    static const char *const kinds[] = {"ranks", "workers", "devices"};
    if (!g || !unit || (unsigned)kind > TWILL_UNIT_DEVICE)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_group_unit: an argument is NULL, or no kind of units");
    int64_t units = twill_group_units(g, kind), number = 0, here;
    if (i < 0 || i >= units)
        return tw_fail(TWILL_ERR_ARGUMENT, "the group has %lld %s, and no number %lld",
                       (long long)units, kinds[kind], (long long)i);
    for (; i >= (here = units_of(g, kind, g->rank[number])); number++)
        i -= here;
    *unit = (twill_unit){g->rank[number], kind == TWILL_UNIT_DEVICE ? i + 1 : i};
    return TWILL_OK;
}
