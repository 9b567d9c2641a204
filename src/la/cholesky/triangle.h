/* What algorithms on triangles share. */
#ifndef TW_LA_TRIANGLE_H
#define TW_LA_TRIANGLE_H

#include "la/direct.h"
#include "la/la.h"

/* `uplo` is a triangle, and the matrix is one that the BLAS can take. */
twill_status tw_triangle_check(int64_t *info, const char *who, twill_uplo uplo, twill_array *a);

/* In addition B has as many rows, in tiles as high, and the same type. `ldb` is LAPACK's number for
 * its leading dimension. */
twill_status tw_triangle_check_rhs(int64_t *info, const char *who, twill_uplo uplo, twill_array *a,
                                   twill_array *b, int ldb);

/* Tile (i, j), i >= j, of the lower triangle, or its mirror image. */
twill_tile *tw_triangle_tile(twill_array *a, twill_uplo uplo, int64_t i, int64_t j);

/* The hint for a task that makes `share` of the multiplications of a product of tiles as high as
 * those in rows i, j and k. */
twill_arg tw_triangle_cost(const twill_array *a, int64_t i, int64_t j, int64_t k, double share);

/* tw_la_run for routines that tell a numerical failure by *info alone. */
twill_status tw_triangle_run(twill *tw, tw_la_insert *insert, void *arg, int64_t *info);

/* LAPACK leaves a singular triangle as it is: look at all of the diagonal before anything is
 * changed. *info is the first element that is exactly zero, from 1, or 0. */
twill_status tw_trtri_look(twill_uplo uplo, twill_array *a, int64_t *info);

/* What potrf, trtri (of a triangle without a unit diagonal) and lauum do to small matrices as a
 * whole; the argument is the option of the triangle. */
tw_direct_kernel tw_potrf_whole, tw_trtri_whole, tw_lauum_whole;

#endif
