/* What every transport must do with memory that is lent to it: transfers, and closing while
 * everything is under way. */
#include "support/transports.h"

#include "base/mix.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, MIB = 1 << 20 };

/* Memory that is somebody's until an operation is complete. */
typedef struct parcel {
    test_rank *rank;
    unsigned char *data;
    size_t size;
    atomic_int done;
} parcel;

/* ---- keys and notes -------------------------------------------------------------------------- */

enum { GAP = 64, STRIDE = MIB + GAP, UNTOUCHED = 0xEE };

/* A slab that everybody may use, and the keys of those of others. */
typedef struct slab {
    unsigned char *memory;
    size_t size;
    tw_comm_key keys[TEST_RANKS];
    atomic_int nkeys, notes, begun, done;
    atomic_int sum; /* of bytes that were looked at */
} slab;

static void key_arrived(void *arg, int from, const void *head, size_t head_size, const void *data,
                        size_t size, void *poller)
{
    (void)data, (void)poller;
    test_rank *r = arg;
    slab *s = r->state;
    EXPECT(r, head_size == sizeof(tw_comm_key) && size == 0);
    memcpy(&s->keys[from], head, sizeof(tw_comm_key));
    EXPECT(r, s->keys[from].rank == from);
    atomic_fetch_add(&s->nkeys, 1);
}

static void slab_open(test_rank *r, size_t size, tw_comm_handle *note)
{
    slab *s = r->state;
    tw_comm_key key;
    s->size = size;
    s->memory = test_bytes(size, 0);
    memset(s->memory, UNTOUCHED, size);
    tw_comm_set_handler(r->comm, 1, key_arrived, r);
    tw_comm_set_handler(r->comm, 2, note, r);
    EXPECT(r, !tw_comm_register(r->comm, s->memory, size, &key));
    for (int to = 0; to < r->ranks; to++)
        test_send(r, to, &(tw_comm_message){.handler = 1, .head = &key, .head_size = sizeof key});
}

static void slab_wait(test_rank *r)
{
    while (atomic_load(&((slab *)r->state)->nkeys) < r->ranks)
        test_poll(r);
}

typedef struct note {
    uint64_t offset, seed;
    size_t size;
} note;

/* The bytes of a put are there, those of a get still are. */
static void block_noted(void *arg, int from, const void *head, size_t head_size, const void *data,
                        size_t size, void *poller)
{
    (void)from, (void)poller;
    test_rank *r = arg;
    slab *s = r->state;
    const note *n = head;
    EXPECT(r, head_size == sizeof *n && size == n->size && !test_beginning);
    EXPECT(r, data == s->memory + n->offset && test_filled(data, size, n->seed));
    atomic_fetch_add(&s->notes, 1);
}

static void parcel_done(void *arg, twill_status status, void *poller)
{
    parcel *p = arg;
    EXPECT(p->rank, status == TWILL_OK && poller == p->rank && !test_beginning);
    EXPECT(p->rank, tw_comm_expected(p->rank->comm) >= 1); /* until this has returned */
    atomic_fetch_add(&p->done, 1);
}

static void transfer(test_rank *r, bool in, int to, const note *n, unsigned char *memory)
{
    slab *s = r->state;
    parcel p = {.rank = r};
    tw_comm_transfer t = {.key = s->keys[to],
                          .offset = n->offset,
                          .memory = memory,
                          .size = n->size,
                          .done = parcel_done,
                          .arg = &p,
                          .notify = 2,
                          .head = n,
                          .head_size = sizeof *n};
    test_beginning = true;
    EXPECT(r, !(in ? tw_comm_put : tw_comm_get)(r->comm, &t));
    test_beginning = false;
    /* unless another thread of this rank has polled it to its end already */
    EXPECT(r, tw_comm_expected(r->comm) >= 1 || atomic_load(&p.done));
    while (!atomic_load(&p.done))
        test_poll(r);
    EXPECT(r, atomic_load(&p.done) == 1);
}

static const size_t block_sizes[] = {0, 1, 1001, MIB};

static void blocks_open(test_rank *r)
{
    slab_open(r, (size_t)r->ranks * THREADS * STRIDE, block_noted);
}

/* Each thread has a block in the slab of every rank. */
static void blocks_work(test_rank *r, int thread)
{
    const int mine = r->rank * THREADS + thread;
    slab_wait(r);
    for (int round = 0; round < COUNT(block_sizes); round++)
        for (int i = 0; i < r->ranks; i++) {
            int to = (r->rank + i) % r->ranks;
            note n = {.offset = (uint64_t)mine * STRIDE + GAP / 2,
                      .seed = tw_mix((uint64_t)(mine * TEST_RANKS + to) * 8 + (uint64_t)round),
                      .size = block_sizes[round]};
            unsigned char *bytes = test_bytes(n.size, n.seed);
            transfer(r, true, to, &n, bytes);
            memset(bytes, 0, n.size);
            transfer(r, false, to, &n, bytes);
            EXPECT(r, test_filled(bytes, n.size, n.seed));
            test_spoil(bytes, n.size);
        }
}

static int blocks_total(const test_rank *r)
{
    return 2 * COUNT(block_sizes) * THREADS * r->ranks;
}

static bool blocks_over(test_rank *r)
{
    return atomic_load(&((slab *)r->state)->notes) >= blocks_total(r);
}

static void old_key_done(void *arg, twill_status status, void *poller)
{
    (void)poller;
    parcel *p = arg;
    EXPECT(p->rank, status == TWILL_ERR_STATE && strstr(twill_message(), "not registered"));
    atomic_fetch_add(&p->done, 1);
}

/* Memory that is not registered any more is left alone. */
static void use_old_keys(test_rank *r)
{
    slab *s = r->state;
    unsigned char byte = 1;
    parcel p = {.rank = r};
    for (int to = 0; to < r->ranks; to++) {
        tw_comm_transfer t = {.key = s->keys[to],
                              .memory = &byte,
                              .size = 1,
                              .done = old_key_done,
                              .arg = &p,
                              .notify = 2};
        EXPECT(r, !tw_comm_put(r->comm, &t) && !tw_comm_get(r->comm, &t));
    }
    while (atomic_load(&p.done) < 2 * r->ranks)
        test_poll(r);
    EXPECT(r, byte == 1 && tw_comm_expected(r->comm) == 0);
}

static void blocks_close(test_rank *r)
{
    slab *s = r->state;
    bool clean = true;
    for (size_t i = 0; i < s->size; i++)
        clean = clean && (i % STRIDE - GAP / 2 < MIB || s->memory[i] == UNTOUCHED);
    EXPECT(r, clean);
    tw_comm_deregister(r->comm, &s->keys[r->rank]);
    test_spoil(s->memory, s->size);
    test_barrier(r);
    use_old_keys(r);
    test_barrier(r);
    EXPECT(r, atomic_load(&s->notes) == blocks_total(r));
}

static void transfers_move_the_bytes_they_name(void **state)
{
    test_run_ranks(*state, &(test_program){.threads = THREADS,
                                           .state = sizeof(slab),
                                           .open = blocks_open,
                                           .work = blocks_work,
                                           .over = blocks_over,
                                           .close = blocks_close});
}

/* ---- closing while everything is under way --------------------------------------------------- */

enum { BLOCK = 4096, OPERATIONS = 40 };

static void look(test_rank *r, const unsigned char *data, size_t size)
{
    int sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += data[i];
    atomic_fetch_add(&((slab *)r->state)->sum, sum % 2);
}

static void abrupt_arrived(void *arg, int from, const void *head, size_t head_size,
                           const void *data, size_t size, void *poller)
{
    (void)from, (void)head, (void)head_size, (void)poller;
    const slab *s = ((test_rank *)arg)->state;
    const unsigned char *memory = s->memory, *at = data;
    if (at < memory || at >= memory + s->size) /* there, others put at the same time */
        look(arg, data, size);
}

static void abrupt_done(void *arg, twill_status status, void *poller)
{
    (void)poller;
    parcel *p = arg;
    slab *s = p->rank->state;
    EXPECT(p->rank, status == TWILL_OK || status == TWILL_ERR_CANCELED);
    EXPECT(p->rank, !status || strstr(twill_message(), "closed"));
    /* in the middle of closing this is refused */
    status = tw_comm_send(p->rank->comm, 0, &(tw_comm_message){.handler = 2});
    EXPECT(p->rank, status == TWILL_OK || status == TWILL_ERR_STATE);
    test_spoil(p->data, p->size);
    free(p);
    atomic_fetch_add(&s->done, 1);
}

static void abrupt_begin(test_rank *r, int to, int kind)
{
    slab *s = r->state;
    parcel *p = malloc(sizeof *p);
    unsigned char *data = test_bytes(BLOCK, (uint64_t)kind);
    if (!p)
        abort();
    *p = (parcel){.rank = r, .data = data, .size = BLOCK};
    tw_comm_message m = {.handler = 2, .data = data, .size = BLOCK, .sent = abrupt_done, .arg = p};
    tw_comm_transfer t = {.key = s->keys[to],
                          .memory = data,
                          .offset = 1,
                          .size = BLOCK,
                          .done = abrupt_done,
                          .arg = p,
                          .notify = kind % 2 ? 2 : 0};
    atomic_fetch_add(&s->begun, 1);
    EXPECT(r, !(kind < 2   ? tw_comm_send(r->comm, to, &m)
                : kind < 4 ? tw_comm_put(r->comm, &t)
                           : tw_comm_get(r->comm, &t)));
}

static void abrupt_open(test_rank *r)
{
    slab_open(r, BLOCK + 2, abrupt_arrived);
}

/* Ranks close at different times: those that poll often later. */
static void abrupt_work(test_rank *r, int thread)
{
    uint64_t seed = (uint64_t)(r->rank * THREADS + thread);
    slab_wait(r);
    for (int i = 0; i < OPERATIONS; i++) {
        int to = (int)test_random(&seed, (uint64_t)r->ranks);
        abrupt_begin(r, to, (int)test_random(&seed, 6));
        EXPECT(r, !tw_comm_send(r->comm, to,
                                &(tw_comm_message){.handler = 2, .data = "copied", .size = 6}));
        if ((int)test_random(&seed, TEST_RANKS) < r->rank)
            test_poll(r);
    }
}

/* After the endpoint is closed: nobody has the memory of this rank any more. */
static void abrupt_close(test_rank *r)
{
    slab *s = r->state;
    EXPECT(r, atomic_load(&s->begun) == THREADS * OPERATIONS);
    EXPECT(r, atomic_load(&s->done) == atomic_load(&s->begun));
    test_spoil(s->memory, s->size);
}

static void closing_completes_what_is_under_way(void **state)
{
    for (int round = 0; round < (test_slow() ? 3 : 20); round++)
        test_run_ranks(*state, &(test_program){.threads = THREADS,
                                               .abrupt = true,
                                               .state = sizeof(slab),
                                               .open = abrupt_open,
                                               .work = abrupt_work,
                                               .close = abrupt_close});
}

/* ---- the suite ------------------------------------------------------------------------------- */

static const test_comm_case suite[] = {
    {"transfers move the bytes they name", transfers_move_the_bytes_they_name},
    {"closing completes what is under way", closing_completes_what_is_under_way},
};

int main(void)
{
    return test_all_transports(suite, COUNT(suite));
}
