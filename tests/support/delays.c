/* Messages in a queue for each rank, which leave when they are due. */
#include "support/delays.h"

#include "base/lock.h"
#include "base/mix.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct waiting {
    struct waiting *next;
    int64_t due; /* ns */
    int to;
    tw_comm_message m;
    alignas(max_align_t) unsigned char bytes[]; /* head, and data that is copied */
} waiting;

typedef struct queue {
    waiting *first, *last;
} queue;

/* Handlers of the inner endpoint are called with the number of the outer one's. */
typedef struct slot {
    struct delays *delays;
    int number;
} slot;

typedef struct delays {
    tw_comm comm;
    tw_comm *inner;
    slot slots[TW_COMM_HANDLERS];
    tw_lock lock; /* of what follows */
    uint64_t random;
    int64_t lent; /* of those that wait */
    queue queues[];
} delays;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t draw(uint64_t *random)
{
    *random = tw_mix(*random);
    uint64_t kind = *random % 16, more = tw_mix(*random + 1);
    return kind < 10 ? 0 : kind < 15 ? (int64_t)(more % 200000) : (int64_t)(more % 3000000);
}

void test_dawdle(uint64_t *random)
{
    int64_t ns = draw(random);
    if (ns)
        nanosleep(&(struct timespec){0, ns}, NULL);
}

/* ---- out --------------------------------------------------------------------------------- */

static waiting *copy_of(const tw_comm_message *m, int to)
{
    const size_t align = alignof(max_align_t);
    size_t place = (m->head_size + align - 1) / align * align;
    waiting *x = malloc(sizeof *x + place + (m->sent ? 0 : m->size));
    if (!x)
        return NULL;
    *x = (waiting){.to = to, .m = *m};
    if (m->head_size)
        x->m.head = memcpy(x->bytes, m->head, m->head_size);
    if (m->size && !m->sent)
        x->m.data = memcpy(x->bytes + place, m->data, m->size);
    return x;
}

static twill_status send_later(tw_comm *comm, int to, const tw_comm_message *m)
{
    delays *d = (delays *)comm;
    waiting *x = copy_of(m, to);
    if (!x)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a message of %zu bytes", m->size);
    tw_lock_take(&d->lock);
    x->due = now() + draw(&d->random);
    d->lent += m->sent != NULL;
    queue *q = &d->queues[to];
    *(q->first ? &q->last->next : &q->first) = x;
    q->last = x;
    tw_unlock(&d->lock);
    return TWILL_OK;
}

static waiting *take_due(delays *d, int to, bool all)
{
    tw_lock_take(&d->lock);
    waiting *x = d->queues[to].first;
    if (x && !all && x->due > now())
        x = NULL;
    if (x)
        d->queues[to].first = x->next;
    tw_unlock(&d->lock);
    return x;
}

/* By who polls: nobody else takes messages out. */
static void send_due(delays *d, bool all)
{
    for (int to = 0; to < d->comm.ranks; to++)
        for (waiting *x; (x = take_due(d, to, all)); free(x)) {
            if (tw_comm_send(d->inner, to, &x->m) != TWILL_OK)
                abort();
            tw_lock_take(&d->lock);
            d->lent -= x->m.sent != NULL;
            tw_unlock(&d->lock);
        }
}

static bool progress(tw_comm *comm, void *poller)
{
    delays *d = (delays *)comm;
    bool some = false;
    send_due(d, false);
    tw_lock_take(&d->lock);
    for (int to = 0; to < comm->ranks; to++)
        some |= d->queues[to].first != NULL;
    tw_unlock(&d->lock);
    return tw_comm_progress(d->inner, poller) || some;
}

static int64_t expected(const tw_comm *comm)
{
    delays *d = (delays *)(uintptr_t)comm;
    tw_lock_take(&d->lock);
    int64_t n = d->lent;
    tw_unlock(&d->lock);
    return n + tw_comm_expected(d->inner);
}

static void close_both(tw_comm *comm, void *poller)
{
    delays *d = (delays *)comm;
    send_due(d, true);
    tw_comm_close(d->inner, poller);
    free(d);
}

/* ---- what does not wait -------------------------------------------------------------------- */

static twill_status put(tw_comm *comm, const tw_comm_transfer *t)
{
    return tw_comm_put(((delays *)comm)->inner, t);
}

static twill_status get(tw_comm *comm, const tw_comm_transfer *t)
{
    return tw_comm_get(((delays *)comm)->inner, t);
}

static twill_status register_memory(tw_comm *comm, void *memory, size_t size, tw_comm_key *key)
{
    return tw_comm_register(((delays *)comm)->inner, memory, size, key);
}

static void deregister_memory(tw_comm *comm, const tw_comm_key *key)
{
    tw_comm_deregister(((delays *)comm)->inner, key);
}

static const tw_comm_ops ops = {
    .name = "delays",
    .send = send_later,
    .put = put,
    .get = get,
    .register_memory = register_memory,
    .deregister_memory = deregister_memory,
    .progress = progress,
    .expected = expected,
    .close = close_both,
    .watch = tw_comm_unwatched,
};

/* ---- in ---------------------------------------------------------------------------------- */

static void handle(void *arg, int from, const void *head, size_t head_size, const void *data,
                   size_t size, void *poller)
{
    const slot *s = arg;
    tw_comm_deliver(&s->delays->comm, s->number, from, head, head_size, data, size, poller);
}

static void *place(void *arg, int from, const void *head, size_t head_size, size_t size,
                   void *poller)
{
    const slot *s = arg;
    return tw_comm_find_place(&s->delays->comm, s->number, from, head, head_size, size, poller);
}

tw_comm *test_delay(tw_comm *inner, uint64_t seed)
{
    delays *d = calloc(1, sizeof *d + (size_t)inner->ranks * sizeof(queue));
    if (!d)
        abort();
    d->comm = (tw_comm){.ops = &ops, .rank = inner->rank, .ranks = inner->ranks};
    d->inner = inner;
    d->random = tw_mix(seed + (uint64_t)inner->rank);
    for (int i = 1; i < TW_COMM_HANDLERS; i++) {
        d->slots[i] = (slot){d, i};
        tw_comm_set_handler(inner, i, handle, &d->slots[i]);
        tw_comm_set_place(inner, i, place);
    }
    return &d->comm;
}
