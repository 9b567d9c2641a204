/* The BLAS calls that products and triangular solves are made of. */
#include "la/blas/calls.h"

#include "la/kernel/blocks.h"

#include <string.h>

void tw_call_gemm(const tw_kernels *k, const tw_tile_view *x, const tw_blas_args *s)
{
    const tw_tile_view *a = &x[0], *b = &x[1], *c = &x[2];
    tw_block_gemm(k, s->options[0], s->options[1], c->rows, c->cols,
                  s->options[0] == 'N' ? a->cols : a->rows, &s->alpha, a->data, a->ld, b->data,
                  b->ld, &s->beta, c->data, c->ld);
}

static void multiply_symmetric(tw_symm *kernel, const tw_tile_view *x, const tw_blas_args *s)
{
    const tw_tile_view *a = &x[0], *b = &x[1], *c = &x[2];
    kernel(&s->options[0], &s->options[1], &c->rows, &c->cols, &s->alpha, a->data, &a->ld, b->data,
           &b->ld, &s->beta, c->data, &c->ld, 1, 1);
}

void tw_call_symm(const tw_kernels *k, const tw_tile_view *x, const tw_blas_args *s)
{
    multiply_symmetric(k->symm, x, s);
}

void tw_call_hemm(const tw_kernels *k, const tw_tile_view *x, const tw_blas_args *s)
{
    multiply_symmetric(k->hemm, x, s);
}

static int inner_size(const tw_tile_view *a, const tw_blas_args *s)
{
    return s->options[1] == 'N' ? a->cols : a->rows;
}

void tw_call_syrk(const tw_kernels *k, const tw_tile_view *x, const tw_blas_args *s)
{
    tw_block_syrk(k, s->options[0], s->options[1], x[2].rows, inner_size(x, s), &s->alpha,
                  x[0].data, x[0].ld, &s->beta, x[2].data, x[2].ld);
}

void tw_call_herk(const tw_kernels *k, const tw_tile_view *x, const tw_blas_args *s)
{
    tw_block_herk(k, s->options[0], s->options[1], x[2].rows, inner_size(x, s), &s->alpha,
                  x[0].data, x[0].ld, &s->beta, x[2].data, x[2].ld);
}

static void update_rank_2k(tw_her2k *kernel, const tw_tile_view *x, const tw_blas_args *s)
{
    const tw_tile_view *a = &x[0], *b = &x[1], *c = &x[2];
    int inner = inner_size(a, s);
    kernel(&s->options[0], &s->options[1], &c->rows, &inner, &s->alpha, a->data, &a->ld, b->data,
           &b->ld, &s->beta, c->data, &c->ld, 1, 1);
}

void tw_call_syr2k(const tw_kernels *k, const tw_tile_view *x, const tw_blas_args *s)
{
    update_rank_2k(k->syr2k, x, s);
}

void tw_call_her2k(const tw_kernels *k, const tw_tile_view *x, const tw_blas_args *s)
{
    update_rank_2k(k->her2k, x, s);
}

/* A product of inner size 0. */
void tw_call_scale(const tw_kernels *k, const tw_tile_view *c, const tw_blas_args *s)
{
    const int none = 0;
    if (s->options[0] == TWILL_GENERAL)
        k->gemm("N", "N", &c->rows, &c->cols, &none, k->one, c->data, &c->ld, c->data, &c->ld,
                &s->beta, c->data, &c->ld, 1, 1);
    else
        (s->options[1] == 'H' ? k->herk : k->syrk)(&s->options[0], "N", &c->rows, &none, k->one,
                                                   c->data, &c->ld, &s->beta, c->data, &c->ld, 1,
                                                   1);
}

/* By recursion it would not be faster: libraries do this one well. */
void tw_call_trmm(const tw_kernels *k, tw_triangle t, const void *alpha, const tw_tile_view *a,
                  const tw_tile_view *b)
{
    k->trmm(&t.side, &t.uplo, &t.trans, &t.diag, &b->rows, &b->cols, alpha, a->data, &a->ld,
            b->data, &b->ld, 1, 1, 1, 1);
}

/* Two vectors and a small triangle do not pay for the ways of Twill's own kernels. */
static bool is_slight(tw_triangle t, const tw_tile_view *b)
{
    enum { VECTORS = 2, ORDER = 120 };
    bool left = t.side == 'L';
    return (left ? b->cols : b->rows) <= VECTORS && (left ? b->rows : b->cols) < ORDER;
}

void tw_call_trsm(const tw_kernels *k, tw_triangle t, const void *alpha, const tw_tile_view *a,
                  const tw_tile_view *b)
{
    const int one = 1;
    if (t.side == 'L' && b->cols == 1 && !memcmp(alpha, k->one, k->size))
        k->trsv(&t.uplo, &t.trans, &t.diag, &b->rows, a->data, &a->ld, b->data, &one, 1, 1, 1);
    else if (is_slight(t, b))
        k->trsm(&t.side, &t.uplo, &t.trans, &t.diag, &b->rows, &b->cols, alpha, a->data, &a->ld,
                b->data, &b->ld, 1, 1, 1, 1);
    else
        tw_trsm_recursive(k, t, b->rows, b->cols, alpha, a->data, a->ld, b->data, b->ld);
}
