/* Views: which elements they name, and in which tiles those are. */
#include "support/test.h"

#include "data/array.h"

#include <string.h>

enum { M = 7, N = 5, MB = 3, NB = 2, TILES = 9 };

static tw_data data;
static twill_array *array;

static int open_array(void **state)
{
    (void)state;
    twill_pattern p = twill_tiled(M, N, MB, NB);
    tw_data_open(&data, 1 << 20);
    return tw_array_create(&data, NULL, &p, TWILL_FLOAT64, 0, &array) != TWILL_OK;
}

static int close_array(void **state)
{
    (void)state;
    tw_cache cache = {0};
    tw_array_destroy(tw_array_release(array), &cache);
    tw_cache_close(&cache);
    tw_data_close(&data);
    return 0;
}

static void check_view(twill_view v, int64_t i, int64_t j, int64_t rows, int64_t cols)
{
    OK(tw_view_check(&v));
    assert_ptr_equal(v.array, array);
    assert_int_equal(v.start[0], i);
    assert_int_equal(v.start[1], j);
    assert_int_equal(v.extent[0], rows);
    assert_int_equal(v.extent[1], cols);
}

TEST(views_name_what_they_say)
{
    twill_view all = twill_view_all(array);
    check_view(all, 0, 0, M, N);
    check_view(twill_view_tile(array, 0, 0), 0, 0, MB, NB);
    check_view(twill_view_tile(array, 2, 2), 6, 4, 1, 1);
    check_view(twill_view_sub(all, 1, 2, 4, 3), 1, 2, 4, 3);
    check_view(twill_view_sub(all, M, N, 0, 0), M, N, 0, 0);
    check_view(twill_view_sub(twill_view_sub(all, 1, 1, 5, 4), 2, 3, 3, 1), 3, 4, 3, 1);
    check_view(twill_view_sub(twill_view_tile(array, 1, 1), 1, 0, 2, 2), 4, 2, 2, 2);
}

TEST(a_view_that_leaves_its_array_is_refused)
{
    twill_view all = twill_view_all(array), inner = twill_view_sub(all, 2, 1, 3, 3);
    const twill_view bad[] = {
        twill_view_sub(all, -1, 0, 2, 2),
        twill_view_sub(all, 0, -1, 2, 2),
        twill_view_sub(all, 0, 0, M + 1, 1),
        twill_view_sub(all, 0, 4, 1, 2),
        twill_view_sub(all, 3, 0, -1, 1),
        twill_view_sub(all, INT64_MAX, 0, 1, 1),
        twill_view_tile(array, 3, 0),
        twill_view_tile(array, 0, -1),
        twill_view_sub(all, M + 1, 0, 0, 0),
        twill_view_sub(all, 1, 1, INT64_MAX, 1),
        /* inside the array, outside the view it is taken from */
        twill_view_sub(inner, 2, 0, 2, 1),
        twill_view_sub(inner, -1, 0, 1, 1),
        {.array = NULL},
    };
    for (int i = 0; i < COUNT(bad); i++)
        REFUSED(tw_view_check(&bad[i]), TWILL_ERR_ARGUMENT, "view");
    /* a part of a bad view stays bad */
    twill_view part = twill_view_sub(twill_view_sub(all, 0, 0, M + 1, 1), 0, 0, 1, 1);
    REFUSED(tw_view_check(&part), TWILL_ERR_ARGUMENT, "view");
}

static void mark_tile(int64_t number, void *arg)
{
    ((int *)arg)[number]++;
}

/* The tiles of all sub-views, against a look at every element. */
TEST(a_view_visits_each_tile_it_touches_once)
{
    for (int64_t i = 0; i <= M; i++)
        for (int64_t j = 0; j <= N; j++)
            for (int64_t rows = 0; rows <= M - i; rows++)
                for (int64_t cols = 0; cols <= N - j; cols++) {
                    int wanted[TILES] = {0}, seen[TILES] = {0};
                    twill_view v = twill_view_sub(twill_view_all(array), i, j, rows, cols);
                    for (int64_t x = i; x < i + rows; x++)
                        for (int64_t y = j; y < j + cols; y++)
                            wanted[x / MB + y / NB * 3] = 1;
                    tw_view_tiles(&v, mark_tile, seen);
                    assert_memory_equal(seen, wanted, sizeof seen);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_name_what_they_say),
        cmocka_unit_test(a_view_that_leaves_its_array_is_refused),
        cmocka_unit_test(a_view_visits_each_tile_it_touches_once),
    };
    return cmocka_run_group_tests(tests, open_array, close_array);
}
