/* Levels, and an order within them that keeps tasks near those they talk to. */
#include "command/drawing.h"

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

typedef struct place {
    int task, level;
    double wish;
} place;

static int compare(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->wish != b->wish)
        return a->wish < b->wish ? -1 : 1;
    return a->task < b->task ? -1 : a->task > b->task;
}

/* Number the tasks of each level in the order of their wishes, centred around 0. */
static void number(drawing *d, place *order)
{
    qsort(order, (size_t)d->task_count, sizeof *order, compare);
    for (int i = 0, end; i < d->task_count; i = end) {
        for (end = i; end < d->task_count && order[end].level == order[i].level; end++)
            ;
        for (int k = i; k < end; k++)
            d->tasks[order[k].task].x = (k - i) - (end - i - 1) / 2.0;
    }
}

/* Every task wishes to stand at the mean of those before it, or after it. */
static void wish(drawing *d, place *order, double *sum, int *count, bool down)
{
    for (int i = 0; i < d->task_count; i++)
        sum[i] = count[i] = 0;
    for (int i = 0; i < d->edge_count; i++) {
        int to = down ? d->edges[i].to : d->edges[i].from;
        int from = down ? d->edges[i].from : d->edges[i].to;
        sum[to] += d->tasks[from].x;
        count[to]++;
    }
    for (int i = 0; i < d->task_count; i++) {
        int t = order[i].task;
        order[i].wish = count[t] ? sum[t] / count[t] : d->tasks[t].x;
    }
}

bool drawing_arrange(drawing *d)
{
    size_t n = (size_t)d->task_count + 1;
    place *order = calloc(n, sizeof *order);
    double *sum = calloc(n, sizeof *sum);
    int *count = calloc(n, sizeof *count);
    bool fine = order && sum && count && find_levels(d);
    d->levels = 0;
    for (int i = 0; fine && i < d->task_count; i++) {
        order[i] = (place){i, d->tasks[i].level, i};
        if (d->tasks[i].level >= d->levels)
            d->levels = d->tasks[i].level + 1;
    }
    for (int sweep = 0; fine && sweep <= SWEEPS; sweep++) {
        number(d, order);
        if (sweep < SWEEPS)
            wish(d, order, sum, count, sweep % 2 == 0);
    }
    free(order);
    free(sum);
    free(count);
    return fine;
}
