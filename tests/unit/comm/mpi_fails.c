/* Errors of MPI in the middle of programs of several ranks: all ranks come to an end with a
 * sentence, in bounded time, wherever the error is. */
#include "support/fake_mpi.h"
#include "support/limit.h"
#include "support/ranks.h"

#include <stdio.h>
#include <string.h>

enum { LIMIT = 60, RANKS = 3, TILES = 12, ROWS = 1500 };

/* ---- a program ------------------------------------------------------------------------------- */

static twill_outcome add_body(twill_task *t)
{
    int64_t *to = twill_task_data(t, 1);
    const int64_t *from = twill_task_data(t, 0);
    for (int i = 0; i < ROWS; i++)
        to[i] += from[i] + 1;
    return TWILL_DONE;
}

static const twill_class add_class = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

static atomic_int succeeded, failed;

/* A chain over tiles of all ranks, large enough to be lent, again and again; then a number of all.
 */
static void play(twill *tw, void *arg)
{
    const fake_fault *fault = arg;
    twill_pattern p =
        twill_pattern_nd(1, (int64_t[]){TILES * ROWS}, (int64_t[]){ROWS}, (int64_t[]){RANKS});
    twill_array *a;
    twill_graph *g;
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    OK(twill_stf_begin(tw, &g));
    for (int run = 0; run < 3; run++) {
        for (int64_t i = 0; i + 1 < TILES; i++) /* it may have failed */
            twill_insert(g, &add_class, TWILL_R(twill_tile_at(a, i, 0)),
                         TWILL_RW(twill_tile_at(a, i + 1, 0)));
        twill_status status = twill_wait(g);
        atomic_fetch_add(status == TWILL_OK ? &succeeded : &failed, 1);
        if (status == TWILL_OK)
            continue;
        assert_int_equal(status, TWILL_ERR_SYSTEM);
        char who[64];
        snprintf(who, sizeof who, "rank %d: Fake MPI has failed: planted error 17", fault->rank);
        if (!strstr(twill_message(), who))
            fail_msg("%s", twill_message());
    }
    double x = 1;
    twill_status status = twill_sum(tw, &x, 1);
    assert_true(status == TWILL_OK || status == TWILL_ERR_SYSTEM);
    twill_graph_free(g);
}

/* How many calls a rank makes depends on how often it polls. */
static void break_at(int rank, int first, int calls)
{
    const fake_fault fault = {rank, first, calls};
    limit_begin(NULL, LIMIT, "%d calls of rank %d fail from number %d on", calls, rank, first);
    test_on_ranks(&(test_ranks){.ranks = RANKS, .workers = 1, .fake = &fault}, play,
                  (void *)(uintptr_t)&fault);
    limit_end();
}

TEST(nothing_fails_without_errors)
{
    atomic_store(&failed, 0);
    break_at(0, 0, 0);
    assert_int_equal(atomic_load(&failed), 0);
}

/* MPI goes on to work: others learn of it at once. */
TEST(all_ranks_end_after_one_error)
{
    atomic_store(&failed, 0);
    for (int rank = 0; rank < RANKS; rank++)
        for (int first = TW_MPI_RING + 1; first < 4000; first = first * 5 / 4)
            break_at(rank, first, 1);
    assert_true(atomic_load(&failed) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_fails_without_errors),
        cmocka_unit_test(all_ranks_end_after_one_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
