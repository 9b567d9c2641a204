/* What the algorithms share. */
#ifndef TW_LA_LA_H
#define TW_LA_LA_H

#include "base/minmax.h"
#include "base/status.h"
#include "la/blas/blas.h"

#include <twill/cholesky.h>
#include <twill/la.h>
#include <twill/ptg.h>

/* The matrix has a numeric type and two dimensions, and the calling thread has not mapped it. */
twill_status tw_la_check(const char *who, twill_array *a);
/* In addition it is square, and so are its tiles. */
twill_status tw_la_check_square(const char *who, twill_array *a);
/* In addition the context has a BLAS that can take it. */
twill_status tw_la_check_blas(const char *who, twill_array *a);

/* The options of a routine are NULL, or say their size. Every routine that takes some looks first.
 */
twill_status tw_la_check_options(const twill_la_options *options);

/* A bad argument: the number that LAPACK reports for it goes into the sentence, "WHO: argument 4
 * FORMAT...", and, negative, into *info if there is one. Returns TWILL_ERR_ARGUMENT. */
twill_status tw_la_bad(int64_t *info, const char *who, int number, const char *format, ...)
    TWILL_PRINTF(4, 5);

/* A scalar as an element of a type. */
typedef union tw_element {
    float f32[2];
    double f64[2];
} tw_element;
tw_element tw_la_element(twill_type type, twill_scalar x);

/* Data argument `arg` of an inserted task, as tile kernels want it. */
twill_flow tw_la_tile(const twill_task *t, int arg);

/* Kernels for the element type of a data argument. */
const tw_kernels *tw_la_kernels(const twill_task *t, int arg);

/* Tiles along rows and columns. */
int64_t tw_la_mt(const twill_array *a);
int64_t tw_la_nt(const twill_array *a);

/* Are dimension 0 of one and dimension d of the other, of the same size, conforming? One tile is
 * one tile, however large it might have been. */
static inline bool tw_la_cut_alike(const twill_pattern *p, const twill_pattern *q, int d)
{
    int64_t size = q->extent[d];
    return p->block[0] == q->block[d] || (size <= p->block[0] && size <= q->block[d]);
}

static inline bool tw_la_complex(twill_type type)
{
    return type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128;
}

/* Real operations of so many multiplications and as many additions. */
static inline double tw_la_flops(twill_type type, double pairs)
{
    return pairs * (tw_la_complex(type) ? 8 : 2);
}

/* A matrix for what belongs to another one; tiles of the same coordinates are on the same ranks.
 * The first gets a column, as long as the matrix is high and in tiles as high as its own, of
 * elements of `bytes` bytes (0: of the type); the second stores a triangle of a matrix as large as
 * `a`. */
twill_status tw_la_column_like(const twill_array *a, twill_type type, size_t bytes,
                               twill_array **x);
twill_status tw_la_triangle_like(const twill_array *a, twill_type type, twill_uplo uplo,
                                 twill_array **x);

/* Run a synchronous operation: `insert` fills a graph, which is waited for and freed. */
typedef twill_status tw_la_insert(twill_graph *g, void *arg);
twill_status tw_la_run(twill *tw, tw_la_insert *insert, void *arg, int64_t *info);

/* Run a parameterised graph to its end and free it. A numerical failure is told by *info alone. */
twill_status tw_la_run_graph(twill_graph *g, int64_t *info);

#endif
