/* QR and LQ: what factorization and application share.
 *
 * LQ is the mirror image of QR: A = L Q is A^H = Q^H L^H. Sizes, tile rows, panels and steps are
 * those of the matrix that QR sees, A or A^H; tile (i, j) of it is tile (j, i) of A then. */
#ifndef TW_LA_QR_H
#define TW_LA_QR_H

#include "la/direct.h"
#include "la/la.h"
#include "la/qr/qr_tree.h"

#include <twill/qr.h>

/* Tile (d, k) of `panels`, (k, d) of the mirror image, so that it is where that tile of A is, has T
 * of domain d in panel k in its first ib rows, and below it a copy of the head with its reflectors:
 * a merge may then change the triangle of the head while others still apply them. Tile (d, k) of
 * `merges` has T of the merge that eliminated the head of domain d. With a branch of the tree for
 * each row of ranks, they are where the head is. */
struct twill_reflectors {
    twill *tw;
    twill_tree wanted;
    int64_t wanted_ib, wanted_branches;
    /* since the last factorization */
    bool made, mirror;
    twill_type type;
    int64_t m, n, nb;
    int64_t order; /* of the largest tile */
    int64_t ib, merge_ib;
    tw_tree tree;
    twill_array *panels, *merges;
    twill_array *scales; /* of gels: largest entries of A and B; made on first use */
};

/* Fit it to a matrix, or leave it if it does already. */
twill_status tw_reflectors_fit(twill_reflectors *h, const twill_array *a, bool mirror);

/* Tile (d, k) of `panels` or `merges`. */
twill_tile *tw_reflectors_tile(const twill_reflectors *h, twill_array *of, int64_t d, int64_t k);

/* Tiles along the shorter side. */
int64_t tw_reflectors_panels(const twill_reflectors *h);

/* An insertion under way. */
typedef struct tw_qr {
    twill_graph *g;
    twill_reflectors *h;
    twill_array *a;
    bool priority;
    int64_t ahead;
    twill_arg *args; /* room for those of the largest task */
} tw_qr;

twill_status tw_qr_begin(tw_qr *q, twill_graph *g, twill_array *a, twill_reflectors *h,
                         const twill_la_options *options);
void tw_qr_end(tw_qr *q);

/* Insert the task that does a step of the factorization. */
twill_status tw_qr_factor(tw_qr *q, const tw_elimination *step);

/* Insert the task that applies the reflectors of a step, or of its inverse (trans C), to the tiles
 * of C in tile column j (side L) or tile row j (side R). */
typedef struct tw_qr_target {
    twill_array *c;
    twill_side side;
    char trans;
} tw_qr_target;
twill_status tw_qr_apply(tw_qr *q, const tw_elimination *step, const tw_qr_target *to, int64_t j,
                         int64_t priority);

/* C := op(Q) C or C op(Q), Q the product of all steps; tiles of C from step->panel on only, with
 * `trapezoid`, because C is the identity there. */
twill_status tw_qr_apply_all(tw_qr *q, const tw_qr_target *to, bool trapezoid);

/* The whole factorization. */
twill_status tw_qr_insert(twill_graph *g, twill_array *a, twill_reflectors *h, bool mirror,
                          const twill_la_options *options);

/* Arguments: a matrix in square tiles that the BLAS can take; reflectors of it. */
twill_status tw_qr_check_matrix(const char *who, twill_array *a);
twill_status tw_qr_check_reflectors(const char *who, const twill_array *a,
                                    const twill_reflectors *h, bool mirror);

#endif
