/* QR of one block of rows by a team, with one step of lookahead: the first member brings the next
 * panel up to date and factors it, while the others update the columns after that. */
#include "la/qr/qr_team.h"

#include "la/kernel/blocks.h"
#include "la/qr/qr_recursive.h"
#include "la/qr/qr_tiles.h"
#include "la/team/share.h"

typedef struct factor {
    const tw_kernels *k;
    int rows, cols, ib, lda, ldt;
    void *a, *t, *work; /* the member's own work */
} factor;

size_t tw_qr_team_bytes(const tw_kernels *k, const twill_team *team, int ib)
{
    return (size_t)tw_team_size(team) * (size_t)ib * (size_t)ib * k->size;
}

static void factor_panel(const factor *f, int j)
{
    int left = tw_min(f->rows, f->cols) - j;
    tw_geqrt_recursive(f->k, f->rows - j, (int)tw_min(f->ib, left),
                       tw_at_rw(f->k, f->a, j, j, f->lda), f->lda,
                       tw_at_rw(f->k, f->t, 0, j, f->ldt), f->ldt, f->work);
}

/* The reflectors of the panel at j to a block of columns from c on. */
static void update(const factor *f, int j, int width, int c)
{
    const tw_kernels *k = f->k;
    int rows = f->rows - j, cols = (int)tw_min(f->ib, f->cols - c);
    const twill_flow v = {tw_at_rw(k, f->a, j, j, f->lda), f->lda, rows, width};
    const twill_flow right = {tw_at_rw(k, f->a, j, c, f->lda), f->lda, rows, cols};
    tw_qr_panel_apply(k, false, &v, tw_at(k, f->t, 0, j, f->ldt), f->ldt, width, 'L', 'C', &right,
                      f->work);
}

/* The first member has the panel, which is some three blocks of work, and what it would have to do
 * more than the others; it comes to that last. */
static bool is_mine(const twill_team *team, int block)
{
    int size = tw_team_size(team);
    return block == 0 ? tw_team_rank(team) == 0
                      : size - 1 - (block - 1) % size == tw_team_rank(team);
}

void tw_qr_team(const tw_kernels *k, twill_team *team, int rows, int cols, int ib, void *a, int lda,
                void *t, int ldt, void *work)
{
    int reflectors = tw_min(rows, cols), rank = tw_team_rank(team);
    factor f = {k,  rows, cols,
                ib, lda,  ldt,
                a,  t,    (char *)work + (size_t)rank * (size_t)ib * (size_t)ib * k->size};
    if (rank == 0 && reflectors > 0)
        factor_panel(&f, 0);
    tw_team_wait(team);
    for (int j = 0; j < reflectors; j += ib) {
        int width = (int)tw_min(ib, reflectors - j), right = j + width;
        for (int block = 0; right + block * ib < cols; block++) {
            if (!is_mine(team, block))
                continue;
            update(&f, j, width, right + block * ib);
            if (block == 0 && right < reflectors)
                factor_panel(&f, right);
        }
        tw_team_wait(team);
    }
}
