/* Why-idle on programs that are idle for known reasons. Bodies sleep, so that the times are what
 * they are however busy the machine is. */
#include "support/test.h"

#include <stdatomic.h>
#include <string.h>

static twill_outcome sleep_body(twill_task *t)
{
    test_sleep_ms((int)twill_task_int(t, 0));
    return TWILL_DONE;
}

static const twill_class gate = {
    .size = sizeof(twill_class), .name = "gate", .chores = {TWILL_CPU(sleep_body)}};
static const twill_class step = {
    .size = sizeof(twill_class), .name = "step", .chores = {TWILL_CPU(sleep_body)}};
static const twill_class filler = {
    .size = sizeof(twill_class), .name = "filler", .chores = {TWILL_CPU(sleep_body)}};
static const twill_class join = {
    .size = sizeof(twill_class), .name = "join", .chores = {TWILL_CPU(sleep_body)}};

typedef void program(twill_graph *g, twill_array *a);

/* Run it on two workers with so many tiles, and return its trace. The policy is one that heeds
 * priorities. */
static twill_trace *record(program *insert, int64_t tiles)
{
    twill *tw = test_start(2, "lws");
    twill_array *a = test_integers(tw, tiles);
    twill_graph *g;
    twill_trace *t = NULL;
    OK(twill_trace_begin(tw));
    OK(twill_stf_begin(tw, &g));
    insert(g, a);
    OK(twill_wait(g));
    OK(twill_trace_end(tw, &t));
    twill_stop(tw);
    return t;
}

/* The largest cause is this one, it makes up at least this share (the rest is for a machine that
 * is busy with other things), and is told in these words. */
static void check_cause(twill_trace *t, const char *cause, double share, const char *detail)
{
    twill_idle_cause c = {.size = sizeof c};
    char text[8192];
    assert_true(twill_trace_report(t, TWILL_REPORT_IDLE, text, sizeof text) > 0);
    OK(twill_trace_idle(t, 0, &c));
    if (strcmp(c.cause, cause) != 0 || c.share < share || strcmp(c.detail, detail) != 0)
        fail_msg("expected %s, %.0f%%, '%s':\n%s", cause, 100 * share, detail, text);
    CONTAINS(text, detail);
    CONTAINS(text, c.advice);
    twill_trace_free(t);
}

/* One task after the other: one of two workers has nothing to do. */
static void insert_chain(twill_graph *g, twill_array *a)
{
    for (int i = 0; i < 20; i++)
        OK(twill_insert(g, &step, TWILL_INT(3), TWILL_RW(twill_tile_at(a, 0, 0))));
}

TEST(a_serial_chain)
{
    check_cause(record(insert_chain, 1), "chain", 0.4, "step had to end before the next step");
}

/* Sleep beside the other of the pair, however late its worker wakes up: neither goes on before
 * both have begun. */
static twill_outcome pair_body(twill_task *t)
{
    static atomic_int begun;
    int together = 2 * (atomic_fetch_add(&begun, 1) / 2 + 1);
    while (atomic_load(&begun) < together)
        test_sleep_ms(1);
    return sleep_body(t);
}

static const twill_class half = {
    .size = sizeof(twill_class), .name = "half", .chores = {TWILL_CPU(pair_body)}};

/* A long and a short task, then one that needs both, again and again. */
static void insert_fork_join(twill_graph *g, twill_array *a)
{
    twill_tile *middle = twill_tile_at(a, 0, 0), *left = twill_tile_at(a, 1, 0),
               *right = twill_tile_at(a, 2, 0);
    for (int i = 0; i < 8; i++) {
        OK(twill_insert(g, &half, TWILL_INT(20), TWILL_R(middle), TWILL_W(left)));
        OK(twill_insert(g, &half, TWILL_INT(2), TWILL_R(middle), TWILL_W(right)));
        OK(twill_insert(g, &join, TWILL_INT(1), TWILL_R(left), TWILL_R(right), TWILL_RW(middle)));
    }
}

TEST(a_fork_join)
{
    check_cause(record(insert_fork_join, 3), "join", 0.4,
                "join waited for the last of several half");
}

/* A long chain, and many single tasks that are preferred to it. */
static void insert_wrong_priority(twill_graph *g, twill_array *a)
{
    twill_tile *first = twill_tile_at(a, 0, 0), *chain = twill_tile_at(a, 1, 0);
    OK(twill_insert(g, &gate, TWILL_INT(5), TWILL_W(first)));
    for (int i = 0; i < 10; i++)
        OK(twill_insert(g, &step, TWILL_INT(4), TWILL_R(first), TWILL_RW(chain)));
    for (int i = 0; i < 20; i++)
        OK(twill_insert(g, &filler, TWILL_INT(4), TWILL_R(first), TWILL_PRIORITY(10)));
}

TEST(a_wrong_priority)
{
    check_cause(record(insert_wrong_priority, 2), "priority", 0.3,
                "step was ready, but filler was started first");
}

/* The program inserts a task, waits for it, and takes its time before the next. */
static void insert_slowly(twill_graph *g, twill_array *a)
{
    (void)a;
    for (int i = 0; i < 10; i++) {
        OK(twill_insert(g, &step, TWILL_INT(1)));
        OK(twill_wait(g));
        test_sleep_ms(5);
    }
}

TEST(a_program_that_inserts_slowly)
{
    check_cause(record(insert_slowly, 1), "insertion", 0.4,
                "the program had not inserted the next step");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_serial_chain),
        cmocka_unit_test(a_fork_join),
        cmocka_unit_test(a_wrong_priority),
        cmocka_unit_test(a_program_that_inserts_slowly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
