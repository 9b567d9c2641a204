/* One thread per rank. */
#include "support/ranks.h"

#include "engine/remote/remote.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct rank {
    pthread_t thread;
    const test_ranks *setup;
    tw_comm *comm;
    void (*body)(twill *tw, void *arg);
    void *arg;
} rank;

static void *run(void *arg)
{
    rank *r = arg;
    twill *tw = test_start(r->setup->workers, r->setup->sched);
    OK(tw_remote_open(tw, r->comm));
    r->body(tw, r->arg);
    twill_stop(tw);
    return NULL;
}

void test_on_ranks(const test_ranks *setup, void (*body)(twill *tw, void *arg), void *arg)
{
    tw_loopback *hub;
    rank *all = calloc((size_t)setup->ranks, sizeof *all);
    OK(tw_loopback_open(setup->ranks, &setup->network, &hub));
    for (int i = 0; i < setup->ranks; i++) {
        all[i] = (rank){.setup = setup, .body = body, .arg = arg};
        OK(tw_loopback_join(hub, i, &all[i].comm));
    }
    tw_loopback_close(hub);
    for (int i = 0; i < setup->ranks; i++)
        assert_int_equal(pthread_create(&all[i].thread, NULL, run, &all[i]), 0);
    for (int i = 0; i < setup->ranks; i++)
        pthread_join(all[i].thread, NULL);
    free(all);
}
