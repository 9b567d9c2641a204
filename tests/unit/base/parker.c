/* Sleep and wake of one thread. */
#include "support/test.h"

#include "base/clock.h"
#include "base/parker.h"

TEST(a_token_given_before_ends_the_sleep_at_once)
{
    tw_parker p;
    tw_parker_open(&p);
    tw_unpark(&p);
    tw_park(&p);
    tw_unpark(&p);
    assert_true(tw_park_for(&p, 10.0));
    tw_parker_close(&p);
}

TEST(two_tokens_are_one)
{
    tw_parker p;
    tw_parker_open(&p);
    tw_unpark(&p);
    tw_unpark(&p);
    assert_true(tw_park_for(&p, 10.0));
    assert_false(tw_park_for(&p, 0.001));
    tw_parker_close(&p);
}

TEST(time_runs_out_and_not_before_it_is_up)
{
    const double times[] = {0.0, 0.001, 0.02, 1.05};
    tw_parker p;
    tw_parker_open(&p);
    for (int i = 0; i < COUNT(times); i++) {
        double start = tw_seconds();
        assert_false(tw_park_for(&p, times[i]));
        assert_true(tw_seconds() - start >= times[i]);
    }
    tw_parker_close(&p);
}

typedef struct pair {
    tw_parker ping, pong;
    int rounds, count;
} pair;

static void *answer(void *arg)
{
    pair *p = arg;
    for (int i = 0; i < p->rounds; i++) {
        tw_park(&p->ping);
        p->count++;
        tw_unpark(&p->pong);
    }
    return NULL;
}

/* A lost wake-up would leave both asleep; plain `count` also shows that a token orders memory. */
TEST(no_wake_up_is_lost)
{
    pair p = {.rounds = test_slow() ? 500 : 5000};
    tw_parker_open(&p.ping);
    tw_parker_open(&p.pong);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, answer, &p), 0);
    for (int i = 0; i < p.rounds; i++) {
        p.count++;
        tw_unpark(&p.ping);
        assert_true(tw_park_for(&p.pong, 10.0));
        assert_int_equal(p.count, 2 * (i + 1));
    }
    pthread_join(thread, NULL);
    tw_parker_close(&p.ping);
    tw_parker_close(&p.pong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_given_before_ends_the_sleep_at_once),
        cmocka_unit_test(two_tokens_are_one),
        cmocka_unit_test(time_runs_out_and_not_before_it_is_up),
        cmocka_unit_test(no_wake_up_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
