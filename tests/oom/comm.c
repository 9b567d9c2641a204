/* A transport without memory: what cannot begin has not begun, what has begun ends. */
#include "comm/loopback.h"

#include "support/inject.h"
#include "support/test.h"

#include <string.h>

enum { RANKS = 2, ROUNDS = 4, KINDS = 4 };

/* One rank, and what was begun and is over. */
typedef struct side {
    tw_comm *comm;
    int begun, done;           /* operations with a callback */
    int delivered, to_deliver; /* handlers called there, and those that should be */
    int wrong;
} side;

static void arrived(void *arg, int from, const void *head, size_t head_size, const void *data,
                    size_t size, void *poller)
{
    (void)from, (void)data, (void)size, (void)poller;
    side *s = arg;
    s->wrong += head_size != 4 || memcmp(head, "head", 4) != 0;
    s->delivered++;
}

static void completed(void *arg, twill_status status, void *poller)
{
    (void)poller;
    side *s = arg;
    s->wrong += status != TWILL_OK;
    s->done++;
}

/* Begin something of one kind with rank `other`, again if it was refused. */
static void begin(side *s, side *other, int kind, const tw_comm_key *key)
{
    static char memory[100];
    tw_comm_message m = {
        .handler = 1, .head = "head", .head_size = 4, .data = memory, .size = sizeof memory};
    tw_comm_transfer t = {.key = *key,
                          .memory = memory,
                          .size = sizeof memory,
                          .done = completed,
                          .arg = s,
                          .notify = 1,
                          .head = "head",
                          .head_size = 4};
    if (kind == 1)
        m.sent = completed, m.arg = s;
    for (int attempt = 0; attempt < 2; attempt++) {
        int64_t expected = tw_comm_expected(s->comm);
        twill_status status = kind < 2    ? tw_comm_send(s->comm, other->comm->rank, &m)
                              : kind == 2 ? tw_comm_put(s->comm, &t)
                                          : tw_comm_get(s->comm, &t);
        if (status == TWILL_OK) {
            s->begun += kind > 0;
            other->to_deliver++;
            return;
        }
        s->wrong += status != TWILL_ERR_MEMORY || !strstr(twill_message(), "no memory");
        s->wrong += tw_comm_expected(s->comm) != expected;
    }
}

static twill_status open_side(tw_loopback *hub, int rank, side *s, char *memory, size_t size,
                              tw_comm_key *key)
{
    OK(tw_loopback_join(hub, rank, &s->comm));
    tw_comm_set_handler(s->comm, 1, arrived, s);
    return tw_comm_register(s->comm, memory, size, key);
}

/* With endpoints and keys: everything that was begun comes to its end. */
static void talk(side *s, const tw_comm_key *keys)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int kind = 0; kind < KINDS; kind++)
            begin(&s[round % 2], &s[1 - round % 2], kind, &keys[1 - round % 2]);
    for (int i = 0; i < 100; i++)
        (void)tw_comm_progress(s[i % 2].comm, NULL);
    for (int i = 0; i < RANKS; i++) {
        assert_int_equal(s[i].done, s[i].begun);
        assert_int_equal(s[i].delivered, s[i].to_deliver);
        assert_int_equal(tw_comm_expected(s[i].comm), 0);
    }
}

static twill_status run(void)
{
    static char memory[RANKS][100];
    tw_loopback *hub;
    side s[RANKS] = {{0}, {0}};
    tw_comm_key keys[RANKS];
    twill_status status = tw_loopback_open(RANKS, NULL, &hub);
    if (status)
        return status;
    for (int i = 0; i < RANKS; i++) {
        twill_status registered = open_side(hub, i, &s[i], memory[i], sizeof memory[i], &keys[i]);
        status = status ? status : registered;
    }
    if (!status)
        talk(s, keys);
    begin(&s[0], &s[1], 0, &keys[0]); /* still under way */
    for (int i = 0; i < RANKS; i++)
        tw_comm_close(s[i].comm, NULL);
    tw_loopback_close(hub);
    assert_int_equal(s[0].wrong + s[1].wrong, 0);
    return status;
}

static void check(int64_t first, int64_t n, int64_t *requests)
{
    inject_begin(first, n);
    twill_status status = run();
    *requests = inject_requests();
    int64_t refused = inject_refused(), left = inject_left();
    inject_end();
    assert_int_equal(left, 0);
    assert_true(status == TWILL_OK || (status == TWILL_ERR_MEMORY && refused > 0));
    if (status)
        CONTAINS(twill_message(), "no memory");
}

TEST(what_is_refused_has_not_begun)
{
    int64_t total, requests;
    check(1, 0, &total);
    assert_in_range(total, ROUNDS * KINDS, 100);
    for (int64_t k = 1; k <= total; k++) {
        check(k, 1, &requests);
        check(k, INT64_MAX, &requests);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_refused_has_not_begun)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
