/* Reduction trees: in which order the tiles of a panel are eliminated.
 *
 * The tile rows are cut into domains. In each panel, the tiles of a domain are factored together,
 * which leaves a triangle in the first of them, its head; then heads are merged two by two until
 * one is left. A flat tree is one domain: the panel of LAPACK. */
#ifndef TW_LA_QR_TREE_H
#define TW_LA_QR_TREE_H

#include <twill/la.h>

/* One step. A panel factors tile rows `top` to `other` of the panel together, a merge eliminates
 * the triangle of row `other` with that of row `top`; top < other. */
typedef enum tw_elimination_kind { TW_STEP_PANEL, TW_STEP_MERGE } tw_elimination_kind;
typedef struct tw_elimination {
    tw_elimination_kind kind;
    int64_t panel, top, other;
} tw_elimination;

/* All steps of a factorization, panel by panel. */
typedef struct tw_tree {
    twill_tree tree;
    int64_t domain; /* tile rows of a full domain */
    int64_t count;
    tw_elimination *steps;
} tw_tree;

/* What TWILL_TREE_AUTO means for mt tile rows and kt panels. */
twill_tree tw_tree_choose(twill_tree wanted, int64_t mt, int64_t kt);

/* Make the list for mt tile rows and kt <= mt panels. `tree` is not TWILL_TREE_AUTO. */
twill_status tw_tree_make(twill_tree tree, int64_t mt, int64_t kt, tw_tree *t);
void tw_tree_free(tw_tree *t);

#endif
