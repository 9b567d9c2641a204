/* One thread per rank, or, under a launcher of MPI programs, one process. */
#include "support/ranks.h"

#include "base/mix.h"
#include "comm/mpi.h"
#include "engine/remote/remote.h"
#include "support/delays.h"
#include "support/fake_mpi.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct rank {
    pthread_t thread;
    const test_ranks *setup;
    int number;
    tw_comm *comm;
    void (*body)(twill *tw, void *arg);
    void *arg;
} rank;

static void *run(void *arg)
{
    rank *r = arg;
    const test_ranks *setup = r->setup;
    twill *tw = setup->start ? test_start_with(setup->start(r->number))
                             : test_start(setup->workers, setup->sched);
    if (setup->ranks > 1)
        tw_share_cores(tw); /* as ranks of MPI do, when they learn where the others are */
    OK(tw_remote_open(tw, r->comm));
    r->body(tw, r->arg);
    twill_stop(tw);
    return NULL;
}

/* ---- MPI --------------------------------------------------------------------------------- */

int test_launched(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") ? tw_mpi_launched() : 0;
}

static uint64_t dawdling;

void test_call(void)
{
    if (dawdling)
        test_dawdle(&dawdling);
}

/* TW_DELAYS: the seed of random delays of messages, of the start, and of calls of the program. */
static tw_comm *delay(tw_comm *comm)
{
    const char *seed = getenv("TW_DELAYS");
    if (!seed)
        return comm;
    dawdling = tw_mix(strtoull(seed, NULL, 10) + 1000 + (uint64_t)comm->rank);
    for (int i = 0; i < 5; i++)
        test_call();
    return test_delay(comm, strtoull(seed, NULL, 10));
}

static void run_launched(const test_ranks *setup, void (*body)(twill *tw, void *arg), void *arg)
{
    const tw_mpi_calls *calls;
    tw_comm *comm;
    twill_options o = {.workers = setup->workers, .sched = setup->sched, .mpi = "off"};
    OK(tw_mpi_load(getenv("TWILL_MPI") ? getenv("TWILL_MPI") : "on", &calls));
    OK(tw_mpi_join(calls, NULL, &comm));
    twill *tw = test_start_with(o);
    OK(tw_remote_open(tw, delay(comm)));
    body(tw, arg);
    twill_stop(tw);
}

/* ---- threads ----------------------------------------------------------------------------- */

static void join_loopback(const test_ranks *setup, rank *all)
{
    tw_loopback *hub;
    OK(tw_loopback_open(setup->ranks, &setup->network, &hub));
    for (int i = 0; i < setup->ranks; i++)
        OK(tw_loopback_join(hub, i, &all[i].comm));
    tw_loopback_close(hub);
}

void test_on_ranks(const test_ranks *setup, void (*body)(twill *tw, void *arg), void *arg)
{
    if (test_launched()) {
        if (setup->ranks == test_launched())
            run_launched(setup, body, arg);
        return;
    }
    rank *all = calloc((size_t)setup->ranks, sizeof *all);
    fake_world *world = setup->fake ? fake_open(setup->ranks, setup->fake) : NULL;
    for (int i = 0; i < setup->ranks; i++)
        all[i] = (rank){.setup = setup, .number = i, .body = body, .arg = arg};
    for (int i = 0; i < setup->ranks && world; i++)
        all[i].comm = fake_join(world, i);
    if (!world)
        join_loopback(setup, all);
    for (int i = 0; i < setup->ranks; i++)
        assert_int_equal(pthread_create(&all[i].thread, NULL, run, &all[i]), 0);
    for (int i = 0; i < setup->ranks; i++)
        pthread_join(all[i].thread, NULL);
    if (world)
        fake_close(world);
    free(all);
}

static void copy_tile(twill_view v, char *matrix, bool in)
{
    int64_t n = twill_array_pattern(v.array)->extent[0], ld;
    size_t size = twill_array_element(v.array);
    void *data;
    OK(twill_map(v, in ? TWILL_WRITE : TWILL_READ, &data, &ld));
    for (int64_t j = 0; j < v.extent[1]; j++) {
        char *here = (char *)data + (size_t)(j * ld) * size;
        char *there = matrix + (size_t)(v.start[0] + (v.start[1] + j) * n) * size;
        memcpy(in ? here : there, in ? there : here, (size_t)v.extent[0] * size);
    }
    OK(twill_unmap(v, data));
}

static void exchange(twill_array *a, char *matrix, bool in)
{
    const twill_pattern *p = twill_array_pattern(a);
    for (int64_t j = 0; j < twill_pattern_blocks(p, 1); j++)
        for (int64_t i = 0; i < twill_pattern_blocks(p, 0); i++)
            if (twill_owner_at(a, i, j) == twill_rank(twill_array_context(a)))
                copy_tile(twill_view_tile(a, i, j), matrix, in);
}

void test_scatter(twill_array *a, const void *matrix)
{
    exchange(a, (char *)(uintptr_t)matrix, true);
}

void test_collect(twill_array *a, void *matrix)
{
    exchange(a, matrix, false);
}
