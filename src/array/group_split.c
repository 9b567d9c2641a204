/* Groups split into parts. */
#include "array/group.h"

#include "array/run.h"
#include "base/mix.h"
#include "base/status.h"
#include "engine/remote/places.h"

#include <stdlib.h>
#include <string.h>

/* What one rank wants, and of which group. */
typedef struct choice {
    int64_t color, key, number;
    uint64_t print;
} choice;

static int compare(const void *x, const void *y)
{
    const choice *a = x, *b = y;
    if (a->color != b->color)
        return a->color < b->color ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static void undo(twill_group *g)
{
    for (int64_t i = 0; i < g->parts; i++) {
        g->part[i]->parent = NULL;
        twill_group_free(g->part[i]);
    }
    free(g->part);
    g->part = NULL;
    g->parts = 0;
}

/* Make the parts of what the members have chosen: choices with the same color follow each other
 * once they are sorted. */
static twill_status cut(twill_group *g, choice *choices)
{
    int64_t *rank = calloc((size_t)g->size, sizeof *rank), end;
    twill_status status = TWILL_OK;
    g->part = calloc((size_t)g->size, sizeof(twill_group *));
    if (!g->part || !rank)
        status = tw_fail(TWILL_ERR_MEMORY, "no memory for the parts of a group");
    qsort(choices, (size_t)g->size, sizeof *choices, compare);
    for (int64_t i = 0; i < g->size && status == TWILL_OK; i = end) {
        for (end = i; end < g->size && choices[end].color == choices[i].color; end++)
            rank[end - i] = g->rank[choices[end].number];
        if (choices[i].color != TWILL_GROUP_NONE)
            status = tw_group_make(g->tw, g, end - i, rank, &g->part[g->parts]);
        g->parts += choices[i].color != TWILL_GROUP_NONE && status == TWILL_OK;
    }
    free(rank);
    if (status != TWILL_OK || g->parts == 0)
        undo(g);
    return status;
}

static twill_status check(const char *who, const twill_group *g)
{
    return !g->parts ? TWILL_OK
                     : tw_fail(TWILL_ERR_STATE,
                               "%s: the group has parts already; make another group to split it "
                               "otherwise",
                               who);
}

/* ---- by color ---------------------------------------------------------------------------- */

static uint64_t print_of(const twill_group *g)
{
    uint64_t print = tw_mix((uint64_t)g->size);
    for (int64_t i = 0; i < g->size; i++)
        print = tw_mix(print ^ (uint64_t)g->rank[i]);
    return print;
}

/* All ranks look at the same choices, so they all come to the same end. */
static twill_status take(const twill_group *g, const choice *all, choice *ours)
{
    uint64_t print = all[0].print;
    for (int r = 1; r < twill_ranks(g->tw); r++)
        if (all[r].print != print)
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "twill_group_split: rank %d splits another group than rank 0; all ranks "
                           "split the same groups in the same order",
                           r);
    for (int64_t i = 0; i < g->size; i++) {
        ours[i] = all[g->rank[i]];
        ours[i].number = i;
        if (ours[i].color < TWILL_GROUP_NONE)
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "twill_group_split: rank %lld has color %lld; 0 and more are colors, "
                           "and TWILL_GROUP_NONE",
                           (long long)g->rank[i], (long long)ours[i].color);
    }
    return TWILL_OK;
}

/* A rank without memory has no parts, so nobody has. */
static twill_status cut_on_all(twill_group *g, choice *choices)
{
    bool any = false;
    twill_status status = cut(g, choices);
    if (twill_ranks(g->tw) > 1)
        status = tw_array_any(g->tw, status, &any);
    if (status != TWILL_OK)
        undo(g);
    return status;
}

twill_status twill_group_split(twill_group *g, int64_t color, int64_t key)
{
    if (!g)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_group_split: the group is NULL");
    twill_status status = check("twill_group_split", g);
    choice mine = {.color = color, .key = key, .print = print_of(g)};
    int64_t ranks = twill_ranks(g->tw);
    choice *all = calloc((size_t)(ranks + g->size), sizeof *all), *ours = all ? all + ranks : NULL;
    if (!all)
        status =
            tw_fail(TWILL_ERR_MEMORY, "no memory for the colors of %lld ranks", (long long)ranks);
    if (ranks > 1)
        status = tw_array_gather(g->tw, status, sizeof mine, NULL, &mine, all);
    else if (status == TWILL_OK)
        *all = mine;
    if (status == TWILL_OK)
        status = take(g, all, ours);
    if (status == TWILL_OK)
        status = cut_on_all(g, ours);
    free(all);
    return status;
}

/* ---- by place ---------------------------------------------------------------------------- */

/* The color of a rank is the number of the first one at the same place. */
static int64_t first_like(const choice *choices, const tw_place *places, int64_t i, bool numa)
{
    for (int64_t k = 0; k < i; k++)
        if (choices[k].color == k && !strcmp(places[k].host, places[i].host) &&
            (!numa || places[k].numa == places[i].numa))
            return k;
    return i;
}

static twill_status split_by_place(const char *who, twill_group *g, bool numa)
{
    if (!g)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the group is NULL", who);
    twill_status status = check(who, g);
    if (status != TWILL_OK)
        return status;
    choice *choices = calloc((size_t)g->size, sizeof *choices);
    tw_place *places = calloc((size_t)g->size, sizeof *places);
    if (!choices || !places)
        status = tw_fail(TWILL_ERR_MEMORY, "%s: no memory for the places of ranks", who);
    for (int64_t i = 0; i < g->size && status == TWILL_OK; i++) {
        status = tw_places_get(g->tw, (int)g->rank[i], &places[i]);
        if (status == TWILL_OK)
            choices[i] = (choice){.color = first_like(choices, places, i, numa), .number = i};
    }
    if (status == TWILL_OK)
        status = cut(g, choices);
    free(places);
    free(choices);
    return status;
}

twill_status twill_group_split_host(twill_group *g)
{
    return split_by_place("twill_group_split_host", g, false);
}

twill_status twill_group_split_numa(twill_group *g)
{
    return split_by_place("twill_group_split_numa", g, true);
}
