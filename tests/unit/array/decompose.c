/* Automatic decomposition: whatever is asked for is there, or is refused in a sentence. */
#include "support/arrays.h"

#include <stdlib.h>

static void random_shapes(twill *tw, void *arg)
{
    uint64_t seed = 61;
    int refused = 0;
    (void)arg;
    for (int i = 0; i < 2000; i++) {
        static const uint64_t wishes[] = {0,
                                          TWILL_BALANCED_BLOCKS,
                                          TWILL_BALANCED_RANKS,
                                          TWILL_SINGLE_BLOCK,
                                          TWILL_CONTIGUOUS,
                                          TWILL_SEPARABLE,
                                          TWILL_BALANCED_BLOCKS | TWILL_BALANCED_RANKS,
                                          TWILL_SINGLE_BLOCK | TWILL_BALANCED_RANKS};
        int ndim = (int)test_pick(&seed, 1, 4);
        int64_t extent[TWILL_DIMS], ranks = 1;
        twill_constraints c = {.size = sizeof c, .properties = wishes[i % 8]};
        twill_pattern p;
        c.uncut = i % 3 == 0 ? test_pick(&seed, 0, (1 << ndim) - 1) : 0;
        c.order = test_pick(&seed, 0, TWILL_ROW_MAJOR);
        for (int d = 0; d < ndim; d++)
            extent[d] = test_pick(&seed, 1, 100);
        twill_status status = twill_make_pattern(tw, ndim, extent, &c, &p);
        if (status != TWILL_OK) {
            assert_int_equal(status, TWILL_ERR_ARGUMENT);
            assert_true(c.properties & (TWILL_BALANCED_BLOCKS | TWILL_BALANCED_RANKS));
            refused++;
            continue;
        }
        OK(twill_pattern_require(&p, c.properties));
        for (int d = 0; d < ndim; d++) {
            ranks *= p.grid[d];
            assert_true(!(c.uncut >> d & 1) || (p.grid[d] == 1 && p.block[d] >= extent[d]));
        }
        assert_true(ranks <= twill_ranks(tw));
    }
    assert_true(refused == 0 || (twill_ranks(tw) > 1 && refused < 100));
}

TEST(patterns_have_what_is_asked_for)
{
    for (int ranks = 1; ranks <= 6; ranks += ranks > 2 ? 3 : 1) {
        test_ranks r = {.ranks = ranks, .workers = 1};
        test_on_ranks(&r, random_shapes, NULL);
    }
}

static void grids(twill *tw, void *arg)
{
    int64_t grid[TWILL_DIMS];
    twill_constraints c = {.size = sizeof c, .grid = {0, 2}};
    (void)arg;
    OK(twill_make_team_spec(tw, 2, (int64_t[]){1000, 1000}, NULL, grid));
    assert_true(grid[0] * grid[1] == 6 && grid[0] + grid[1] == 5); /* 2 x 3: short faces */
    OK(twill_make_team_spec(tw, 2, (int64_t[]){100000, 10}, NULL, grid));
    assert_true(grid[0] == 6 && grid[1] == 1);
    OK(twill_make_team_spec(tw, 2, (int64_t[]){3, 1}, NULL, grid)); /* there is no more work */
    assert_true(grid[0] == 3 && grid[1] == 1);
    OK(twill_make_team_spec(tw, 2, (int64_t[]){100000, 10}, &c, grid));
    assert_true(grid[0] == 3 && grid[1] == 2);
    c.uncut = 2;
    REFUSED(twill_make_team_spec(tw, 2, (int64_t[]){10, 10}, &c, grid), TWILL_ERR_ARGUMENT,
            "must not be cut");
    c.uncut = 0;
    c.grid[1] = 7;
    REFUSED(twill_make_team_spec(tw, 2, (int64_t[]){10, 10}, &c, grid), TWILL_ERR_ARGUMENT,
            "more ranks than the 6");
}

TEST(grids_have_small_faces)
{
    test_ranks r = {.ranks = 6, .workers = 1};
    test_on_ranks(&r, grids, NULL);
}

static bool is_odd(const twill_pattern *p)
{
    bool odd = true;
    for (int64_t rank = 0; rank < 6; rank++)
        odd = odd && (rank % 2 == 1) == (twill_pattern_rank_blocks(p, rank) > 0);
    return odd;
}

/* Ranks 1, 3 and 5: a grid of three, and blocks for these alone. */
static void on_group(twill *tw, void *arg)
{
    int64_t grid[TWILL_DIMS];
    twill_group *all;
    twill_pattern p;
    (void)arg;
    OK(twill_group_all(tw, &all));
    OK(twill_group_split(all, twill_rank(tw) % 2, 0));
    twill_constraints c = {.size = sizeof c, .group = twill_group_part(all, 1)};
    OK(twill_make_team_spec(tw, 2, (int64_t[]){100, 30}, &c, grid));
    assert_true(grid[0] == 3 && grid[1] == 1);
    c.properties = TWILL_BALANCED_BLOCKS | TWILL_BALANCED_RANKS;
    OK(twill_make_pattern(tw, 2, (int64_t[]){90, 30}, &c, &p));
    assert_true(is_odd(&p) && twill_pattern_rank_elements(&p, 3) == 900);
    c.properties = TWILL_DIAGONAL;
    c.order = TWILL_ROW_MAJOR;
    OK(twill_make_pattern(tw, 2, (int64_t[]){90, 30}, &c, &p));
    assert_true(is_odd(&p) && p.order == TWILL_ROW_MAJOR);
    c.grid[0] = 4;
    REFUSED(twill_make_pattern(tw, 2, (int64_t[]){90, 30}, &c, &p), TWILL_ERR_ARGUMENT,
            "more ranks than the 3");
    twill_group_free(all);
}

TEST(groups_are_arranged)
{
    test_ranks r = {.ranks = 6, .workers = 1};
    test_on_ranks(&r, on_group, NULL);
}

TEST(what_cannot_be_is_refused)
{
    twill *tw = test_start(2, NULL);
    twill_constraints c = {.size = sizeof c, .properties = TWILL_BALANCED_BLOCKS, .block = {3}};
    twill_pattern p;
    int64_t grid[TWILL_DIMS];
    REFUSED(twill_make_pattern(tw, 1, (int64_t[]){10}, &c, &p), TWILL_ERR_ARGUMENT, "block");
    REFUSED(twill_make_pattern(tw, 7, (int64_t[]){10}, NULL, &p), TWILL_ERR_ARGUMENT, "not 7");
    REFUSED(twill_make_pattern(tw, 1, (int64_t[]){-1}, NULL, &p), TWILL_ERR_ARGUMENT, "negative");
    REFUSED(twill_make_pattern(tw, 1, (int64_t[]){1}, NULL, NULL), TWILL_ERR_ARGUMENT, "no place");
    REFUSED(twill_make_team_spec(tw, 1, NULL, NULL, grid), TWILL_ERR_ARGUMENT, "NULL");
    c = (twill_constraints){.size = sizeof c, .properties = TWILL_CONTIGUOUS, .grid = {2, 1}};
    REFUSED(twill_make_team_spec(tw, 2, (int64_t[]){9, 9}, &c, grid), TWILL_ERR_ARGUMENT,
            "dimension 0 must not be cut");
    c.size = 1;
    REFUSED(twill_make_pattern(tw, 1, (int64_t[]){10}, &c, &p), TWILL_ERR_ARGUMENT, "size");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_have_what_is_asked_for),
        cmocka_unit_test(grids_have_small_faces),
        cmocka_unit_test(groups_are_arranged),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
