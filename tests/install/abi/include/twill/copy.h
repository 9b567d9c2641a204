/* Copies between views and memory, at once or in the background.
 *
 * A copy stands in line like a task: it sees what all tasks before it have written, and tasks that
 * come after it see what it has. In memory the elements of a view follow each other without gaps,
 * in the order of the array's elements. Copies go tile by tile, on all workers. They need not have
 * the same pattern, order or number of dimensions on both sides: what counts are the extents that
 * slices have left.
 *
 * With several ranks, elements may belong to any of them: copies are one-sided, nobody there calls
 * anything. At each owner a copy comes after what is in line there when it is asked, and before
 * what comes later; copies of one rank meet there in the order of its calls. After tasks of a
 * shared graph, and contributions that are to be combined (TWILL_REDUCE), it comes only if their
 * graph was waited for before. A copy that is over has happened at the owner, too. What other ranks
 * do meanwhile is in no order with it, unless they agree upon one. All ranks make the same arrays
 * in the same order. An owner that has stopped, or has freed the array: TWILL_ERR_STATE.
 *
 * Threads: any thread may begin copies; not inside tasks. A future is waited for once, by one
 * thread at a time. */
#ifndef TWILL_COPY_H
#define TWILL_COPY_H

#include <stdbool.h>
#include <twill/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From the view into memory; from memory into the view; and the same added to what is there, for
 * the numeric types. TWILL_ERR_CANCELED: the elements come from a graph that failed. */
TWILL_API twill_status twill_get(twill_view v, void *memory);
TWILL_API twill_status twill_put(const void *memory, twill_view v);
TWILL_API twill_status twill_accumulate(const void *memory, twill_view v);

/* From view to view of the same extents and elements; they must not overlap. If other ranks own
 * some of them it goes through memory of this one, and even an asynchronous one is over at its
 * return. */
TWILL_API twill_status twill_transfer(twill_view from, twill_view to);

/* The elements as text, in brackets, a row a line: all of them, or of more than 1000 those at the
 * ends of each dimension. As with snprintf, what does not fit into `size` bytes is left out, the
 * end is a 0, and *length, unless NULL, is the length of all. Of the numeric types. */
TWILL_API twill_status twill_view_text(twill_view v, char *text, size_t size, size_t *length);

/* ---- between ranks ----------------------------------------------------------------------- */

/* Wait until all copies with other ranks that this one has begun are over, there and here; how they
 * went their futures say. Not inside tasks. */
TWILL_API twill_status twill_fence(twill *tw);

/* The same, and then wait for all ranks to call it, each in one thread: what any of them has put
 * before, all find after it. TWILL_ERR_STATE when one of them has stopped. */
TWILL_API twill_status twill_barrier(twill *tw);

/* ---- in the background ------------------------------------------------------------------- */

typedef struct twill_future twill_future;

/* Begin a copy, and return. Memory is not touched by others until it is over: neither written where
 * the copy reads, nor used at all where it writes. Tasks that are inserted after this see what it
 * has written. */
TWILL_API twill_status twill_get_async(twill_view v, void *memory, twill_future **future);
TWILL_API twill_status twill_put_async(const void *memory, twill_view v, twill_future **future);
TWILL_API twill_status twill_accumulate_async(const void *memory, twill_view v,
                                              twill_future **future);
TWILL_API twill_status twill_transfer_async(twill_view from, twill_view to, twill_future **future);

/* Wait for it, free it, and say how it went. NULL is allowed. */
TWILL_API twill_status twill_future_wait(twill_future *future);

/* The same for n of them: the first failure, if any. */
TWILL_API twill_status twill_future_wait_all(twill_future **futures, int n);

/* Is it over? Runs tasks that are ready, if nobody else does. It is still to be waited for. */
TWILL_API bool twill_future_test(twill_future *future);

#ifdef __cplusplus
}
#endif
#endif
