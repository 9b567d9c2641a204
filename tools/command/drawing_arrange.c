/* Levels, and an order within them that keeps tasks near those they talk to. */
#include "command/drawing.h"
#include "common/colours.h"

#include <stdlib.h>

enum { SWEEPS = 6 };

/* Levels by counting down predecessors; tasks on a cycle are never reached and stay where they
 * are. */
static bool find_levels(drawing *d)
{
    size_t n = (size_t)d->task_count + 1;
    int *missing = calloc(n, sizeof *missing), *queue = calloc(n, sizeof *queue);
    int *first = calloc(n + 1, sizeof *first),
        *list = calloc((size_t)d->edge_count + 1, sizeof *list);
    bool fine = missing && queue && first && list;
    int head = 0, tail = 0;
    for (int i = 0; fine && i < d->edge_count; i++) {
        missing[d->edges[i].to]++;
        first[d->edges[i].from + 1]++;
    }
    for (int i = 0; fine && i < d->task_count; i++) {
        first[i + 1] += first[i];
        if (!missing[i])
            queue[tail++] = i;
    }
    /* Filling the list moves each start to its end, which is the next one's start. */
    for (int i = d->edge_count - 1; fine && i >= 0; i--)
        list[--first[d->edges[i].from + 1]] = d->edges[i].to;
    while (fine && head < tail) {
        int from = queue[head++];
        int end = from + 2 <= d->task_count ? first[from + 2] : d->edge_count;
        for (int i = first[from + 1]; i < end; i++) {
            drawn_task *to = &d->tasks[list[i]];
            if (to->level <= d->tasks[from].level)
                to->level = d->tasks[from].level + 1;
            if (--missing[list[i]] == 0)
                queue[tail++] = list[i];
        }
    }
    free(missing);
    free(queue);
    free(first);
    free(list);
    return fine;
}

/* A waypoint for each level between a task and the furthest one that it sends to. */
static bool make_ways(drawing *d)
{
    for (int i = 0; i < d->edge_count; i++) {
        drawn_task *from = &d->tasks[d->edges[i].from];
        int passed = d->tasks[d->edges[i].to].level - from->level - 1;
        if (passed > from->ways) {
            d->way_count += passed - from->ways;
            from->ways = passed;
        }
    }
    d->ways = calloc((size_t)d->way_count + 1, sizeof *d->ways);
    for (int t = 0, next = 0; d->ways && t < d->task_count; t++) {
        d->tasks[t].way = next;
        for (int k = 0; k < d->tasks[t].ways; k++)
            d->ways[next++].level = d->tasks[t].level + 1 + k;
    }
    return d->ways;
}

/* ---- order --------------------------------------------------------------------------------- */

/* Something that takes a place: a task, or behind all tasks a waypoint. */
typedef struct place {
    int node, level;
    double wish;
} place;

/* What draws two places of neighbouring levels together. */
typedef struct link {
    int from, to;
} link;

static double *x_of(const drawing *d, int node)
{
    return node < d->task_count ? &d->tasks[node].x : &d->ways[node - d->task_count].x;
}

static double width_of(const drawing *d, int node)
{
    return node < d->task_count ? 1.0 : DRAWING_WAY;
}

/* The links of edges; there is room. Returns how many. */
static int find_links(const drawing *d, link *links)
{
    int count = 0;
    for (int t = 0; t < d->task_count; t++)
        for (int k = 0; k < d->tasks[t].ways; k++) {
            int node = d->task_count + d->tasks[t].way + k;
            links[count++] = (link){k ? node - 1 : t, node};
        }
    for (int i = 0; i < d->edge_count; i++) {
        const drawn_edge *e = &d->edges[i];
        const drawn_task *from = &d->tasks[e->from];
        int passed = d->tasks[e->to].level - from->level - 1;
        links[count++] =
            (link){passed > 0 ? d->task_count + from->way + passed - 1 : e->from, e->to};
    }
    return count;
}

static int compare(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->wish != b->wish)
        return a->wish < b->wish ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

/* Put the places of each level beside each other in the order of their wishes, centred around 0. */
static void line_up(const drawing *d, place *order, int count)
{
    qsort(order, (size_t)count, sizeof *order, compare);
    for (int i = 0, end; i < count; i = end) {
        double width = 0;
        for (end = i; end < count && order[end].level == order[i].level; end++)
            width += width_of(d, order[end].node);
        double x = -width / 2;
        for (int k = i; k < end; k++) {
            double own = width_of(d, order[k].node);
            *x_of(d, order[k].node) = x + own / 2;
            x += own;
        }
    }
}

/* Everything wishes to stand at the mean of what is linked to it above, or below. */
static void wish(const drawing *d, place *order, int count, const link *links, int link_count,
                 double *sum, int *linked, bool down)
{
    for (int i = 0; i < count; i++)
        sum[i] = linked[i] = 0;
    for (int i = 0; i < link_count; i++) {
        int to = down ? links[i].to : links[i].from, from = down ? links[i].from : links[i].to;
        sum[to] += *x_of(d, from);
        linked[to]++;
    }
    for (int i = 0; i < count; i++) {
        int node = order[i].node;
        order[i].wish = linked[node] ? sum[node] / linked[node] : *x_of(d, node);
    }
}

static bool find_places(drawing *d)
{
    int count = d->task_count + d->way_count;
    place *order = calloc((size_t)count + 1, sizeof *order);
    link *links = calloc((size_t)(d->edge_count + d->way_count) + 1, sizeof *links);
    double *sum = calloc((size_t)count + 1, sizeof *sum);
    int *linked = calloc((size_t)count + 1, sizeof *linked);
    bool fine = order && links && sum && linked;
    int link_count = fine ? find_links(d, links) : 0;
    for (int i = 0; fine && i < count; i++) {
        int level = i < d->task_count ? d->tasks[i].level : d->ways[i - d->task_count].level;
        order[i] = (place){i, level, i};
    }
    for (int sweep = 0; fine && sweep <= SWEEPS; sweep++) {
        line_up(d, order, count);
        if (sweep < SWEEPS)
            wish(d, order, count, links, link_count, sum, linked, sweep % 2 == 0);
    }
    free(order);
    free(links);
    free(sum);
    free(linked);
    return fine;
}

bool drawing_arrange(drawing *d)
{
    d->colours = calloc((size_t)d->class_count + 1, sizeof *d->colours);
    if (!d->colours || !find_levels(d) || !make_ways(d) || !find_places(d))
        return false;
    tw_colours((const char *const *)d->classes, d->class_count, d->colours);
    d->levels = 0;
    for (int i = 0; i < d->task_count; i++)
        if (d->tasks[i].level >= d->levels)
            d->levels = d->tasks[i].level + 1;
    return true;
}
