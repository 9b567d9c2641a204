/* Linear algebra on tiled matrices: 2-d arrays of the four numeric types.
 *
 * Threads: any thread, each with its own result arguments; calls that use the same matrix take
 * effect in the order in which they are made. What routines say about tasks is below. */
#ifndef TWILL_LA_H
#define TWILL_LA_H

#include <twill/matrix.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Routines take tiled matrices where LAPACK takes a pointer, sizes and a leading dimension, and
 * come in two forms. `twill_gemm(...)` computes and returns. `twill_gemm_insert(graph, ...,
 * options)` adds the tasks to a graph of yours and waits for nothing: what follows in the same
 * graph, or in another one, begins tile by tile as its data is there. Neither form is for use
 * inside tasks, except that insertion into a nested graph (twill_nest) is.
 *
 * A bad argument is told before any work: TWILL_ERR_ARGUMENT and a sentence with the number that
 * LAPACK would report for it, which is also left in *info, negative. Where LAPACK has none, for
 * NULL and for types and shapes that it cannot say, *info stays. */

typedef enum twill_side { TWILL_LEFT = 'L', TWILL_RIGHT = 'R' } twill_side;

/* How QR and LQ combine the tiles of a panel; see <twill/qr.h>. */
typedef enum twill_tree {
    TWILL_TREE_AUTO, /* by the shape of the matrix */
    TWILL_TREE_FLAT,
    TWILL_TREE_BINARY,
    TWILL_TREE_GREEDY,
    TWILL_TREE_FIBONACCI
} twill_tree;

/* Which of several algorithms; see the routine. */
typedef enum twill_method {
    TWILL_METHOD_AUTO,
    TWILL_METHOD_PARTIAL,    /* LU with partial pivoting */
    TWILL_METHOD_TOURNAMENT, /* LU with pivots found by a tournament of tiles */
    TWILL_METHOD_NO_PIVOTING /* LU without; for matrices that are known not to need it */
} twill_method;

/* Expert options: `twill_la_options o = {.size = sizeof o, .lookahead = 2};`. Zero, or NULL instead
 * of a pointer to them, is the default. A routine looks at those that mean something to it. */
typedef struct twill_la_options {
    size_t size;      /* sizeof(twill_la_options) */
    bool no_priority; /* all tasks with the same priority */
    int lookahead;    /* panels that come before the updates behind them; 0 is chosen for you */
    int64_t ib;       /* width of inner blocks; 0 is chosen for you */
    twill_tree tree;
    twill_method method;
    int64_t branches; /* of the tree; 0 is chosen for you */
} twill_la_options;

/* ---- rates ------------------------------------------------------------------------------- */

/* Measured rate of products of matrices in tiles of order nb on all workers: the limit that
 * factorizations are compared with. Takes about half a second. */
TWILL_API twill_status twill_gemm_rate(twill *tw, twill_type type, int64_t nb, double *gflops);

/* Kernels that a team can run: what tasks of explicit graphs (twill_potrf_dag, twill_trsm_dag) do.
 */
typedef enum twill_kernel {
    TWILL_KERNEL_GEMM, /* C := C - A B, A being of order nb and C nb x cols */
    TWILL_KERNEL_TRSM, /* B := A^-1 B, B being nb x cols */
    TWILL_KERNEL_HERK, /* C := C - A A^H, both of order nb */
    TWILL_KERNEL_POTRF /* of a matrix of order nb */
} twill_kernel;

/* Measured seconds of one run of a kernel by a team of so many workers, the best of some, on tiles
 * that are not in the cache; with 0 members, as tasks that are not on the critical path run it. So
 * the speed-up of a team is that of 1 member to that of q. TWILL_ERR_ARGUMENT: more members than
 * workers. Takes some 50 ms. Outside tasks. */
TWILL_API twill_status twill_kernel_seconds(twill *tw, twill_kernel kernel, twill_type type,
                                            int64_t nb, int64_t cols, int members, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
