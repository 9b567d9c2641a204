/* Successors, heights, and the critical path. */
#include "simulate/model.h"

#include <stdlib.h>

static void list_successors(tw_layout *l, const twill_model *m)
{
    for (int64_t e = 0; e < m->nedges; e++) {
        l->first[m->edges[e].from + 1]++;
        l->inputs[m->edges[e].to]++;
    }
    for (int64_t i = 0; i < m->ntasks; i++)
        l->first[i + 1] += l->first[i];
    /* filled from the back, which leaves each `first` where it belongs */
    for (int64_t e = m->nedges - 1; e >= 0; e--) {
        int64_t from = m->edges[e].from;
        l->next[l->first[from] + --l->height[from]] = m->edges[e].to;
    }
}

static void find_heights(tw_layout *l, const twill_model *m)
{
    for (int64_t i = m->ntasks - 1; i >= 0; i--) {
        l->height[i] = 1;
        for (int64_t s = l->first[i]; s < l->first[i + 1]; s++)
            if (l->height[l->next[s]] + 1 > l->height[i])
                l->height[i] = l->height[l->next[s]] + 1;
    }
}

/* One of the longest paths: of all that could be next, the one that was added first. */
static void mark_path(tw_layout *l, const twill_model *m)
{
    int64_t at = -1;
    for (int64_t i = 0; i < m->ntasks; i++)
        if (at < 0 || l->height[i] > l->height[at])
            at = i;
    while (at >= 0) {
        int64_t next = -1;
        l->critical[at] = true;
        for (int64_t s = l->first[at]; s < l->first[at + 1]; s++)
            if (l->height[l->next[s]] == l->height[at] - 1 && (next < 0 || l->next[s] < next))
                next = l->next[s];
        at = next;
    }
}

bool tw_layout_open(tw_layout *l, const twill_model *m)
{
    size_t n = (size_t)m->ntasks + 1, edges = (size_t)m->nedges + 1;
    *l = (tw_layout){calloc(n, sizeof *l->first), calloc(edges, sizeof *l->next),
                     calloc(n, sizeof *l->inputs), calloc(n, sizeof *l->height),
                     calloc(n, sizeof *l->critical)};
    if (!l->first || !l->next || !l->inputs || !l->height || !l->critical) {
        tw_layout_close(l);
        return false;
    }
    for (int64_t e = 0; e < m->nedges; e++)
        l->height[m->edges[e].from]++; /* until heights are found: how many are not listed yet */
    list_successors(l, m);
    find_heights(l, m);
    mark_path(l, m);
    return true;
}

void tw_layout_close(tw_layout *l)
{
    free(l->first);
    free(l->next);
    free(l->inputs);
    free(l->height);
    free(l->critical);
}
