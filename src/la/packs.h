/* Tiles that are factors of many products. The first product that takes such a tile packs it, those
 * after it find it packed, and the last one gives the memory back. Nobody waits for anybody: who
 * needs a tile while another packs it, or when memory is short, packs it for itself. The bits are
 * those of products one by one. */
#ifndef TW_LA_PACKS_H
#define TW_LA_PACKS_H

#include "la/blas.h"

#include <twill/ptg.h>

typedef struct tw_packs tw_packs;

/* For so many products of the tiles of `a`; NULL when that would not help, or there is no memory:
 * then the functions below do without. */
tw_packs *tw_packs_new(const tw_kernels *k, const twill_array *a, int64_t products);

/* Products of a graph that may run again. */
enum { TW_PACKS_ALWAYS = -1 };

/* It lives with the graph until the last product is done; with NULL, it is freed. */
void tw_packs_belong(tw_packs *p, twill_graph *g);

/* Before a graph runs: what an earlier run, that failed, has left is forgotten. */
void tw_packs_reset(tw_packs *p);

/* Tile (i, j) of the matrix on one side of products, `uses` of them in all. */
typedef struct tw_pack {
    const twill_flow *tile;
    char trans;
    int64_t i, j, uses;
} tw_pack;

/* C := C - op(A) op(B); and a triangle of it, op(B) being op(A)^H. */
void tw_packs_gemm(tw_packs *p, const tw_kernels *k, const tw_pack *a, const tw_pack *b,
                   const twill_flow *c);
void tw_packs_herk(tw_packs *p, const tw_kernels *k, char uplo, const tw_pack *a, const tw_pack *b,
                   const twill_flow *c);

#endif
