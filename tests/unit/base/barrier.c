/* A barrier for a few threads that meet often, with more and with fewer threads than cores. */
#include "support/test.h"

#include "base/barrier.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST = 8 };

typedef struct meeting {
    tw_barrier barrier;
    int phases, naps; /* who naps is late in one phase of so many */
    long plain[MOST]; /* written between barriers, read by all after */
    atomic_int wrong, last;
} meeting;

typedef struct member {
    meeting *m;
    int rank;
} member;

static void *meet(void *arg)
{
    member *self = arg;
    meeting *m = self->m;
    for (int phase = 1; phase <= m->phases; phase++) {
        if (m->naps && phase % m->naps == 0 && self->rank == phase % m->barrier.size)
            test_sleep_ms(2);
        m->plain[self->rank] = phase;
        if (tw_barrier_wait(&m->barrier))
            atomic_fetch_add(&m->last, 1);
        for (int i = 0; i < m->barrier.size; i++)
            if (m->plain[i] != phase)
                atomic_fetch_add(&m->wrong, 1);
        if (m->naps && self->rank % 2)
            tw_barrier_rest(&m->barrier);
        else
            tw_barrier_wait(&m->barrier);
    }
    return NULL;
}

static void check(int size, bool crowded, int phases, int naps)
{
    meeting *m = aligned_alloc(TW_LINE, tw_whole_lines(sizeof *m));
    *m = (meeting){.phases = phases, .naps = naps};
    tw_barrier_open(&m->barrier, size, crowded);
    pthread_t threads[MOST];
    member members[MOST];
    for (int i = 0; i < size; i++) {
        members[i] = (member){m, i};
        assert_int_equal(pthread_create(&threads[i], NULL, meet, &members[i]), 0);
    }
    for (int i = 0; i < size; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&m->wrong), 0);
    assert_int_equal(atomic_load(&m->last), phases);
    free(m);
}

TEST(nobody_goes_on_before_all_have_come)
{
    for (int size = 1; size <= MOST; size++) {
        check(size, false, test_slow() ? 200 : 2000, 0);
        check(size, true, test_slow() ? 200 : 2000, 0);
    }
}

/* A member that is late makes the others sleep, and wakes them. */
TEST(who_waits_long_sleeps_and_wakes)
{
    check(2, false, 40, 2);
    check(5, true, 60, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nobody_goes_on_before_all_have_come),
                                       cmocka_unit_test(who_waits_long_sleeps_and_wakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
