/* The barrier of parallel tasks. */
#include "base/barrier.h"

#include <pcp/spin-barrier.h>

#include <stdlib.h>
#include <unistd.h>

struct pcp_barrier {
    tw_barrier barrier;
    atomic_int left;
};

pcp_barrier_t *pcp_barrier_create(int nth)
{
    pcp_barrier_t *b = aligned_alloc(TW_LINE, tw_whole_lines(sizeof *b));
    if (b) {
        tw_barrier_open(&b->barrier, nth, nth > sysconf(_SC_NPROCESSORS_ONLN));
        atomic_init(&b->left, 0);
    }
    return b;
}

void pcp_barrier_destroy(pcp_barrier_t *b)
{
    free(b);
}

void pcp_barrier_wait(pcp_barrier_t *b)
{
    tw_barrier_wait(&b->barrier);
}

/* Whoever wakes the others still looks at it after they have gone on. */
void pcp_barrier_wait_and_destroy(pcp_barrier_t *b)
{
    int size = b->barrier.size;
    tw_barrier_wait(&b->barrier);
    if (atomic_fetch_add_explicit(&b->left, 1, memory_order_acq_rel) == size - 1)
        free(b);
}
