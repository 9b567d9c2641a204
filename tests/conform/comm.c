/* What every transport must do with messages: comm.h has the promises. */
#include "support/transports.h"

#include "base/mix.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, MIB = 1 << 20 };

/* ---- storms: everybody sends to everybody ---------------------------------------------------- */

typedef struct storm_plan {
    int messages; /* of each thread to each rank */
    int nsizes;
    size_t sizes[4];
} storm_plan;

typedef struct storm {
    int next[TEST_RANKS][THREADS]; /* number that must come next */
    atomic_int received, kept, sent;
    struct room *rooms; /* that data are on their way to; this and the next are the poller's */
    int used;
} storm;

typedef struct room {
    struct room *next;
    unsigned char bytes[];
} room;

typedef struct storm_head {
    int from, to, thread, number;
    size_t head_size, size;
    unsigned char rest[];
} storm_head;

/* Data that stay until they are sent. */
typedef struct parcel {
    test_rank *rank;
    unsigned char *data;
    size_t size;
} parcel;

static uint64_t storm_seed(const storm_head *h)
{
    return tw_mix(tw_mix((uint64_t)h->from * 64 + (uint64_t)h->thread) + (uint64_t)h->number);
}

/* Every other message wants its data in a place of its own. */
static void *storm_place(void *arg, int from, const void *head, size_t head_size, size_t size,
                         void *poller)
{
    test_rank *r = arg;
    storm *s = r->state;
    const storm_head *h = head;
    EXPECT(r, poller == r && !test_beginning && h->from == from && h->head_size == head_size);
    EXPECT(r, h->size == size && size > 0);
    room *m = h->number % 2 ? NULL : malloc(sizeof *m + size);
    if (!m)
        return NULL;
    m->next = s->rooms;
    s->rooms = m;
    return m->bytes;
}

static void leave_room(storm *s, const void *data)
{
    room **link = &s->rooms;
    while (*link && (*link)->bytes != data)
        link = &(*link)->next;
    room *m = *link;
    if (!m)
        return;
    *link = m->next;
    free(m);
    s->used++;
}

static void storm_arrived(void *arg, int from, const void *head, size_t head_size, const void *data,
                          size_t size, void *poller)
{
    test_rank *r = arg;
    storm *s = r->state;
    const storm_head *h = head;
    EXPECT(r, poller == r && !test_beginning && (uintptr_t)head % _Alignof(max_align_t) == 0);
    EXPECT(r, h->from == from && h->to == r->rank);
    EXPECT(r, h->head_size == head_size && h->size == size);
    EXPECT(r, h->number == s->next[from][h->thread]++);
    EXPECT(r, test_filled(h->rest, head_size - sizeof *h, storm_seed(h) + 1));
    EXPECT(r, test_filled(data, size, storm_seed(h)));
    leave_room(s, data);
    atomic_fetch_add(&s->received, 1);
}

static void storm_sent(void *arg, twill_status status, void *poller)
{
    parcel *p = arg;
    storm *s = p->rank->state;
    EXPECT(p->rank, status == TWILL_OK && poller == p->rank && !test_beginning);
    test_spoil(p->data, p->size);
    free(p);
    atomic_fetch_add(&s->sent, 1);
}

static void storm_send(test_rank *r, const storm_head *what, bool keep)
{
    storm *s = r->state;
    _Alignas(storm_head) unsigned char head[TW_COMM_HEAD];
    parcel *p = keep ? malloc(sizeof *p) : NULL;
    unsigned char *data = test_bytes(what->size, storm_seed(what));
    memcpy(head, what, sizeof *what);
    test_fill(head + sizeof *what, what->head_size - sizeof *what, storm_seed(what) + 1);
    tw_comm_message m = {
        .handler = 1, .head = head, .head_size = what->head_size, .data = data, .size = what->size};
    if (p) {
        *p = (parcel){.rank = r, .data = data, .size = what->size};
        m.sent = storm_sent;
        m.arg = p;
        atomic_fetch_add(&s->kept, 1);
    }
    test_send(r, what->to, &m);
    if (!p)
        test_spoil(data, what->size);
    memset(head, 0xAA, sizeof head);
}

static void storm_open(test_rank *r)
{
    tw_comm_set_handler(r->comm, 1, storm_arrived, r);
}

static void storm_work(test_rank *r, int thread)
{
    const storm_plan *plan = r->program->plan;
    uint64_t seed = (uint64_t)(r->rank * THREADS + thread);
    for (int number = 0; number < plan->messages; number++)
        for (int to = 0; to < r->ranks; to++) {
            size_t size = plan->sizes[test_random(&seed, (uint64_t)plan->nsizes)];
            size_t more = test_random(&seed, TW_COMM_HEAD - sizeof(storm_head) + 1);
            storm_send(r,
                       &(storm_head){.from = r->rank,
                                     .to = to,
                                     .thread = thread,
                                     .number = number,
                                     .head_size = sizeof(storm_head) + more,
                                     .size = size},
                       test_random(&seed, 2));
            if (test_random(&seed, 4) == 0)
                test_poll(r);
        }
}

static int storm_total(const test_rank *r)
{
    return ((const storm_plan *)r->program->plan)->messages * r->program->threads * r->ranks;
}

static bool storm_over(test_rank *r)
{
    return atomic_load(&((storm *)r->state)->received) >= storm_total(r);
}

static void storm_close(test_rank *r)
{
    storm *s = r->state;
    EXPECT(r, atomic_load(&s->received) == storm_total(r));
    EXPECT(r, atomic_load(&s->sent) == atomic_load(&s->kept));
    EXPECT(r, tw_comm_expected(r->comm) == 0 && !s->rooms);
}

static void placed_open(test_rank *r)
{
    storm_open(r);
    tw_comm_set_place(r->comm, 1, storm_place);
}

static void placed_close(test_rank *r)
{
    storm_close(r);
    EXPECT(r, ((const storm *)r->state)->used > 0);
}

static void run_storm(void **state, const storm_plan *plan, bool placed)
{
    test_run_ranks(*state, &(test_program){.threads = THREADS,
                                           .state = sizeof(storm),
                                           .plan = plan,
                                           .open = placed ? placed_open : storm_open,
                                           .work = storm_work,
                                           .over = storm_over,
                                           .close = placed ? placed_close : storm_close});
}

static void many_small_messages_arrive_once_and_in_order(void **state)
{
    run_storm(state, &(storm_plan){test_slow() ? 100 : 1000, 4, {0, 1, 13, 400}}, false);
}

static void large_messages_arrive_whole(void **state)
{
    run_storm(state, &(storm_plan){3, 4, {0, 70000, MIB - 1, MIB}}, false);
}

/* Short ones between long ones, and more long ones at a time than a transport lets go. */
static void data_go_where_handlers_want_them(void **state)
{
    run_storm(state, &(storm_plan){30, 4, {1, 400, 5000, 70000}}, true);
}

/* ---- handlers that send ---------------------------------------------------------------------- */

enum { BALLS = 8, HOPS = 100, DEPTH = 9 };

typedef struct ball {
    int home, left;
} ball;

static void ball_arrived(void *arg, int from, const void *head, size_t head_size, const void *data,
                         size_t size, void *poller)
{
    (void)poller;
    test_rank *r = arg;
    ball b = *(const ball *)head;
    EXPECT(r,
           head_size == sizeof b && !test_beginning && test_filled(data, size, (uint64_t)b.left));
    if (b.left == 0) {
        EXPECT(r, b.home == r->rank);
        atomic_fetch_add((atomic_int *)r->state, 1);
        return;
    }
    b.left--;
    unsigned char bytes[HOPS];
    test_fill(bytes, (size_t)b.left, (uint64_t)b.left);
    test_send(r, from,
              &(tw_comm_message){.handler = 1,
                                 .head = &b,
                                 .head_size = sizeof b,
                                 .data = bytes,
                                 .size = (size_t)b.left});
}

static void ball_open(test_rank *r)
{
    tw_comm_set_handler(r->comm, 1, ball_arrived, r);
}

static void ball_work(test_rank *r, int thread)
{
    for (int i = 0; i < BALLS; i++) {
        ball b = {r->rank, HOPS - 1};
        test_send(r, (r->rank + thread) % r->ranks,
                  &(tw_comm_message){.handler = 1, .head = &b, .head_size = sizeof b});
        test_poll(r);
    }
}

static bool ball_over(test_rank *r)
{
    return atomic_load((atomic_int *)r->state) >= BALLS * THREADS;
}

static void ball_close(test_rank *r)
{
    EXPECT(r, atomic_load((atomic_int *)r->state) == BALLS * THREADS);
}

static void handlers_answer_each_other(void **state)
{
    test_run_ranks(*state, &(test_program){.threads = THREADS,
                                           .state = sizeof(atomic_int),
                                           .open = ball_open,
                                           .work = ball_work,
                                           .over = ball_over,
                                           .close = ball_close});
}

/* A binary tree over random ranks: every node tells rank 0, which tells all when it is complete. */
typedef struct tree {
    int nodes; /* that rank 0 was told of */
    atomic_bool stop;
} tree;

static void node_arrived(void *arg, int from, const void *head, size_t head_size, const void *data,
                         size_t size, void *poller)
{
    (void)from, (void)head_size, (void)data, (void)size, (void)poller;
    test_rank *r = arg;
    ball node = *(const ball *)head; /* home: its number, from 1 */
    test_send(r, 0, &(tw_comm_message){.handler = 2});
    for (int child = 0; child < 2 && node.left > 0; child++) {
        ball b = {2 * node.home + child, node.left - 1};
        test_send(r, (int)(tw_mix((uint64_t)b.home) % (uint64_t)r->ranks),
                  &(tw_comm_message){.handler = 1, .head = &b, .head_size = sizeof b});
    }
}

static void node_counted(void *arg, int from, const void *head, size_t head_size, const void *data,
                         size_t size, void *poller)
{
    (void)from, (void)head, (void)head_size, (void)data, (void)size, (void)poller;
    test_rank *r = arg;
    if (++((tree *)r->state)->nodes == (2 << DEPTH) - 1)
        for (int to = 0; to < r->ranks; to++)
            test_send(r, to, &(tw_comm_message){.handler = 3});
}

static void tree_complete(void *arg, int from, const void *head, size_t head_size, const void *data,
                          size_t size, void *poller)
{
    (void)from, (void)head, (void)head_size, (void)data, (void)size, (void)poller;
    test_rank *r = arg;
    atomic_store(&((tree *)r->state)->stop, true);
}

static void tree_open(test_rank *r)
{
    tw_comm_set_handler(r->comm, 1, node_arrived, r);
    tw_comm_set_handler(r->comm, 2, node_counted, r);
    tw_comm_set_handler(r->comm, 3, tree_complete, r);
}

static void tree_work(test_rank *r, int thread)
{
    if (r->rank == 0 && thread == 0)
        test_send(
            r, 0,
            &(tw_comm_message){.handler = 1, .head = &(ball){1, DEPTH}, .head_size = sizeof(ball)});
    while (!atomic_load(&((tree *)r->state)->stop))
        test_poll(r);
}

static void tree_close(test_rank *r)
{
    EXPECT(r, ((tree *)r->state)->nodes == (r->rank == 0 ? (2 << DEPTH) - 1 : 0));
}

static void handlers_send_more_than_they_get(void **state)
{
    test_run_ranks(*state, &(test_program){.threads = THREADS,
                                           .state = sizeof(tree),
                                           .open = tree_open,
                                           .work = tree_work,
                                           .close = tree_close});
}

/* ---- arguments ------------------------------------------------------------------------------- */

static void nothing_done(void *arg, twill_status status, void *poller)
{
    (void)status, (void)poller;
    EXPECT((test_rank *)arg, false);
}

static void refused(test_rank *r, twill_status status, const char *words)
{
    EXPECT(r, status == TWILL_ERR_ARGUMENT && strstr(twill_message(), words));
    EXPECT(r, tw_comm_expected(r->comm) == 0);
}

static void refused_sends(test_rank *r)
{
    char head[TW_COMM_HEAD + 1] = {0};
    tw_comm_message good = {.handler = 1, .sent = nothing_done, .arg = r}, m;
    refused(r, tw_comm_send(r->comm, -1, &good), "rank -1");
    refused(r, tw_comm_send(r->comm, r->ranks, &good), "ranks");
    m = good, m.handler = 0;
    refused(r, tw_comm_send(r->comm, 0, &m), "handler");
    m = good, m.handler = 3;
    refused(r, tw_comm_send(r->comm, 0, &m), "number 3");
    m = good, m.handler = TW_COMM_HANDLERS;
    refused(r, tw_comm_send(r->comm, 0, &m), "handler");
    m = good, m.head = head, m.head_size = sizeof head;
    refused(r, tw_comm_send(r->comm, 0, &m), "head");
    m = good, m.size = 1;
    refused(r, tw_comm_send(r->comm, 0, &m), "bytes");
    m = good, m.data = head, m.size = SIZE_MAX;
    refused(r, tw_comm_send(r->comm, 0, &m), "bytes");
}

static void refused_transfers(test_rank *r)
{
    char byte;
    tw_comm_key key = {.rank = 0, .size = 100};
    const tw_comm_transfer good = {
        .key = key, .memory = &byte, .size = 1, .done = nothing_done, .arg = r};
    tw_comm_transfer t = good;
    t.key.rank = r->ranks;
    refused(r, tw_comm_put(r->comm, &t), "ranks");
    refused(r, tw_comm_get(r->comm, &t), "ranks");
    t = good, t.offset = 100;
    refused(r, tw_comm_put(r->comm, &t), "registered");
    t = good, t.offset = UINT64_MAX;
    refused(r, tw_comm_get(r->comm, &t), "registered");
    t = good, t.offset = 50, t.size = 51;
    refused(r, tw_comm_get(r->comm, &t), "registered");
    t = good, t.done = NULL;
    refused(r, tw_comm_put(r->comm, &t), "callback");
    t = good, t.notify = 3;
    refused(r, tw_comm_put(r->comm, &t), "handler");
    t = good, t.memory = NULL;
    refused(r, tw_comm_get(r->comm, &t), "bytes");
    refused(r, tw_comm_register(r->comm, NULL, 1, &key), "bytes");
}

static void refused_work(test_rank *r, int thread)
{
    (void)thread;
    refused_sends(r);
    refused_transfers(r);
}

static void what_does_not_exist_is_refused(void **state)
{
    test_run_ranks(*state, &(test_program){.threads = 1, .open = storm_open, .work = refused_work});
}

/* ---- the suite ------------------------------------------------------------------------------- */

static const test_comm_case suite[] = {
    {"many small messages arrive once and in order", many_small_messages_arrive_once_and_in_order},
    {"large messages arrive whole", large_messages_arrive_whole},
    {"data go where handlers want them", data_go_where_handlers_want_them},
    {"handlers answer each other", handlers_answer_each_other},
    {"handlers send more than they get", handlers_send_more_than_they_get},
    {"what does not exist is refused", what_does_not_exist_is_refused},
};

int main(void)
{
    return test_all_transports(suite, COUNT(suite));
}
