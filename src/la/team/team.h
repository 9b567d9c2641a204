/* Kernels that a team runs together, in four precisions. All members call them with the same
 * arguments; without a team it is NULL. Bits do not depend on the size of the team.
 *
 * Whoever calls sees to it that what is read is there before. What is written is complete when all
 * members are back, unless it is said that a kernel ends with a barrier. */
#ifndef TW_LA_TEAM_H
#define TW_LA_TEAM_H

#include "la/kernel/recursive.h"

#include <twill/task.h>

/* C := alpha op(A) op(B) + beta C, C being m x n: blocks of columns, or of rows if there are more
 * of them. */
void tw_team_gemm(const tw_kernels *k, const twill_team *team, char ta, char tb, int m, int n,
                  int inner, const void *alpha, const void *a, int lda, const void *b, int ldb,
                  const void *beta, void *c, int ldc);

/* B := alpha op(A)^-1 B or alpha B op(A)^-1, B being m x n: blocks of right-hand sides. */
void tw_team_trsm(const tw_kernels *k, const twill_team *team, tw_triangle t, int m, int n,
                  const void *alpha, const void *a, int lda, void *b, int ldb);

/* A triangle of C := alpha A A^H + beta C, with trans 'N', or of alpha A^H A + beta C, alpha and
 * beta being real; and with plain transposes. Blocks of columns: a triangle and a rectangle each.
 */
void tw_team_herk(const tw_kernels *k, const twill_team *team, char uplo, char trans, int n,
                  int inner, const void *alpha, const void *a, int lda, const void *beta, void *c,
                  int ldc);
void tw_team_syrk(const tw_kernels *k, const twill_team *team, char uplo, char trans, int n,
                  int inner, const void *alpha, const void *a, int lda, const void *beta, void *c,
                  int ldc);

/* A := its Cholesky factor; *info, which the members share, becomes LAPACK's. Panels are factored
 * by the first member, one step ahead of the updates. Ends with a barrier. */
void tw_team_potrf(const tw_kernels *k, twill_team *team, char uplo, int n, void *a, int lda,
                   int *info);

#endif
