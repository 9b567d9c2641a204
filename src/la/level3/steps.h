/* The tasks that products and triangular solves are made of: one BLAS call on tiles each. */
#ifndef TW_LA_STEPS_H
#define TW_LA_STEPS_H

#include "la/blas/calls.h"

/* Arguments: R(first), R(second), RW(C), VALUE(tw_blas_args). Those of rank k take the same tile
 * twice.
 */
extern const twill_class tw_step_gemm, tw_step_symm, tw_step_hemm, tw_step_syrk, tw_step_herk,
    tw_step_syr2k, tw_step_her2k;

/* Some rows and columns of tiles of C at once. Arguments: VALUE(tw_grid_step), R of each tile of
 * the first factor, R of each of the second, RW of each of C, column by column. */
enum { TW_GRID = 4 }; /* most rows and columns */
typedef struct tw_grid_step {
    tw_blas_args step;
    int rows, cols;
} tw_grid_step;
extern const twill_class tw_step_gemm_grid;

/* Insert one. Tiles of C are given column by column. */
twill_status tw_step_insert_grid(twill_graph *g, const tw_grid_step *s, twill_tile *const *a,
                                 twill_tile *const *b, twill_tile *const *c);

/* How many rows and columns of tiles of C should be one task of the graph; 1 when nothing is gained
 * by more, or no grid of ranks says which tiles have one owner. The same on all ranks. */
twill_status tw_grid_size(twill_graph *g, twill_array *c, int64_t *size);

/* Arguments: RW(C), VALUE(tw_blas_args): C := beta C. The options are the part, and 'H' when the
 * tile is on the diagonal of a Hermitian matrix. */
extern const twill_class tw_step_scale;

/* B := alpha op(A) B and the like. Arguments: R(A), RW(B), VALUE(tw_triangle), VALUE(alpha). */
extern const twill_class tw_step_trmm, tw_step_trsm;

/* C := beta C for all tiles of the part. */
twill_status tw_steps_scale(twill_graph *g, twill_array *c, twill_uplo uplo, bool hermitian,
                            twill_scalar beta);

#endif
