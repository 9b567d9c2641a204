/* Failures meet reports: a failure is reported once, and its poison ends with the report. */
#include "support/limit.h"
#include "support/test.h"

#include <pthread.h>

enum { SECONDS = 60 };

/* ---- poison --------------------------------------------------------------------------------- */

/* A reader of another graph waits for something else when the failure is reported: it takes the
 * poison along, and those who come after it do not. */
static void report_beside_a_reader(bool writes)
{
    twill *tw = test_start(3, "lws");
    twill_array *a = test_integers(tw, 2);
    twill_tile *x = twill_tile_at(a, 0, 0), *y = twill_tile_at(a, 1, 0);
    twill_graph *bad, *slow, *reader, *later;
    atomic_int count = 0, *counter = &count;
    test_hold hold;
    limit_begin(tw, SECONDS, "a reader that %s", writes ? "writes, too" : "waits");
    OK(twill_stf_begin(tw, &bad));
    OK(twill_stf_begin(tw, &slow));
    OK(twill_stf_begin(tw, &reader));
    OK(twill_stf_begin(tw, &later));
    test_hold_begin(&hold, slow, "slow", TWILL_RW(y));
    OK(twill_insert(bad, &test_planted, TWILL_RW(x)));
    twill_insert(reader, &test_count, TWILL_VALUE(counter), TWILL_R(x),
                 writes ? TWILL_RW(y) : TWILL_R(y));
    REFUSED(twill_wait(bad), TWILL_ERR_TASK, "planted");
    test_hold_end(&hold);
    OK(twill_wait(slow));
    twill_status status = twill_wait(reader);
    assert_true(status == TWILL_OK || status == TWILL_ERR_CANCELED);
    assert_int_equal(atomic_load(&count), status == TWILL_OK);
    for (int i = 0; i < 3; i++) {
        OK(twill_insert(i % 2 ? reader : later, &test_count, TWILL_VALUE(counter), TWILL_R(x),
                        TWILL_R(y)));
        OK(twill_wait(i % 2 ? reader : later));
    }
    assert_int_equal(atomic_load(&count), 3 + (status == TWILL_OK));
    assert_int_equal(test_get(a, 0), 0); /* the host may look, too */
    limit_end();
    twill_stop(tw);
}

TEST(poison_ends_with_the_report_although_a_reader_is_pending)
{
    report_beside_a_reader(false);
    report_beside_a_reader(true);
}

/* ---- one report for each failure ------------------------------------------------------------ */

enum { WAITERS = 2 };

typedef struct watch {
    twill_graph *g;
    atomic_int failed, reported, stop;
} watch;

static twill_outcome fail_body(twill_task *t)
{
    watch *w = *(watch **)twill_task_data(t, 0);
    atomic_fetch_add(&w->failed, 1);
    return twill_task_fail(t, "planted");
}

static const twill_class failing = {
    .size = sizeof(twill_class), .name = "failing", .chores = {TWILL_CPU(fail_body)}};

static void *wait_often(void *arg)
{
    watch *w = arg;
    while (!atomic_load(&w->stop))
        if (twill_wait(w->g) != TWILL_OK)
            atomic_fetch_add(&w->reported, 1);
    return NULL;
}

static bool reaches(const atomic_int *count, int value)
{
    while (atomic_load(count) < value)
        ;
    return atomic_load(count) == value;
}

TEST(each_failure_is_reported_by_one_wait)
{
    twill *tw = test_start(2, "lws");
    watch all = {.failed = 0}, *w = &all;
    pthread_t thread[WAITERS];
    bool once = true;
    limit_begin(tw, SECONDS, "failures one after the other");
    OK(twill_stf_begin(tw, &w->g));
    for (int i = 0; i < WAITERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, wait_often, w), 0);
    for (int i = 1; i <= (test_slow() ? 500 : 5000) && once; i++) {
        while (twill_insert(w->g, &failing, TWILL_VALUE(w)) != TWILL_OK)
            ; /* the failure before is about to be cleared */
        once = reaches(&w->failed, i) && reaches(&w->reported, i);
    }
    atomic_store(&w->stop, 1);
    for (int i = 0; i < WAITERS; i++)
        pthread_join(thread[i], NULL);
    assert_true(once);
    assert_int_equal(atomic_load(&w->reported), atomic_load(&w->failed));
    OK(twill_wait(w->g));
    limit_end();
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(poison_ends_with_the_report_although_a_reader_is_pending),
        LIMITED_TEST(each_failure_is_reported_by_one_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
