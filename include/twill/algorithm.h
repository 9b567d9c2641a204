/* Algorithms over the elements of views: bodies of the program's own that see lines of elements, on
 * all workers.
 *
 * Each call is a task for each tile: it waits for the tasks before it that use these tiles, later
 * tasks wait for it, and it returns when it is done. With several ranks each works on those
 * elements of the view that it owns; ranks need not call together. Not inside tasks, and a body
 * calls nothing that waits. */
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

/* Set every element to this one. */
TWILL_API twill_status twill_fill(twill_view v, const void *element);

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

/* Reduce the elements of a view. Tiles are combined in the order of their numbers, so the result
 * depends on them and on nothing else: neither on workers nor on the scheduler. */
TWILL_API twill_status twill_reduce(twill_view v, const twill_reducer *reducer, void *result);

/* Of real types: the sum; the smallest and the largest element, and where the first of these is in
 * the order of tiles and of elements in them (`index` may be NULL). An empty view has the sum 0,
 * and no smallest element: TWILL_ERR_ARGUMENT. NaNs are passed over. */
TWILL_API twill_status twill_view_sum(twill_view v, double *sum);
TWILL_API twill_status twill_view_min(twill_view v, double *least, int64_t *index);
TWILL_API twill_status twill_view_max(twill_view v, double *most, int64_t *index);

/* Is this true of all elements of a view, of some, of how many? Any thread may ask `true_of`. */
typedef bool twill_test(const void *element, void *arg);
TWILL_API twill_status twill_all_of(twill_view v, twill_test *true_of, void *arg, bool *answer);
TWILL_API twill_status twill_any_of(twill_view v, twill_test *true_of, void *arg, bool *answer);
TWILL_API twill_status twill_count_of(twill_view v, twill_test *true_of, void *arg, int64_t *n);

#ifdef __cplusplus
}
#endif
#endif
