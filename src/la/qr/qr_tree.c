/* Reduction trees: flat, binary, greedy, Fibonacci. */
#include "la/qr/qr_tree.h"

#include "base/minmax.h"
#include "base/status.h"

#include <stdlib.h>

enum {
    MOST_TILES = 1024, /* of a domain: tasks have them as arguments */
    /* of a domain in a binary tree. Merging two triangles takes about a tenth of the time of a
     * panel of four tiles; products with the reflectors of a domain, when there is something on its
     * right, are the cheaper the higher it is. */
    FEW_TILES = 4,
    MORE_TILES = 8,
    TALL = 6 /* more than so many times as many tile rows as panels: merge domains */
};

/* n / size, rounded up: rows of the longest of so many branches, or domains. */
static int64_t pieces(int64_t n, int64_t size)
{
    return (n + size - 1) / size;
}

twill_tree tw_tree_choose(twill_tree wanted, int64_t mt, int64_t kt, int64_t branches)
{
    int64_t rows = pieces(mt, branches);
    if (wanted != TWILL_TREE_AUTO)
        return wanted;
    return rows > TALL * kt && rows > MORE_TILES ? TWILL_TREE_BINARY : TWILL_TREE_FLAT;
}

static int64_t domain_size(twill_tree tree, int64_t kt)
{
    if (tree == TWILL_TREE_BINARY)
        return kt == 1 ? FEW_TILES : MORE_TILES;
    return tree == TWILL_TREE_FLAT ? MOST_TILES : 1;
}

/* ---- one branch in one panel ------------------------------------------------------------- */

/* Rows that are reduced to one, and the list that is being written: `base` + stride * i, i from
 * `first` up to `end`, in domains that are cut where i is a multiple of their size. */
typedef struct writer {
    tw_tree *t;
    int64_t panel, base, stride, first, end, domain;
} writer;

/* The branch of a row that is the panel's or one of the next ones. */
static writer branch_of(tw_tree *t, int64_t mt, int64_t panel, int64_t row)
{
    int64_t base = row % t->branches;
    return (writer){.t = t,
                    .panel = panel,
                    .base = base,
                    .stride = t->branches,
                    .first = row / t->branches,
                    .end = pieces(mt - base, t->branches),
                    .domain = t->domain};
}

/* The first rows of all branches. */
static writer all_branches(tw_tree *t, int64_t mt, int64_t panel)
{
    return (writer){.t = t,
                    .panel = panel,
                    .stride = 1,
                    .first = panel,
                    .end = tw_min(panel + t->branches, mt),
                    .domain = 1};
}

static void add_panel(writer *w, int64_t top, int64_t other)
{
    w->t->steps[w->t->count++] =
        (tw_elimination){TW_STEP_PANEL, w->panel, top, other, w->t->branches};
}

static void add_merge(tw_tree *t, int64_t panel, int64_t top, int64_t other)
{
    t->steps[t->count++] = (tw_elimination){TW_STEP_MERGE, panel, top, other, other - top};
}

/* Head of domain number i of those that the panel reaches. */
static int64_t head(const writer *w, int64_t i)
{
    return w->base + w->stride * (i == 0 ? w->first : (w->first / w->domain + i) * w->domain);
}

static int64_t heads(const writer *w)
{
    return (w->end - 1) / w->domain - w->first / w->domain + 1;
}

static void merge(writer *w, int64_t top, int64_t other)
{
    add_merge(w->t, w->panel, head(w, top), head(w, other));
}

static void add_panels(writer *w)
{
    int64_t n = heads(w), end = w->base + w->stride * w->end;
    for (int64_t i = 0; i < n; i++)
        add_panel(w, head(w, i), (i + 1 < n ? head(w, i + 1) : end) - w->stride);
}

static void merge_flat(writer *w)
{
    for (int64_t i = 1; i < heads(w); i++)
        merge(w, 0, i);
}

static void merge_binary(writer *w)
{
    int64_t n = heads(w);
    for (int64_t distance = 1; distance < n; distance *= 2)
        for (int64_t i = 0; i + distance < n; i += 2 * distance)
            merge(w, i, i + distance);
}

/* Groups of 1, 2, 3, ... heads from the top, each eliminated by as many just above it, the last
 * group first: a pipeline in which a panel is two groups behind the one before it. */
static void merge_fibonacci(writer *w)
{
    int64_t n = heads(w), group = 0;
    while (group * (group + 1) / 2 < n - 1)
        group++;
    for (; group > 0; group--) {
        int64_t first = group * (group - 1) / 2 + 1, end = group * (group + 1) / 2 + 1;
        for (int64_t i = first; i < end && i < n; i++)
            merge(w, i - group, i);
    }
}

/* ---- greedy: panels depend on each other ------------------------------------------------- */

/* In each round and each panel, the lower half of the rows of a branch that are there is eliminated
 * by the upper half; a row comes to a panel in the round after it was eliminated in the one before.
 * The rounds are played once; then the steps are sorted by panel. */
typedef struct greedy {
    int64_t mt, kt, branches, count;
    int64_t *zeros; /* of each row: panels in which it was eliminated */
    int64_t *rows;  /* of one panel and round */
    tw_elimination *steps;
} greedy;

/* One panel of a round, in the branch of row `first`. Does anything happen? */
static bool play_branch(greedy *g, int64_t panel, int64_t first)
{
    int64_t n = 0, missing = 0;
    for (int64_t i = first; i < g->mt; i += g->branches) {
        missing += g->zeros[i] < panel;
        if (g->zeros[i] == panel)
            g->rows[n++] = i;
    }
    for (int64_t i = n - n / 2; i < n; i++) {
        int64_t top = g->rows[i - n / 2], other = g->rows[i];
        g->steps[g->count++] = (tw_elimination){TW_STEP_MERGE, panel, top, other, other - top};
        g->zeros[other]++;
    }
    /* the last row is eliminated by one of another branch */
    bool leaves = n == 1 && missing == 0 && first > panel;
    g->zeros[first] += leaves;
    return n > 1 || leaves;
}

/* Panels are played from the last to the first, so that a row does not move twice in one round. */
static void play(greedy *g)
{
    for (bool moves = true; moves;) {
        moves = false;
        for (int64_t panel = g->kt - 1; panel >= 0; panel--)
            for (int64_t i = panel; i < tw_min(panel + g->branches, g->mt); i++)
                moves |= play_branch(g, panel, i);
    }
}

static void merge_played(tw_tree *t, const greedy *g, int64_t panel)
{
    for (int64_t i = 0; i < g->count; i++)
        if (g->steps[i].panel == panel)
            t->steps[t->count++] = g->steps[i];
}

static bool begin_greedy(greedy *g, int64_t mt, int64_t kt, int64_t branches)
{
    size_t rows = mt > 0 ? (size_t)mt : 0, panels = kt > 0 ? (size_t)kt : 0;
    *g = (greedy){mt,
                  kt,
                  branches,
                  0,
                  calloc(rows + 1, sizeof(int64_t)),
                  calloc(rows + 1, sizeof(int64_t)),
                  calloc(rows * panels + 1, sizeof(tw_elimination))};
    bool memory = g->zeros && g->rows && g->steps;
    if (memory)
        play(g);
    return memory;
}

static void end_greedy(greedy *g)
{
    free(g->zeros);
    free(g->rows);
    free(g->steps);
}

/* ------------------------------------------------------------------------------------------ */

static void merge_branch(writer *w)
{
    if (w->t->tree == TWILL_TREE_FLAT)
        merge_flat(w);
    else if (w->t->tree == TWILL_TREE_BINARY)
        merge_binary(w);
    else
        merge_fibonacci(w);
}

static void fill_panel(tw_tree *t, const greedy *played, int64_t mt, int64_t panel)
{
    writer all = all_branches(t, mt, panel);
    for (int64_t row = all.first; row < all.end; row++) {
        writer w = branch_of(t, mt, panel, row);
        add_panels(&w);
    }
    for (int64_t row = all.first; row < all.end && !played; row++) {
        writer w = branch_of(t, mt, panel, row);
        merge_branch(&w);
    }
    if (played)
        merge_played(t, played, panel);
    merge_binary(&all);
}

static twill_status fill(tw_tree *t, int64_t mt, int64_t kt)
{
    greedy g = {0};
    bool plays = t->tree == TWILL_TREE_GREEDY, memory = true;
    if (plays)
        memory = begin_greedy(&g, mt, kt, t->branches);
    for (int64_t panel = 0; panel < kt && memory; panel++)
        fill_panel(t, plays ? &g : NULL, mt, panel);
    end_greedy(&g);
    return memory ? TWILL_OK : tw_fail(TWILL_ERR_MEMORY, "no memory for a reduction tree");
}

twill_status tw_tree_make(twill_tree tree, int64_t mt, int64_t kt, int64_t branches, tw_tree *t)
{
    branches = mt < 1 ? 1 : tw_min(branches, mt);
    *t = (tw_tree){.tree = tree, .branches = branches, .domain = domain_size(tree, kt)};
    t->domains = branches * pieces(pieces(mt, branches), t->domain);
    t->steps = calloc((size_t)(2 * t->domains * kt + 1), sizeof *t->steps);
    if (!t->steps)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a reduction tree");
    twill_status status = fill(t, mt, mt > 0 ? kt : 0);
    if (status != TWILL_OK)
        tw_tree_free(t);
    return status;
}

void tw_tree_free(tw_tree *t)
{
    free(t->steps);
    *t = (tw_tree){0};
}
