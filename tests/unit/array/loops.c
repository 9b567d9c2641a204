/* Tiles of translated loops: which lists make an array, whose its tiles are, and that all ranks get
 * what the owners have. */
#include "support/ranks.h"

#include <string.h>
#include <twill/loops.h>
#include <twill/twill.h>

enum { ROWS = 5, COLS = 4, BYTES = 24 };

typedef char memory[ROWS][COLS][BYTES];

static twill_loops_tiles *list_of(memory m, bool written)
{
    twill_loops_tiles *t = twill_loops_tiles_new(2, BYTES);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j <= i && j < COLS; j++)
            twill_loops_tiles_add(t, (const int64_t[]){i, j}, m[i][j], written);
    return t;
}

static bool is_apart(twill_loops_tiles *x, twill_loops_tiles *y)
{
    bool apart = twill_loops_tiles_apart((twill_loops_tiles *[]){x, y}, 2);
    twill_loops_tiles_free(x);
    twill_loops_tiles_free(y);
    return apart;
}

static twill_loops_tiles *one(int dims, size_t bytes, int64_t index, const void *where)
{
    twill_loops_tiles *t = twill_loops_tiles_new(dims, bytes);
    twill_loops_tiles_add(t, (const int64_t[TWILL_DIMS]){index}, where, true);
    return t;
}

static void overlaps_are_found(void **state)
{
    static memory a, b;
    char *bytes = a[0][0];
    (void)state;
    assert_true(is_apart(list_of(a, true), list_of(b, false)));
    assert_false(is_apart(list_of(a, true), list_of(a, false)));
    assert_true(is_apart(one(1, 8, 0, bytes), one(1, 8, 0, bytes + 8)));
    assert_false(is_apart(one(1, 9, 0, bytes), one(1, 8, 0, bytes + 8)));
    assert_true(is_apart(one(1, 8, 0, NULL), one(1, 8, 0, NULL))); /* of other ranks */
    assert_false(is_apart(one(1, 8, -1, bytes), one(1, 8, 0, bytes + 8)));
    assert_false(is_apart(one(1, 0, 0, bytes), one(1, 8, 0, bytes + 8)));
    assert_false(is_apart(one(0, 8, 0, bytes), one(1, 8, 0, bytes + 8)));
    assert_false(is_apart(one(TWILL_DIMS + 1, 8, 0, bytes), one(1, 8, 0, bytes + 8)));
}

static void what_cannot_be_an_array_is_refused(void **state)
{
    twill *tw;
    twill_array *a;
    (void)state;
    assert_int_equal(twill_start(&tw, NULL), TWILL_OK);
    twill_loops_tiles *t = one(1, 8, 3, NULL);
    assert_int_equal(twill_loops_tiles_array(tw, t, &a), TWILL_ERR_ARGUMENT);
    twill_loops_tiles_free(t);
    t = one(2, 8, INT64_MAX - 1, "");
    assert_int_equal(twill_loops_tiles_array(tw, t, &a), TWILL_ERR_MEMORY);
    twill_loops_tiles_free(t);
    twill_stop(tw);
}

/* Owners write their tiles; all others have something else there, or no memory for one of them. */
static void everybody_gets(twill *tw, void *arg)
{
    memory written, read;
    twill_array *a, *b;
    int rank = twill_rank(tw);
    twill_ptg_grid grid = twill_ptg_grid_of(tw);
    (void)arg;
    memset(written, -1, sizeof written);
    memset(read, rank, sizeof read);
    twill_loops_tiles *lists[] = {list_of(written, true), list_of(read, false)};
    twill_loops_tiles_add(lists[0], (const int64_t[]){1, 2},
                          rank == 1 % grid.rows + 2 % grid.cols * grid.rows ? written[1][2] : NULL,
                          true);
    assert_true(twill_loops_tiles_apart(lists, 2));
    assert_int_equal(twill_loops_tiles_array(tw, lists[0], &a), TWILL_OK);
    assert_int_equal(twill_loops_tiles_array(tw, lists[1], &b), TWILL_OK);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLS; j++) {
            assert_int_equal(twill_owner_at(a, i, j), i % grid.rows + j % grid.cols * grid.rows);
            if (twill_owner_at(a, i, j) == rank)
                memset(written[i][j], (int)(10 * i + j), BYTES);
        }
    assert_int_equal(twill_loops_tiles_share(lists[0]), TWILL_OK);
    assert_int_equal(twill_loops_tiles_share(lists[1]), TWILL_OK);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j <= i && j < COLS; j++)
            for (int k = 0; k < BYTES; k++) {
                assert_int_equal(written[i][j][k], 10 * i + j);
                assert_int_equal(read[i][j][k], rank);
            }
    if (twill_owner_at(a, 1, 2) != rank)
        assert_int_equal(written[1][2][0], -1);
    twill_loops_tiles_free(lists[0]);
    twill_loops_tiles_free(lists[1]);
    twill_loops_tiles_free(NULL);
}

static void all_ranks_have_the_results(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 6; ranks++)
        test_on_ranks(
            &(test_ranks){.ranks = ranks, .workers = 2, .network = {.seed = 3, .reorder = true}},
            everybody_gets, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_are_found),
        cmocka_unit_test(what_cannot_be_an_array_is_refused),
        cmocka_unit_test(all_ranks_have_the_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
