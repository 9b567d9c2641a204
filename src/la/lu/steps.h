/* Steps of factoring a panel, each for all members of a team, which take pieces of rows, or
 * columns. Without a team it is NULL. */
#ifndef TW_LA_STEPS_H
#define TW_LA_STEPS_H

#include "la/lu/panel.h"

/* Is this the member that does what only one can? And wait for all of them. */
bool tw_panel_leads(const twill_team *team);
void tw_panel_barrier(twill_team *team);

/* Find out what tw_panel keeps for these steps. */
void tw_panel_cut(tw_panel *p);

/* ---- columns of a leaf, which begins at column j0 ----------------------------------------- */

/* The rows of column j above row j, from j0 on, as U has them; and put them there. */
void tw_column_above(const tw_panel *p, int64_t j0, int64_t j, char *u);
void tw_column_set_above(const tw_panel *p, int64_t j0, int64_t j, const char *u);

/* Bring column j up to date, and look for the largest element of each piece. */
void tw_column_update(const tw_panel *p, const twill_team *team, int64_t j0, int64_t j,
                      const char *u);

/* The largest element of tiles first .. end-1 in rows from j on, the uppermost of equals. A size of
 * -1 says that there is none but NaN, or that none was looked for. If tile 0 is among them and row
 * j is NaN, that is it. Then, and without any, the row is j. */
typedef struct tw_pivot {
    double size;
    int64_t row;
} tw_pivot;
tw_pivot tw_column_pivot(const tw_panel *p, int64_t j, int64_t first, int64_t end);

/* Divide what is below row j by the pivot there. */
void tw_column_scale(const tw_panel *p, const twill_team *team, int64_t j);

/* ---- between leaves ------------------------------------------------------------------------ */

/* Do the swaps of a leaf, columns j0 .. end-1, in all other columns. */
void tw_panel_swap(const tw_panel *p, const twill_team *team, const tw_swap *list, int64_t count,
                   int64_t j0, int64_t end);

/* U12 := L11^-1 A12, where L11 is in columns j0 .. mid-1 and A12 in columns mid .. end-1; and then
 * A22 -= L21 U12. */
void tw_panel_solve_right(const tw_panel *p, const twill_team *team, int64_t j0, int64_t mid,
                          int64_t end);
void tw_panel_update(const tw_panel *p, twill_team *team, int64_t j0, int64_t mid, int64_t end);

/* Are so many columns factored without products? If not, so many come first. */
bool tw_panel_is_leaf(const tw_panel *p, int64_t cols);
int64_t tw_panel_half(int64_t cols);

#endif
