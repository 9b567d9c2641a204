/* What traces say about the tasks of Cholesky: which tiles, and what they cost. */
#ifndef TW_LA_POTRF_ABOUT_H
#define TW_LA_POTRF_ABOUT_H

#include <twill/task.h>

/* Real operations of the four tasks; k is the step, m and n are row and column of the tile that is
 * written, as of the lower triangle. */
double tw_flops_potrf(const twill_array *a, int64_t k);
double tw_flops_trsm(const twill_array *a, int64_t m, int64_t k);
double tw_flops_herk(const twill_array *a, int64_t m, int64_t k);
double tw_flops_gemm(const twill_array *a, int64_t m, int64_t n, int64_t k);

/* For tasks that are inserted: parameters "k", "m k", "m k" and "m n k", operations and bytes. */
void tw_about_potrf(const twill_task *t, twill_about *about);
void tw_about_trsm(const twill_task *t, twill_about *about);
void tw_about_herk(const twill_task *t, twill_about *about);
void tw_about_gemm(const twill_task *t, twill_about *about);

#endif
