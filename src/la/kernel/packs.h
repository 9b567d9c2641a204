/* Tiles that are factors of many products. The first product that takes such a tile packs it, those
 * after it find it packed, and the last one gives the memory back. Nobody waits for anybody: who
 * needs a tile while another packs it, or when memory is short, packs it for itself. The bits are
 * those of products one by one. */
#ifndef TW_LA_PACKS_H
#define TW_LA_PACKS_H

#include "la/blas/blas.h"

#include <twill/ptg.h>

typedef struct tw_packs tw_packs;

/* For the tiles of `a`, each in one form or two; NULL when that would not help, or there is no
 * memory: then all functions do without. */
tw_packs *tw_packs_new(const twill_array *a, int forms);

/* It lives with the graph; with NULL, it is freed. */
void tw_packs_belong(tw_packs *p, twill_graph *g);

/* For graphs that run once: another product is inserted; there will be no more of them, so that the
 * last one may free everything. */
void tw_packs_expect(tw_packs *p);
void tw_packs_end(tw_packs *p);

/* For those that may run again, before they do: what a run that failed has left is forgotten. */
void tw_packs_reset(tw_packs *p);

/* A factor of a product. */
typedef struct tw_pack {
    const twill_flow *tile;
    char trans;
    int form;     /* one side and one transpose, whatever they are */
    int64_t i, j; /* which tile of the matrix it is */
    int64_t uses; /* products that take it in this form */
} tw_pack;

/* C := C - op(A) op(B); and a triangle of it, op(B) being op(A)^H. */
void tw_packs_gemm(tw_packs *p, const tw_kernels *k, const tw_pack *a, const tw_pack *b,
                   const twill_flow *c);
void tw_packs_herk(tw_packs *p, const tw_kernels *k, char uplo, const tw_pack *a, const tw_pack *b,
                   const twill_flow *c);

#endif
