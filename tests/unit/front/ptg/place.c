/* Which rank runs an instance, asked of a context that is told it were one of several ranks; and
 * what one rank does not ask. The graph is in place.jdf. */
#include "support/test.h"

#include "front/ptg/remote.h"

#include "place.h"

enum { N = 5, ROWS = 2, COLS = 3 };

static twill *pretend(int rank, int ranks)
{
    twill *tw = test_start(1, "lws");
    tw->data.rank = rank;
    tw->data.ranks = ranks;
    return tw;
}

TEST(ranks_form_a_grid_that_is_not_higher_than_wide)
{
    static const int64_t wanted[][2] = {{1, 1}, {1, 2}, {1, 3}, {2, 2}, {1, 5},  {2, 3},
                                        {1, 7}, {2, 4}, {3, 3}, {2, 5}, {1, 11}, {3, 4}};
    twill *tw = test_start(1, "lws");
    for (int ranks = 1; ranks <= COUNT(wanted); ranks++)
        for (int rank = 0; rank < ranks; rank++) {
            tw->data.rank = rank;
            tw->data.ranks = ranks;
            twill_ptg_grid grid = twill_ptg_grid_of(tw);
            assert_int_equal(grid.rows, wanted[ranks - 1][0]);
            assert_int_equal(grid.cols, wanted[ranks - 1][1]);
            assert_true(grid.row < grid.rows && grid.col < grid.cols);
            assert_int_equal(grid.row + grid.col * grid.rows, rank);
        }
    assert_int_equal(twill_ptg_grid_of(NULL).rows, 1);
    assert_int_equal(twill_ptg_grid_of(NULL).row, 0);
    tw->data.rank = 0;
    tw->data.ranks = 1;
    twill_stop(tw);
}

typedef struct arrays {
    twill_array *a, *line, *cube;
} arrays;

static twill_array *create(twill *tw, int ndim, const int64_t *grid)
{
    twill_array *a = NULL;
    twill_pattern pattern =
        twill_pattern_nd(ndim, (int64_t[]){N, N, N}, (int64_t[]){1, 1, 1}, grid);
    OK(twill_array_create(tw, &pattern, TWILL_BYTES, 8, &a));
    return a;
}

static int64_t rank_of(const tw_ptg *ptg, int cls, const int64_t *p)
{
    const tw_ptg_class *c = &ptg->classes[cls];
    assert_int_equal(c->cls->by_tile, cls != 4);
    return tw_ptg_rank(c, p);
}

/* All places of one instance per class, from the arrays and the grid. */
static void check_places(const tw_ptg *ptg, const arrays *d, int64_t i, int64_t j)
{
    const int64_t p[] = {i, j, (i + j) % N};
    assert_int_equal(rank_of(ptg, 0, p), i % ROWS + j % COLS * ROWS);
    assert_int_equal(rank_of(ptg, 0, p), twill_owner_at(d->a, i, j));
    assert_int_equal(rank_of(ptg, 1, p), i % (ROWS * COLS));
    assert_int_equal(rank_of(ptg, 2, p), twill_owner_nd(d->cube, p));
    assert_int_equal(rank_of(ptg, 3, p), 0);
    assert_int_equal(rank_of(ptg, 4, p), j < COLS ? i % ROWS + j * ROWS : -1);
}

TEST(an_instance_runs_where_its_tile_or_its_predicates_say)
{
    for (int rank = 0; rank < ROWS * COLS; rank++) {
        twill *tw = pretend(rank, ROWS * COLS);
        arrays d = {create(tw, 2, (int64_t[]){ROWS, COLS}), create(tw, 1, (int64_t[]){ROWS * COLS}),
                    create(tw, 3, (int64_t[]){1, COLS, ROWS})};
        twill_graph *g;
        OK(twill_place_new(tw, N, d.a, d.line, d.cube, NULL, &g));
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++)
                check_places(g->front, &d, i, j);
        assert_int_equal(rank_of(g->front, 0, (int64_t[]){N, 0}), -1);
        twill_graph_free(g);
        twill_stop(tw);
    }
}

/* ---- one rank ---------------------------------------------------------------------------- */

/* A(i) takes tile i and sends it to B(i), which stores it. */
typedef struct globals {
    twill_array *a;
    atomic_int *asked;
} globals;

static const twill_datatype upper = {.size = sizeof(twill_datatype),
                                     .region = TWILL_REGION_STRICTLY_UPPER};

static int64_t a_inputs(const void *globals_, const int64_t *p)
{
    (void)globals_;
    return p[0] < N ? 0 : -1;
}

static int64_t b_inputs(const void *globals_, const int64_t *p)
{
    (void)globals_;
    return p[0] < N ? 1 : -1;
}

static bool a_startup(const void *globals_, int64_t *p, bool first)
{
    (void)globals_;
    p[0] = first ? 0 : p[0] + 1;
    return p[0] < N;
}

static void a_bind(twill_ptg_inputs *in, const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    twill_ptg_memory_typed(in, 0, twill_tile_at(g->a, p[0], 0), NULL, &upper);
}

static void a_release(twill_ptg_outputs *out, const void *globals_, const int64_t *p)
{
    (void)globals_;
    twill_ptg_output(out, 0);
    twill_ptg_send_typed(out, 1, 0, p, NULL, &upper);
}

static void b_release(twill_ptg_outputs *out, const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    twill_ptg_output(out, 0);
    twill_ptg_store_typed(out, twill_tile_at(g->a, p[0], 0), NULL, &upper);
}

static twill_outcome increase(twill_task *task, const void *globals_, const int64_t *p,
                              const twill_flow *flow)
{
    (void)task, (void)globals_, (void)p;
    ++*(int64_t *)flow[0].data;
    return TWILL_DONE;
}

static int64_t ask(const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    (void)p;
    atomic_fetch_add(g->asked, 1);
    return 0;
}

static const char *const names[] = {"i"};
static const twill_ptg_flow flows[] = {{.name = "x", .mode = TWILL_FLOW_READ_WRITE}};

static int run_pair(bool by_tile)
{
    const twill_ptg_class a = {.size = sizeof(twill_ptg_class),
                               .name = "A",
                               .parameters = 1,
                               .flows = 1,
                               .parameter = names,
                               .flow = flows,
                               .by_tile = by_tile,
                               .inputs = a_inputs,
                               .startup = a_startup,
                               .bind = a_bind,
                               .release = a_release,
                               .chores = {TWILL_CPU(increase)},
                               .rank = ask};
    twill_ptg_class b = a;
    b.name = "B";
    b.inputs = b_inputs;
    b.startup = NULL;
    b.bind = NULL;
    b.release = b_release;
    const twill_ptg_graph pair = {
        .size = sizeof(twill_ptg_graph),
        .name = "pair",
        .classes = 2,
        .cls = (const twill_ptg_class *const[]){&a, &b},
        .collections = 1,
        .collection = (const twill_ptg_collection[]){
            {.name = "A", .offset = offsetof(globals, a), .access = TWILL_READ_WRITE}}};
    atomic_int asked = 0;
    twill *tw = test_start(2, "lws");
    globals g = {test_integers(tw, N), &asked};
    twill_graph *graph;
    OK(twill_ptg_new(tw, &pair, &g, sizeof g, &graph));
    OK(twill_ptg_run(graph));
    OK(twill_wait(graph));
    for (int i = 0; i < N; i++)
        assert_int_equal(test_get(g.a, i), 2);
    twill_graph_free(graph);
    twill_stop(tw);
    return asked;
}

/* Neither does the region that is for the wire have an effect: a tile of one element would have
 * nothing above the diagonal. */
TEST(one_rank_does_not_ask_for_owners)
{
    assert_int_equal(run_pair(true), 0);
    assert_int_equal(run_pair(false), 2 * N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_form_a_grid_that_is_not_higher_than_wide),
        cmocka_unit_test(an_instance_runs_where_its_tile_or_its_predicates_say),
        cmocka_unit_test(one_rank_does_not_ask_for_owners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
