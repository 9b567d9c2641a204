/* Patterns: element <-> place, exhaustively over small shapes. */
#include "support/test.h"

#include "data/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- every element has one place, every place one element ----------------------------------- */

static int64_t local_total(const twill_pattern *p, int64_t rank)
{
    int64_t total = 1;
    rank -= p->first;
    for (int d = 0; d < p->ndim; d++) {
        total *= twill_pattern_local_blocks(p, d, rank % p->grid[d]);
        rank /= p->grid[d];
    }
    return total;
}

static int64_t product(const int64_t *factors, int n)
{
    int64_t total = 1;
    for (int d = 0; d < n; d++)
        total *= factors[d];
    return total;
}

/* Places are counted in one list: all places of the first rank, then of the next, ... */
static int64_t place_number(const twill_pattern *p, const twill_place *place)
{
    int64_t number = 0;
    for (int64_t r = p->first; r < place->rank; r++)
        number += local_total(p, r);
    return (number + place->local) * product(p->block, p->ndim) + place->offset;
}

static void check_element(const twill_pattern *p, const int64_t *index, char *seen, int64_t places)
{
    int64_t back[TWILL_DIMS] = {0};
    twill_place place = twill_pattern_find(p, index);
    assert_in_range(place.rank, p->first, p->first + product(p->grid, p->ndim) - 1);
    assert_int_equal(place.rank, twill_pattern_owner(p, place.block));
    assert_in_range(place.local, 0, local_total(p, place.rank) - 1);
    assert_in_range(place.offset, 0, product(p->block, p->ndim) - 1);
    for (int d = 0; d < p->ndim; d++)
        assert_int_equal(place.block[d], index[d] / p->block[d]);
    int64_t number = place_number(p, &place);
    assert_in_range(number, 0, places - 1);
    assert_false(seen[number]);
    seen[number] = 1;
    twill_pattern_element(p, &place, back);
    assert_memory_equal(back, index, (size_t)p->ndim * sizeof *back);
}

static bool advance(int64_t *at, const int64_t *limit, int n)
{
    for (int d = 0; d < n; d++) {
        if (++at[d] < limit[d])
            return true;
        at[d] = 0;
    }
    return false;
}

static void check_blocks(const twill_pattern *p)
{
    for (int d = 0; d < p->ndim; d++) {
        int64_t blocks = twill_pattern_blocks(p, d), local = 0, elements = 0;
        for (int64_t r = 0; r < p->grid[d]; r++) {
            local += twill_pattern_local_blocks(p, d, r);
            elements += twill_pattern_local_extent(p, d, r);
        }
        assert_int_equal(local, blocks);
        assert_int_equal(elements, p->extent[d]);
        elements = 0;
        for (int64_t b = 0; b < blocks; b++) {
            int64_t extent = twill_pattern_block_extent(p, d, b);
            assert_in_range(extent, 1, p->block[d]);
            assert_true(extent == p->block[d] || b == blocks - 1);
            elements += extent;
        }
        assert_int_equal(elements, p->extent[d]);
    }
}

static void check_pattern(const twill_pattern *p)
{
    OK(twill_pattern_check(p));
    check_blocks(p);
    int64_t places = 0, at[TWILL_DIMS] = {0};
    for (int64_t r = 0; r < product(p->grid, p->ndim); r++)
        places += local_total(p, p->first + r) * product(p->block, p->ndim);
    if (product(p->extent, p->ndim) == 0)
        return;
    char *seen = calloc((size_t)places, 1);
    do
        check_element(p, at, seen, places);
    while (advance(at, p->extent, p->ndim));
    free(seen);
}

/* All shapes with extents, blocks and grids from the lists. */
static void check_all(int ndim, const int64_t *extents, int n, int64_t most_block,
                      int64_t most_grid)
{
    int64_t limit[3 * TWILL_DIMS], at[3 * TWILL_DIMS] = {0};
    for (int d = 0; d < ndim; d++) {
        limit[3 * d] = n;
        limit[3 * d + 1] = most_block;
        limit[3 * d + 2] = most_grid;
    }
    do {
        int64_t extent[TWILL_DIMS], block[TWILL_DIMS], grid[TWILL_DIMS];
        for (int d = 0; d < ndim; d++) {
            extent[d] = extents[at[3 * d]];
            block[d] = at[3 * d + 1] + 1;
            grid[d] = at[3 * d + 2] + 1;
        }
        twill_pattern p = twill_pattern_nd(ndim, extent, block, grid);
        check_pattern(&p);
        for (int d = 0; d < ndim; d++)
            p.source[d] = grid[d] - 1;
        p.first = 3;
        check_pattern(&p);
    } while (advance(at, limit, 3 * ndim));
}

TEST(one_dimension_goes_there_and_back)
{
    const int64_t extents[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
    check_all(1, extents, COUNT(extents), 15, 5);
}

TEST(two_dimensions_go_there_and_back)
{
    const int64_t extents[] = {0, 1, 2, 4, 5, 7};
    check_all(2, extents, COUNT(extents), test_slow() ? 2 : 4, 3);
}

TEST(three_dimensions_go_there_and_back)
{
    const int64_t extents[] = {0, 2, 3, 5};
    check_all(3, extents, test_slow() ? 2 : COUNT(extents), 3, 2);
}

/* ---- supertiles and parts ------------------------------------------------------------------- */

/* A part from any block on has the owners of the whole. */
static void check_parts(const twill_pattern *p)
{
    int64_t first[2] = {0}, blocks[2] = {twill_pattern_blocks(p, 0), twill_pattern_blocks(p, 1)};
    do {
        int64_t at[2] = {0}, extent[2], left[2];
        for (int d = 0; d < 2; d++) {
            extent[d] = p->extent[d] - first[d] * p->block[d];
            left[d] = blocks[d] - first[d];
        }
        twill_pattern part = tw_pattern_part(p, first, extent);
        check_pattern(&part);
        do {
            const int64_t whole[2] = {at[0] + first[0], at[1] + first[1]};
            assert_int_equal(twill_pattern_owner(&part, at), twill_pattern_owner(p, whole));
        } while (advance(at, left, 2));
    } while (advance(first, blocks, 2));
}

TEST(supertiles_go_there_and_back)
{
    for (int64_t super = 2; super < 5; super++)
        for (int64_t m = 1; m < 15; m += 2)
            for (int64_t rows = 1; rows < 4; rows++) {
                twill_pattern p = twill_block_cyclic(m, 5, 2, 1, rows, 2);
                p.super[0] = super;
                p.super[1] = 5 - super;
                p.source[0] = rows - 1;
                check_pattern(&p);
                check_parts(&p);
            }
}

TEST(a_supertile_has_one_owner)
{
    twill_pattern p = twill_block_cyclic(100, 100, 2, 2, 2, 2), plain = p;
    p.super[0] = 3;
    const int64_t owners[] = {0, 0, 0, 1, 1, 1, 0, 0, 0, 1};
    for (int64_t i = 0; i < COUNT(owners); i++)
        assert_int_equal(twill_pattern_owner(&p, (int64_t[]){i, 0}), owners[i]);
    assert_true(tw_pattern_is_cyclic(&p, 1) && !tw_pattern_is_cyclic(&p, 0));
    assert_false(tw_pattern_is_like(&p, &plain));
    p.super[0] = 1; /* as 0 */
    assert_true(tw_pattern_is_like(&p, &plain));
    p.super[0] = -1;
    REFUSED(twill_pattern_check(&p), TWILL_ERR_ARGUMENT, "supertiles of -1 blocks");
    p.super[0] = INT64_MAX;
    REFUSED(twill_pattern_check(&p), TWILL_ERR_ARGUMENT, "supertiles of");
    p.super[0] = 2;
    p.origin[0] = 2;
    REFUSED(twill_pattern_check(&p), TWILL_ERR_ARGUMENT, "block 2 of a supertile of 2");
}

/* ---- owner functions ------------------------------------------------------------------------ */

static int64_t diagonals(const int64_t *block, void *arg)
{
    return (block[0] + 2 * block[1]) % *(int64_t *)arg;
}

TEST(an_owner_function_says_whose_blocks_are)
{
    int64_t ranks = 3, total[3] = {0}, back[2];
    twill_pattern p = twill_placed(13, 9, 2, 4, diagonals, &ranks);
    OK(twill_pattern_check(&p));
    for (int64_t j = 0; j < 9; j++)
        for (int64_t i = 0; i < 13; i++) {
            const int64_t index[2] = {i, j};
            twill_place place = twill_pattern_find(&p, index);
            assert_int_equal(place.rank, (i / 2 + 2 * (j / 4)) % 3);
            total[place.rank] =
                place.local + 1 > total[place.rank] ? place.local + 1 : total[place.rank];
            twill_pattern_element(&p, &place, back);
            assert_memory_equal(back, index, sizeof back);
        }
    assert_int_equal(total[0] + total[1] + total[2], 7 * 3);
    twill_pattern part = tw_pattern_part(&p, (int64_t[]){3, 1}, (int64_t[]){7, 5});
    part = tw_pattern_part(&part, (int64_t[]){1, 1}, (int64_t[]){5, 1});
    assert_int_equal(twill_pattern_owner(&part, (int64_t[]){1, 0}), (3 + 1 + 1 + 2 * 2) % 3);
    twill_pattern like = tw_pattern_like(&part, 4, 4, 1, 1);
    assert_true(tw_pattern_is_like(&like, &part) && !tw_pattern_is_like(&like, &p));
    assert_int_equal(twill_pattern_owner(&like, (int64_t[]){1, 0}), (3 + 1 + 1 + 2 * 2) % 3);
    p.grid[0] = 2;
    REFUSED(twill_pattern_check(&p), TWILL_ERR_ARGUMENT, "a grid of ranks or an owner function");
}

TEST(six_dimensions_go_there_and_back)
{
    twill_pattern p =
        twill_pattern_nd(6, (int64_t[]){3, 2, 4, 1, 5, 2}, (int64_t[]){2, 1, 3, 4, 2, 2},
                         (int64_t[]){2, 1, 2, 1, 2, 3});
    check_pattern(&p);
}

/* ---- by hand -------------------------------------------------------------------------------- */

TEST(the_first_dimension_runs_fastest)
{
    twill_pattern p = twill_block_cyclic(7, 5, 2, 2, 2, 3);
    twill_place place = twill_pattern_find(&p, (int64_t[]){5, 3});
    /* block (2, 1): rank (0, 1); its second block row, first block column; element (1, 1) */
    assert_int_equal(place.block[0], 2);
    assert_int_equal(place.block[1], 1);
    assert_int_equal(place.rank, 2);
    assert_int_equal(place.local, 1);
    assert_int_equal(place.offset, 3);
}

TEST(the_grid_may_begin_elsewhere)
{
    twill_pattern p = twill_block_cyclic(7, 5, 2, 2, 2, 3);
    p.source[0] = 1;
    p.source[1] = 2;
    p.first = 10;
    /* block (0, 0) is at (1, 2) of the grid, block (1, 1) at (0, 0), its neighbours follow */
    assert_int_equal(twill_pattern_owner(&p, (int64_t[]){0, 0}), 10 + 1 + 2 * 2);
    assert_int_equal(twill_pattern_owner(&p, (int64_t[]){1, 1}), 10);
    assert_int_equal(twill_pattern_owner(&p, (int64_t[]){2, 1}), 11);
    p.source[1] = 3;
    REFUSED(twill_pattern_check(&p), TWILL_ERR_ARGUMENT, "number 3 of them is to own");
    p.source[1] = 0;
    p.first = -1;
    REFUSED(twill_pattern_check(&p), TWILL_ERR_ARGUMENT, "the first rank of a pattern is -1");
}

TEST(a_tiled_pattern_is_one_rank)
{
    twill_pattern p = twill_tiled(10, 6, 4, 3), q = twill_block_cyclic(10, 6, 4, 3, 1, 1);
    assert_memory_equal(&p, &q, sizeof p);
    assert_int_equal(p.ndim, 2);
    assert_int_equal(twill_pattern_blocks(&p, 0), 3);
    assert_int_equal(twill_pattern_blocks(&p, 1), 2);
    assert_int_equal(twill_pattern_block_extent(&p, 0, 2), 2);
}

TEST(huge_extents_do_not_overflow)
{
    const int64_t huge = INT64_C(1) << 40;
    twill_pattern p = twill_block_cyclic(huge, huge, 1000, 1000, 7, 3);
    int64_t index[2] = {huge - 1, huge - 2}, back[2];
    twill_place place = twill_pattern_find(&p, index);
    twill_pattern_element(&p, &place, back);
    assert_memory_equal(back, index, sizeof index);
}

TEST(bad_shapes_are_refused_with_the_dimension)
{
    const struct {
        twill_pattern pattern;
        const char *sentence;
    } cases[] = {
        {twill_tiled(-1, 4, 2, 2), "dimension 0 has -1 elements"},
        {twill_tiled(4, -3, 2, 2), "dimension 1 has -3 elements"},
        {twill_tiled(4, 4, 0, 2), "dimension 0 has blocks of 0"},
        {twill_tiled(4, 4, 2, -2), "dimension 1 has blocks of -2"},
        {twill_block_cyclic(4, 4, 2, 2, 0, 1), "dimension 0 of the grid is 0"},
        {twill_block_cyclic(4, 4, 2, 2, 1, -1), "dimension 1 of the grid is -1"},
        {{.ndim = 0}, "not 0"},
        {{.ndim = 7}, "not 7"},
    };
    for (int i = 0; i < COUNT(cases); i++)
        REFUSED(twill_pattern_check(&cases[i].pattern), TWILL_ERR_ARGUMENT, cases[i].sentence);
}

TEST(types_have_their_sizes)
{
    assert_int_equal(twill_type_size(TWILL_BYTES), 0);
    assert_int_equal(twill_type_size(TWILL_FLOAT32), 4);
    assert_int_equal(twill_type_size(TWILL_FLOAT64), 8);
    assert_int_equal(twill_type_size(TWILL_COMPLEX64), 8);
    assert_int_equal(twill_type_size(TWILL_COMPLEX128), 16);
    assert_int_equal(twill_type_size((twill_type)99), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_dimension_goes_there_and_back),
        cmocka_unit_test(two_dimensions_go_there_and_back),
        cmocka_unit_test(three_dimensions_go_there_and_back),
        cmocka_unit_test(supertiles_go_there_and_back),
        cmocka_unit_test(a_supertile_has_one_owner),
        cmocka_unit_test(an_owner_function_says_whose_blocks_are),
        cmocka_unit_test(six_dimensions_go_there_and_back),
        cmocka_unit_test(the_first_dimension_runs_fastest),
        cmocka_unit_test(the_grid_may_begin_elsewhere),
        cmocka_unit_test(a_tiled_pattern_is_one_rank),
        cmocka_unit_test(huge_extents_do_not_overflow),
        cmocka_unit_test(bad_shapes_are_refused_with_the_dimension),
        cmocka_unit_test(types_have_their_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
