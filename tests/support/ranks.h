/* Programs of several ranks in one process: a thread and a context for each, over the loopback
 * transport. Under a launcher of MPI programs the process is one rank, over MPI. */
#ifndef TEST_SUPPORT_RANKS_H
#define TEST_SUPPORT_RANKS_H

#include "support/test.h"

#include "comm/loopback.h"

typedef struct test_ranks {
    int ranks, workers;
    const char *sched;
    tw_loopback_options network;
    const struct fake_fault *fake;    /* over a fake MPI in which this goes wrong, if anything */
    twill_options (*start)(int rank); /* instead of `workers` and `sched`, if ranks differ */
} test_ranks;

/* Run `body` once per rank, each in a thread with a context of its own, which is stopped after it.
 * They end before this returns. Under a launcher: once, if it has started so many. */
void test_on_ranks(const test_ranks *r, void (*body)(twill *tw, void *arg), void *arg);

/* How many ranks a launcher has started; 0: there is none. */
int test_launched(void);

/* Before a call of the library: with TW_DELAYS, under a launcher, sleep now and then. */
void test_call(void);

/* Copy a matrix, column-major and without gaps, into the tiles of this rank, and back. All ranks
 * may do so with the same one. */
void test_scatter(twill_array *a, const void *matrix);
void test_collect(twill_array *a, void *matrix);

#endif
