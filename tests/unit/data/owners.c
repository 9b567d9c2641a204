/* Arrays over several ranks: who has which tiles, and where. One process plays all ranks in turn.
 */
#include "support/test.h"

#include "base/status.h"
#include "data/array.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 7 }; /* one more than the largest grid has */

static tw_data ranks[RANKS];

static int open_ranks(void **state)
{
    (void)state;
    for (int r = 0; r < RANKS; r++) {
        tw_data_open(&ranks[r], INT64_C(1) << 30);
        ranks[r].rank = r;
        ranks[r].ranks = RANKS;
    }
    return 0;
}

static int close_ranks(void **state)
{
    (void)state;
    for (int r = 0; r < RANKS; r++) {
        assert_true(tw_data_bytes(&ranks[r]) == 0);
        tw_data_close(&ranks[r]);
    }
    return 0;
}

static void discard(twill_array *a)
{
    tw_cache cache = {0};
    twill_array *unused = tw_array_release(a);
    if (unused)
        tw_array_destroy(unused, &cache);
    tw_cache_close(&cache);
}

/* ---- each tile is somewhere ----------------------------------------------------------------- */

static bool is_stored(const twill_array *a, const int64_t *block)
{
    return a->stored == TW_FULL ||
           (a->stored == TW_LOWER_PART ? block[0] >= block[1] : block[0] <= block[1]);
}

/* The number of the block among those of its owner, from the place of its first element. */
static int64_t local_number(const twill_pattern *p, const int64_t *block)
{
    int64_t index[TWILL_DIMS];
    for (int d = 0; d < p->ndim; d++)
        index[d] = block[d] * p->block[d];
    return twill_pattern_find(p, index).local;
}

static void check_foreign(const tw_value *v)
{
    assert_null(v->host.data);
    assert_int_equal(v->valid, 0);
    assert_int_equal(v->host.ld, v->rows);
}

/* A tile of this rank is in a slot of the slab that no other has. */
static void check_local(const twill_array *a, const twill_tile *tile, const int64_t *block,
                        char *seen)
{
    size_t at = (size_t)((char *)tile->value.host.data - a->slab);
    assert_int_equal(at % a->stride, 0);
    assert_true(at + a->stride <= a->slab_size);
    assert_false(seen[at / a->stride]);
    seen[at / a->stride] = 1;
    if (a->stored == TW_FULL)
        assert_int_equal(at / a->stride, local_number(&a->pattern, block));
    assert_int_equal(tile->value.valid, 1);
    assert_int_equal(tile->value.host.ld, tw_pattern_room(&a->pattern, 0));
}

static bool check_tile(twill_array *a, const int64_t *block, char *seen)
{
    twill_tile *tile = twill_tile_nd(a, block);
    assert_true((tile != NULL) == is_stored(a, block));
    if (!tile)
        return false;
    int64_t cols = 1;
    for (int d = 1; d < a->pattern.ndim; d++)
        cols *= twill_pattern_block_extent(&a->pattern, d, block[d]);
    assert_int_equal(tile->value.rows, twill_pattern_block_extent(&a->pattern, 0, block[0]));
    assert_int_equal(tile->value.cols, cols);
    assert_int_equal(tw_tile_owner(tile), twill_owner_nd(a, block));
    assert_true(tw_tile_is_local(tile) == (tw_tile_owner(tile) == a->shared->rank));
    if (tw_tile_is_local(tile))
        check_local(a, tile, block, seen);
    else
        check_foreign(&tile->value);
    return tw_tile_is_local(tile);
}

static bool advance(const twill_array *a, int64_t *block)
{
    for (int d = 0; d < a->pattern.ndim; d++) {
        if (++block[d] < a->blocks[d])
            return true;
        block[d] = 0;
    }
    return false;
}

/* The tiles that a rank has fill its slab. Returns how many these are. */
static int64_t check_rank(int rank, const twill_pattern *p, tw_region stored)
{
    tw_array_kind kind = {TWILL_FLOAT64, 0, stored, &tw_host};
    twill_array *a = NULL;
    OK(tw_array_create_kind(&ranks[rank], NULL, p, &kind, &a));
    int64_t block[TWILL_DIMS] = {0}, mine = 0;
    char *seen = calloc((size_t)a->ntiles + 1, 1);
    do
        mine += a->ntiles > 0 && check_tile(a, block, seen);
    while (advance(a, block));
    assert_int_equal(mine, tw_local_tiles(a));
    if (a->ntiles)
        assert_int_equal(a->slab_size, (size_t)mine * a->stride);
    if (a->ntiles && !mine)
        assert_null(a->slab);
    assert_int_equal(tw_data_bytes(&ranks[rank]), a->slab_size);
    free(seen);
    discard(a);
    return mine;
}

/* From every coordinate of the grid and from every rank at which it fits. */
static void check_grid(twill_pattern p, tw_region stored)
{
    int64_t tiles = 1, size = 1;
    for (int d = 0; d < p.ndim; d++) {
        tiles *= twill_pattern_blocks(&p, d);
        size *= p.grid[d];
    }
    if (stored != TW_FULL)
        tiles = (tiles + twill_pattern_blocks(&p, 0)) / 2;
    for (p.source[0] = 0; p.source[0] < p.grid[0]; p.source[0]++)
        for (p.source[1] = 0; p.source[1] < p.grid[1]; p.source[1]++)
            for (p.first = 0; p.first + size <= RANKS; p.first += RANKS - size) {
                int64_t found = 0;
                for (int r = 0; r < RANKS; r++)
                    found += check_rank(r, &p, stored);
                assert_int_equal(found, tiles);
                if (p.first + size == RANKS)
                    break;
            }
}

static int64_t somewhere(const int64_t *block, void *arg)
{
    return (block[0] * block[0] + 3 * block[1] + 1) % *(int64_t *)arg;
}

static void check_placed(int64_t m, int64_t n, int64_t mb, int64_t nb, tw_region stored)
{
    int64_t some = RANKS - 2; /* two have nothing */
    twill_pattern p = twill_placed(m, n, mb, nb, somewhere, &some);
    int64_t tiles = twill_pattern_blocks(&p, 0) * twill_pattern_blocks(&p, 1), found = 0;
    if (stored != TW_FULL)
        tiles = (tiles + twill_pattern_blocks(&p, 0)) / 2;
    for (int r = 0; r < RANKS; r++)
        found += check_rank(r, &p, stored);
    assert_int_equal(found, tiles);
}

static const int64_t grids[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {1, 3}, {3, 1}, {2, 3}};

TEST(every_tile_of_a_matrix_is_on_one_rank_and_fills_its_slab)
{
    static const int64_t shapes[][4] = {{8, 8, 4, 4}, {7, 5, 3, 2}, {1, 1, 1, 1},
                                        {3, 2, 8, 8}, {0, 5, 4, 4}, {13, 9, 2, 1}};
    for (int g = 0; g < COUNT(grids); g++)
        for (int s = 0; s < COUNT(shapes); s++)
            check_grid(twill_block_cyclic(shapes[s][0], shapes[s][1], shapes[s][2], shapes[s][3],
                                          grids[g][0], grids[g][1]),
                       TW_FULL);
}

TEST(every_tile_of_a_triangle_is_on_one_rank_and_fills_its_slab)
{
    static const int64_t sizes[][2] = {{0, 4}, {3, 4}, {4, 4}, {13, 4}, {9, 1}, {20, 3}};
    static const tw_region stored[] = {TW_LOWER_PART, TW_UPPER_PART};
    for (int g = 0; g < COUNT(grids); g++)
        for (int s = 0; s < COUNT(sizes); s++)
            for (int u = 0; u < 2; u++)
                check_grid(twill_block_cyclic(sizes[s][0], sizes[s][0], sizes[s][1], sizes[s][1],
                                              grids[g][0], grids[g][1]),
                           stored[u]);
}

TEST(every_tile_is_where_its_supertile_is)
{
    for (int g = 0; g < COUNT(grids); g++)
        for (int64_t super = 2; super < 4; super++)
            for (int u = 0; u < 3; u++) {
                static const tw_region stored[] = {TW_FULL, TW_LOWER_PART, TW_UPPER_PART};
                twill_pattern p = twill_block_cyclic(20, 20, 3, 3, grids[g][0], grids[g][1]);
                p.super[0] = super;
                p.super[1] = 5 - super;
                check_grid(p, stored[u]);
            }
}

TEST(every_tile_is_where_the_owner_function_says)
{
    check_placed(8, 8, 4, 4, TW_FULL);
    check_placed(7, 5, 3, 2, TW_FULL);
    check_placed(0, 5, 3, 2, TW_FULL);
    check_placed(20, 20, 3, 3, TW_LOWER_PART);
    check_placed(20, 20, 3, 3, TW_UPPER_PART);
}

TEST(owner_functions_name_ranks_that_exist)
{
    int64_t too_many = RANKS + 1;
    twill_pattern p = twill_placed(20, 20, 3, 3, somewhere, &too_many);
    twill_array *a = NULL;
    double memory[1];
    REFUSED(tw_array_create(&ranks[0], NULL, &p, TWILL_FLOAT64, 0, &a), TWILL_ERR_ARGUMENT,
            "says rank 7 for block (0, 2), and there are 7");
    too_many = 1;
    REFUSED(tw_array_wrap(&ranks[0], NULL, &p, TWILL_FLOAT64, 0, memory, 20, &a),
            TWILL_ERR_UNSUPPORTED, "create an array instead");
}

TEST(every_tile_in_any_dimensions_is_on_one_rank_and_fills_its_slab)
{
    const int64_t extent[] = {5, 3, 4, 1, 3, 2}, block[] = {2, 2, 3, 4, 1, 2};
    static const int64_t deals[][TWILL_DIMS] = {
        {2, 1, 1, 1, 1, 1}, {1, 2, 3, 1, 1, 1}, {3, 1, 2, 1, 1, 1}, {1, 1, 2, 1, 3, 1}};
    for (int ndim = 1; ndim <= TWILL_DIMS; ndim++)
        for (int g = 0; g < COUNT(deals); g++)
            check_grid(twill_pattern_nd(ndim, extent, block, deals[g]), TW_FULL);
}

/* ---- submatrices ---------------------------------------------------------------------------- */

static void check_sub(twill_array *a, int64_t i, int64_t j, int64_t rows, int64_t cols)
{
    twill_array *sub;
    twill_view v = twill_view_sub(twill_view_all(a), i, j, rows, cols);
    OK(tw_array_sub(&v, &sub));
    for (int64_t y = 0; y < sub->blocks[1]; y++)
        for (int64_t x = 0; x < sub->blocks[0]; x++) {
            twill_tile *tile = twill_tile_at(sub, x, y);
            assert_ptr_equal(tile, twill_tile_at(a, x + i / 3, y + j / 2));
            if (tile)
                assert_int_equal(tile->value.owner, twill_owner_at(sub, x, y));
        }
    discard(sub);
}

TEST(submatrices_find_the_same_tiles_with_the_same_owners)
{
    for (int g = 0; g < COUNT(grids); g++)
        for (int r = 0; r < 3; r++) {
            twill_pattern p = twill_block_cyclic(14, 11, 3, 2, grids[g][0], grids[g][1]);
            twill_array *a;
            p.source[1] = grids[g][1] - 1;
            p.first = 1;
            OK(tw_array_create(&ranks[r], NULL, &p, TWILL_FLOAT64, 0, &a));
            check_sub(a, 0, 0, 14, 11);
            check_sub(a, 3, 4, 6, 2);
            check_sub(a, 9, 6, 5, 5);
            discard(a);
        }
}

TEST(submatrices_of_supertiles_and_owner_functions_too)
{
    int64_t some = RANKS;
    for (int k = 0; k < 2; k++) {
        twill_pattern p = twill_block_cyclic(14, 11, 3, 2, 2, 3);
        twill_array *a;
        p.super[0] = 2;
        p.super[1] = 2;
        if (k == 1)
            p = twill_placed(14, 11, 3, 2, somewhere, &some);
        OK(tw_array_create(&ranks[1], NULL, &p, TWILL_FLOAT64, 0, &a));
        check_sub(a, 0, 0, 14, 11);
        check_sub(a, 3, 4, 6, 2);
        check_sub(a, 9, 6, 5, 5);
        discard(a);
    }
}

/* ---- wrapped memory ------------------------------------------------------------------------- */

/* Where ScaLAPACK has row or column `index` of those that are in blocks of `block` on `n` ranks. */
static int64_t local_index(int64_t index, int64_t block, int64_t n)
{
    return index / (block * n) * block + index % block;
}

/* The address of each element that this rank has. */
static void check_wrapped(twill_array *a, const double *memory, int64_t ld)
{
    const twill_pattern *p = &a->pattern;
    for (int64_t j = 0; j < p->extent[1]; j++)
        for (int64_t i = 0; i < p->extent[0]; i++) {
            const twill_tile *tile = twill_tile_at(a, i / p->block[0], j / p->block[1]);
            if (!tw_tile_is_local(tile)) {
                check_foreign(&tile->value);
                continue;
            }
            int64_t row = local_index(i, p->block[0], p->grid[0]);
            int64_t col = local_index(j, p->block[1], p->grid[1]);
            const double *first = tile->value.host.data;
            assert_int_equal(tile->value.host.ld, ld);
            assert_ptr_equal(first + i % p->block[0] + j % p->block[1] * ld,
                             memory + row + col * ld);
        }
}

TEST(each_rank_wraps_its_memory_as_scalapack_has_it)
{
    enum { M = 14, N = 11, MB = 3, NB = 2 };
    double memory[(M + 2) * N];
    for (int g = 0; g < COUNT(grids); g++)
        for (int r = 0; r < RANKS; r++) {
            int64_t rows = 0, cols = 0, p = grids[g][0], q = grids[g][1];
            twill_pattern pattern = twill_block_cyclic(M, N, MB, NB, p, q);
            twill_array *a = NULL;
            if (r < p * q) {
                rows = twill_pattern_local_extent(&pattern, 0, r % p);
                cols = twill_pattern_local_extent(&pattern, 1, r / p);
                REFUSED(tw_array_wrap(&ranks[r], NULL, &pattern, TWILL_FLOAT64, 0, memory, rows - 1,
                                      &a),
                        TWILL_ERR_ARGUMENT, "is below the");
                REFUSED(tw_array_wrap(&ranks[r], NULL, &pattern, TWILL_FLOAT64, 0, NULL, rows, &a),
                        TWILL_ERR_ARGUMENT, "NULL");
                assert_true(rows > 0 && cols > 0);
            }
            OK(tw_array_wrap(&ranks[r], NULL, &pattern, TWILL_FLOAT64, 0, rows ? memory : NULL,
                             rows + 2, &a));
            check_wrapped(a, memory, rows + 2);
            discard(a);
        }
}

/* ---- sizes ---------------------------------------------------------------------------------- */

TEST(a_rank_needs_memory_for_its_own_tiles_only)
{
    twill_array *a = NULL;
    /* 2 GiB in all, and the machine has 1 GiB: no rank of two has room for half of it and more */
    twill_pattern p = twill_block_cyclic(20480, 13107, 512, 512, 2, 3);
    OK(tw_array_create(&ranks[5], NULL, &p, TWILL_FLOAT64, 0, &a));
    discard(a);
    p = twill_tiled(20480, 13107, 512, 512);
    p.first = 2;
    REFUSED(tw_array_create(&ranks[2], NULL, &p, TWILL_FLOAT64, 0, &a), TWILL_ERR_MEMORY,
            "needs 2.0 GiB");
    OK(tw_array_create(&ranks[3], NULL, &p, TWILL_FLOAT64, 0, &a));
    assert_null(a->slab);
    discard(a);
}

TEST(views_of_other_ranks_are_refused)
{
    twill_pattern p = twill_block_cyclic(12, 12, 3, 3, 1, 2);
    twill_array *a = NULL;
    p.first = 1;
    OK(tw_array_create(&ranks[2], NULL, &p, TWILL_FLOAT64, 0, &a));
    twill_view all = twill_view_all(a), column = twill_view_sub(all, 0, 3, 12, 3),
               other = twill_view_tile(a, 1, 2), none = twill_view_sub(all, 3, 3, 0, 9);
    OK(tw_view_check_local(&column));
    OK(tw_view_check_local(&none));
    REFUSED(tw_view_check_local(&all), TWILL_ERR_UNSUPPORTED, "that other ranks own");
    REFUSED(tw_view_check_local(&other), TWILL_ERR_UNSUPPORTED, "rank 2 can map its own");
    discard(a);
    p.super[1] = 2; /* now two columns side by side are on one rank */
    OK(tw_array_create(&ranks[2], NULL, &p, TWILL_FLOAT64, 0, &a));
    twill_view right = twill_view_sub(twill_view_all(a), 0, 6, 12, 6);
    OK(tw_view_check_local(&right));
    discard(a);
}

#define test(name) cmocka_unit_test_setup_teardown(name, open_ranks, close_ranks)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(every_tile_of_a_matrix_is_on_one_rank_and_fills_its_slab),
        test(every_tile_of_a_triangle_is_on_one_rank_and_fills_its_slab),
        test(every_tile_is_where_its_supertile_is),
        test(every_tile_is_where_the_owner_function_says),
        test(owner_functions_name_ranks_that_exist),
        test(every_tile_in_any_dimensions_is_on_one_rank_and_fills_its_slab),
        test(submatrices_find_the_same_tiles_with_the_same_owners),
        test(submatrices_of_supertiles_and_owner_functions_too),
        test(each_rank_wraps_its_memory_as_scalapack_has_it),
        test(a_rank_needs_memory_for_its_own_tiles_only),
        test(views_of_other_ranks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
