/* Ranks as threads over the loopback transport, and suites over all transports. */
#include "support/transports.h"

#include "comm/loopback.h"
#include "comm/mpi_endpoint.h"
#include "support/fake_mpi.h"
#include "support/ranks.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARRIVE = TW_COMM_HANDLERS - 2, RELEASE = TW_COMM_HANDLERS - 1, THREADS = 8, RANKS = 16 };

void test_expect(test_rank *r, bool good, int line)
{
    int none = 0;
    if (good)
        return;
    atomic_fetch_add(&r->wrong, 1);
    atomic_compare_exchange_strong(&r->line, &none, line);
}

void test_poll(test_rank *r)
{
    bool happened = false;
    if (tw_trylock(&r->polling)) {
        happened = tw_comm_progress(r->comm, r);
        tw_unlock(&r->polling);
    }
    if (!happened)
        sched_yield();
}

_Thread_local bool test_beginning;

void test_send(test_rank *r, int to, const tw_comm_message *m)
{
    test_beginning = true;
    EXPECT(r, !tw_comm_send(r->comm, to, m));
    test_beginning = false;
}

/* ---- bytes ------------------------------------------------------------------------------- */

void test_fill(unsigned char *bytes, size_t size, uint64_t seed)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(seed + 131 * i + (i >> 8));
}

bool test_filled(const unsigned char *bytes, size_t size, uint64_t seed)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != (unsigned char)(seed + 131 * i + (i >> 8)))
            return false;
    return true;
}

unsigned char *test_bytes(size_t size, uint64_t seed)
{
    unsigned char *bytes = malloc(size + 1);
    if (!bytes)
        abort();
    test_fill(bytes, size, seed);
    return bytes;
}

void test_spoil(unsigned char *bytes, size_t size)
{
    memset(bytes, 0xAA, size);
    free(bytes);
}

/* ---- barrier ----------------------------------------------------------------------------- */

static void arrive(void *arg, int from, const void *head, size_t head_size, const void *data,
                   size_t size, void *poller)
{
    (void)from, (void)head, (void)data, (void)poller;
    test_rank *r = arg;
    EXPECT(r, head_size == 0 && size == 0);
    if (atomic_fetch_add(&r->waiting, 1) % r->ranks == r->ranks - 1)
        for (int to = 0; to < r->ranks; to++)
            EXPECT(r, !tw_comm_send(r->comm, to, &(tw_comm_message){.handler = RELEASE}));
}

static void release(void *arg, int from, const void *head, size_t head_size, const void *data,
                    size_t size, void *poller)
{
    (void)head, (void)head_size, (void)data, (void)size, (void)poller;
    test_rank *r = arg;
    EXPECT(r, from == 0);
    atomic_fetch_add(&r->released, 1);
}

void test_barrier(test_rank *r)
{
    int wait = atomic_fetch_add(&r->waits, 1);
    EXPECT(r, !tw_comm_send(r->comm, 0, &(tw_comm_message){.handler = ARRIVE}));
    while (atomic_load(&r->released) <= wait)
        test_poll(r);
}

/* ---- a rank ------------------------------------------------------------------------------ */

typedef struct member {
    test_rank *rank;
    int thread;
} member;

static void *work(void *arg)
{
    member *m = arg;
    m->rank->program->work(m->rank, m->thread);
    return NULL;
}

static void work_all(test_rank *r)
{
    member members[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < r->program->threads; i++) {
        members[i] = (member){r, i};
        if (i > 0 && pthread_create(&threads[i], NULL, work, &members[i]))
            abort();
    }
    work(&members[0]);
    for (int i = 1; i < r->program->threads; i++)
        pthread_join(threads[i], NULL);
}

/* All of a rank, for an endpoint that is open. */
static void run_rank(test_rank *r)
{
    const test_program *p = r->program;
    r->rank = r->comm->rank;
    r->ranks = r->comm->ranks;
    r->state = calloc(1, p->state + 1);
    if (!r->state)
        abort();
    tw_comm_set_handler(r->comm, ARRIVE, arrive, r);
    tw_comm_set_handler(r->comm, RELEASE, release, r);
    p->open(r);
    work_all(r);
    if (!p->abrupt) {
        while ((p->over && !p->over(r)) || tw_comm_expected(r->comm) > 0)
            test_poll(r);
        test_barrier(r);
        if (p->close)
            p->close(r);
    }
    tw_comm_close(r->comm, r);
    if (p->abrupt && p->close)
        p->close(r);
    free(r->state);
    if (atomic_load(&r->wrong))
        fprintf(stderr, "rank %d of %d: %d wrong, the first in line %d\n", r->rank, r->ranks,
                atomic_load(&r->wrong), atomic_load(&r->line));
}

/* ---- loopback ---------------------------------------------------------------------------- */

static void *rank_main(void *arg)
{
    run_rank(arg);
    return NULL;
}

/* Ranks that have their endpoints, as threads; how many things were wrong. */
static int run_threads(test_rank *ranks, int n)
{
    pthread_t threads[RANKS];
    int wrong = 0;
    for (int i = 0; i < n; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, rank_main, &ranks[i]), 0);
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        wrong += atomic_load(&ranks[i].wrong);
    }
    return wrong;
}

static bool loopback_run(const test_transport *transport, int n, const test_program *program)
{
    test_rank ranks[RANKS];
    tw_loopback *hub;
    OK(tw_loopback_open(n, transport->options, &hub));
    for (int i = 0; i < n; i++) {
        ranks[i] = (test_rank){.program = program};
        OK(tw_loopback_join(hub, i, &ranks[i].comm));
    }
    int wrong = run_threads(ranks, n);
    if (!program->abrupt)
        assert_int_equal(tw_loopback_dropped(hub), 0);
    tw_loopback_close(hub);
    return wrong == 0;
}

static const test_transport loopback = {"loopback", NULL, loopback_run};
static const test_transport late = {"late loopback", &(tw_loopback_options){.seed = 1, .delay = 20},
                                    loopback_run};
static const test_transport mixed = {
    "mixed loopback", &(tw_loopback_options){.seed = 2, .delay = 5, .reorder = true}, loopback_run};

/* ---- MPI --------------------------------------------------------------------------------- */

static void set_piece(tw_comm *comm, const test_transport *transport)
{
    if (transport->options)
        ((tw_mpi_endpoint *)comm)->piece = *(const int *)transport->options;
}

static bool fake_run(const test_transport *transport, int n, const test_program *program)
{
    test_rank ranks[RANKS];
    fake_world *world = fake_open(n, NULL);
    for (int i = 0; i < n; i++) {
        ranks[i] = (test_rank){.program = program, .comm = fake_join(world, i)};
        set_piece(ranks[i].comm, transport);
    }
    int wrong = run_threads(ranks, n);
    fake_close(world);
    return wrong == 0;
}

static const test_transport fake = {"fake mpi", NULL, fake_run};
static const test_transport fake_pieces = {"fake mpi in pieces", &(const int){1 << 16}, fake_run};

/* This process is one of the ranks; programs for other numbers of them are left out. */
static bool mpi_run(const test_transport *transport, int n, const test_program *program)
{
    const tw_mpi_calls *calls;
    test_rank rank = {.program = program};
    if (n != tw_mpi_launched())
        return true;
    OK(tw_mpi_load(getenv("TWILL_MPI"), &calls));
    OK(tw_mpi_join(calls, NULL, &rank.comm));
    set_piece(rank.comm, transport);
    run_rank(&rank);
    return atomic_load(&rank.wrong) == 0;
}

static const test_transport mpi = {"mpi", NULL, mpi_run};
static const test_transport pieces = {"mpi in pieces", &(const int){1 << 16}, mpi_run};

/* All, and some as they are on a bad day; under a launcher of MPI programs only MPI. Adding one is
 * adding a line. */
static const test_transport *const all[] = {&loopback, &late, &mixed, &fake, &fake_pieces, NULL};
static const test_transport *const launched[] = {&mpi, &pieces, NULL};

static const test_transport *const *transports(void)
{
    return test_launched() ? launched : all;
}

void test_run_ranks(const test_transport *transport, const test_program *program)
{
    const int ranks[] = {1, 2, 3, TEST_RANKS};
    for (int i = 0; i < COUNT(ranks); i++)
        assert_true(transport->run(transport, ranks[i], program));
}

/* ---- suites ------------------------------------------------------------------------------ */

int test_all_transports(const test_comm_case *suite, int n)
{
    enum { MOST = 128 };
    static struct CMUnitTest tests[MOST];
    static char names[MOST][120];
    size_t count = 0;
    const test_transport *const *list = transports();
    for (int t = 0; list[t]; t++)
        for (int i = 0; i < n; i++, count++) {
            if (count == MOST)
                abort();
            snprintf(names[count], sizeof names[count], "%s: %s", list[t]->name, suite[i].name);
            tests[count] =
                (struct CMUnitTest){names[count], suite[i].function, NULL, NULL, (void *)list[t]};
        }
    return _cmocka_run_group_tests("transports", tests, count, NULL, NULL);
}
