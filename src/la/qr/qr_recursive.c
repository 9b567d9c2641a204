/* QR by recursion over columns, so that nearly all of the work is products. */
#include "la/qr/qr_recursive.h"

#include "la/kernel/blocks.h"
#include "la/qr/qr_tiles.h"

enum { LEAF = 32 }; /* columns that LAPACK factors: fewer are not worth the calls */

typedef struct panel {
    const tw_kernels *k;
    int lda, ldt;
    void *work;
} panel;

/* The columns on the right: C := H^H C. */
static void apply(const panel *p, int rows, int n1, int n2, void *a, const void *t, void *c)
{
    const twill_flow v = {a, p->lda, rows, n1}, right = {c, p->lda, rows, n2};
    tw_qr_panel_apply(p->k, false, &v, t, p->ldt, n1, 'L', 'C', &right, p->work);
}

/* The block of T above that of the second half: -T1 V1^H V2 T2. V1 begins with the row where V2
 * does. */
static void join(const panel *p, int rows, int n1, int n2, const void *v1, const void *v2, void *t)
{
    const tw_kernels *k = p->k;
    void *y = tw_at_rw(k, t, 0, n1, p->ldt);
    tw_block_conjugate(k, TW_BLOCK_ALL, n1, n2, y, p->ldt, v1, p->lda);
    tw_block_trmm(k, (tw_triangle){'R', 'L', 'N', 'U'}, n1, n2, k->one, v2, p->lda, y, p->ldt);
    if (rows > n2)
        tw_block_gemm(k, 'C', 'N', n1, n2, rows - n2, k->one, tw_at(k, v1, n2, 0, p->lda), p->lda,
                      tw_at(k, v2, n2, 0, p->lda), p->lda, k->one, y, p->ldt);
    tw_block_trmm(k, (tw_triangle){'L', 'U', 'N', 'N'}, n1, n2, k->minus_one, t, p->ldt, y, p->ldt);
    tw_block_trmm(k, (tw_triangle){'R', 'U', 'N', 'N'}, n1, n2, k->one, tw_at(k, t, n1, n1, p->ldt),
                  p->ldt, y, p->ldt);
}

static void factor(const panel *p, int rows, int cols, void *a, void *t)
{
    const tw_kernels *k = p->k;
    int info;
    if (cols <= LEAF) {
        k->geqrt(&rows, &cols, &cols, a, &p->lda, t, &p->ldt, p->work, &info);
        return;
    }
    int n1 = (cols / 2 + LEAF - 1) / LEAF * LEAF, n2 = cols - n1;
    factor(p, rows, n1, a, t);
    apply(p, rows, n1, n2, a, t, tw_at_rw(k, a, 0, n1, p->lda));
    factor(p, rows - n1, n2, tw_at_rw(k, a, n1, n1, p->lda), tw_at_rw(k, t, n1, n1, p->ldt));
    join(p, rows - n1, n1, n2, tw_at(k, a, n1, 0, p->lda), tw_at(k, a, n1, n1, p->lda), t);
}

void tw_geqrt_recursive(const tw_kernels *k, int rows, int cols, void *a, int lda, void *t, int ldt,
                        void *work)
{
    panel p = {k, lda, ldt, work};
    if (cols > 0)
        factor(&p, rows, cols, a, t);
}
