/* Programs of several ranks, to be run over every transport.
 *
 * Each rank knows only what is in its test_rank and what it was sent, so that ranks may be threads
 * of one process or processes. */
#ifndef TEST_SUPPORT_TRANSPORTS_H
#define TEST_SUPPORT_TRANSPORTS_H

#include "support/test.h"

#include "base/lock.h"
#include "comm/comm.h"

typedef struct test_program test_program;

typedef struct test_rank {
    const test_program *program;
    tw_comm *comm;
    int rank, ranks;
    void *state; /* the program's */
    tw_lock polling;
    atomic_int wrong, line; /* what should have been otherwise, and where the first was seen */
    atomic_int waits, waiting, released; /* test_barrier: begun here, at rank 0, and ended */
} test_rank;

/* What each rank does, in this order. */
struct test_program {
    int threads;
    bool abrupt;                            /* close without waiting for anybody */
    size_t state;                           /* bytes */
    const void *plan;                       /* the program's */
    void (*open)(test_rank *r);             /* set handlers from number 1 on; `state` is zero */
    void (*work)(test_rank *r, int thread); /* by each of its threads */
    bool (*over)(test_rank *r);  /* optional: has everything arrived? Polled until it has, and until
                                    nothing is expected; then all ranks wait for each other */
    void (*close)(test_rank *r); /* optional: the endpoint is closed, or about to be */
};

/* Note what should have been otherwise. */
#define EXPECT(r, condition) test_expect((r), (condition), __LINE__)
void test_expect(test_rank *r, bool good, int line);

/* Make progress, if no other thread of the rank does. */
void test_poll(test_rank *r);

/* Is this thread in a call that only begins something? No handler and no callback may see that. */
extern _Thread_local bool test_beginning;
/* Send, which is expected to succeed. */
void test_send(test_rank *r, int to, const tw_comm_message *m);

/* By one thread of each rank: return when all have called it. */
void test_barrier(test_rank *r);

typedef struct test_transport {
    const char *name;
    const void *options;
    /* Run the program in so many ranks; false, with a line on stderr, when something was wrong. */
    bool (*run)(const struct test_transport *transport, int ranks, const test_program *program);
} test_transport;

/* Bytes that say where they come from; and memory of them, which nobody may look at any more when
 * it is given back. */
void test_fill(unsigned char *bytes, size_t size, uint64_t seed);
bool test_filled(const unsigned char *bytes, size_t size, uint64_t seed);
unsigned char *test_bytes(size_t size, uint64_t seed);
void test_spoil(unsigned char *bytes, size_t size);

/* Run the program over a transport, by 1, 2, 3 and 5 ranks. */
enum { TEST_RANKS = 5 };
void test_run_ranks(const test_transport *transport, const test_program *program);

typedef struct test_comm_case {
    const char *name;
    void (*function)(void **state); /* *state is the test_transport */
} test_comm_case;

/* Run each case over each transport; returns what main returns. */
int test_all_transports(const test_comm_case *suite, int n);

#endif
