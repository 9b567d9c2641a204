/* Algorithms over the elements of views: bodies of the program's own that see lines of elements, on
 * all workers.
 *
 * Each call is a task for each tile: it waits for the tasks before it that use these tiles, later
 * tasks wait for it, and it returns when it is done. Not inside tasks, and a body calls nothing
 * that waits. Results depend on the tiles and on nothing else: neither on workers, nor on the
 * scheduler, nor on the number of ranks.
 *
 * With several ranks each works on the elements that it owns. All ranks call together, with the
 * same views and in the same order, and get the result of all elements; so they do not with local
 * views (twill_view_local), which concern the rank that calls. twill_for_each, twill_generate and
 * twill_fill, which need nobody else, are called by whoever likes. */
#ifndef TWILL_ALGORITHM_H
#define TWILL_ALGORITHM_H

#include <stdbool.h>
#include <twill/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Elements of one tile along the dimension that runs fastest there. Its layout is fixed for one
 * TWILL_ABI. */
typedef struct twill_line {
    void *data; /* n elements, one after the other */
    int64_t n;
    int64_t index[TWILL_DIMS]; /* of the first one, in the array */
    int dim;                   /* along which the others follow */
    int reserved;              /* 0 */
} twill_line;

/* Call `body` for all lines of a view, those of a tile one after the other, those of several tiles
 * at the same time, in no order. With TWILL_WRITE it sets every element. */
typedef void twill_line_body(const twill_line *line, void *arg);
TWILL_API twill_status twill_for_each(twill_view v, twill_access mode, twill_line_body *body,
                                      void *arg);

/* All that a view has of one tile: element (i, j, ...) is at data[i * step[0] + j * step[1] + ...],
 * counted in elements. Its layout is fixed for one TWILL_ABI. */
typedef struct twill_box {
    void *data;
    int64_t extent[TWILL_DIMS], step[TWILL_DIMS];
    int64_t index[TWILL_DIMS]; /* of the first element, in the array */
    int ndim;
    int reserved; /* 0 */
} twill_box;

/* The same for a body that wants more than a line at a time. */
typedef void twill_box_body(const twill_box *box, void *arg);
TWILL_API twill_status twill_for_each_box(twill_view v, twill_access mode, twill_box_body *body,
                                          void *arg);

/* Set every element to this one. */
TWILL_API twill_status twill_fill(twill_view v, const void *element);

/* Set every element to what a function of its coordinates in the array makes of it. */
typedef void twill_generator(void *element, const int64_t *index, void *arg);
TWILL_API twill_status twill_generate(twill_view v, twill_generator *make, void *arg);

/* ---- several views ----------------------------------------------------------------------- */

enum { TWILL_VIEWS = 4 };

/* Elements of several views of the same extents that belong together. Its layout is fixed for one
 * TWILL_ABI. */
typedef struct twill_zip_line {
    void *data[TWILL_VIEWS];   /* of each view the first one, */
    int64_t step[TWILL_VIEWS]; /* and bytes from it to the next */
    int64_t n;                 /* elements of each */
    int64_t index[TWILL_DIMS]; /* of the first one, in the views */
    int dim;                   /* of the views, along which the others follow */
    int views;                 /* how many */
} twill_zip_line;

/* Call `body` for all lines of n views, in no order, one line of a tile of the first view after the
 * other. Lines are along the dimension that runs fastest in the first view. Of two views that
 * overlap none is written, unless they are the same. */
typedef void twill_zip_body(const twill_zip_line *lines, void *arg);
TWILL_API twill_status twill_for_each_of(int n, const twill_view *views, const twill_access *modes,
                                         twill_zip_body *body, void *arg);

/* Set each element of `to` to what `make` makes of the one of `from`, which may be of another type,
 * pattern and order. They may be the same view. */
typedef void twill_maker(void *to, const void *from, void *arg);
TWILL_API twill_status twill_transform(twill_view from, twill_view to, twill_maker *make,
                                       void *arg);

/* Copy with the dimensions in another order: dimension d of `to` is dimension axes[d] of `from`;
 * NULL turns them all over, which transposes a matrix. Elements are of the same type. */
TWILL_API twill_status twill_permute(twill_view from, twill_view to, const int *axes);

/* Are all elements of two views equal? Numbers are compared as numbers, others as bytes. */
TWILL_API twill_status twill_equal(twill_view v, twill_view w, bool *answer);

/* ---- reductions -------------------------------------------------------------------------- */

/* What a reduction is: a result of `size` bytes that `begin` makes neutral, `add` adds a line to,
 * and `combine` another result. All get `arg`. */
typedef struct twill_reducer {
    size_t struct_size; /* sizeof(twill_reducer) */
    size_t size;
    void (*begin)(void *result, void *arg);
    void (*add)(void *result, const twill_line *line, void *arg);
    void (*combine)(void *into, const void *from, void *arg);
    void *arg;
} twill_reducer;

/* Reduce the elements of a view. Tiles are combined in the order of their numbers, on every rank.
 */
TWILL_API twill_status twill_reduce(twill_view v, const twill_reducer *reducer, void *result);

/* Of real types: the sum; the smallest and the largest element, and where the first of these is in
 * the order of tiles and of elements in them (`index` may be NULL). An empty view has the sum 0,
 * and no smallest element: TWILL_ERR_ARGUMENT. NaNs are passed over. */
TWILL_API twill_status twill_view_sum(twill_view v, double *sum);
TWILL_API twill_status twill_view_min(twill_view v, double *least, int64_t *index);
TWILL_API twill_status twill_view_max(twill_view v, double *most, int64_t *index);

/* Is this true of all elements of a view, of some, of none, of how many? Any thread may ask
 * `true_of`. */
typedef bool twill_test(const void *element, void *arg);
TWILL_API twill_status twill_all_of(twill_view v, twill_test *true_of, void *arg, bool *answer);
TWILL_API twill_status twill_any_of(twill_view v, twill_test *true_of, void *arg, bool *answer);
TWILL_API twill_status twill_none_of(twill_view v, twill_test *true_of, void *arg, bool *answer);
TWILL_API twill_status twill_count_of(twill_view v, twill_test *true_of, void *arg, int64_t *n);

/* The first element that equals this one, or of which this is true, in the order of elements: where
 * in the array. *found says whether there is one. */
TWILL_API twill_status twill_find(twill_view v, const void *element, bool *found, int64_t *index);
TWILL_API twill_status twill_find_if(twill_view v, twill_test *true_of, void *arg, bool *found,
                                     int64_t *index);

/* ---- order ------------------------------------------------------------------------------- */

/* Prefixes along dimension d: each element becomes the combination of all up to it, or with
 * `neutral` of neutral and all before it. `combine` sets into = into * from; NULL adds numbers.
 * Tiles are scanned by themselves, then what came before each is combined with its elements, so
 * `combine` is associative. */
typedef void twill_combiner(void *into, const void *from, void *arg);
TWILL_API twill_status twill_scan(twill_view v, int d, const void *neutral, twill_combiner *combine,
                                  void *arg);

/* Sort a view of one dimension: ascending in the order of `compare`, which is as qsort's; NULL
 * sorts real numbers, NaNs last. Elements that compare equal come in any order, but always in the
 * same. */
typedef int twill_comparer(const void *x, const void *y, void *arg);
TWILL_API twill_status twill_sort(twill_view v, twill_comparer *compare, void *arg);

/* ---- stencils ---------------------------------------------------------------------------- */

/* What is beyond the edges of a view that a stencil reads. */
typedef enum twill_edge {
    TWILL_EDGE_ARRAY,    /* elements of the array: they must be there */
    TWILL_EDGE_VALUE,    /* one element that is given */
    TWILL_EDGE_NEAREST,  /* the nearest element of the view */
    TWILL_EDGE_PERIODIC, /* the other end of the view */
} twill_edge;

/* How far a stencil looks along each dimension of the views, and what it finds there. */
typedef struct twill_halo {
    size_t size; /* sizeof(twill_halo) */
    int64_t width[TWILL_DIMS];
    twill_edge edge;
    int reserved;        /* 0 */
    const void *outside; /* of TWILL_EDGE_VALUE */
} twill_halo;

/* A line of elements to be set, and as many that they come from, with their neighbours: element i
 * of `from` has its neighbour (a, b, ...) at from[i + a * step[0] + b * step[1] + ...], counted in
 * elements. Its layout is fixed for one TWILL_ABI. */
typedef struct twill_stencil_line {
    void *to;
    const void *from;
    int64_t n;
    int64_t step[TWILL_DIMS];
    int64_t index[TWILL_DIMS]; /* of the first one, in the views */
    int dim;                   /* of the views, along which the others follow */
    int reserved;              /* 0 */
} twill_stencil_line;

/* Set all elements of `to` from those of `from` and their neighbours: views of the same extents
 * that do not overlap, of the same order of elements. Between ranks only halos travel. */
typedef void twill_stencil_body(const twill_stencil_line *line, void *arg);
TWILL_API twill_status twill_stencil(twill_view from, twill_view to, const twill_halo *halo,
                                     twill_stencil_body *body, void *arg);

#ifdef __cplusplus
}
#endif
#endif
