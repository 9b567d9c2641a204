/* What traces say of the tasks of LU: parameters and operations. Arguments are by number. */
#ifndef TW_LA_LU_ABOUT_H
#define TW_LA_LU_ABOUT_H

#include <twill/task.h>

/* C -= A B, tiles 0, 1 and 2: "m n k". */
void tw_about_update(const twill_task *t, twill_about *about);

/* A panel of `rows` rows, whose first tile is argument `first`: "k". */
void tw_about_panel(const twill_task *t, twill_about *about, int64_t rows, int first);

/* A solve with the triangle of tile `l` for tile `u`: "n k". */
void tw_about_solve(const twill_task *t, twill_about *about, int l, int u);

/* Tile 1 solved with the triangle of tile 0 from the right: "m k". */
void tw_about_below(const twill_task *t, twill_about *about);

#endif
