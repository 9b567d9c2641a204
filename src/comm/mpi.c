/* The transport over MPI: endpoints, progress, and their end. */
#include "comm/mpi_endpoint.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* ---- progress ---------------------------------------------------------------------------- */

enum { NOBODY = -1 };

/* Requests that are complete give up their slots; the last ones move there. Outgoing packets that
 * have none left come back linked by `ready`; of incoming ones, whom they are from is in
 * `complete`, in `*n` places. */
static tw_mpi_packet *collect(tw_mpi_endpoint *e, int *n)
{
    tw_mpi_packet *ready = NULL;
    *n = 0;
    if (e->slots > 0 && !e->code)
        e->code = e->calls->test(e->link, e->slots, e->complete, n);
    if (e->code) /* those are slots, which nobody turns into ranks now */
        *n = 0;
    for (int i = *n; i-- > 0 && !e->code;) {
        int slot = e->complete[i], last = --e->slots;
        tw_mpi_packet *p = e->packet[slot];
        bool over = --p->requests == 0;
        e->complete[i] = over && p->incoming ? p->other : NOBODY;
        if (over && p->long_data) {
            p->long_data = false;
            e->long_sends--;
        }
        if (over && !p->incoming) {
            p->ready = ready;
            ready = p;
        }
        if (slot == last)
            continue;
        e->packet[slot] = e->packet[last];
        e->calls->move(e->link, last, slot);
    }
    return ready;
}

static bool test(tw_mpi_endpoint *e, void *poller)
{
    int n;
    for (tw_mpi_packet *p = collect(e, &n), *next; p; p = next) {
        next = p->ready;
        tw_mpi_sent(e, p, poller);
    }
    for (int i = 0; i < n; i++)
        if (e->complete[i] != NOBODY)
            tw_mpi_deliver(e, e->complete[i], poller);
    return n > 0;
}

static bool progress(tw_comm *comm, void *poller)
{
    tw_mpi_endpoint *e = (tw_mpi_endpoint *)comm;
    if (!tw_trylock(&e->calling))
        return true; /* somebody sends */
    bool some = tw_mpi_send_begun(e);
    some |= tw_mpi_complete_sent(e, poller);
    some |= test(e, poller);
    some |= tw_mpi_receive(e, poller);
    if (tw_unlikely(e->code))
        tw_mpi_give_up(e, poller);
    tw_mpi_release(e);
    return some;
}

static int64_t expected(const tw_comm *comm)
{
    return atomic_load_explicit(&((const tw_mpi_endpoint *)comm)->expected, memory_order_acquire);
}

static twill_status register_memory(tw_comm *comm, void *memory, size_t size, tw_comm_key *key)
{
    return tw_registry_add(&((tw_mpi_endpoint *)comm)->registry, memory, size, key);
}

static void deregister_memory(tw_comm *comm, const tw_comm_key *key)
{
    tw_registry_remove(&((tw_mpi_endpoint *)comm)->registry, key);
}

/* ---- the end ----------------------------------------------------------------------------- */

static void drain_once(tw_mpi_endpoint *e, void *poller)
{
    if (!progress(&e->comm, poller))
        sched_yield();
    /* answers for which there was no memory */
    for (int r = 0; r < e->comm.ranks; r++)
        tw_mpi_deliver(e, r, poller);
}

static bool have_come(const tw_mpi_endpoint *e, int what, const int64_t *wanted)
{
    for (int r = 0; r < e->comm.ranks; r++)
        if (*tw_mpi_count(e, what, r) < wanted[r])
            return false;
    return true;
}

/* All ranks tell each other how many heads of a kind they have sent; let all of these come. */
static void drain(tw_mpi_endpoint *e, int sent, int got, int64_t *wanted, void *poller)
{
    tw_mpi_packet told = {.incoming = true, .other = e->comm.rank, .requests = 1};
    while (!e->code && e->slots == e->room)
        drain_once(e, poller);
    if (!e->code)
        e->code = e->calls->exchange(e->link, e->slots, tw_mpi_count(e, sent, 0), wanted);
    if (!e->code)
        e->packet[e->slots++] = &told;
    while (!e->code && (told.requests || !have_come(e, got, wanted)))
        drain_once(e, poller);
    for (int slot = 0; slot < e->slots; slot++) /* after an error */
        if (e->packet[slot] == &told)
            e->packet[slot] = NULL;
}

/* Has something come that is not delivered, and perhaps to be answered? */
static bool is_owing(const tw_mpi_endpoint *e)
{
    for (int r = 0; r < e->comm.ranks; r++)
        if (e->from[r].first)
            return true;
    return false;
}

/* No rank begins anything after it has told how much it has begun; then all answers are on their
 * way. MPI does not let go of memory before what was begun is complete. */
static void close_endpoint(tw_comm *comm, void *poller)
{
    tw_mpi_endpoint *e = (tw_mpi_endpoint *)comm;
    int64_t *wanted = e->counts + TW_MPI_COUNTS * comm->ranks;
    atomic_store_explicit(&e->closed, true, memory_order_relaxed);
    while (!e->code && e->begun.first)
        drain_once(e, poller);
    drain(e, TW_MPI_SENT, TW_MPI_GOT, wanted, poller);
    while (!e->code && is_owing(e))
        drain_once(e, poller);
    drain(e, TW_MPI_ANSWERED, TW_MPI_ANSWERS, wanted, poller);
    while (!e->code && (e->slots > 0 || e->sent))
        drain_once(e, poller);
    tw_mpi_stop_listening(e);
    if (e->code) {
        tw_mpi_give_up(e, poller);
        tw_mpi_abandon(e);
        return;
    }
    e->calls->close(e->link);
    tw_registry_close(&e->registry);
    free(e->packet);
    free(e->complete);
    free(e->from);
    free(e->counts);
    while (e->spare) {
        tw_mpi_packet *p = e->spare;
        e->spare = p->next;
        free(p);
    }
    free(e);
}

static const tw_comm_ops mpi_ops = {
    .name = "mpi",
    .send = tw_mpi_send,
    .put = tw_mpi_put,
    .get = tw_mpi_get,
    .register_memory = register_memory,
    .deregister_memory = deregister_memory,
    .progress = progress,
    .expected = expected,
    .close = close_endpoint,
    .watch = tw_comm_unwatched,
};

/* ---- the beginning ----------------------------------------------------------------------- */

enum { SLOTS = 64 };

/* Everything that closing needs is there from the beginning. */
static bool allocate(tw_mpi_endpoint *e)
{
    size_t ranks = (size_t)e->comm.ranks;
    e->from = calloc(ranks, sizeof *e->from);
    e->counts = calloc((TW_MPI_COUNTS + 1) * ranks, sizeof *e->counts);
    e->packet = calloc(SLOTS, sizeof(tw_mpi_packet *));
    e->complete = calloc(SLOTS, sizeof *e->complete);
    e->ring = aligned_alloc(TW_LINE, TW_MPI_RING * sizeof *e->ring);
    e->room = SLOTS;
    return e->from && e->counts && e->packet && e->complete && e->ring &&
           e->calls->reserve(e->link, SLOTS);
}

twill_status tw_mpi_join(const tw_mpi_calls *calls, const void *comm, tw_comm **out)
{
    char why[512] = "";
    tw_mpi_link *link = NULL;
    if (calls->open(comm, &link, why, sizeof why))
        return tw_fail(TWILL_ERR_SYSTEM, "%s: %s", calls->name, why);
    tw_mpi_endpoint *e = aligned_alloc(TW_LINE, tw_whole_lines(sizeof *e));
    if (e) {
        memset(e, 0, sizeof *e);
        e->comm =
            (tw_comm){.ops = &mpi_ops, .rank = calls->rank(link), .ranks = calls->ranks(link)};
        e->calls = calls;
        e->link = link;
        calls->describe(e->about, sizeof e->about);
        e->comm.about = e->about;
        e->piece = TW_MPI_PIECE;
    }
    if (e && allocate(e)) {
        tw_registry_open(&e->registry);
        tw_mpi_listen(e);
        *out = &e->comm;
        return TWILL_OK;
    }
    if (e) {
        free(e->from);
        free(e->counts);
        free(e->packet);
        free(e->complete);
        free(e->ring);
    }
    free(e);
    calls->close(link);
    return tw_fail(TWILL_ERR_MEMORY, "no memory for an endpoint of MPI");
}
