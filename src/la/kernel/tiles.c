/* What algorithms do to whole tiles. */
#include "la/kernel/tiles.h"

#include "la/kernel/blocks.h"
#include "la/kernel/recursive.h"

#include <math.h>

/* Diagonal entry j of a tile: its real part. */
static double diagonal(const tw_kernels *k, const twill_flow *a, int64_t j)
{
    const char *at = (const char *)a->data + (size_t)(j + j * a->ld) * k->size;
    return k->single ? *(const float *)(const void *)at : *(const double *)(const void *)at;
}

/* LAPACK stops at a pivot that is NaN; some libraries compute on. */
static int first_nan(const tw_kernels *k, const twill_flow *a)
{
    for (int64_t j = 0; j < a->rows; j++)
        if (isnan(diagonal(k, a, j)))
            return (int)j + 1;
    return 0;
}

int tw_tile_potrf(const tw_kernels *k, char uplo, const twill_flow *a)
{
    int info = tw_potrf_recursive(k, uplo, (int)a->rows, a->data, (int)a->ld);
    return info != 0 ? info : first_nan(k, a);
}

int tw_tile_potrf_lapack(const tw_kernels *k, char uplo, const twill_flow *a)
{
    int n = (int)a->rows, ld = (int)a->ld, info = 0;
    k->potrf(&uplo, &n, a->data, &ld, &info, 1);
    return info != 0 ? info : first_nan(k, a);
}

void tw_tile_trsm(const tw_kernels *k, char uplo, const twill_flow *l, const twill_flow *c)
{
    tw_triangle t = {uplo == 'L' ? 'R' : 'L', uplo, 'C', 'N'};
    tw_trsm_recursive(k, t, (int)c->rows, (int)c->cols, k->one, l->data, (int)l->ld, c->data,
                      (int)c->ld);
}

void tw_tile_product(const tw_kernels *k, char ta, char tb, const void *alpha, const twill_flow *a,
                     const twill_flow *b, const twill_flow *c)
{
    int m = (int)c->rows, n = (int)c->cols, inner = (int)(ta == 'N' ? a->cols : a->rows);
    int lda = (int)a->ld, ldb = (int)b->ld, ldc = (int)c->ld;
    tw_block_gemm(k, ta, tb, m, n, inner, alpha, a->data, lda, b->data, ldb, k->one, c->data, ldc);
}

/* Tile (i, k) in the products of its row i, of which there is one for each column up to it, and in
 * those of its column i. */
static tw_pack in_row(const tw_chol_step *s, int flow, const twill_flow *tile, int64_t i)
{
    return (tw_pack){tile, flow, 'N', i - s->k > 1};
}

static tw_pack in_column(const tw_chol_step *s, int flow, const twill_flow *tile, int64_t i)
{
    return (tw_pack){tile, flow, 'C', s->nt - i > 1};
}

void tw_tile_herk(const twill_task *t, const tw_kernels *k, char uplo, tw_chol_step step,
                  const twill_flow *a, const twill_flow *c)
{
    bool lower = uplo == 'L';
    tw_pack row = in_row(&step, 0, a, step.m), column = in_column(&step, 0, a, step.m);
    tw_packs_herk(t, k, uplo, step.nt, lower ? &row : &column, lower ? &column : &row, c);
}

void tw_tile_gemm(const twill_task *t, const tw_kernels *k, char uplo, tw_chol_step step,
                  const twill_flow *a, const twill_flow *b, const twill_flow *c)
{
    bool lower = uplo == 'L';
    tw_pack row = in_row(&step, 0, a, step.m), column = in_column(&step, 1, b, step.n);
    tw_packs_gemm(t, k, step.nt, lower ? &row : &column, lower ? &column : &row, c);
}
