/* Messages that are damaged on their way: cut off, or with words that are others. All ranks end the
 * run, with an error or without, and nobody reads what is not there (sanitizers look). The graphs
 * are broadcast.jdf and late.jdf. */
#include "support/limit.h"
#include "support/ranks.h"

#include "base/mix.h"
#include "engine/remote/messages.h"

#include "broadcast.h"
#include "late.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 30, RANKS = 4, B = 4 };

/* What happens to which message, counted over all ranks. */
static struct {
    atomic_int sent;
    int damaged;
    bool head; /* its head, and it is another one */
    bool twice;
    uint64_t seed;
} fault;

void __real_tw_shared_send(twill_graph *g, int to, int kind, void *bytes, size_t size);
void __wrap_tw_shared_send(twill_graph *g, int to, int kind, void *bytes, size_t size);

/* Sizes that there are not, numbers of nobody, and small ones that may be. */
static int64_t strange_word(uint64_t random)
{
    static const int64_t words[] = {-1, 0, 1, 2, 3, 7, 8, 100, INT32_MAX, INT64_MAX, INT64_MIN};
    return random % 13 < 11 ? words[random % 13] : (int64_t)tw_mix(random);
}

static size_t damage(void *bytes, size_t size)
{
    uint64_t random = tw_mix(fault.seed);
    size_t words = size / sizeof(int64_t);
    if (random % 2 || !words)
        return tw_mix(random) % (size + 1);
    int64_t word = strange_word(tw_mix(random + 1));
    /* most faults in front, where names and shapes are */
    size_t at = tw_mix(random + 2) % (random % 3 && words > 16 ? 16 : words);
    memcpy((char *)bytes + at * sizeof word, &word, sizeof word);
    return size;
}

static void send_again(twill_graph *g, int to, int kind, const void *bytes, size_t size)
{
    void *copy = malloc(size + 1);
    __real_tw_shared_send(g, to, kind, memcpy(copy, bytes, size), size);
}

void __wrap_tw_shared_send(twill_graph *g, int to, int kind, void *bytes, size_t size)
{
    if (fault.twice) {
        if (atomic_fetch_add(&fault.sent, 1) == fault.damaged)
            send_again(g, to, kind, bytes, size);
    } else if (!fault.head && atomic_fetch_add(&fault.sent, 1) == fault.damaged) {
        size = damage(bytes, size);
        if (tw_mix(fault.seed + 3) % 8 == 0)
            kind = (int)(fault.seed % 9) - 2;
    }
    __real_tw_shared_send(g, to, kind, bytes, size);
}

twill_status __real_tw_comm_send(tw_comm *comm, int to, const tw_comm_message *m);
twill_status __wrap_tw_comm_send(tw_comm *comm, int to, const tw_comm_message *m);

/* Messages to the front end and loans, with a head that is too short, or of no kind. */
twill_status __wrap_tw_comm_send(tw_comm *comm, int to, const tw_comm_message *m)
{
    tw_remote_head head;
    tw_comm_message wrong = *m;
    memcpy(&head, m->head, sizeof head);
    if (!fault.head || head.what > TW_REMOTE_LOAN ||
        atomic_fetch_add(&fault.sent, 1) != fault.damaged)
        return __real_tw_comm_send(comm, to, m);
    head.what = fault.seed % 4 < 2 ? 77 : head.what;
    wrong.head = &head;
    wrong.head_size = fault.seed % 4 < 2 ? sizeof head : fault.seed % sizeof head;
    return __real_tw_comm_send(comm, to, &wrong);
}

/* ---- the graphs, whose results nobody looks at ----------------------------------------------- */

int64_t sum_of(const twill_flow *t);
void add_to(const twill_flow *t, int64_t what);
void fill_square(const twill_flow *x, int64_t k);
twill_outcome check_square(twill_task *t, void *side, const twill_flow *y, int64_t k, int64_t r);
twill_outcome check_lower(twill_task *t, void *side, const twill_flow *y, int64_t k);

int64_t sum_of(const twill_flow *t)
{
    (void)t;
    return 0;
}

void add_to(const twill_flow *t, int64_t what)
{
    (void)t, (void)what;
}

void fill_square(const twill_flow *x, int64_t k)
{
    memset(x->data, (int)k, (size_t)(x->rows * x->cols) * sizeof(int64_t));
}

twill_outcome check_square(twill_task *t, void *side, const twill_flow *y, int64_t k, int64_t r)
{
    (void)t, (void)side, (void)y, (void)k, (void)r;
    return TWILL_DONE;
}

twill_outcome check_lower(twill_task *t, void *side, const twill_flow *y, int64_t k)
{
    (void)t, (void)side, (void)y, (void)k;
    return TWILL_DONE;
}

static const twill_datatype square = {
    .size = sizeof square, .rows = B, .cols = B, .element = sizeof(int64_t)};
static const twill_datatype lower = {.size = sizeof lower, .region = TWILL_REGION_LOWER};
static const twill_datatype upper = {.size = sizeof upper, .region = TWILL_REGION_STRICTLY_UPPER};

static twill_array *squares(twill *tw, int64_t rows, int64_t cols, int64_t size)
{
    twill_array *a = NULL;
    twill_pattern p = twill_block_cyclic(rows * size, cols * size, size, size, RANKS, 1);
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

typedef struct outcome {
    twill_status status[RANKS];
} outcome;

static void finish(twill_graph *g, twill_status *status)
{
    OK(twill_ptg_run(g));
    *status = twill_wait(g);
    twill_graph_free(g);
}

static void play_broadcast(twill *tw, void *arg)
{
    outcome *o = arg;
    twill_graph *g;
    OK(twill_broadcast_new(tw, RANKS, 3, squares(tw, RANKS, 1, 1), &square, &lower, NULL, &g));
    finish(g, &o->status[twill_rank(tw)]);
}

static void play_late(twill *tw, void *arg)
{
    outcome *o = arg;
    twill_graph *g;
    enum { N = 5 };
    twill_array *a = squares(tw, N, 1, 1), *c = squares(tw, N, 1, 1), *d = squares(tw, N, 1, 1);
    OK(twill_late_new(tw, N, a, c, d, squares(tw, N, 1, B), squares(tw, N, N, B), &lower, &upper,
                      &g));
    finish(g, &o->status[twill_rank(tw)]);
}

/* ------------------------------------------------------------------------------------------ */

/* How many ranks report an error: all or none. */
static bool is_reported(const outcome *o)
{
    for (int r = 1; r < RANKS; r++)
        assert_int_equal(o->status[r] == TWILL_OK, o->status[0] == TWILL_OK);
    return o->status[0] != TWILL_OK;
}

static int run_damaged(void (*play)(twill *, void *), int seed)
{
    outcome o = {0};
    fault.sent = 0;
    fault.damaged = (int)(tw_mix((uint64_t)seed) % 40);
    fault.seed = (uint64_t)seed;
    limit_begin(NULL, LIMIT, "damaged messages, seed %d", seed);
    test_on_ranks(&(test_ranks){.ranks = RANKS, .workers = 1}, play, &o);
    limit_end();
    return is_reported(&o);
}

static void damage_many(void (*play)(twill *, void *))
{
    static const char *const lend[] = {"1", "1000000"}; /* values by themselves, and not */
    const char *runs = getenv("TW_RUNS"), *first = getenv("TW_SEED");
    setenv("TWILL_TOPOLOGY", "core:2 pu:1",
           1); /* thousands of contexts: do not look at each core */
    int n = runs ? atoi(runs) : test_slow() ? 60 : 300, from = first ? atoi(first) : 1, found = 0;
    for (int seed = from; seed < from + n; seed++) {
        setenv("TWILL_LEND", lend[seed % 2], 1);
        setenv("TWILL_BROADCAST", seed % 3 ? "binomial" : "chain", 1);
        found += run_damaged(play, seed);
    }
    unsetenv("TWILL_LEND");
    unsetenv("TWILL_BROADCAST");
    unsetenv("TWILL_TOPOLOGY");
    assert_true(found > 0 || n < 10);
}

TEST(damaged_outputs_end_the_run_on_all_ranks)
{
    damage_many(play_broadcast);
}

TEST(damaged_stores_requests_and_replies_do_as_well)
{
    damage_many(play_late);
}

TEST(what_is_no_message_ends_the_run_on_all_ranks)
{
    fault.head = true;
    damage_many(play_broadcast);
    damage_many(play_late);
    fault.head = false;
}

/* Control that comes twice is counted for a tile that has not come. */
TEST(messages_that_come_twice_do_as_well)
{
    fault.twice = true;
    damage_many(play_late);
    fault.twice = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_message_ends_the_run_on_all_ranks),
        cmocka_unit_test(damaged_outputs_end_the_run_on_all_ranks),
        cmocka_unit_test(damaged_stores_requests_and_replies_do_as_well),
        cmocka_unit_test(messages_that_come_twice_do_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
