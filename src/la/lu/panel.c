/* The panel of one rank: recursion over columns, work cut by pieces of rows.
 *
 * A piece belongs to one member of the team, and products are formed piece by piece, so who does
 * them does not show in the result. Columns of a leaf are factored from left to right: a column
 * first takes what the columns before it do to it, then the pivot is looked for. */
#include "la/lu/steps.h"

#include <string.h>

/* Take the pivot, in the columns of the leaf. */
static void take_pivot(const tw_panel *p, int64_t j0, int64_t j, int64_t end, int64_t row,
                       const char *u)
{
    tw_swap swap;
    tw_rows rows = {p->tiles, p->nb, p->kernels->size};
    tw_column_set_above(p, j0, j, u);
    p->pivots[j] = p->offset + row + 1;
    int64_t count = tw_swap_list(&rows, j, 1, &row, 0, false, &swap);
    tw_swap_rows(&swap, count, p->kernels->size, j0, end - j0);
}

/* Do the swaps of a leaf in the other columns of the panel. */
static void swap_others(const tw_panel *p, const twill_team *team, int64_t j0, int64_t end)
{
    tw_swap list[TW_LEAF];
    tw_rows rows = {p->tiles, p->nb, p->kernels->size};
    int64_t count = tw_swap_list(&rows, j0, end - j0, p->pivots + j0, p->offset + 1, false, list);
    tw_panel_swap(p, team, list, count, j0, end);
}

static void factor_leaf(const tw_panel *p, twill_team *team, int64_t j0, int64_t end)
{
    char u[TW_LEAF * 16];
    for (int64_t j = j0; j < end; j++) {
        tw_column_above(p, j0, j, u);
        tw_column_update(p, team, j0, j, u);
        tw_panel_barrier(team);
        if (tw_panel_leads(team))
            take_pivot(p, j0, j, end, tw_column_pivot(p, j, 0, p->pieces).row, u);
        tw_panel_barrier(team);
        tw_column_scale(p, team, j);
    }
    tw_panel_barrier(team);
    swap_others(p, team, j0, end);
    tw_panel_barrier(team);
}

static void factor(const tw_panel *p, twill_team *team, int64_t j0, int64_t end)
{
    if (tw_panel_is_leaf(p, end - j0)) {
        factor_leaf(p, team, j0, end);
        return;
    }
    int64_t mid = j0 + tw_panel_half(end - j0);
    factor(p, team, j0, mid);
    tw_panel_update(p, team, j0, mid, end);
    factor(p, team, mid, end);
}

void tw_panel_factor(const tw_panel *given, twill_team *team)
{
    tw_panel p = *given;
    int64_t steps = p.rows < p.cols ? p.rows : p.cols;
    tw_panel_cut(&p);
    factor(&p, team, 0, steps);
    tw_panel_solve_right(&p, team, 0, steps, p.cols); /* of a panel that is wider than high */
}
