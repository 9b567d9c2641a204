/* The one-byte spinlock. */
#include "support/test.h"

#include "base/lock.h"

#include <pthread.h>

enum { THREADS = 4 };

typedef struct shared {
    tw_lock lock;
    int rounds;
    int64_t a, b; /* equal whenever nobody is inside */
    atomic_bool unequal;
} shared;

static void *add(void *arg)
{
    shared *s = arg;
    for (int i = 0; i < s->rounds; i++) {
        if (i % 3 == 0) {
            while (!tw_trylock(&s->lock))
                sched_yield();
        } else {
            tw_lock_take(&s->lock);
        }
        if (s->a != s->b)
            atomic_store(&s->unequal, true);
        s->a++;
        s->b++;
        tw_unlock(&s->lock);
    }
    return NULL;
}

TEST(one_thread_at_a_time_is_inside)
{
    shared s = {.rounds = test_slow() ? 2000 : 50000};
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, add, &s), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_false(atomic_load(&s.unequal));
    assert_int_equal(s.a, THREADS * s.rounds);
}

TEST(a_held_lock_is_not_given_twice)
{
    tw_lock lock = {0};
    assert_true(tw_trylock(&lock));
    assert_false(tw_trylock(&lock));
    tw_unlock(&lock);
    assert_true(tw_trylock(&lock));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_at_a_time_is_inside),
        cmocka_unit_test(a_held_lock_is_not_given_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
