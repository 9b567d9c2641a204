/* Arrays whose tiles are where functions of the program say, in graphs of one rank and of several;
 * and graphs in which nobody begins. The graphs are in collection.jdf and nobody.jdf. */
#include "support/ranks.h"

#include "collection.h"
#include "nobody.h"

#include "engine/engine.h"

#include <stdlib.h>

enum { N = 5, ROWS = 2, COLS = 3, LD = 4, MOST = 3 };
static const double untouched = -1;

void visit(twill_task *task, const twill_flow *tile, int64_t i, int64_t j);

/* The tiles of one rank, each on its own and with a gap behind each column. */
typedef struct store {
    int ranks;
    double *tile[N][N];
} store;

static int64_t rank_of(const int64_t *block, void *arg)
{
    return (7 * block[0] + 3 * block[1]) % ((const store *)arg)->ranks;
}

static void *data_of(const int64_t *block, int64_t *ld, void *arg)
{
    store *s = arg;
    double **tile = &s->tile[block[0]][block[1]];
    assert_null(*tile); /* asked once */
    assert_int_equal(*ld, ROWS);
    *tile = malloc(sizeof(double) * LD * COLS);
    for (int k = 0; k < LD * COLS; k++)
        (*tile)[k] = k % LD < ROWS ? 0 : untouched;
    *ld = LD;
    return *tile;
}

static int64_t worker_of(const int64_t *block, void *arg)
{
    (void)arg;
    return block[0] == 0 ? -1 : block[0];
}

void visit(twill_task *task, const twill_flow *tile, int64_t i, int64_t j)
{
    double *x = tile->data;
    assert_int_equal(tile->rows, ROWS);
    assert_int_equal(tile->cols, COLS);
    assert_int_equal(task->item.worker, i == 0 ? -1 : i % task->graph->tw->workers);
    for (int64_t c = 0; c < COLS; c++)
        for (int64_t r = 0; r < ROWS; r++)
            x[r + c * tile->ld] += (double)(100 * i + j + 1);
}

static void check_preferences(const twill_array *a)
{
    assert_int_equal(twill_worker_nd(a, (int64_t[]){0, 1}), -1);
    assert_int_equal(twill_worker_nd(a, (int64_t[]){3, 1}), 3);
    assert_int_equal(twill_worker_nd(a, (int64_t[]){3, N}), -1); /* no such tile */
}

static twill_array *make(twill *tw, store *s)
{
    twill_array *a = NULL;
    twill_pattern p = twill_tiled(N * ROWS, N * COLS, ROWS, COLS);
    twill_collection c = {
        .size = sizeof c, .rank_of = rank_of, .data_of = data_of, .worker_of = worker_of, .arg = s};
    OK(twill_array_collection(tw, &p, TWILL_FLOAT64, 0, &c, &a));
    check_preferences(a);
    return a;
}

static void check_tile(const double *tile, int i, int j)
{
    double sum = 0;
    for (int k = 0; k <= j; k++)
        sum += 100 * i + k + 1;
    for (int k = 0; k < LD * COLS; k++)
        assert_true(tile[k] == (k % LD < ROWS ? sum : untouched));
}

static void check_all(const store *s, int rank)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            bool mine = rank_of((int64_t[]){i, j}, (void *)(uintptr_t)s) == rank;
            assert_int_equal(s->tile[i][j] != NULL, mine);
            if (mine)
                check_tile(s->tile[i][j], i, j);
        }
}

static void forget(store *s)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            free(s->tile[i][j]);
}

static void run(twill *tw, void *arg)
{
    (void)arg;
    store s = {.ranks = twill_ranks(tw)};
    twill_array *a = make(tw, &s);
    twill_graph *g;
    OK(twill_collection_new(tw, N, a, &g));
    OK(twill_ptg_run(g));
    OK(twill_wait(g));
    check_all(&s, twill_rank(tw));
    twill_graph_free(g);
    twill_array_free(a);
    forget(&s);
}

TEST(tiles_are_where_the_program_says)
{
    twill *tw = test_start(2, "lws");
    run(tw, NULL);
    twill_stop(tw);
}

TEST(tiles_of_several_ranks_are_too)
{
    for (int ranks = 2; ranks <= MOST; ranks++)
        test_on_ranks(&(test_ranks){.ranks = ranks, .workers = 2}, run, NULL);
}

TEST(the_program_maps_tiles_in_place_and_the_whole_as_a_copy)
{
    store s = {.ranks = 1};
    twill *tw = test_start(2, "lws");
    twill_array *a = make(tw, &s);
    void *data;
    int64_t ld;
    OK(twill_map(twill_view_tile(a, 1, 2), TWILL_READ_WRITE, &data, &ld));
    assert_ptr_equal(data, s.tile[1][2]);
    assert_int_equal(ld, LD);
    OK(twill_unmap(twill_view_tile(a, 1, 2), data));
    OK(twill_map(twill_view_all(a), TWILL_READ_WRITE, &data, &ld));
    ((double *)data)[ROWS * 4 + 1 + ld * COLS * 3] = 17;
    OK(twill_unmap(twill_view_all(a), data));
    assert_true(s.tile[4][3][1] == 17);
    twill_array_free(a);
    twill_stop(tw);
    forget(&s);
}

/* ---- mistakes ------------------------------------------------------------------------------- */

static void *no_data(const int64_t *block, int64_t *ld, void *arg)
{
    (void)ld, (void)arg;
    static double some[ROWS * COLS];
    return block[0] == 1 && block[1] == 2 ? NULL : some;
}

static void *narrow(const int64_t *block, int64_t *ld, void *arg)
{
    (void)block, (void)arg;
    static double some[ROWS * COLS];
    *ld = ROWS - 1;
    return some;
}

static int64_t nowhere(const int64_t *block, void *arg)
{
    (void)arg;
    return block[0] == 2 ? 1 : 0;
}

static void refuse(twill *tw, const twill_collection *c, const char *why)
{
    twill_array *a = NULL;
    twill_pattern p = twill_tiled(N * ROWS, N * COLS, ROWS, COLS);
    REFUSED(twill_array_collection(tw, &p, TWILL_FLOAT64, 0, c, &a), TWILL_ERR_ARGUMENT, why);
    assert_null(a);
}

TEST(bad_collections_are_refused_with_a_sentence)
{
    twill *tw = test_start(1, "lws");
    twill_collection c = {.size = sizeof c};
    refuse(tw, &c, "no data_of");
    c.data_of = no_data;
    refuse(tw, &c, "no memory for tile (1, 2)");
    c.data_of = narrow;
    refuse(tw, &c, "a leading dimension below the rows for tile (0, 0)");
    c.rank_of = nowhere;
    refuse(tw, &c, "says rank 1");
    c.size = 8;
    refuse(tw, &c, "twill_collection");
    refuse(tw, NULL, "an argument is NULL");
    twill_stop(tw);
}

/* ---- nobody begins -------------------------------------------------------------------------- */

static void run_nobody(twill *tw, void *arg)
{
    (void)arg;
    twill_array *a = NULL;
    twill_graph *g;
    twill_pattern p =
        twill_pattern_nd(1, (int64_t[]){N}, (int64_t[]){1}, (int64_t[]){twill_ranks(tw)});
    OK(twill_array_create(tw, &p, TWILL_BYTES, 8, &a));
    OK(twill_nobody_new(tw, N, a, &g));
    OK(twill_ptg_run(g));
    REFUSED(twill_wait(g), TWILL_ERR_STUCK, "runs no task");
    twill_graph_free(g);
    OK(twill_nobody_new(tw, 0, a, &g)); /* no tasks: nothing is wrong */
    OK(twill_ptg_run(g));
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_array_free(a);
}

TEST(a_graph_in_which_nobody_begins_fails_on_all_ranks)
{
    for (int ranks = 1; ranks <= MOST; ranks++)
        test_on_ranks(&(test_ranks){.ranks = ranks, .workers = 1}, run_nobody, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_where_the_program_says),
        cmocka_unit_test(tiles_of_several_ranks_are_too),
        cmocka_unit_test(the_program_maps_tiles_in_place_and_the_whole_as_a_copy),
        cmocka_unit_test(bad_collections_are_refused_with_a_sentence),
        cmocka_unit_test(a_graph_in_which_nobody_begins_fails_on_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
