/* What only the loopback transport has: a hub, delays, orders, and what is dropped. */
#include "comm/loopback.h"

#include "support/test.h"

#include <pthread.h>
#include <string.h>

enum { RANKS = 3, MOST = 1000 };

/* What arrived at a rank, and what completed there. */
typedef struct seen {
    int n, from[MOST], number[MOST];
    int done, canceled;
} seen;

static void arrived(void *arg, int from, const void *head, size_t head_size, const void *data,
                    size_t size, void *poller)
{
    (void)data, (void)size, (void)poller;
    seen *s = arg;
    s->from[s->n] = from;
    if (head_size == sizeof(int))
        memcpy(&s->number[s->n], head, sizeof(int));
    s->n++;
}

static void completed(void *arg, twill_status status, void *poller)
{
    (void)poller;
    seen *s = arg;
    s->done++;
    s->canceled += status == TWILL_ERR_CANCELED;
}

static void join_all(tw_loopback *hub, int ranks, tw_comm **comm, seen *s)
{
    memset(s, 0, (size_t)ranks * sizeof *s);
    for (int i = 0; i < ranks; i++) {
        OK(tw_loopback_join(hub, i, &comm[i]));
        tw_comm_set_handler(comm[i], 1, arrived, &s[i]);
    }
}

static void open_all(const tw_loopback_options *options, tw_loopback **hub, tw_comm **comm, seen *s)
{
    OK(tw_loopback_open(RANKS, options, hub));
    join_all(*hub, RANKS, comm, s);
}

static void send_number(tw_comm *comm, int to, int number)
{
    OK(tw_comm_send(comm, to,
                    &(tw_comm_message){.handler = 1, .head = &number, .head_size = sizeof number}));
}

/* A message whose data stay here until it is sent. */
static void send_kept(tw_comm *comm, int to, seen *s)
{
    OK(tw_comm_send(
        comm, to,
        &(tw_comm_message){.handler = 1, .data = "kept", .size = 4, .sent = completed, .arg = s}));
}

static int polls_until(tw_comm *comm, const int *counter, int value)
{
    int polls = 0;
    for (; *counter < value && polls < 100 * MOST; polls++)
        (void)tw_comm_progress(comm, NULL);
    assert_int_equal(*counter, value);
    return polls;
}

/* ---- hub ------------------------------------------------------------------------------------- */

TEST(ranks_join_once)
{
    tw_loopback *hub;
    tw_comm *comm = NULL, *again = NULL;
    REFUSED(tw_loopback_open(0, NULL, &hub), TWILL_ERR_ARGUMENT, "0 ranks");
    REFUSED(tw_loopback_open(1025, NULL, &hub), TWILL_ERR_ARGUMENT, "1 to 1024");
    OK(tw_loopback_open(2, NULL, &hub));
    REFUSED(tw_loopback_join(hub, 2, &comm), TWILL_ERR_ARGUMENT, "rank 2");
    REFUSED(tw_loopback_join(hub, -1, &comm), TWILL_ERR_ARGUMENT, "rank -1");
    OK(tw_loopback_join(hub, 1, &comm));
    assert_int_equal(comm->rank, 1);
    assert_int_equal(comm->ranks, 2);
    REFUSED(tw_loopback_join(hub, 1, &again), TWILL_ERR_STATE, "joined before");
    assert_null(again);
    tw_comm_close(comm, NULL);
    REFUSED(tw_loopback_join(hub, 1, &again), TWILL_ERR_STATE, "joined before");
    tw_loopback_close(hub);
}

TEST(messages_wait_for_a_rank_to_join)
{
    static seen s[2];
    tw_loopback *hub;
    tw_comm *comm[2];
    OK(tw_loopback_open(2, NULL, &hub));
    join_all(hub, 1, comm, s);
    send_number(comm[0], 1, 7);
    OK(tw_loopback_join(hub, 1, &comm[1]));
    tw_comm_set_handler(comm[1], 1, arrived, &s[1]);
    assert_true(tw_comm_progress(comm[1], NULL));
    assert_int_equal(s[1].n, 1);
    assert_int_equal(s[1].number[0], 7);
    assert_false(tw_comm_progress(comm[1], NULL));
    tw_loopback_close(hub);
    tw_comm_close(comm[1], NULL);
    tw_comm_close(comm[0], NULL);
}

TEST(ranks_that_never_join_drop_what_waited)
{
    static seen s[1];
    tw_loopback *hub;
    tw_comm *comm;
    OK(tw_loopback_open(2, NULL, &hub));
    join_all(hub, 1, &comm, s);
    send_number(comm, 1, 7);
    send_kept(comm, 1, s);
    assert_int_equal(tw_comm_expected(comm), 1);
    tw_loopback_close(hub);
    (void)polls_until(comm, &s->canceled, 1);
    send_kept(comm, 1, s);
    (void)polls_until(comm, &s->canceled, 2);
    assert_int_equal(tw_comm_expected(comm), 0);
    tw_comm_close(comm, NULL);
}

/* The hub is closed as one of them, at every place of every order. */
TEST(everybody_closes_in_any_order)
{
    for (int order = 0; order < 256; order++) {
        static seen s[RANKS];
        tw_loopback *hub;
        tw_comm *comm[RANKS];
        int who[] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6}, all = 0, n = 0;
        for (int i = 0; i <= RANKS; i++)
            all |= 1 << who[i];
        if (all != (2 << RANKS) - 1)
            continue;
        open_all(NULL, &hub, comm, s);
        for (int from = 0; from < RANKS; from++)
            for (int to = 0; to < RANKS; to++) {
                send_number(comm[from], to, 1);
                send_kept(comm[from], to, &s[from]);
            }
        for (int i = 0; i <= RANKS; i++)
            if (who[i] < RANKS)
                tw_comm_close(comm[who[i]], NULL);
            else
                tw_loopback_close(hub);
        for (int i = 0; i < RANKS; i++)
            n += s[i].canceled == RANKS && s[i].done == RANKS && s[i].n == 0;
        assert_int_equal(n, RANKS);
    }
}

TEST(what_closed_endpoints_get_is_dropped_and_counted)
{
    static seen s[RANKS];
    tw_loopback *hub;
    tw_comm *comm[RANKS];
    char memory[8] = "memory", byte = 'X';
    tw_comm_key key;
    open_all(NULL, &hub, comm, s);
    OK(tw_comm_register(comm[1], memory, sizeof memory, &key));
    send_number(comm[0], 1, 1);
    send_number(comm[1], 0, 2);
    tw_comm_close(comm[1], NULL);
    assert_int_equal(tw_loopback_dropped(hub), 1);
    send_number(comm[0], 1, 3);
    send_kept(comm[0], 1, &s[0]);
    tw_comm_transfer t = {
        .key = key, .memory = &byte, .size = 1, .done = completed, .arg = &s[0], .notify = 1};
    OK(tw_comm_put(comm[0], &t));
    OK(tw_comm_get(comm[0], &t));
    assert_int_equal(tw_loopback_dropped(hub), 5);
    assert_int_equal(s[0].done, 0); /* not inside the call */
    (void)polls_until(comm[0], &s[0].canceled, 3);
    CONTAINS(twill_message(), "closed");
    assert_int_equal(s[0].n, 1); /* what the closed one had sent */
    assert_string_equal(memory, "memory");
    assert_int_equal(byte, 'X');
    tw_comm_close(comm[0], NULL);
    tw_comm_close(comm[2], NULL);
    tw_loopback_close(hub);
}

/* ---- delays and orders ----------------------------------------------------------------------- */

enum { EACH = 100 };

/* Ranks 1 and 2 send in turn to rank 0. Returns how often the sender changed. */
static int mix(const tw_loopback_options *options, seen *s)
{
    tw_loopback *hub;
    tw_comm *comm[RANKS];
    int next[RANKS] = {0}, changes = 0;
    open_all(options, &hub, comm, s);
    for (int i = 0; i < EACH; i++)
        for (int from = 1; from < RANKS; from++)
            send_number(comm[from], 0, i);
    (void)polls_until(comm[0], &s[0].n, 2 * EACH);
    for (int i = 0; i < 2 * EACH; i++) {
        assert_int_equal(s[0].number[i], next[s[0].from[i]]++);
        changes += i > 0 && s[0].from[i] != s[0].from[i - 1];
    }
    tw_loopback_close(hub);
    for (int i = 0; i < RANKS; i++)
        tw_comm_close(comm[i], NULL);
    return changes;
}

TEST(senders_are_mixed_and_each_stays_in_order)
{
    static seen s[RANKS];
    assert_int_equal(mix(NULL, s), 2 * EACH - 1);
    for (uint64_t seed = 0; seed < 20; seed++)
        assert_in_range(mix(&(tw_loopback_options){.seed = seed, .reorder = true}, s), EACH / 2,
                        3 * EACH / 2);
}

TEST(the_seed_decides)
{
    static seen a[RANKS], b[RANKS], c[RANKS];
    tw_loopback_options options = {.seed = 5, .delay = 10, .reorder = true};
    mix(&options, a);
    mix(&options, b);
    options.seed = 6;
    mix(&options, c);
    assert_memory_equal(a, b, sizeof a);
    assert_true(memcmp(a, c, sizeof a) != 0);
}

/* Messages of one rank overtake its transfers and are overtaken: nobody may rely on an order. */
TEST(transfers_have_no_order)
{
    bool before = false, after = false;
    for (uint64_t seed = 0; seed < 20; seed++) {
        static seen s[RANKS];
        tw_loopback *hub;
        tw_comm *comm[RANKS];
        tw_comm_key key;
        char memory = 0, byte = 1;
        int number = 1;
        open_all(&(tw_loopback_options){.seed = seed, .reorder = true}, &hub, comm, s);
        OK(tw_comm_register(comm[1], &memory, 1, &key));
        OK(tw_comm_put(comm[0], &(tw_comm_transfer){.key = key,
                                                    .memory = &byte,
                                                    .size = 1,
                                                    .done = completed,
                                                    .arg = &s[0],
                                                    .notify = 1,
                                                    .head = &number,
                                                    .head_size = sizeof number}));
        send_number(comm[0], 1, 2);
        (void)polls_until(comm[1], &s[1].n, 2);
        before |= s[1].number[0] == 1;
        after |= s[1].number[0] == 2;
        assert_int_equal(memory, 1);
        tw_loopback_close(hub);
        for (int i = 0; i < RANKS; i++)
            tw_comm_close(comm[i], NULL);
        assert_int_equal(s[0].done, 1);
    }
    assert_true(before && after);
}

TEST(delays_are_random_and_bounded)
{
    enum { DELAY = 50 };
    static seen s[RANKS];
    tw_loopback *hub;
    tw_comm *comm[RANKS];
    int longest = 0, shortest = MOST;
    open_all(&(tw_loopback_options){.seed = 1, .delay = DELAY}, &hub, comm, s);
    for (int i = 1; i <= MOST / 2; i++) {
        send_number(comm[1], 0, i);
        int polls = 0;
        for (; s[0].n < i; polls++)
            assert_true(tw_comm_progress(comm[0], NULL)); /* about to happen */
        longest = polls > longest ? polls : longest;
        shortest = polls < shortest ? polls : shortest;
    }
    assert_in_range(longest, DELAY - 5, DELAY);
    assert_in_range(shortest, 0, 5);
    assert_false(tw_comm_progress(comm[0], NULL));
    tw_loopback_close(hub);
    for (int i = 0; i < RANKS; i++)
        tw_comm_close(comm[i], NULL);
}

/* ---- waking ---------------------------------------------------------------------------------- */

static void count(void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
}

TEST(arrivals_wake)
{
    static seen s[RANKS];
    tw_loopback *hub;
    tw_comm *comm[RANKS];
    atomic_int woken[2] = {0};
    open_all(NULL, &hub, comm, s);
    send_number(comm[0], 1, 1);
    assert_true(tw_comm_watch(comm[1], count, &woken[1]));
    assert_int_equal(atomic_load(&woken[1]), 1); /* it was there already */
    assert_true(tw_comm_watch(comm[0], count, &woken[0]));
    assert_int_equal(atomic_load(&woken[0]), 0);
    send_kept(comm[0], 1, &s[0]);
    assert_int_equal(atomic_load(&woken[1]), 2);
    (void)polls_until(comm[1], &s[1].n, 2);
    assert_int_equal(atomic_load(&woken[0]), 1); /* it can be completed */
    (void)polls_until(comm[0], &s[0].done, 1);
    send_number(comm[0], 0, 1);
    assert_int_equal(atomic_load(&woken[0]), 2);
    tw_comm_close(comm[1], NULL);
    send_number(comm[0], 1, 1);
    assert_int_equal(atomic_load(&woken[1]), 2);
    tw_loopback_close(hub);
    tw_comm_close(comm[0], NULL);
    tw_comm_close(comm[2], NULL);
}

typedef struct lookout {
    const tw_comm *sender;
    int64_t expected; /* by the sender, when something arrived */
} lookout;

static void look_at_sender(void *arg)
{
    lookout *l = arg;
    l->expected = tw_comm_expected(l->sender);
}

/* From the moment on when somebody could complete it. */
TEST(an_operation_is_expected_before_it_arrives)
{
    static seen s[RANKS];
    tw_loopback *hub;
    tw_comm *comm[RANKS];
    open_all(NULL, &hub, comm, s);
    lookout l = {.sender = comm[0]};
    assert_true(tw_comm_watch(comm[1], look_at_sender, &l));
    send_kept(comm[0], 1, &s[0]);
    assert_int_equal(l.expected, 1);
    tw_loopback_close(hub);
    for (int i = 0; i < RANKS; i++)
        tw_comm_close(comm[i], NULL);
}

/* A receiver that is in the middle of being woken when its endpoint is closed. */
typedef struct slow_waker {
    atomic_int inside, leave, gone;
} slow_waker;

static void wake_slowly(void *arg)
{
    slow_waker *w = arg;
    atomic_store(&w->inside, 1);
    while (!atomic_load(&w->leave))
        test_sleep_ms(1);
    test_sleep_ms(20);
    atomic_store(&w->gone, 1);
}

static void *send_one(void *arg)
{
    (void)tw_comm_send(arg, 1, &(tw_comm_message){.handler = 1});
    return NULL;
}

TEST(closing_waits_for_calls_of_the_waker)
{
    static seen s[RANKS];
    tw_loopback *hub;
    tw_comm *comm[RANKS];
    slow_waker w = {0};
    pthread_t thread;
    open_all(NULL, &hub, comm, s);
    assert_true(tw_comm_watch(comm[1], wake_slowly, &w));
    assert_int_equal(pthread_create(&thread, NULL, send_one, comm[0]), 0);
    REACHES(&w.inside, 1);
    atomic_store(&w.leave, 1);
    tw_comm_close(comm[1], NULL);
    assert_int_equal(atomic_load(&w.gone), 1);
    pthread_join(thread, NULL);
    tw_loopback_close(hub);
    tw_comm_close(comm[0], NULL);
    tw_comm_close(comm[2], NULL);
}

TEST(a_transport_may_have_no_waker)
{
    assert_false(tw_comm_unwatched(NULL, count, NULL));
}

TEST(messages_without_a_handler_are_dropped)
{
    static seen s[RANKS];
    tw_loopback *hub;
    tw_comm *comm[RANKS];
    open_all(NULL, &hub, comm, s);
    tw_comm_set_handler(comm[0], 2, arrived, &s[0]);
    OK(tw_comm_send(comm[0], 1, &(tw_comm_message){.handler = 2}));
    send_number(comm[0], 1, 5);
    (void)polls_until(comm[1], &s[1].n, 1);
    assert_int_equal(s[1].number[0], 5);
    tw_loopback_close(hub);
    for (int i = 0; i < RANKS; i++)
        tw_comm_close(comm[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_join_once),
        cmocka_unit_test(messages_wait_for_a_rank_to_join),
        cmocka_unit_test(ranks_that_never_join_drop_what_waited),
        cmocka_unit_test(everybody_closes_in_any_order),
        cmocka_unit_test(what_closed_endpoints_get_is_dropped_and_counted),
        cmocka_unit_test(senders_are_mixed_and_each_stays_in_order),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(transfers_have_no_order),
        cmocka_unit_test(delays_are_random_and_bounded),
        cmocka_unit_test(arrivals_wake),
        cmocka_unit_test(an_operation_is_expected_before_it_arrives),
        cmocka_unit_test(closing_waits_for_calls_of_the_waker),
        cmocka_unit_test(a_transport_may_have_no_waker),
        cmocka_unit_test(messages_without_a_handler_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
