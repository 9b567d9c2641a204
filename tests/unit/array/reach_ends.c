/* Copies of elements of other ranks: in line with what the owner does, while it computes, and what
 * goes wrong. */
#include "support/ranks.h"

#include <stdlib.h>
#include <string.h>

enum { N = 64, B = 16 };

static twill_array *array_of(twill *tw, int64_t block)
{
    const int64_t extent = N, ranks = twill_ranks(tw);
    twill_pattern p = twill_pattern_nd(1, &extent, &block, &ranks);
    twill_array *a;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    return a;
}

static void on_ranks(int ranks, int workers, void (*body)(twill *tw, void *arg))
{
    const test_ranks r = {.ranks = ranks, .workers = workers};
    test_on_ranks(&r, body, NULL);
}

/* ---- in line -------------------------------------------------------------------------------- */

/* Rank 1 has mapped its block: rank 0 waits, and sees what was written meanwhile, and its own put,
 * though it has not waited for that. */
static void behind_a_use(twill *tw, void *arg)
{
    static atomic_int held, got;
    twill_array *a = array_of(tw, B);
    twill_view block = twill_view_tile(a, 1, 0);
    (void)arg;
    if (twill_rank(tw) == 1) {
        void *data;
        int64_t ld;
        OK(twill_map(block, TWILL_READ_WRITE, &data, &ld));
        atomic_store(&held, 1);
        test_sleep_ms(20);
        assert_int_equal(atomic_load(&got), 0);
        ((double *)data)[2] = 5;
        ((double *)data)[3] = 5;
        OK(twill_unmap(block, data));
    } else {
        twill_future *f;
        double x[B] = {0}, seven = 7;
        REACHES(&held, 1);
        OK(twill_put_async(&seven, twill_view_range(block, 0, 3, 4), &f));
        assert_false(twill_future_test(f));
        OK(twill_get(block, x));
        atomic_store(&got, 1);
        OK(twill_future_wait(f));
        assert_true(x[1] == 0 && x[2] == 5 && x[3] == 7);
    }
    OK(twill_barrier(tw));
    twill_array_free(a);
}

TEST(a_copy_waits_for_who_is_in_line_at_the_owner)
{
    on_ranks(2, 2, behind_a_use);
}

static void until_got(const twill_line *line, void *arg)
{
    (void)line;
    REACHES(arg, 1);
}

/* All workers of rank 1 are in a body, or its program is elsewhere. */
static void beside_bodies(twill *tw, void *arg)
{
    static atomic_int got, got_again;
    twill_array *a = array_of(tw, B);
    double x[B], ones[B];
    (void)arg;
    for (int i = 0; i < B; i++)
        ones[i] = 1;
    if (twill_rank(tw) == 1) {
        OK(twill_for_each(twill_view_tile(a, 1, 0), TWILL_READ, until_got, &got));
        REACHES(&got_again, 1);
    } else {
        OK(twill_accumulate(ones, twill_view_tile(a, 3, 0)));
        OK(twill_accumulate(ones, twill_view_tile(a, 3, 0)));
        atomic_store(&got, 1);
        OK(twill_get(twill_view_tile(a, 3, 0), x));
        atomic_store(&got_again, 1);
        assert_true(x[0] == 2 && x[B - 1] == 2);
    }
    OK(twill_barrier(tw));
    twill_array_free(a);
}

TEST(an_owner_serves_while_it_computes)
{
    on_ranks(2, 1, beside_bodies);
}

/* Everybody adds to everything, many times at once. */
static void crowd(twill *tw, void *arg)
{
    enum { ROUNDS = 20 };
    twill_array *a = array_of(tw, 3);
    double ones[N], x[N];
    twill_future *f[ROUNDS];
    (void)arg;
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    OK(twill_barrier(tw));
    for (int i = 0; i < ROUNDS; i++)
        OK(twill_accumulate_async(ones, twill_view_all(a), &f[i]));
    OK(twill_fence(tw));
    OK(twill_future_wait_all(f, ROUNDS));
    OK(twill_barrier(tw));
    OK(twill_get(twill_view_all(a), x));
    for (int i = 0; i < N; i++)
        assert_true(x[i] == ROUNDS * twill_ranks(tw));
    OK(twill_barrier(tw));
    twill_array_free(a);
}

TEST(no_sum_is_lost)
{
    on_ranks(3, 2, crowd);
    on_ranks(5, 1, crowd);
}

/* ---- large ---------------------------------------------------------------------------------- */

/* Blocks of 2 MiB: sent from where they lie, and with gaps at either end in pieces. */
static void large_blocks(twill *tw, void *arg)
{
    enum { M = 512 };
    const int64_t other = 1 - twill_rank(tw);
    twill_pattern p = twill_block_cyclic(2 * M, M, M, M, 2, 1);
    twill_array *a;
    double *x = malloc(sizeof(double) * M * M);
    (void)arg;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    for (int64_t i = 0; i < M * M; i++)
        x[i] = (double)(i + twill_rank(tw));
    OK(twill_put(x, twill_view_tile(a, other, 0)));
    OK(twill_barrier(tw));
    memset(x, 0, sizeof(double) * M * M);
    OK(twill_get(twill_view_tile(a, other, 0), x));
    for (int64_t i = 0; i < M * M; i++)
        assert_true(x[i] == (double)(i + twill_rank(tw)));
    twill_view part = twill_view_range(twill_view_tile(a, other, 0), 0, 1, M);
    OK(twill_barrier(tw));
    OK(twill_put(x, part));
    OK(twill_barrier(tw));
    OK(twill_get(part, x));
    for (int64_t i = 0; i < (M - 1) * M; i++)
        assert_true(x[i] == (double)(i + twill_rank(tw)));
    OK(twill_barrier(tw));
    twill_array_free(a);
    free(x);
}

/* A block in one transfer, which is hidden behind a pause; and small parts of many blocks in one.
 */
static void counted(twill *tw, void *arg)
{
    enum { PAUSE_MS = 20 };
    twill_array *a = array_of(tw, B), *b = array_of(tw, 1);
    twill_counters before = {.size = sizeof before}, after = {.size = sizeof after};
    double x[N];
    (void)arg;
    OK(twill_barrier(tw));
    if (twill_rank(tw) == 0) {
        twill_future *f;
        OK(twill_count(tw, &before));
        OK(twill_get_async(twill_view_tile(a, 1, 0), x, &f));
        for (int i = 0; i < PAUSE_MS && !twill_future_test(f); i++)
            test_sleep_ms(1);
        OK(twill_future_wait(f));
        OK(twill_count(tw, &after));
        assert_int_equal(after.copies - before.copies, 1);
        assert_int_equal(after.copy_bytes - before.copy_bytes, B * (int64_t)sizeof *x);
        assert_true(after.copy_ns > before.copy_ns);
        assert_true(after.copy_ns >= after.copy_wait_ns);
        OK(twill_get(twill_view_all(b), x));
        OK(twill_count(tw, &before));
        assert_int_equal(before.copies - after.copies, 1); /* of 32 blocks of another rank */
        assert_int_equal(before.copy_bytes - after.copy_bytes, N / 2 * (int64_t)sizeof *x);
        /* the answer may be there before anybody waits for it */
        assert_true(before.copy_wait_ns >= after.copy_wait_ns);
        assert_true(before.copy_ns >= before.copy_wait_ns);
    }
    OK(twill_barrier(tw));
    twill_array_free(b);
    twill_array_free(a);
}

TEST(transfers_are_few_and_counted)
{
    on_ranks(2, 1, counted);
}

TEST(large_blocks_travel_whole_and_in_pieces)
{
    on_ranks(2, 1, large_blocks);
}

/* Rank 0 turns around what others have. */
static void between_views(twill *tw, void *arg)
{
    twill_array *a = array_of(tw, 5), *b = array_of(tw, 7);
    double x[N];
    (void)arg;
    for (int i = 0; i < N; i++)
        x[i] = i;
    if (twill_rank(tw) == 0) {
        OK(twill_put(x, twill_view_all(a)));
        OK(twill_transfer(twill_view_range(twill_view_all(a), 0, 1, 60),
                          twill_view_range(twill_view_all(b), 0, 4, 63)));
        OK(twill_get(twill_view_range(twill_view_all(b), 0, 4, 63), x));
        for (int i = 0; i < 59; i++)
            assert_true(x[i] == i + 1);
        REFUSED(twill_transfer(twill_view_all(a), twill_view_range(twill_view_all(b), 0, 0, 3)),
                TWILL_ERR_ARGUMENT, "64 and 3 elements");
        REFUSED(twill_transfer(twill_view_range(twill_view_all(a), 0, 0, 9),
                               twill_view_range(twill_view_all(a), 0, 8, 17)),
                TWILL_ERR_ARGUMENT, "overlap");
        REFUSED(twill_get(twill_view_range(twill_view_all(a), 0, 0, N + 1), x), TWILL_ERR_ARGUMENT,
                "leaves its array");
    }
    OK(twill_barrier(tw));
    twill_array_free(b);
    twill_array_free(a);
}

TEST(elements_go_from_view_to_view_of_other_ranks)
{
    on_ranks(3, 1, between_views);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

/* The owner has not made the array yet, then it has freed it; what comes behind waits as well. */
static void early_and_late(twill *tw, void *arg)
{
    twill_array *a = NULL;
    double x = 0, two = 2;
    (void)arg;
    if (twill_rank(tw) == 1)
        test_sleep_ms(20);
    a = array_of(tw, B);
    twill_view v = twill_view_element(a, (int64_t[]){B + 1});
    if (twill_rank(tw) == 0) {
        OK(twill_put(&two, v));
        OK(twill_get(v, &x));
        assert_true(x == 2);
    }
    OK(twill_barrier(tw));
    if (twill_rank(tw) == 1)
        twill_array_free(a);
    OK(twill_barrier(tw));
    if (twill_rank(tw) == 0) {
        REFUSED(twill_get(v, &x), TWILL_ERR_STATE, "rank 1 has freed the array");
        twill_array_free(a);
    }
    OK(twill_barrier(tw));
}

TEST(an_owner_may_be_late_with_its_array)
{
    on_ranks(2, 1, early_and_late);
}

static void another_array(twill *tw, void *arg)
{
    twill_array *a = array_of(tw, twill_rank(tw) ? B : 2 * B);
    double x;
    (void)arg;
    if (twill_rank(tw) == 0)
        REFUSED(twill_get(twill_view_element(a, (int64_t[]){N - 1}), &x), TWILL_ERR_STATE,
                "all ranks make the same arrays in the same order");
    OK(twill_barrier(tw));
    twill_array_free(a);
}

TEST(arrays_that_differ_are_found_out)
{
    on_ranks(2, 1, another_array);
}

/* Rank 1 stops at once; nobody waits for it. */
static void with_one_that_stops(twill *tw, void *arg)
{
    twill_array *a = array_of(tw, B);
    double x;
    (void)arg;
    if (twill_rank(tw) == 1)
        return;
    twill_view v = twill_view_element(a, (int64_t[]){B});
    while (twill_get(v, &x) == TWILL_OK)
        ;
    REFUSED(twill_get(v, &x), TWILL_ERR_STATE, "rank 1 has stopped");
    REFUSED(twill_put(&x, v), TWILL_ERR_STATE, "rank 1 has stopped");
    REFUSED(twill_barrier(tw), TWILL_ERR_STATE, "has stopped");
}

TEST(nobody_waits_for_a_rank_that_has_stopped)
{
    if (!test_launched()) /* ranks of MPI stop together */
        on_ranks(3, 1, with_one_that_stops);
}

static void in_vain(twill *tw, void *arg)
{
    const int64_t extent = 4, block = 2, ranks = 2;
    twill_pattern p = twill_pattern_nd(1, &extent, &block, &ranks);
    twill_array *a;
    int64_t x[4] = {0};
    void *data;
    int64_t ld;
    (void)arg;
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof *x, &a));
    twill_view all = twill_view_all(a);
    REFUSED(twill_accumulate(x, all), TWILL_ERR_ARGUMENT, "cannot be added");
    REFUSED(twill_get(all, NULL), TWILL_ERR_ARGUMENT, "there is no memory");
    REFUSED(twill_get_async(all, x, NULL), TWILL_ERR_ARGUMENT, "no place for the future");
    OK(twill_barrier(tw));
    OK(twill_map(twill_view_lblock(a, 0), TWILL_READ, &data, &ld));
    REFUSED(twill_get(all, x), TWILL_ERR_STUCK, "has mapped part");
    OK(twill_unmap(twill_view_lblock(a, 0), data));
    OK(twill_barrier(tw));
    twill_array_free(a);
}

TEST(what_makes_no_sense_is_refused)
{
    on_ranks(2, 1, in_vain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_waits_for_who_is_in_line_at_the_owner),
        cmocka_unit_test(an_owner_serves_while_it_computes),
        cmocka_unit_test(no_sum_is_lost),
        cmocka_unit_test(transfers_are_few_and_counted),
        cmocka_unit_test(large_blocks_travel_whole_and_in_pieces),
        cmocka_unit_test(elements_go_from_view_to_view_of_other_ranks),
        cmocka_unit_test(an_owner_may_be_late_with_its_array),
        cmocka_unit_test(arrays_that_differ_are_found_out),
        cmocka_unit_test(nobody_waits_for_a_rank_that_has_stopped),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
