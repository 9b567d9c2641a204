/* Reduction trees: in which order the tiles of a panel are eliminated.
 *
 * The tile rows are dealt to branches, row i to branch i mod `branches`, and those of a branch are
 * cut into domains. In each panel, the tiles of a domain are factored together, which leaves a
 * triangle in the first of them, its head; then the heads of a branch are merged two by two until
 * one is left, and at last those of the branches. A flat tree of one branch is one domain: the
 * panel of LAPACK. With a branch for each row of a grid of ranks, all but the last merges happen
 * inside ranks. */
#ifndef TW_LA_QR_TREE_H
#define TW_LA_QR_TREE_H

#include <twill/la.h>

/* One step. A panel factors tile rows `top`, `top + stride`, ... `other` of the panel together, a
 * merge eliminates the triangle of row `other` with that of row `top`, its stride being other - top
 * > 0. */
typedef enum tw_elimination_kind { TW_STEP_PANEL, TW_STEP_MERGE } tw_elimination_kind;
typedef struct tw_elimination {
    tw_elimination_kind kind;
    int64_t panel, top, other, stride;
} tw_elimination;

/* All steps of a factorization, panel by panel. */
typedef struct tw_tree {
    twill_tree tree; /* of each branch */
    int64_t branches;
    int64_t domain;  /* tile rows of a full domain */
    int64_t domains; /* of all branches */
    int64_t count;
    tw_elimination *steps;
} tw_tree;

/* The domain of a tile row: domains are numbered as rows are dealt, so with a branch for each row
 * of ranks, domain d is where row d is. */
static inline int64_t tw_tree_domain(const tw_tree *t, int64_t row)
{
    return row / t->branches / t->domain * t->branches + row % t->branches;
}

/* What TWILL_TREE_AUTO means for mt tile rows and kt panels. */
twill_tree tw_tree_choose(twill_tree wanted, int64_t mt, int64_t kt, int64_t branches);

/* Make the list for mt tile rows and kt <= mt panels. `tree` is not TWILL_TREE_AUTO; more branches
 * than rows are as many as rows. */
twill_status tw_tree_make(twill_tree tree, int64_t mt, int64_t kt, int64_t branches, tw_tree *t);
void tw_tree_free(tw_tree *t);

#endif
