/* Looking, for every task that waited in a queue, for the first one that was started meanwhile and
 * had clearly less behind it. */
#include "trace/analysis/late.h"

#include <stdlib.h>

/* Less than this is no reason to complain: ns in the queue, and how much less must follow. */
static const double least_wait = 1000, clearly = 0.75;

/* Tasks of one rank, in the order of their beginnings, and a tree of least values over what follows
 * them: entry 1 is the least of all. */
typedef struct least {
    const int64_t *task;
    int64_t n;
    double *value;
    int64_t width; /* a power of two; the list begins there */
} least;

static bool least_open(least *tree, const double *bottom)
{
    tree->width = 1;
    while (tree->width < tree->n)
        tree->width *= 2;
    tree->value = malloc(2 * (size_t)tree->width * sizeof *tree->value);
    if (!tree->value)
        return false;
    for (int64_t i = 0; i < tree->width; i++)
        tree->value[tree->width + i] = i < tree->n ? bottom[tree->task[i]] : 1e300;
    for (int64_t i = tree->width - 1; i > 0; i--) {
        double a = tree->value[2 * i], b = tree->value[2 * i + 1];
        tree->value[i] = a < b ? a : b;
    }
    return true;
}

/* First place, from `from` on, whose value is below the limit; the width when there is none. */
static int64_t first_below(const least *tree, int64_t from, double limit)
{
    int64_t i = tree->width + from;
    while (tree->value[i] >= limit) {
        while (i & 1) { /* the last of its pair: go up until there is something to the right */
            if ((i & (i + 1)) == 0)
                return tree->width;
            i /= 2;
        }
        i++;
    }
    while (i < tree->width) {
        i *= 2;
        if (tree->value[i] >= limit)
            i++;
    }
    return i - tree->width;
}

static int64_t first_start(const twill_trace *t, const least *tree, double time)
{
    int64_t low = 0, high = tree->n;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (t->start[tree->task[middle]] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void look(const twill_trace *t, const double *bottom, const least *tree, int64_t place,
                 tw_late *late)
{
    int64_t i = tree->task[place];
    late->delay[i] = 0;
    late->behind[i] = -1;
    if (t->start[i] - t->ready[i] < least_wait)
        return;
    int64_t behind = first_below(tree, first_start(t, tree, t->ready[i]), clearly * bottom[i]);
    if (behind >= place)
        return;
    int64_t other = tree->task[behind];
    double waited = t->start[i] - t->start[other], gain = bottom[i] - bottom[other];
    late->delay[i] = waited < gain ? waited : gain;
    late->behind[i] = (int32_t)other;
}

static bool look_at_rank(const twill_trace *t, const tw_by_rank *ranks, int rank,
                         const double *bottom, tw_late *late)
{
    int64_t first = ranks->first[rank];
    least tree = {.task = ranks->task + first, .n = ranks->first[rank + 1] - first};
    if (tree.n == 0)
        return true; /* a file may number few ranks as widely as it likes */
    if (!least_open(&tree, bottom))
        return false;
    for (int64_t i = 0; i < tree.n; i++)
        look(t, bottom, &tree, i, late);
    free(tree.value);
    return true;
}

/* In the chain that led to each task, the one that was latest. */
static void find_causes(const twill_trace *t, tw_late *late)
{
    for (int64_t i = 0; i < t->ntasks; i++) {
        int32_t worst = t->by[i] >= 0 ? late->cause[t->by[i]] : -1;
        bool worse = late->delay[i] > (worst >= 0 ? late->delay[worst] : 0);
        late->cause[i] = worse ? (int32_t)i : worst;
    }
}

bool tw_late_find(const twill_trace *t, const tw_by_rank *ranks, const double *bottom,
                  tw_late *late)
{
    size_t n = (size_t)t->ntasks + 1;
    late->delay = malloc(n * sizeof *late->delay);
    late->behind = malloc(n * sizeof *late->behind);
    late->cause = malloc(n * sizeof *late->cause);
    bool good = late->delay && late->behind && late->cause;
    for (int r = 0; good && r < ranks->ranks; r++)
        good = look_at_rank(t, ranks, r, bottom, late);
    if (good)
        find_causes(t, late);
    else
        tw_late_free(late);
    return good;
}

void tw_late_free(tw_late *late)
{
    free(late->delay);
    free(late->behind);
    free(late->cause);
    *late = (tw_late){0};
}
