/* Column-major blocks of elements. */
#include "la/kernel/blocks.h"

#include "la/kernel/multiply.h"

#include <string.h>

bool tw_block_is_own(const tw_kernels *k, int64_t m, int64_t n, int64_t inner)
{
    enum { NARROW = 16, SMALL = 1000000 };
    return k->own && m >= NARROW && n >= NARROW && inner >= NARROW && m * n * inner > SMALL;
}

void tw_block_gemm(const tw_kernels *k, char ta, char tb, int m, int n, int inner,
                   const void *alpha, const void *a, int lda, const void *b, int ldb,
                   const void *beta, void *c, int ldc)
{
    (tw_block_is_own(k, m, n, inner) ? k->own->gemm : k->gemm)(&ta, &tb, &m, &n, &inner, alpha, a,
                                                               &lda, b, &ldb, beta, c, &ldc, 1, 1);
}

static bool is_own_grid(const tw_kernels *k, const tw_grid *g)
{
    bool own = true;
    for (int i = 0; i < g->rows * g->cols && own; i++)
        own =
            tw_block_is_own(k, g->c[i].rows, g->c[i].cols, g->ta == 'N' ? g->a->cols : g->a->rows);
    return own;
}

void tw_block_grid(const tw_kernels *k, const tw_grid *g, const void *beta)
{
    bool own = is_own_grid(k, g);
    int inner = g->ta == 'N' ? g->a->cols : g->a->rows;
    for (int i = 0; i < g->rows * g->cols; i++) {
        const tw_tile_view *a = &g->a[i % g->rows], *b = &g->b[i / g->rows], *c = &g->c[i];
        tw_block_gemm(k, g->ta, g->tb, c->rows, c->cols, own ? 0 : inner, g->alpha, a->data, a->ld,
                      b->data, b->ld, beta, c->data, c->ld);
    }
    if (own)
        k->own->grid(g);
}

static void update(const tw_kernels *k, tw_herk *library, char uplo, char trans, int n, int inner,
                   const void *alpha, const void *a, int lda, const void *beta, void *c, int ldc)
{
    (tw_block_is_own(k, n, n, inner) ? k->own->syrk : library)(&uplo, &trans, &n, &inner, alpha, a,
                                                               &lda, beta, c, &ldc, 1, 1);
}

void tw_block_herk(const tw_kernels *k, char uplo, char trans, int n, int inner, const void *alpha,
                   const void *a, int lda, const void *beta, void *c, int ldc)
{
    update(k, k->herk, uplo, trans, n, inner, alpha, a, lda, beta, c, ldc);
}

void tw_block_syrk(const tw_kernels *k, char uplo, char trans, int n, int inner, const void *alpha,
                   const void *a, int lda, const void *beta, void *c, int ldc)
{
    update(k, k->syrk, uplo, trans, n, inner, alpha, a, lda, beta, c, ldc);
}

/* Small triangles are not worth the packing, and libraries are good at large ones. */
static bool is_own_triangle(const tw_kernels *k, int m, int n, int order)
{
    enum { SMALL = 64, LARGE = 320 };
    return k->own && m >= SMALL && n >= SMALL && order <= LARGE;
}

void tw_block_trmm(const tw_kernels *k, tw_triangle t, int m, int n, const void *alpha,
                   const void *a, int lda, void *b, int ldb)
{
    if (!is_own_triangle(k, m, n, t.side == 'L' ? m : n) ||
        !k->own->trmm(t, m, n, alpha, a, lda, b, ldb))
        k->trmm(&t.side, &t.uplo, &t.trans, &t.diag, &m, &n, alpha, a, &lda, b, &ldb, 1, 1, 1, 1);
}

void tw_block_copy(const tw_kernels *k, int rows, int cols, void *x, int ldx, const void *y,
                   int ldy)
{
    for (int j = 0; j < cols; j++)
        memcpy(tw_at_rw(k, x, 0, j, ldx), tw_at(k, y, 0, j, ldy), (size_t)rows * k->size);
}

void tw_block_clear(const tw_kernels *k, int rows, int cols, void *x, int ldx)
{
    for (int j = 0; j < cols; j++)
        memset(tw_at_rw(k, x, 0, j, ldx), 0, (size_t)rows * k->size);
}

/* x += sign y, n real numbers. */
static void accumulate(bool single, size_t n, void *x, const void *y, int sign)
{
    if (single) {
        float *to = x, s = (float)sign;
        const float *from = y;
        for (size_t i = 0; i < n; i++)
            to[i] += s * from[i];
    } else {
        double *to = x, s = sign;
        const double *from = y;
        for (size_t i = 0; i < n; i++)
            to[i] += s * from[i];
    }
}

void tw_block_add(const tw_kernels *k, int rows, int cols, void *x, int ldx, const void *y, int ldy)
{
    for (int j = 0; j < cols; j++)
        accumulate(k->single, (size_t)rows * (k->complex ? 2 : 1), tw_at_rw(k, x, 0, j, ldx),
                   tw_at(k, y, 0, j, ldy), 1);
}

void tw_block_subtract(const tw_kernels *k, int rows, int cols, void *x, int ldx, const void *y,
                       int ldy)
{
    for (int j = 0; j < cols; j++)
        accumulate(k->single, (size_t)rows * (k->complex ? 2 : 1), tw_at_rw(k, x, 0, j, ldx),
                   tw_at(k, y, 0, j, ldy), -1);
}

static inline void conjugate_f32(float *x, const float *y, bool complex)
{
    x[0] = y[0];
    if (complex)
        x[1] = -y[1];
}

static inline void conjugate_f64(double *x, const double *y, bool complex)
{
    x[0] = y[0];
    if (complex)
        x[1] = -y[1];
}

void tw_block_conjugate(const tw_kernels *k, tw_block_part uplo, int rows, int cols, void *x,
                        int ldx, const void *y, int ldy)
{
    for (int j = 0; j < cols; j++) {
        int first = uplo == TW_BLOCK_LOWER ? j : 0;
        int end = uplo == TW_BLOCK_UPPER && j + 1 < rows ? j + 1 : rows;
        for (int i = first; i < end; i++) {
            void *to = tw_at_rw(k, x, i, j, ldx);
            const void *from = tw_at(k, y, j, i, ldy);
            if (k->single)
                conjugate_f32(to, from, k->complex);
            else
                conjugate_f64(to, from, k->complex);
        }
    }
}
