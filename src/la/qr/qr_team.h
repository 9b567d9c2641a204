/* QR of one block of rows by a team. */
#ifndef TW_LA_QR_TEAM_H
#define TW_LA_QR_TEAM_H

#include "la/blas/blas.h"

#include <twill/task.h>

/* Bytes of memory for the time of it. */
size_t tw_qr_team_bytes(const tw_kernels *k, const twill_team *team, int ib);

/* A = Q R as LAPACK's geqrt: T is ib x min(rows, cols), in blocks of ib columns. All members call
 * it with the same arguments, NULL standing for a team of one; bits do not depend on how many they
 * are. Ends with a barrier. */
void tw_qr_team(const tw_kernels *k, twill_team *team, int rows, int cols, int ib, void *a, int lda,
                void *t, int ldt, void *work);

#endif
