/* A rank of an MPI program that ends without a word, while others wait for it: the launcher ends
 * them (tests/mpi/faults.sh). Without a launcher there is nobody to wait. */
#include "support/ranks.h"

#include "steps.h"

#include <stdlib.h>

enum { RANKS = 3 };

twill_outcome take_step(twill_task *t, void *side, int64_t k);
twill_outcome take_step(twill_task *t, void *side, int64_t k)
{
    (void)t, (void)side, (void)k;
    return TWILL_DONE;
}

static void leave(twill *tw, void *arg)
{
    twill_graph *g;
    twill_array *a = NULL;
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){RANKS}, (int64_t[]){1}, (int64_t[]){RANKS});
    (void)arg;
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    OK(twill_steps_new(tw, RANKS, -1, a, a, NULL, &g));
    if (twill_rank(tw) == 1)
        exit(0);
    OK(twill_ptg_run(g));
    (void)twill_wait(g);
}

int main(void)
{
    if (test_launched())
        test_on_ranks(&(test_ranks){.ranks = RANKS, .workers = 1}, leave, NULL);
    return 0;
}
