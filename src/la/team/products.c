/* Products and triangular solves by a team: no member waits for another. */
#include "la/kernel/blocks.h"
#include "la/team/share.h"
#include "la/team/team.h"

/* The block of op(X) that begins with row i of it, or with column j. */
static const void *row_of(const tw_kernels *k, char trans, const void *x, int i, int ld)
{
    return trans == 'N' ? tw_at(k, x, i, 0, ld) : tw_at(k, x, 0, i, ld);
}

static const void *col_of(const tw_kernels *k, char trans, const void *x, int j, int ld)
{
    return trans == 'N' ? tw_at(k, x, 0, j, ld) : tw_at(k, x, j, 0, ld);
}

void tw_team_gemm(const tw_kernels *k, const twill_team *team, char ta, char tb, int m, int n,
                  int inner, const void *alpha, const void *a, int lda, const void *b, int ldb,
                  const void *beta, void *c, int ldc)
{
    bool columns = n >= m;
    tw_cut cut = tw_cut_for(columns ? n : m);
    tw_share mine = tw_share_even(team, tw_cut_pieces(cut));
    for (int q = mine.first; q < mine.end; q++) {
        int at = q * cut.width, size = tw_cut_size(cut, q);
        if (columns)
            tw_block_gemm(k, ta, tb, m, size, inner, alpha, a, lda, col_of(k, tb, b, at, ldb), ldb,
                          beta, tw_at_rw(k, c, 0, at, ldc), ldc);
        else
            tw_block_gemm(k, ta, tb, size, n, inner, alpha, row_of(k, ta, a, at, lda), lda, b, ldb,
                          beta, tw_at_rw(k, c, at, 0, ldc), ldc);
    }
}

void tw_team_trsm(const tw_kernels *k, const twill_team *team, tw_triangle t, int m, int n,
                  const void *alpha, const void *a, int lda, void *b, int ldb)
{
    bool columns = t.side == 'L';
    tw_cut cut = tw_cut_for(columns ? n : m);
    tw_share mine = tw_share_even(team, tw_cut_pieces(cut));
    for (int q = mine.first; q < mine.end; q++) {
        int at = q * cut.width, size = tw_cut_size(cut, q);
        if (columns)
            tw_trsm_recursive(k, t, m, size, alpha, a, lda, tw_at_rw(k, b, 0, at, ldb), ldb);
        else
            tw_trsm_recursive(k, t, size, n, alpha, a, lda, tw_at_rw(k, b, at, 0, ldb), ldb);
    }
}

/* A product with its own transpose: what it needs to know of itself. */
typedef struct rank_k {
    const tw_kernels *k;
    char uplo, trans;
    bool conjugate;
    int n, inner, lda, ldc;
    const void *alpha, *a, *beta;
    void *c;
} rank_k;

/* Columns at .. at+size-1 of the triangle: a small triangle, and what is below or above it. alpha
 * and beta are numbers of the element type whose imaginary parts herk does not read. */
static void update_columns(const rank_k *x, int at, int size)
{
    const tw_kernels *k = x->k;
    bool lower = x->uplo == 'L', normal = x->trans == 'N';
    char other = x->conjugate ? 'C' : 'T';
    const void *here = row_of(k, x->trans, x->a, at, x->lda);
    int first = lower ? at + size : 0, rows = lower ? x->n - first : at;
    (x->conjugate ? tw_block_herk : tw_block_syrk)(k, x->uplo, x->trans, size, x->inner, x->alpha,
                                                   here, x->lda, x->beta,
                                                   tw_at_rw(k, x->c, at, at, x->ldc), x->ldc);
    if (rows > 0)
        tw_block_gemm(k, normal ? 'N' : other, normal ? other : 'N', rows, size, x->inner, x->alpha,
                      row_of(k, x->trans, x->a, first, x->lda), x->lda, here, x->lda, x->beta,
                      tw_at_rw(k, x->c, first, at, x->ldc), x->ldc);
}

static void update(const twill_team *team, const rank_k *x)
{
    tw_cut cut = tw_cut_for(x->n);
    tw_share mine = tw_share_triangle(team, cut, x->uplo == 'U');
    for (int q = mine.first; q < mine.end; q++)
        update_columns(x, q * cut.width, tw_cut_size(cut, q));
}

void tw_team_syrk(const tw_kernels *k, const twill_team *team, char uplo, char trans, int n,
                  int inner, const void *alpha, const void *a, int lda, const void *beta, void *c,
                  int ldc)
{
    update(team, &(rank_k){k, uplo, trans, false, n, inner, lda, ldc, alpha, a, beta, c});
}

/* As an element: a real number in front of a zero. */
static void widen(const tw_kernels *k, const void *real, void *element)
{
    float *single = element;
    double *twice = element;
    if (k->single) {
        single[0] = *(const float *)real;
        single[1] = 0;
    } else {
        twice[0] = *(const double *)real;
        twice[1] = 0;
    }
}

void tw_team_herk(const tw_kernels *k, const twill_team *team, char uplo, char trans, int n,
                  int inner, const void *alpha, const void *a, int lda, const void *beta, void *c,
                  int ldc)
{
    double wide[2][2];
    widen(k, alpha, wide[0]);
    widen(k, beta, wide[1]);
    update(team, &(rank_k){k, uplo, trans, k->complex, n, inner, lda, ldc, wide[0], a, wide[1], c});
}
