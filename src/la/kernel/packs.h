/* Products of tiles that are factors of many products: the first one packs such a tile, those after
 * it find it packed (data/packed.h). The bits are those of products one by one. */
#ifndef TW_LA_PACKS_H
#define TW_LA_PACKS_H

#include "la/blas/blas.h"

#include <twill/ptg.h>

/* A factor of a product. */
typedef struct tw_pack {
    const twill_flow *tile;
    int flow; /* of the task, or the argument, that the tile is */
    char trans;
    bool shared; /* other products take it in the same form */
} tw_pack;

/* C := C - op(A) op(B); and a triangle of it, op(B) being op(A)^H. `column` is how many tiles of a
 * matrix may be packed at a time. */
void tw_packs_gemm(const twill_task *t, const tw_kernels *k, int64_t column, const tw_pack *a,
                   const tw_pack *b, const twill_flow *c);
void tw_packs_herk(const twill_task *t, const tw_kernels *k, char uplo, int64_t column,
                   const tw_pack *a, const tw_pack *b, const twill_flow *c);

#endif
