/* Matrices that store a triangle, and matrices on the tiles of others. */
#include "support/test.h"

#include "base/status.h"
#include "data/array.h"

static const int64_t GIB = INT64_C(1) << 30;

static int open_data(void **state)
{
    static tw_data data;
    tw_data_open(&data, 4 * GIB);
    *state = &data;
    return 0;
}

static int close_data(void **state)
{
    assert_true(tw_data_bytes(*state) == 0);
    tw_data_close(*state);
    return 0;
}

static twill_array *triangle(void **state, int64_t n, int64_t nb, tw_region stored)
{
    twill_array *a = NULL;
    twill_pattern p = twill_tiled(n, n, nb, nb);
    OK(tw_array_create_triangle(*state, NULL, &p, TWILL_FLOAT64, stored, &a));
    return a;
}

static twill_array *square(void **state, int64_t m, int64_t n, int64_t mb, int64_t nb)
{
    twill_array *a = NULL;
    twill_pattern p = twill_tiled(m, n, mb, nb);
    OK(tw_array_create(*state, NULL, &p, TWILL_FLOAT64, 0, &a));
    return a;
}

static twill_array *part(twill_array *a, int64_t i, int64_t j, int64_t rows, int64_t cols)
{
    twill_array *sub = NULL;
    twill_view v = twill_view_sub(twill_view_all(a), i, j, rows, cols);
    OK(tw_array_sub(&v, &sub));
    return sub;
}

static bool discard(twill_array *a)
{
    tw_cache cache = {0};
    twill_array *unused = tw_array_release(a);
    if (unused)
        tw_array_destroy(unused, &cache);
    tw_cache_close(&cache);
    return unused;
}

/* ---- triangles ------------------------------------------------------------------------------ */

static void a_triangle_has_its_tiles_apart_and_no_others(void **state)
{
    static const int64_t sizes[][2] = {{0, 4}, {1, 4}, {4, 4}, {13, 4}, {40, 7}, {9, 1}};
    static const tw_region stored[] = {TW_LOWER_PART, TW_UPPER_PART};
    for (int s = 0; s < COUNT(sizes); s++)
        for (int u = 0; u < 2; u++) {
            twill_array *a = triangle(state, sizes[s][0], sizes[s][1], stored[u]);
            int64_t nt = a->blocks[0], seen = 0;
            for (int64_t j = 0; j < nt; j++)
                for (int64_t i = 0; i < nt; i++) {
                    twill_tile *tile = twill_tile_at(a, i, j);
                    assert_ptr_equal(tile, twill_tile_nd(a, (int64_t[]){i, j}));
                    assert_ptr_equal(tile, tw_array_nth(a, i + j * nt));
                    assert_true((tile != NULL) == (u == 0 ? i >= j : i <= j));
                    if (!tile)
                        continue;
                    /* in the order of columns, one beside the other, from begin to end */
                    assert_ptr_equal(tile->value.host.data, a->slab + (size_t)seen++ * a->stride);
                    assert_int_equal(tile->value.rows,
                                     twill_pattern_block_extent(&a->pattern, 0, i));
                }
            assert_int_equal(seen, nt * (nt + 1) / 2);
            assert_true(seen == 0 || (size_t)seen * a->stride == a->slab_size);
            assert_true(discard(a));
        }
}

static void a_triangle_takes_half_the_memory(void **state)
{
    twill_array *whole = square(state, 2000, 2000, 100, 100);
    int64_t all = tw_data_bytes(*state);
    twill_array *half = triangle(state, 2000, 100, TW_LOWER_PART);
    int64_t more = tw_data_bytes(*state) - all;
    assert_int_equal(all, 400 * 100 * 100 * 8);
    assert_int_equal(more, 210 * 100 * 100 * 8);
    assert_true(discard(whole));
    assert_int_equal(tw_data_bytes(*state), more);
    assert_true(discard(half));
}

static void a_triangle_that_is_too_large_says_what_it_needs(void **state)
{
    twill_array *a;
    twill_pattern p = twill_tiled(40000, 40000, 1000, 1000);
    REFUSED(tw_array_create_triangle(*state, NULL, &p, TWILL_FLOAT64, TW_LOWER_PART, &a),
            TWILL_ERR_MEMORY, "6.1 GiB");
}

/* ---- parts ---------------------------------------------------------------------------------- */

static void a_part_has_the_tiles_of_the_whole(void **state)
{
    twill_array *a = square(state, 23, 31, 4, 5);
    twill_array *sub = part(a, 8, 10, 15, 15), *inner = part(sub, 4, 0, 4, 10);
    assert_int_equal(sub->blocks[0], 4);
    assert_int_equal(sub->blocks[1], 3);
    for (int64_t j = 0; j < 3; j++)
        for (int64_t i = 0; i < 4; i++) {
            assert_ptr_equal(twill_tile_at(sub, i, j), twill_tile_at(a, i + 2, j + 2));
            assert_true(tw_array_has(sub, twill_tile_at(a, i + 2, j + 2)));
        }
    assert_null(twill_tile_at(sub, 4, 0));
    assert_null(twill_tile_at(sub, 0, 3));
    assert_false(tw_array_has(sub, twill_tile_at(a, 1, 2)));
    assert_false(tw_array_has(sub, twill_tile_at(a, 2, 5)));
    assert_ptr_equal(twill_tile_at(inner, 0, 1), twill_tile_at(a, 3, 3));
    assert_ptr_equal(tw_array_nth(inner, 1), twill_tile_at(a, 3, 3));
    assert_null(twill_tile_at(inner, 1, 0));
    assert_int_equal(twill_tile_at(sub, 3, 0)->value.rows, 3);
    twill_view v = tw_view_in_root(twill_view_sub(twill_view_all(inner), 1, 2, 3, 4));
    assert_ptr_equal(v.array, a);
    assert_int_equal(v.start[0], 13);
    assert_int_equal(v.start[1], 12);
    assert_int_equal(v.extent[1], 4);
    discard(inner);
    discard(sub);
    assert_true(discard(a));
}

static void parts_overlap_when_they_share_tiles(void **state)
{
    twill_array *a = square(state, 20, 20, 5, 5), *b = square(state, 20, 20, 5, 5);
    twill_array *upper = part(a, 0, 0, 10, 20), *lower = part(a, 10, 0, 10, 20);
    twill_array *middle = part(a, 5, 5, 10, 5), *none = part(a, 5, 5, 0, 5);
    assert_true(tw_array_overlaps(a, a) && tw_array_overlaps(a, lower));
    assert_true(tw_array_overlaps(upper, middle) && tw_array_overlaps(middle, lower));
    assert_false(tw_array_overlaps(upper, lower));
    assert_false(tw_array_overlaps(a, b));
    assert_false(tw_array_overlaps(a, none));
    twill_array *all[] = {upper, a, none, b, middle, lower};
    for (int i = 0; i < COUNT(all); i++)
        assert_true(discard(all[i]) == (i == 3 || i == 5));
}

static void the_elements_live_until_the_last_part_goes(void **state)
{
    twill_array *a = square(state, 1000, 1000, 100, 100);
    int64_t bytes = tw_data_bytes(*state);
    twill_array *sub = part(a, 100, 0, 200, 100), *inner = part(sub, 100, 0, 100, 100);
    assert_int_equal(tw_data_bytes(*state), bytes);
    assert_false(discard(a));
    assert_false(discard(sub));
    assert_int_equal(tw_data_bytes(*state), bytes);
    double *element = twill_tile_at(inner, 0, 0)->value.host.data;
    *element = 7.0;
    assert_true(discard(inner));
}

static void parts_of_a_triangle_are_triangles_or_inside(void **state)
{
    twill_array *a = triangle(state, 23, 4, TW_LOWER_PART),
                *b = triangle(state, 23, 4, TW_UPPER_PART);
    twill_array *corner = part(a, 8, 8, 15, 15), *inside = part(a, 12, 0, 11, 12);
    twill_array *above = part(b, 0, 12, 12, 11), *slab = part(b, 4, 4, 8, 19);
    assert_true(corner->stored == TW_LOWER_PART && inside->stored == TW_FULL);
    assert_true(slab->stored == TW_UPPER_PART && above->stored == TW_FULL);
    assert_null(twill_tile_at(corner, 0, 1));
    assert_ptr_equal(twill_tile_at(corner, 1, 0), twill_tile_at(a, 3, 2));
    assert_non_null(twill_tile_at(inside, 0, 2));
    assert_non_null(twill_tile_at(above, 2, 0));
    assert_null(twill_tile_at(slab, 1, 0));
    assert_non_null(twill_tile_at(slab, 1, 4));
    const int64_t crossing[][4] = {{8, 0, 8, 12}, {0, 4, 8, 8}, {4, 0, 8, 8}};
    for (int i = 0; i < COUNT(crossing); i++) {
        const int64_t *c = crossing[i];
        twill_view v = twill_view_sub(twill_view_all(a), c[0], c[1], c[2], c[3]);
        twill_array *none = NULL;
        REFUSED(tw_array_sub(&v, &none), TWILL_ERR_ARGUMENT, "diagonal");
    }
    twill_array *all[] = {a, b, corner, inside, above, slab};
    for (int i = 0; i < COUNT(all); i++)
        discard(all[i]);
}

static void parts_begin_and_end_with_tiles(void **state)
{
    twill_array *a = square(state, 23, 31, 4, 5), *none = NULL;
    const int64_t good[][4] = {{0, 0, 23, 31}, {4, 5, 4, 5}, {20, 30, 3, 1},
                               {23, 31, 0, 0}, {3, 5, 0, 5}, {0, 0, 4, 0}};
    const int64_t bad[][4] = {
        {1, 0, 4, 5}, {0, 1, 4, 5}, {0, 0, 5, 5}, {0, 0, 4, 6}, {20, 0, 2, 5}};
    for (int i = 0; i < COUNT(good); i++)
        assert_false(discard(part(a, good[i][0], good[i][1], good[i][2], good[i][3])));
    for (int i = 0; i < COUNT(bad); i++) {
        twill_view v =
            twill_view_sub(twill_view_all(a), bad[i][0], bad[i][1], bad[i][2], bad[i][3]);
        REFUSED(tw_array_sub(&v, &none), TWILL_ERR_ARGUMENT, "middle of tiles");
    }
    twill_view outside = twill_view_sub(twill_view_all(a), 20, 0, 4, 5);
    REFUSED(tw_array_sub(&outside, &none), TWILL_ERR_ARGUMENT, "leaves");
    assert_null(none);
    discard(a);
}

static void a_part_of_three_dimensions_has_the_tiles_of_the_whole(void **state)
{
    twill_array *cube = NULL, *inner = NULL, *innermost = NULL;
    twill_pattern p = twill_pattern_nd(3, (int64_t[]){7, 9, 5}, (int64_t[]){2, 3, 2}, NULL);
    OK(tw_array_create(*state, NULL, &p, TWILL_FLOAT64, 0, &cube));
    twill_view v = twill_view_range(twill_view_all(cube), 0, 2, 7);
    v = twill_view_range(twill_view_range(v, 1, 3, 9), 2, 2, 5);
    OK(tw_array_sub(&v, &inner));
    v = twill_view_range(twill_view_all(inner), 2, 2, 3);
    OK(tw_array_sub(&v, &innermost));
    for (int64_t k = 0; k < 2; k++)
        for (int64_t j = 0; j < 2; j++)
            for (int64_t i = 0; i < 3; i++) {
                const int64_t at[] = {i, j, k}, whole[] = {i + 1, j + 1, k + 1};
                assert_ptr_equal(twill_tile_nd(inner, at), twill_tile_nd(cube, whole));
            }
    assert_ptr_equal(twill_tile_nd(innermost, (int64_t[]){2, 1, 0}),
                     twill_tile_nd(cube, (int64_t[]){3, 2, 2}));
    assert_null(twill_tile_nd(innermost, (int64_t[]){2, 1, 1}));
    v = twill_view_range(twill_view_all(cube), 2, 1, 4);
    twill_array *none = NULL;
    REFUSED(tw_array_sub(&v, &none), TWILL_ERR_ARGUMENT, "a later dimension 1 to 3");
    v = twill_view_local(twill_view_all(cube));
    REFUSED(tw_array_sub(&v, &none), TWILL_ERR_ARGUMENT, "twill_view_global");
    discard(innermost);
    discard(inner);
    discard(cube);
}

#define WITH_DATA(test) cmocka_unit_test_setup_teardown(test, open_data, close_data)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DATA(a_triangle_has_its_tiles_apart_and_no_others),
        WITH_DATA(a_triangle_takes_half_the_memory),
        WITH_DATA(a_triangle_that_is_too_large_says_what_it_needs),
        WITH_DATA(a_part_has_the_tiles_of_the_whole),
        WITH_DATA(parts_overlap_when_they_share_tiles),
        WITH_DATA(the_elements_live_until_the_last_part_goes),
        WITH_DATA(parts_of_a_triangle_are_triangles_or_inside),
        WITH_DATA(parts_begin_and_end_with_tiles),
        WITH_DATA(a_part_of_three_dimensions_has_the_tiles_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
