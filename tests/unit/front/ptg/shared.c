/* A graph whose arrays are parts of one matrix, tiles in common included: it waits for each tile
 * once, in the stronger way, and writes through the one array what it only reads in the other. */
#include "support/test.h"

#include "shared.h"

enum { TILES = 12 };

static twill_array *part(twill_array *a, int64_t first, int64_t n)
{
    twill_array *sub = NULL;
    OK(twill_matrix_sub(twill_view_sub(twill_view_all(a), first, 0, n, 1), &sub));
    return sub;
}

static twill_outcome number_body(twill_task *t)
{
    test_sleep_ms(1);
    *(int64_t *)twill_task_data(t, 0) = twill_task_int(t, 1);
    return TWILL_DONE;
}

static const twill_class number = {
    .size = sizeof(twill_class), .name = "number", .chores = {TWILL_CPU(number_body)}};

/* Tiles i of `to` get the numbers of tiles i of `from`, n of them, after tasks that are inserted
 * have numbered all and before others do so again. */
static void check(twill *tw, int from, int from_tiles, int to, int to_tiles, int n)
{
    twill_array *a = test_integers(tw, TILES);
    twill_array *source = from < 0 ? a : part(a, from, from_tiles);
    twill_array *target = to < 0 ? a : part(a, to, to_tiles);
    int64_t first = from < 0 ? 0 : from, second = to < 0 ? 0 : to;
    twill_graph *g, *moves;
    OK(twill_shared_new(tw, n, source, target, &moves));
    for (int again = 0; again < 2; again++) {
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < TILES; i++)
            OK(twill_insert(g, &number, TWILL_W(twill_tile_at(a, i, 0)), TWILL_INT(100 + i)));
        OK(twill_ptg_run(moves));
        for (int i = 0; i < TILES; i++) {
            bool moved = i >= second && i < second + n;
            assert_int_equal(test_get(a, i), 100 + i + (moved ? 100 + first + i - second : 0));
        }
        OK(twill_wait(moves));
        OK(twill_wait(g));
        twill_graph_free(g);
    }
    twill_graph_free(moves);
    twill_array_free(a);
    if (source != a)
        twill_array_free(source);
    if (target != a)
        twill_array_free(target);
}

TEST(arrays_of_a_graph_may_share_tiles)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        check(tw, 6, 6, 0, 6, 6);  /* no tile in common */
        check(tw, 6, 6, 0, 8, 6);  /* some that are only in both arrays */
        check(tw, 6, 6, -1, 0, 6); /* a part of the other */
        check(tw, -1, 0, 8, 4, 4); /* the other way round */
        check(tw, 4, 8, 2, 10, 2); /* read and written tiles beside one another */
        check(tw, 3, 4, 3, 4, 0);  /* the same, twice, and no task */
        twill_stop(tw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arrays_of_a_graph_may_share_tiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
