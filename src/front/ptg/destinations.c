/* What an instance sends to other ranks: each region of a flow once, however many need it there. */
#include "front/ptg/remote.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
    tw_ptg_parts *parts;
    const tw_ptg_class *cls;
    int64_t rank; /* or TW_PTG_OTHERS: than `root` */
    int64_t root; /* that runs it */
    int last;     /* most edges are like the one before */
} search;

static bool is_wanted(const search *s, const tw_ptg_edge *e)
{
    if (s->parts->only && (s->parts->only == TW_PTG_TASKS) != (e->cls != NULL))
        return false;
    if (s->rank == TW_PTG_OTHERS)
        return e->rank >= 0 && e->rank != s->root;
    return e->rank == s->rank;
}

bool tw_ptg_part_carries(const tw_ptg_part *part, const tw_ptg_edge *e)
{
    if (part->rank != e->rank || part->flow != e->flow)
        return false;
    bool typed = !part->control && tw_ptg_region(e->remote) != TW_FULL;
    return part->typed == typed && (!typed || tw_ptg_same_type(&part->type, e->remote));
}

/* Where the parts of later ranks begin. */
static int end_of_rank(const tw_ptg_parts *parts, int64_t rank)
{
    int low = 0, high = parts->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (parts->part[middle].rank <= rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_room(tw_ptg_parts *parts)
{
    if (parts->n < parts->room)
        return true;
    if (!parts->part) {
        parts->part = parts->few;
        parts->room = TW_PTG_FEW;
        return true;
    }
    bool few = parts->part == parts->few;
    int room = 4 * parts->room;
    size_t size = (size_t)room * sizeof(tw_ptg_part);
    tw_ptg_part *more = few ? malloc(size) : realloc(parts->part, size);
    if (more && few)
        memcpy(more, parts->few, sizeof parts->few);
    if (more) {
        parts->part = more;
        parts->room = room;
    }
    parts->short_of_memory |= !more;
    return more;
}

static tw_ptg_part *insert_part(search *s, int at, const tw_ptg_edge *e)
{
    tw_ptg_parts *parts = s->parts;
    if (!has_room(parts))
        return NULL;
    tw_ptg_part *part = &parts->part[at];
    memmove(part + 1, part, (size_t)(parts->n++ - at) * sizeof *part);
    bool control = s->cls->cls->flow[e->flow].mode == TWILL_FLOW_CTL;
    *part = (tw_ptg_part){.rank = e->rank, .flow = e->flow, .control = control};
    part->typed = !control && tw_ptg_region(e->remote) != TW_FULL;
    if (part->typed)
        part->type = *e->remote;
    s->last = at;
    return part;
}

static tw_ptg_part *find_part(search *s, const tw_ptg_edge *e)
{
    tw_ptg_parts *parts = s->parts;
    if (s->last < parts->n && tw_ptg_part_carries(&parts->part[s->last], e))
        return &parts->part[s->last];
    int end = end_of_rank(parts, e->rank);
    for (int i = end; i-- > 0 && parts->part[i].rank == e->rank;)
        if (tw_ptg_part_carries(&parts->part[i], e)) {
            s->last = i;
            return &parts->part[i];
        }
    return insert_part(s, end, e);
}

static void add_edge(const tw_ptg_edge *e, void *arg)
{
    search *s = arg;
    s->parts->nowhere |= e->rank < 0;
    tw_ptg_part *part = is_wanted(s, e) ? find_part(s, e) : NULL;
    if (!part)
        return;
    part->tasks += e->cls != NULL;
    part->tiles += e->cls == NULL;
}

bool tw_ptg_destinations(const tw_ptg_class *c, const int64_t *p, int64_t rank, tw_ptg_parts *parts)
{
    search s = {.parts = parts, .cls = c, .rank = rank};
    if (rank == TW_PTG_OTHERS)
        s.root = tw_ptg_rank(c, p);
    parts->n = 0;
    parts->short_of_memory = parts->nowhere = false;
    tw_ptg_each_output(c, p, add_edge, &s);
    return !parts->short_of_memory;
}

uint32_t tw_ptg_flows_to(const tw_ptg_parts *parts, int64_t rank)
{
    uint32_t flows = 0;
    for (int i = end_of_rank(parts, rank); i-- > 0 && parts->part[i].rank == rank;)
        flows |= (uint32_t)1 << parts->part[i].flow;
    return flows;
}

int tw_ptg_end_of_rank(const tw_ptg_parts *parts, int i)
{
    int next = i + 1;
    while (next < parts->n && parts->part[next].rank == parts->part[i].rank)
        next++;
    return next;
}

void tw_ptg_parts_free(tw_ptg_parts *parts)
{
    if (parts->part != parts->few)
        free(parts->part);
    parts->part = NULL;
    parts->n = parts->room = 0;
}
