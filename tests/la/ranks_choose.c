/* Ranks on unlike machines choose alike: tile sizes, and what one task does. */
#include "support/limit.h"
#include "support/ranks.h"

#include <twill/tune.h>

#include <stdio.h>
#include <unistd.h>

enum { RANKS = 3, NB = 8, N = 14 * NB };

/* ---- ranks that differ -------------------------------------------------------------------- */

static char files[RANKS][4096];

static twill_options unlike(int rank)
{
    return (twill_options){.workers = 1 + 2 * rank, .tune = files[rank]};
}

/* What `twill tune` found for each of them. */
static void write_files(void)
{
    char here[4000];
    assert_non_null(getcwd(here, sizeof here));
    for (int r = 0; r < RANKS; r++) {
        snprintf(files[r], sizeof files[r], "%s/tuned.%d", here, r);
        twill *tw = test_start_with(unlike(r));
        twill_tuning t = {.size = sizeof t,
                          .one_tile = 20 + r,
                          .tiles = 1,
                          .tile = {{.type = 'd', .workers = 1 + 2 * r, .n = 500, .nb = 40 + r}}};
        OK(twill_tune_set(tw, &t));
        twill_stop(tw);
    }
}

/* ---- tile sizes --------------------------------------------------------------------------- */

typedef struct sizes {
    int64_t nb[RANKS], small[RANKS], triangle[RANKS];
} sizes;

static int64_t tile_of(twill_array *a)
{
    int64_t nb = twill_array_pattern(a)->block[0], info = -1;
    OK(twill_fill_spd(a, 3));
    OK(twill_potrf(TWILL_LOWER, a, &info)); /* which would hang, if they did not agree */
    assert_int_equal(info, 0);
    twill_array_free(a);
    return nb;
}

static void choose(twill *tw, void *arg)
{
    sizes *s = arg;
    int rank = twill_rank(tw);
    twill_array *a;
    OK(twill_matrix_create(tw, TWILL_FLOAT64, 300, 300, &a));
    s->nb[rank] = tile_of(a);
    OK(twill_matrix_create(tw, TWILL_FLOAT64, 21, 21, &a)); /* one tile for some of them */
    s->small[rank] = tile_of(a);
    OK(twill_matrix_create_triangle(tw, TWILL_FLOAT64, 300, 0, TWILL_LOWER, &a));
    s->triangle[rank] = tile_of(a);
}

TEST(ranks_with_other_tuning_files_choose_one_tile_size)
{
    sizes s = {{0}, {0}, {0}};
    limit_begin(NULL, 60, "ranks that choose");
    write_files();
    test_on_ranks(&(test_ranks){.ranks = RANKS, .start = unlike}, choose, &s);
    for (int r = 0; r < RANKS; r++) {
        assert_int_equal(s.nb[r], 40); /* what rank 0 has read */
        assert_int_equal(s.small[r], 40);
        assert_int_equal(s.triangle[r], 40);
    }
    limit_end();
}

/* ---- tasks -------------------------------------------------------------------------------- */

typedef struct product {
    int64_t ranks;
    uint64_t digest[RANKS];
} product;

static void multiply(twill *tw, void *arg)
{
    product *x = arg;
    twill_pattern p = twill_block_cyclic(N, N, NB, NB, 1, x->ranks);
    twill_array *m[3];
    for (int i = 0; i < 3; i++) {
        OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &m[i]));
        OK(twill_fill_random(m[i], (uint64_t)i));
    }
    OK(twill_gemm(TWILL_NO_TRANS, TWILL_NO_TRANS, twill_real(1), m[0], m[1], twill_real(1), m[2]));
    OK(twill_digest(m[2], TWILL_GENERAL, &x->digest[twill_rank(tw)]));
    for (int i = 0; i < 3; i++)
        twill_array_free(m[i]);
}

/* How many tiles of a product are one task depends on the workers. */
TEST(ranks_with_other_numbers_of_workers_insert_the_same_tasks)
{
    product one = {.ranks = 1}, many = {.ranks = RANKS};
    limit_begin(NULL, 60, "a product on ranks that differ");
    write_files();
    test_on_ranks(&(test_ranks){.ranks = 1, .start = unlike}, multiply, &one);
    test_on_ranks(&(test_ranks){.ranks = RANKS, .start = unlike}, multiply, &many);
    for (int r = 0; r < RANKS; r++)
        assert_true(many.digest[r] == one.digest[0]);
    limit_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_with_other_tuning_files_choose_one_tile_size),
        cmocka_unit_test(ranks_with_other_numbers_of_workers_insert_the_same_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
