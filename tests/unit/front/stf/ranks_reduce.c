/* Reductions on several ranks of one process: sums have the bits of one rank. */
#include "support/limit.h"
#include "support/numbers.h"

#include "base/mix.h"

#include <string.h>

enum { LIMIT = 120, TILES = 12, ROWS = 3 };

static void zero_sum(void *into, int64_t rows, int64_t cols, int64_t ld)
{
    for (int64_t j = 0; j < cols; j++)
        memset((double *)into + j * ld, 0, (size_t)rows * sizeof(double));
}

static void add_sum(void *into, int64_t ld_into, const void *from, int64_t ld_from, int64_t rows,
                    int64_t cols)
{
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++)
            ((double *)into)[i + j * ld_into] += ((const double *)from)[i + j * ld_from];
}

static const twill_reduction plus = {
    .size = sizeof(twill_reduction), .name = "plus", .zero = zero_sum, .combine = add_sum};

/* Adds a tile, times a number: no two orders give the same bits. */
static twill_outcome add_body(twill_task *t)
{
    double *into = twill_task_data(t, 1);
    const double *from = twill_task_data(t, 0);
    for (int64_t i = 0; i < ROWS; i++)
        into[i] += from[i] * (double)(INT64_C(1) << twill_task_int(t, 2) % 40) / 3;
    return TWILL_DONE;
}

static twill_outcome fill_body(twill_task *t)
{
    double *into = twill_task_data(t, 0);
    for (int64_t i = 0; i < ROWS; i++)
        into[i] = (double)(int64_t)tw_mix((uint64_t)(twill_task_int(t, 1) * ROWS + i));
    return TWILL_DONE;
}

static const twill_class add_class = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};
static const twill_class fill_class = {
    .size = sizeof(twill_class), .name = "fill", .chores = {TWILL_CPU(fill_body)}};

static twill_array *vectors(twill *tw, int64_t n)
{
    twill_array *a = NULL;
    twill_pattern p =
        twill_pattern_nd(1, (int64_t[]){n * ROWS}, (int64_t[]){ROWS}, (int64_t[]){twill_ranks(tw)});
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    return a;
}

/* The sums on one rank, which those on others must equal. */
typedef struct sums {
    double wanted[TILES][ROWS];
    bool known;
} sums;

static void compare(twill_array *a, sums *s)
{
    for (int64_t i = 0; i < TILES; i++) {
        void *data;
        int64_t ld;
        if (twill_owner_at(a, i, 0) != twill_rank(twill_array_context(a)))
            continue;
        OK(twill_map(twill_view_tile(a, i, 0), TWILL_READ, &data, &ld));
        if (!s->known)
            memcpy(s->wanted[i], data, sizeof s->wanted[i]);
        assert_memory_equal(s->wanted[i], data, sizeof s->wanted[i]);
        OK(twill_unmap(twill_view_tile(a, i, 0), data));
    }
}

/* Tile 0 gets a sum of all, in the middle of it read and written; another one a sum that is left to
 * the wait; and tile 1 one without other tiles. */
static void reduce(twill *tw, void *arg)
{
    twill_array *a = vectors(tw, TILES);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    for (int64_t i = 0; i < TILES; i++)
        OK(twill_insert(g, &fill_class, TWILL_W(twill_tile_at(a, i, 0)), TWILL_INT(i)));
    for (int64_t k = 0; k < 50; k++) {
        twill_tile *from = twill_tile_at(a, 2 + 7 * k % (TILES - 2), 0);
        OK(twill_insert(g, &add_class, TWILL_R(from),
                        TWILL_REDUCE(twill_tile_at(a, k < 30 ? 0 : 1, 0), &plus), TWILL_INT(k)));
        if (k == 20)
            OK(twill_insert(g, &add_class, TWILL_R(twill_tile_at(a, 0, 0)),
                            TWILL_RW(twill_tile_at(a, 3, 0)), TWILL_INT(1)));
    }
    for (int64_t k = 0; k < 5; k++)
        OK(twill_insert(g, &fill_class, TWILL_REDUCE(twill_tile_at(a, 4, 0), &plus), TWILL_INT(k)));
    OK(twill_wait(g));
    compare(a, arg);
    twill_graph_free(g);
    twill_array_free(a);
}

/* A context that is no rank. */
static sums sums_of_one(void)
{
    sums s = {.known = false};
    twill *tw = test_start(2, NULL);
    reduce(tw, &s);
    twill_stop(tw);
    s.known = true;
    return s;
}

TEST(sums_have_the_same_bits_on_any_number_of_ranks)
{
    sums s = sums_of_one();
    for (int ranks = 1; ranks <= 6; ranks++)
        for (int seed = 0; seed < (ranks == 1 ? 1 : 3); seed++) {
            test_ranks setup = test_some_ranks(ranks, seed);
            limit_begin(NULL, LIMIT, "sums on %d ranks", ranks);
            test_on_ranks(&setup, reduce, &s);
            limit_end();
        }
}

/* A contribution fails: all learn of it, and the next sum is as it should be. */
static void fail_and_reduce(twill *tw, void *arg)
{
    twill_array *a = vectors(tw, TILES);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    for (int64_t k = 0; k < 20; k++)
        (void)twill_insert(g, k == 11 ? &test_planted : &add_class,
                           TWILL_R(twill_tile_at(a, k % TILES, 0)),
                           TWILL_REDUCE(twill_tile_at(a, 0, 0), &plus), TWILL_INT(k));
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "planted");
    twill_graph_free(g);
    twill_array_free(a);
    reduce(tw, arg);
}

TEST(a_failed_contribution_leaves_nothing_behind)
{
    sums s = sums_of_one();
    for (int seed = 0; seed < 4; seed++) {
        test_ranks setup = test_some_ranks(3, seed);
        limit_begin(NULL, LIMIT, "a sum that fails");
        test_on_ranks(&setup, fail_and_reduce, &s);
        limit_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_the_same_bits_on_any_number_of_ranks),
        cmocka_unit_test(a_failed_contribution_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
