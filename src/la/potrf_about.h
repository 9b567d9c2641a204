/* What traces say about the tasks of Cholesky: which tiles, and what they cost. */
#ifndef TW_LA_POTRF_ABOUT_H
#define TW_LA_POTRF_ABOUT_H

#include <twill/task.h>

/* Parameters "k", "m k", "m k" and "m n k": the step k that the task belongs to, and the row m and
 * column n of the tile that it writes, as of the lower triangle. */
void tw_about_potrf(const twill_task *t, twill_about *about);
void tw_about_trsm(const twill_task *t, twill_about *about);
void tw_about_herk(const twill_task *t, twill_about *about);
void tw_about_gemm(const twill_task *t, twill_about *about);

#endif
