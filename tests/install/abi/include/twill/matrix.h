/* Matrices: 2-d arrays of the four numeric types. Making, filling, looking at and combining them.
 *
 * `uplo` says which elements a function works on: all of them (TWILL_GENERAL), or those on and
 * below (TWILL_LOWER) or above (TWILL_UPPER) the diagonal. A matrix that stores only a triangle has
 * no other elements, so TWILL_GENERAL means that triangle there. Sizes may be 0; the last tiles may
 * be smaller, and tiles need not be square.
 *
 * Functions come in two forms. The plain one waits until its work is done, and is not for use
 * inside tasks. The one called _insert adds tasks to a graph and waits for nothing: they overlap
 * with whatever else is inserted. Arguments are checked first: TWILL_ERR_ARGUMENT comes with a
 * sentence that names the argument, and nothing has been done then.
 *
 * Threads: any thread; calls that use the same matrix take effect in the order in which they are
 * made. */
#ifndef TWILL_MATRIX_H
#define TWILL_MATRIX_H

#include <twill/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum twill_uplo { TWILL_LOWER = 'L', TWILL_UPPER = 'U', TWILL_GENERAL = 'G' } twill_uplo;

/* What an operation does to a matrix before it uses it. */
typedef enum twill_trans {
    TWILL_NO_TRANS = 'N',
    TWILL_TRANS = 'T',
    TWILL_CONJ_TRANS = 'C' /* of a real matrix the same as TWILL_TRANS */
} twill_trans;

/* TWILL_UNIT: the diagonal of a triangular matrix is taken to be 1 and not read. */
typedef enum twill_diag { TWILL_NON_UNIT = 'N', TWILL_UNIT = 'U' } twill_diag;

/* A number for matrices of any of the four types, passed by value: its layout is fixed for one
 * TWILL_ABI. For real ones the imaginary part must be 0. */
typedef struct twill_scalar {
    double re, im;
} twill_scalar;

static inline twill_scalar twill_complex(double re, double im)
{
    twill_scalar x;
    x.re = re;
    x.im = im;
    return x;
}

static inline twill_scalar twill_real(double x)
{
    return twill_complex(x, 0.0);
}

/* ---- making ------------------------------------------------------------------------------ */

/* A matrix with a tile size chosen for its size and the workers of the context, on several ranks
 * dealt over a grid of them as square as can be (twill_ptg_grid_of). There it is collective.
 * Matrices whose tiles Twill chose fit each other, and any others, in every routine: where their
 * tiles differ it works on copies that fit, as long as the graph lives. */
TWILL_API twill_status twill_matrix_create(twill *tw, twill_type type, int64_t m, int64_t n,
                                           twill_array **a);

/* The same over the program's own memory, in LAPACK's layout: element (i, j) is at
 * data + (i + j*ld) * size. Nothing is copied; see twill_array_wrap, also about several ranks. */
TWILL_API twill_status twill_matrix_wrap(twill *tw, twill_type type, int64_t m, int64_t n,
                                         void *data, int64_t ld, twill_array **a);

/* A square matrix that stores only the tiles of a triangle: half the memory. `nb` 0 chooses a tile
 * size. The other triangle is not there: functions that are given TWILL_GENERAL work on the stored
 * one, those that need another one refuse, twill_tile_at gives NULL there, and in memory from
 * twill_map its tiles are zero and what is written to them is dropped. */
TWILL_API twill_status twill_matrix_create_triangle(twill *tw, twill_type type, int64_t n,
                                                    int64_t nb, twill_uplo uplo, twill_array **a);

/* A submatrix as a matrix of its own, without copying: every function takes it. The view must
 * begin where a tile does, and end where a tile or its matrix does. Both have the same tiles, so
 * tasks on one wait for tasks on the other, tile by tile. Free both, in any order: the elements
 * live as long as one of them. Of a matrix that stores a triangle, a submatrix that begins on the
 * diagonal stores a triangle too; others must lie inside the triangle. Inside a body,
 * twill_task_array and twill_task_tile tell the whole matrix and the place there. */
TWILL_API twill_status twill_matrix_sub(twill_view v, twill_array **sub);

/* Which of its elements it stores. */
TWILL_API twill_uplo twill_array_uplo(const twill_array *a);

/* ---- filling ----------------------------------------------------------------------------- */

/* Random entries in (-0.5, 0.5), real and imaginary parts alike; entry (i, j) depends on seed, i
 * and j alone. */
TWILL_API twill_status twill_fill_random(twill_array *a, uint64_t seed);

/* Random entries, mirrored at the diagonal: Hermitian (real diagonal), or symmetric, which differs
 * for complex types only. */
TWILL_API twill_status twill_fill_hermitian(twill_array *a, uint64_t seed);
TWILL_API twill_status twill_fill_symmetric(twill_array *a, uint64_t seed);

/* twill_fill_hermitian with n added to the diagonal: positive definite and well conditioned. */
TWILL_API twill_status twill_fill_spd(twill_array *a, uint64_t seed);

/* Hermitian positive definite, with condition number `cond` >= 1 in the 2-norm: its eigenvalues go
 * from 1 down to 1/cond, each the same factor below the one before. Entry (i, j) depends on seed,
 * cond, n, i and j alone. */
TWILL_API twill_status twill_fill_spd_cond(twill_array *a, uint64_t seed, double cond);

/* Ones on the diagonal, zeros elsewhere. */
TWILL_API twill_status twill_fill_identity(twill_array *a);

/* Set the diagonal to `diagonal` and the other elements that uplo names to `other` (laset). */
TWILL_API twill_status twill_set(twill_uplo uplo, twill_scalar other, twill_scalar diagonal,
                                 twill_array *a);
TWILL_API twill_status twill_set_insert(twill_graph *graph, twill_uplo uplo, twill_scalar other,
                                        twill_scalar diagonal, twill_array *a);

/* ---- combining --------------------------------------------------------------------------- */
/* Tile sizes of the two matrices may differ, and so may the ranks that their tiles are on: that is
 * how a matrix is redistributed. Each element travels once, packed, a few tiles in a message, and
 * nothing is gathered; a graph by insertion keeps the room for it until it is freed. They may be
 * the same matrix, but not overlap in another way, nor when one of them is transposed. */

/* to = from. Both are real or both complex; the precision may differ: elements are rounded, and
 * those too large for single precision become infinite (LAPACK's lacpy and lag2). */
TWILL_API twill_status twill_copy(twill_array *from, twill_array *to);

/* The same for a triangle; the rest of `to` stays as it is (lacpy). */
TWILL_API twill_status twill_copy_uplo(twill_uplo uplo, twill_array *from, twill_array *to);
TWILL_API twill_status twill_copy_insert(twill_graph *graph, twill_uplo uplo, twill_array *from,
                                         twill_array *to);

/* The same for any rows and columns of two matrices, wherever they begin and end: views of the same
 * size that do not overlap, of matrices that store all elements. */
TWILL_API twill_status twill_copy_view(twill_view from, twill_view to);
TWILL_API twill_status twill_copy_view_insert(twill_graph *graph, twill_view from, twill_view to);

/* B = alpha op(A) + beta B where uplo says, types the same. With beta = 0 the old B is not read,
 * and with alpha = 0 neither is A. */
TWILL_API twill_status twill_add(twill_uplo uplo, twill_trans op, twill_scalar alpha,
                                 twill_array *a, twill_scalar beta, twill_array *b);
TWILL_API twill_status twill_add_insert(twill_graph *graph, twill_uplo uplo, twill_trans op,
                                        twill_scalar alpha, twill_array *a, twill_scalar beta,
                                        twill_array *b);

/* B = op(A): TWILL_TRANS or TWILL_CONJ_TRANS, into another matrix, precisions as in twill_copy. */
TWILL_API twill_status twill_transpose(twill_trans op, twill_array *a, twill_array *b);
TWILL_API twill_status twill_transpose_insert(twill_graph *graph, twill_trans op, twill_array *a,
                                              twill_array *b);

/* A = alpha A. With alpha = 0 the old A is not read. */
TWILL_API twill_status twill_scale(twill_uplo uplo, twill_scalar alpha, twill_array *a);
TWILL_API twill_status twill_scale_insert(twill_graph *graph, twill_uplo uplo, twill_scalar alpha,
                                          twill_array *a);

/* ---- looking ----------------------------------------------------------------------------- */

typedef enum twill_norm_kind {
    TWILL_NORM_MAX = 'M', /* largest magnitude; not a norm that products respect */
    TWILL_NORM_ONE = 'O', /* largest sum of a column's magnitudes */
    TWILL_NORM_INF = 'I', /* largest sum of a row's magnitudes */
    TWILL_NORM_FRO = 'F'  /* root of the sum of squares; intermediate results do not overflow */
} twill_norm_kind;

/* A norm, computed in double precision. It is NaN when an element is. The bits depend on the
 * elements and the tile size, not on workers or scheduler. An empty matrix has norm 0. */
TWILL_API twill_status twill_norm(twill_norm_kind kind, twill_array *a, double *value);

/* The same of a triangular or trapezoidal matrix, and of a symmetric or Hermitian one (of whose
 * diagonal only the real part counts). Only the triangle is read. */
TWILL_API twill_status twill_norm_triangular(twill_norm_kind kind, twill_uplo uplo, twill_diag diag,
                                             twill_array *a, double *value);
TWILL_API twill_status twill_norm_symmetric(twill_norm_kind kind, twill_uplo uplo, twill_array *a,
                                            double *value);
TWILL_API twill_status twill_norm_hermitian(twill_norm_kind kind, twill_uplo uplo, twill_array *a,
                                            double *value);

/* A number that depends on the bits of the matrix (of its triangle, without TWILL_GENERAL) and on
 * nothing else: equal bits, equal digest, whatever the tile size. docs/manual/runtime.md has the
 * sum. */
TWILL_API twill_status twill_digest(twill_array *a, twill_uplo uplo, uint64_t *digest);

/* Add up n numbers of every rank in place, in the order of ranks: all get the same sums. For what a
 * program finds out about its own tiles; on one rank nothing happens. Collective; not inside
 * tasks. */
TWILL_API twill_status twill_sum(twill *tw, double *x, int64_t n);

/* ---- LAPACK's layout --------------------------------------------------------------------- */

/* Copy between the matrix and memory in LAPACK's layout, where element (i, j) is at
 * data + (i + j*ld) * size: from memory into the matrix, and from the matrix into memory. All
 * workers copy; there is no copy in between. Elements that uplo does not name are not touched. To
 * use memory without copying it, see twill_array_wrap. On several ranks each copies the elements
 * that it owns; its memory is addressed as if it had all. */
TWILL_API twill_status twill_matrix_read(twill_array *a, twill_uplo uplo, const void *data,
                                         int64_t ld);
TWILL_API twill_status twill_matrix_write(twill_array *a, twill_uplo uplo, void *data, int64_t ld);

#ifdef __cplusplus
}
#endif
#endif
