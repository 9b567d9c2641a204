/* Cholesky of one tile by a team, right-looking, with one step of lookahead.
 *
 * The first member factors the block on the diagonal right after its part of the update before, so
 * the others need not wait for that; two barriers per step are for everything else. The text is
 * that of the lower form; rows and columns change places in the upper one. */
#include "la/kernel/blocks.h"
#include "la/team/share.h"
#include "la/team/team.h"

enum { WIDTH = 32 }; /* of a panel; pieces of updates have at least as many rows */

typedef struct factor {
    const tw_kernels *k;
    twill_team *team;
    bool lower;
    int n, lda;
    void *a;
    int *info;
} factor;

/* Block (i, j) of the lower form. */
static void *at(const factor *f, int i, int j)
{
    return f->lower ? tw_at_rw(f->k, f->a, i, j, f->lda) : tw_at_rw(f->k, f->a, j, i, f->lda);
}

static int width_at(const factor *f, int j)
{
    return f->n - j < WIDTH ? f->n - j : WIDTH;
}

/* By the first member. Others read *info after a barrier. */
static void factor_diagonal(const factor *f, int j)
{
    int info = tw_potrf_recursive(f->k, f->lower ? 'L' : 'U', width_at(f, j), at(f, j, j), f->lda);
    *f->info = info == 0 ? 0 : j + info;
}

/* Rows from `below` on, of the panel of columns j .. below-1. */
static void solve(const factor *f, int j, int below)
{
    tw_triangle t = {f->lower ? 'R' : 'L', f->lower ? 'L' : 'U', 'C', 'N'};
    int rows = f->n - below, cols = below - j;
    tw_team_trsm(f->k, f->team, t, f->lower ? rows : cols, f->lower ? cols : rows, f->k->one,
                 at(f, j, j), f->lda, at(f, below, j), f->lda);
}

/* Rows r .. r+rows-1 of what is right of the panel: a rectangle and a triangle. */
static void update_rows(const factor *f, int j, int below, int r, int rows)
{
    const tw_kernels *k = f->k;
    int cols = r - below, inner = below - j, ld = f->lda;
    if (cols > 0 && f->lower)
        tw_block_gemm(k, 'N', 'C', rows, cols, inner, k->minus_one, at(f, r, j), ld,
                      at(f, below, j), ld, k->one, at(f, r, below), ld);
    else if (cols > 0)
        tw_block_gemm(k, 'C', 'N', cols, rows, inner, k->minus_one, at(f, below, j), ld,
                      at(f, r, j), ld, k->one, at(f, r, below), ld);
    tw_block_herk(k, f->lower ? 'L' : 'U', f->lower ? 'N' : 'C', rows, inner, k->minus_one,
                  at(f, r, j), ld, k->one, at(f, r, r), ld);
}

/* The first member has at least the first piece, in which the next diagonal block lies. */
static void update(const factor *f, int j, int below)
{
    tw_cut cut = tw_cut_for(f->n - below);
    tw_share mine = tw_share_triangle(f->team, cut, true);
    for (int q = mine.first; q < mine.end; q++) {
        update_rows(f, j, below, below + q * cut.width, tw_cut_size(cut, q));
        if (q == 0)
            factor_diagonal(f, below);
    }
}

void tw_team_potrf(const tw_kernels *k, twill_team *team, char uplo, int n, void *a, int lda,
                   int *info)
{
    factor f = {k, team, uplo == 'L', n, lda, a, info};
    if (tw_team_rank(team) == 0) {
        *info = 0;
        if (n > 0)
            factor_diagonal(&f, 0);
    }
    for (int j = 0; j + WIDTH < n; j += WIDTH) {
        tw_team_wait(team); /* the diagonal block, and the update before, are there */
        if (*info != 0)
            break;
        solve(&f, j, j + WIDTH);
        tw_team_wait(team); /* so is the panel */
        update(&f, j, j + WIDTH);
    }
    tw_team_wait(team);
}
