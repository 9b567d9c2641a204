/* What routines of linear algebra enqueue on a lane of a device: one table per driver.
 *
 * Operands are places in the memory of the device, sizes and leading dimensions count elements, and
 * scalars are elements on the host, read before the call returns (real ones for `herk`, as in
 * BLAS). Results of factorizations are LAPACK's: L and U with row interchanges, V and R with tau,
 * for any m and n. `info` goes to launch->info. A function that a driver does not have is NULL:
 * then the task runs on the cores. Each returns when all is enqueued. */
#ifndef TW_DEVICE_BLAS_H
#define TW_DEVICE_BLAS_H

#include <twill/array.h>

#include <stdbool.h>

struct tw_launch;

/* A matrix in the memory of the device: an address, as its space gives them, or inside of what it
 * gave; and elements from column to column. */
typedef struct tw_place {
    void *at;
    int64_t ld;
} tw_place;

typedef struct tw_device_blas {
    twill_status (*gemm)(struct tw_launch *l, twill_type type, char ta, char tb, int64_t m,
                         int64_t n, int64_t k, const void *alpha, tw_place a, tw_place b,
                         const void *beta, tw_place c);
    /* `hermitian`: herk, alpha and beta are real; else syrk. */
    twill_status (*herk)(struct tw_launch *l, twill_type type, bool hermitian, char uplo,
                         char trans, int64_t n, int64_t k, const void *alpha, tw_place a,
                         const void *beta, tw_place c);
    twill_status (*her2k)(struct tw_launch *l, twill_type type, bool hermitian, char uplo,
                          char trans, int64_t n, int64_t k, const void *alpha, tw_place a,
                          tw_place b, const void *beta, tw_place c);
    twill_status (*symm)(struct tw_launch *l, twill_type type, bool hermitian, char side, char uplo,
                         int64_t m, int64_t n, const void *alpha, tw_place a, tw_place b,
                         const void *beta, tw_place c);
    twill_status (*trsm)(struct tw_launch *l, twill_type type, char side, char uplo, char trans,
                         char diag, int64_t m, int64_t n, const void *alpha, tw_place a,
                         tw_place b);
    twill_status (*trmm)(struct tw_launch *l, twill_type type, char side, char uplo, char trans,
                         char diag, int64_t m, int64_t n, const void *alpha, tw_place a,
                         tw_place b);
    /* Any order; large ones are blocked, with lookahead on lanes of their own. */
    twill_status (*potrf)(struct tw_launch *l, twill_type type, char uplo, int64_t n, tw_place a);
    twill_status (*trtri)(struct tw_launch *l, twill_type type, char uplo, char diag, int64_t n,
                          tw_place a);
    /* m by n, any shape; ipiv: min(m, n) numbers of 64 bits, from 1, in the memory of the device.
     */
    twill_status (*getrf)(struct tw_launch *l, twill_type type, int64_t m, int64_t n, tw_place a,
                          tw_place ipiv);
    /* Apply rows from..to-1 (from 0) of such interchanges to n columns, forward or backward. */
    twill_status (*laswp)(struct tw_launch *l, twill_type type, bool forward, int64_t n, tw_place a,
                          int64_t from, int64_t to, tw_place ipiv);
    /* tau: min(m, n) elements in the memory of the device. */
    twill_status (*geqrf)(struct tw_launch *l, twill_type type, int64_t m, int64_t n, tw_place a,
                          tw_place tau);
    /* C := op(Q) C or C op(Q), with k reflectors in A and tau. */
    twill_status (*unmqr)(struct tw_launch *l, twill_type type, char side, char trans, int64_t m,
                          int64_t n, int64_t k, tw_place a, tw_place tau, tw_place c);
} tw_device_blas;

#endif
