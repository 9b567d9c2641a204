/* Applying block reflectors: nearly all of the work is gemm. */
#include "la/qr/reflect.h"

#include "la/kernel/blocks.h"
#include "la/la.h"

/* Some columns of V, and the product W with them: V^H C (side L) or C V (side R). */
typedef struct block {
    const tw_reflection *r;
    int first, width;
    void *w;
    int ldw;
} block;

/* V(i, j) of a piece; row i of what the piece meets in C; row j of W. Rows of C and W are columns
 * when they stand on the left of H. */
static const void *v_at(const block *b, const tw_v_block *p, int i, int j)
{
    return b->r->rowwise ? tw_at(b->r->kernels, p->v, j, i, p->ldv)
                         : tw_at(b->r->kernels, p->v, i, j, p->ldv);
}

static void *c_at(const block *b, const tw_v_block *p, int i)
{
    return b->r->side == 'L' ? tw_at_rw(b->r->kernels, p->c, i, 0, p->ldc)
                             : tw_at_rw(b->r->kernels, p->c, 0, i, p->ldc);
}

static void *w_at(const block *b, int j)
{
    return b->r->side == 'L' ? tw_at_rw(b->r->kernels, b->w, j, 0, b->ldw)
                             : tw_at_rw(b->r->kernels, b->w, 0, j, b->ldw);
}

/* ---- rectangles of V: `rows` rows from row i, columns of the block from its column j on ------ */

/* W += V^H C or C V. */
static void gather(const block *b, const tw_v_block *p, int i, int rows, int j)
{
    const tw_reflection *r = b->r;
    const tw_kernels *k = r->kernels;
    int width = b->width - j;
    if (rows <= 0 || width <= 0)
        return;
    const void *v = v_at(b, p, i, b->first + j), *c = c_at(b, p, i);
    void *w = w_at(b, j);
    if (r->side == 'L')
        tw_block_gemm(k, r->rowwise ? 'N' : 'C', 'N', width, r->other, rows, k->one, v, p->ldv, c,
                      p->ldc, k->one, w, b->ldw);
    else
        tw_block_gemm(k, 'N', r->rowwise ? 'C' : 'N', r->other, width, rows, k->one, c, p->ldc, v,
                      p->ldv, k->one, w, b->ldw);
}

/* C -= V W or W V^H. */
static void scatter(const block *b, const tw_v_block *p, int i, int rows, int j)
{
    const tw_reflection *r = b->r;
    const tw_kernels *k = r->kernels;
    int width = b->width - j;
    if (rows <= 0 || width <= 0)
        return;
    const void *v = v_at(b, p, i, b->first + j), *w = w_at(b, j);
    void *c = c_at(b, p, i);
    if (r->side == 'L')
        tw_block_gemm(k, r->rowwise ? 'C' : 'N', 'N', rows, r->other, width, k->minus_one, v,
                      p->ldv, w, b->ldw, k->one, c, p->ldc);
    else
        tw_block_gemm(k, 'N', r->rowwise ? 'N' : 'C', r->other, rows, width, k->minus_one, w,
                      b->ldw, v, p->ldv, k->one, c, p->ldc);
}

/* ---- the triangle of V in this block -----------------------------------------------------------
 */

/* Its order: an upper piece may end before the block does. */
static int order(const block *b, const tw_v_block *p)
{
    int left = p->rows - b->first;
    return left < 0 ? 0 : (int)tw_min(left, b->width);
}

/* The first rows of W := D W or W D, or with D^H. */
static void multiply(const block *b, const tw_v_block *p, int n, bool conjugate)
{
    const tw_reflection *r = b->r;
    const tw_kernels *k = r->kernels;
    bool lower = (p->kind == TW_V_UNIT_LOWER) != r->rowwise;
    int rows = r->side == 'L' ? n : r->other, cols = r->side == 'L' ? r->other : n;
    if (n > 0)
        tw_block_trmm(k,
                      (tw_triangle){r->side, lower ? 'L' : 'U', conjugate != r->rowwise ? 'C' : 'N',
                                    p->kind == TW_V_UNIT_LOWER ? 'U' : 'N'},
                      rows, cols, k->one, v_at(b, p, b->first, b->first), p->ldv, b->w, b->ldw);
}

/* op(W, C) for n rows of C that begin with row i. */
typedef void combine(const tw_kernels *k, int rows, int cols, void *x, int ldx, const void *y,
                     int ldy);

static void with_rows(const block *b, const tw_v_block *p, int n, combine *op, bool into_c)
{
    bool left = b->r->side == 'L';
    int rows = left ? n : b->r->other, cols = left ? b->r->other : n;
    if (n <= 0)
        return;
    void *c = c_at(b, p, b->first);
    op(b->r->kernels, rows, cols, into_c ? c : b->w, into_c ? p->ldc : b->ldw, into_c ? b->w : c,
       into_c ? b->ldw : p->ldc);
}

static void clear_rest(const block *b, int from)
{
    bool left = b->r->side == 'L';
    int n = b->width - from;
    tw_block_clear(b->r->kernels, left ? n : b->r->other, left ? b->r->other : n, w_at(b, from),
                   b->ldw);
}

/* ---- pieces -------------------------------------------------------------------------------- */

static void gather_triangle(const block *b, const tw_v_block *p)
{
    int n = order(b, p), end = b->first + b->width;
    with_rows(b, p, n, tw_block_copy, false);
    multiply(b, p, n, b->r->side == 'L');
    if (n < b->width)
        clear_rest(b, n);
    if (p->kind == TW_V_UNIT_LOWER) {
        gather(b, p, end, p->rows - end, 0);
    } else {
        gather(b, p, 0, (int)tw_min(b->first, p->rows), 0);
        gather(b, p, b->first, n, n);
    }
}

static void scatter_triangle(const block *b, const tw_v_block *p)
{
    int n = order(b, p), end = b->first + b->width;
    if (p->kind == TW_V_UNIT_LOWER) {
        scatter(b, p, end, p->rows - end, 0);
    } else {
        scatter(b, p, 0, (int)tw_min(b->first, p->rows), 0);
        scatter(b, p, b->first, n, n);
    }
    multiply(b, p, n, b->r->side != 'L');
    with_rows(b, p, n, tw_block_subtract, true);
}

static void gather_piece(const block *b, const tw_v_block *p)
{
    if (p->kind == TW_V_FULL)
        gather(b, p, 0, p->rows, 0);
    else if (p->kind == TW_V_IDENTITY)
        with_rows(b, p, b->width, tw_block_add, false);
    else
        gather_triangle(b, p);
}

static void scatter_piece(const block *b, const tw_v_block *p)
{
    if (p->kind == TW_V_FULL)
        scatter(b, p, 0, p->rows, 0);
    else if (p->kind == TW_V_IDENTITY)
        with_rows(b, p, b->width, tw_block_subtract, true);
    else
        scatter_triangle(b, p);
}

static void reflect_block(const block *b, const tw_v_block *pieces, int count)
{
    const tw_reflection *r = b->r;
    const tw_kernels *k = r->kernels;
    for (int i = 0; i < count; i++)
        gather_piece(b, &pieces[i]);
    int rows = r->side == 'L' ? b->width : r->other, cols = r->side == 'L' ? r->other : b->width;
    tw_block_trmm(k, (tw_triangle){r->side, 'U', r->trans, 'N'}, rows, cols, k->one,
                  tw_at(k, r->t, 0, b->first, r->ldt), r->ldt, b->w, b->ldw);
    /* the triangle comes last: it uses W up */
    for (int i = count - 1; i >= 0; i--)
        scatter_piece(b, &pieces[i]);
}

void tw_reflect(const tw_reflection *r, const tw_v_block *pieces, int count)
{
    if (r->k <= 0 || r->other <= 0)
        return;
    int blocks = (r->k + r->ib - 1) / r->ib;
    bool forward = (r->side == 'L') == (r->trans == 'C');
    for (int i = 0; i < blocks; i++) {
        int first = (forward ? i : blocks - 1 - i) * r->ib;
        int width = (int)tw_min(r->ib, r->k - first);
        block b = {r, first, width, r->work, r->side == 'L' ? width : r->other};
        reflect_block(&b, pieces, count);
    }
}
