/* Reduction trees: flat, binary, greedy, Fibonacci. */
#include "la/qr/qr_tree.h"

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

twill_tree tw_tree_choose(twill_tree wanted, int64_t mt, int64_t kt)
{
    if (wanted != TWILL_TREE_AUTO)
        return wanted;
    return mt > TALL * kt && mt > MORE_TILES ? TWILL_TREE_BINARY : TWILL_TREE_FLAT;
}

static int64_t domain_size(twill_tree tree, int64_t kt)
{
    if (tree == TWILL_TREE_BINARY)
        return kt == 1 ? FEW_TILES : MORE_TILES;
    return tree == TWILL_TREE_FLAT ? MOST_TILES : 1;
}

/* ---- one panel --------------------------------------------------------------------------- */

/* Where the list is being written. */
typedef struct writer {
    tw_tree *t;
    int64_t mt, panel;
} writer;

static void add(writer *w, tw_elimination_kind kind, int64_t top, int64_t other)
{
    w->t->steps[w->t->count++] = (tw_elimination){kind, w->panel, top, other};
}

/* Head of domain number i of those that the panel reaches. */
static int64_t head(const writer *w, int64_t i)
{
    int64_t d = w->t->domain, first = w->panel / d;
    return i == 0 ? w->panel : (first + i) * d;
}

static int64_t heads(const writer *w)
{
    int64_t d = w->t->domain;
    return (w->mt - 1) / d - w->panel / d + 1;
}

static void add_panels(writer *w)
{
    int64_t n = heads(w);
    for (int64_t i = 0; i < n; i++)
        add(w, TW_STEP_PANEL, head(w, i), (i + 1 < n ? head(w, i + 1) : w->mt) - 1);
}

static void merge_flat(writer *w)
{
    for (int64_t i = 1; i < heads(w); i++)
        add(w, TW_STEP_MERGE, head(w, 0), head(w, i));
}

static void merge_binary(writer *w)
{
    int64_t n = heads(w);
    for (int64_t distance = 1; distance < n; distance *= 2)
        for (int64_t i = 0; i + distance < n; i += 2 * distance)
            add(w, TW_STEP_MERGE, head(w, i), head(w, i + distance));
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
            add(w, TW_STEP_MERGE, head(w, i - group), head(w, i));
    }
}

/* ---- greedy: panels depend on each other ------------------------------------------------- */

/* In each round and each panel, the lower half of the rows that are there is eliminated by the
 * upper half; a row comes to a panel in the round after it was eliminated in the one before. The
 * rounds are played once; then the steps are sorted by panel. */
typedef struct greedy {
    int64_t mt, kt, count;
    int64_t *zeros; /* of each row: panels in which it was eliminated */
    int64_t *rows;  /* of one panel and round */
    tw_elimination *steps;
} greedy;

/* One panel of a round. Panels are played from the last to the first, so that a row does not move
 * twice in one round. */
static void play_panel(greedy *g, int64_t panel)
{
    int64_t n = 0;
    for (int64_t i = panel; i < g->mt; i++)
        if (g->zeros[i] == panel)
            g->rows[n++] = i;
    for (int64_t i = n - n / 2; i < n; i++) {
        g->steps[g->count++] =
            (tw_elimination){TW_STEP_MERGE, panel, g->rows[i - n / 2], g->rows[i]};
        g->zeros[g->rows[i]]++;
    }
}

static void play(greedy *g)
{
    int64_t total = 0;
    for (int64_t panel = 0; panel < g->kt; panel++)
        total += g->mt - panel - 1;
    for (int64_t done = -1; g->count < total && g->count != done;) {
        done = g->count;
        for (int64_t panel = g->kt - 1; panel >= 0; panel--)
            play_panel(g, panel);
    }
}

static twill_status make_greedy(writer *w, int64_t kt)
{
    size_t mt = w->mt > 0 ? (size_t)w->mt : 0, panels = kt > 0 ? (size_t)kt : 0;
    greedy g = {w->mt,
                kt,
                0,
                calloc(mt + 1, sizeof(int64_t)),
                calloc(mt + 1, sizeof(int64_t)),
                calloc(mt * panels + 1, sizeof(tw_elimination))};
    bool memory = g.zeros && g.rows && g.steps;
    if (memory)
        play(&g);
    for (w->panel = 0; w->panel < kt && memory; w->panel++) {
        add_panels(w);
        for (int64_t i = 0; i < g.count; i++)
            if (g.steps[i].panel == w->panel)
                add(w, TW_STEP_MERGE, g.steps[i].top, g.steps[i].other);
    }
    free(g.zeros);
    free(g.rows);
    free(g.steps);
    return memory ? TWILL_OK : tw_fail(TWILL_ERR_MEMORY, "no memory for a reduction tree");
}

/* ------------------------------------------------------------------------------------------ */

static twill_status fill(writer *w, int64_t kt)
{
    if (w->t->tree == TWILL_TREE_GREEDY)
        return make_greedy(w, kt);
    for (w->panel = 0; w->panel < kt; w->panel++) {
        add_panels(w);
        if (w->t->tree == TWILL_TREE_FLAT)
            merge_flat(w);
        else if (w->t->tree == TWILL_TREE_BINARY)
            merge_binary(w);
        else
            merge_fibonacci(w);
    }
    return TWILL_OK;
}

twill_status tw_tree_make(twill_tree tree, int64_t mt, int64_t kt, tw_tree *t)
{
    *t = (tw_tree){.tree = tree, .domain = domain_size(tree, kt)};
    int64_t domains = (mt + t->domain - 1) / t->domain;
    t->steps = calloc((size_t)(2 * domains * kt + 1), sizeof *t->steps);
    if (!t->steps)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a reduction tree");
    writer w = {t, mt, 0};
    twill_status status = fill(&w, mt > 0 ? kt : 0);
    if (status != TWILL_OK)
        tw_tree_free(t);
    return status;
}

void tw_tree_free(tw_tree *t)
{
    free(t->steps);
    *t = (tw_tree){0};
}
