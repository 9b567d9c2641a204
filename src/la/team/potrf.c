/* Cholesky of one tile by a team, right-looking, with one step of lookahead.
 *
 * The first member factors the block on the diagonal right after its part of the update before, so
 * the others need not wait for that; two barriers per step are for everything else. The text is
 * that of the lower form; rows and columns change places in the upper one. */
#include "la/kernel/blocks.h"
#include "la/kernel/tiles.h"
#include "la/team/share.h"
#include "la/team/team.h"

/* A quarter of the matrix or some more: narrow panels mean that the rest is packed and read again
 * and again, and that members meet often. Measured: those above 64 want to be multiples of 32. */
static int panel_width(int n)
{
    enum { PANELS = 4, LEAST = 32, LARGE = 64, MOST = 128 };
    int quarter = (n + PANELS - 1) / PANELS, step = quarter > LARGE ? 32 : 16;
    int width = (quarter + step - 1) / step * step;
    return width < LEAST ? LEAST : width > MOST ? MOST : width;
}

typedef struct factor {
    const tw_kernels *k;
    twill_team *team;
    bool lower;
    int n, lda, width; /* width: of a panel */
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
    return f->n - j < f->width ? f->n - j : f->width;
}

/* By the first member. Others read *info after a barrier. */
static void factor_diagonal(const factor *f, int j)
{
    const twill_flow block = {at(f, j, j), f->lda, width_at(f, j), width_at(f, j)};
    int info = tw_tile_potrf(f->k, f->lower ? 'L' : 'U', &block);
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

/* Few pieces, because each packs its part of the panel again; of whole panels, so that the next
 * diagonal block lies in the first one. Members beyond two have something to do in larger matrices.
 */
static tw_cut rows_of_update(const factor *f, int n)
{
    enum { LARGE = 384, FEW = 2, SOME = 4 };
    int panels = (n + f->width - 1) / f->width, pieces = f->n < LARGE ? FEW : SOME;
    return (tw_cut){n, (panels + pieces - 1) / pieces * f->width};
}

/* The first member has at least the first piece, in which the next diagonal block lies. */
static void update(const factor *f, int j, int below)
{
    tw_cut cut = rows_of_update(f, f->n - below);
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
    factor f = {k, team, uplo == 'L', n, lda, panel_width(n), a, info};
    if (tw_team_rank(team) == 0) {
        *info = 0;
        if (n > 0)
            factor_diagonal(&f, 0);
    }
    for (int j = 0; j + f.width < n; j += f.width) {
        tw_team_wait(team); /* the diagonal block, and the update before, are there */
        if (*info != 0)
            break;
        solve(&f, j, j + f.width);
        tw_team_wait(team); /* so is the panel */
        update(&f, j, j + f.width);
    }
    tw_team_wait(team);
}
