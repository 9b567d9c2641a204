/* What the subcommands of the level 3 BLAS compute, and how it is checked. */
#ifndef LEVEL3_H
#define LEVEL3_H

#include "operation/operation.h"

/* The factors: neither 0 nor 1, so that each has its effect; only complex problems have an
 * imaginary part, and only where the routine takes one. */
twill_scalar level3_alpha(const problem *p, bool real);
twill_scalar level3_beta(void);

/* |computed - expected| / (size eps sum of the norms of what is added up), 1-norms, by probes. */
twill_status level3_gemm_residual(work *w, double *ratio);
twill_status level3_symm_residual(work *w, double *ratio);
twill_status level3_hemm_residual(work *w, double *ratio);
twill_status level3_syrk_residual(work *w, double *ratio);
twill_status level3_herk_residual(work *w, double *ratio);
twill_status level3_syr2k_residual(work *w, double *ratio);
twill_status level3_her2k_residual(work *w, double *ratio);
twill_status level3_trmm_residual(work *w, double *ratio);
/* LAPACK's: |alpha B - op(A) X| / (size eps |A| |X|). */
twill_status level3_trsm_residual(work *w, double *ratio);

#endif
