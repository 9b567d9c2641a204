/* An MPI of one process, of which each rank is a thread: what the transport over MPI calls. Few
 * bytes are sent at once, others when they are received. Sanitizers see all of it; and calls fail
 * when a test wants them to. */
#ifndef TEST_SUPPORT_FAKE_MPI_H
#define TEST_SUPPORT_FAKE_MPI_H

#include "comm/mpi.h"

typedef struct fake_world fake_world;

/* Which calls of one rank fail: those from number `first` on, counted from 1, so many of them; 0
 * and 0: none. */
typedef struct fake_fault {
    int rank, first, calls;
} fake_fault;

fake_world *fake_open(int ranks, const fake_fault *fault);
/* All endpoints are closed, or their threads have ended. */
void fake_close(fake_world *world);

/* The endpoint of a rank, by any thread. */
tw_comm *fake_join(fake_world *world, int rank);

#endif
