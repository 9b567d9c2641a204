/* Block reflectors H = I - V T V^H, applied to tiles.
 *
 * V has k columns and is cut into pieces by rows, one for each tile of C that it meets. T is upper
 * triangular in blocks of ib columns, as LAPACK's geqrt leaves it: block b is T(0:ib, b*ib:). */
#ifndef TW_LA_REFLECT_H
#define TW_LA_REFLECT_H

#include "la/blas/blas.h"

typedef enum tw_v_kind {
    TW_V_UNIT_LOWER, /* ones on its diagonal, zeros above */
    TW_V_UPPER,      /* zeros below its diagonal */
    TW_V_FULL,
    TW_V_IDENTITY
} tw_v_kind;

/* What is zero, one or the identity is not read: other things may be stored there. */
typedef struct tw_v_block {
    tw_v_kind kind;
    int rows;
    const void *v; /* rows x k; its conjugate transpose in the row-wise form */
    int ldv;
    void *c; /* the rows (side L) or columns (side R) of C that it meets */
    int ldc;
} tw_v_block;

typedef struct tw_reflection {
    const tw_kernels *kernels;
    bool rowwise; /* V^H is stored, as LQ does */
    char side;    /* L: C := op(H) C; R: C := C op(H) */
    char trans;   /* N: op(H) = H; C: op(H) = H^H */
    int k, ib, ldt;
    int other; /* columns of C (side L) or rows (side R) */
    const void *t;
    void *work; /* ib * other elements */
} tw_reflection;

/* Apply it. The first piece is a triangle, TW_V_UNIT_LOWER or TW_V_UPPER, the others are not. */
void tw_reflect(const tw_reflection *r, const tw_v_block *pieces, int count);

#endif
