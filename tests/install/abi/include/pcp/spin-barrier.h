/* A barrier for the threads of one parallel task. Who waits spins, then yields, then sleeps, so it
 * also works when there are fewer cores than threads. */
#ifndef PCP_SPIN_BARRIER_H
#define PCP_SPIN_BARRIER_H

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef struct pcp_barrier pcp_barrier_t;

/* For `nth` threads; NULL: no memory. */
pcp_barrier_t *pcp_barrier_create(int nth);

/* Nobody waits there any more. NULL is allowed. */
void pcp_barrier_destroy(pcp_barrier_t *barrier);

/* Wait until all have come. */
void pcp_barrier_wait(pcp_barrier_t *barrier);

/* The same, and the last one to leave frees it. */
void pcp_barrier_wait_and_destroy(pcp_barrier_t *barrier);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
