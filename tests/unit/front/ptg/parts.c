/* Triangles of tiles that go different ways: each is as its own tasks leave it, whoever holds the
 * bytes, and the other one stays. The graphs are in parts.jdf. */
#include "support/test.h"

#include "parts.h"

enum { N = 8, M = 40, ROWS = 6, COLS = 4, BELOW = 14, ABOVE = 10 };

void add_to(const twill_flow *t, int upper, int64_t what);
int64_t sum_of(const twill_flow *t, int upper);
void wait_a_little(int64_t k);

static bool inside(int upper, int64_t i, int64_t j)
{
    return (i <= j) == upper;
}

void add_to(const twill_flow *t, int upper, int64_t what)
{
    for (int64_t j = 0; j < t->cols; j++)
        for (int64_t i = 0; i < t->rows; i++)
            if (inside(upper, i, j))
                ((int64_t *)t->data)[i + j * t->ld] += what;
}

int64_t sum_of(const twill_flow *t, int upper)
{
    int64_t sum = 0;
    for (int64_t j = 0; j < t->cols; j++)
        for (int64_t i = 0; i < t->rows; i++)
            if (inside(upper, i, j))
                sum += ((const int64_t *)t->data)[i + j * t->ld];
    return sum;
}

void wait_a_little(int64_t k)
{
    if (k % 4 == 1)
        test_sleep_ms(1);
}

static twill_array *tiles(twill *tw, int64_t n, int64_t m, int64_t rows, int64_t cols)
{
    twill_array *a;
    twill_pattern p = twill_tiled(n * rows, m * cols, rows, cols);
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

/* Every entry of tile k is `below` or `above`. */
static void check_tile(twill_array *a, int64_t k, int64_t below, int64_t above)
{
    void *x;
    int64_t ld;
    twill_view view = twill_view_tile(a, k, 0);
    OK(twill_map(view, TWILL_READ, &x, &ld));
    for (int64_t j = 0; j < COLS; j++)
        for (int64_t i = 0; i < ROWS; i++)
            assert_int_equal(((int64_t *)x)[i + j * ld], inside(1, i, j) ? above : below);
    OK(twill_unmap(view, x));
}

static int64_t number(twill_array *a, int64_t i, int64_t j)
{
    void *x;
    int64_t ld;
    OK(twill_map(twill_view_tile(a, i, j), TWILL_READ, &x, &ld));
    int64_t found = *(int64_t *)x;
    OK(twill_unmap(twill_view_tile(a, i, j), x));
    return found;
}

static void check_run(int64_t run, twill_array *a, twill_array *sums, twill_array *two,
                      twill_array *seen)
{
    for (int64_t k = 0; k < N; k++) {
        check_tile(a, k, run, run * (2 + M * k + M * (M - 1) / 2));
        check_tile(a, N + k, run * 7, run * 5);
        check_tile(two, k, run * M, run * M);
        assert_int_equal(number(seen, k, 0), run * M * (1000 * BELOW + ABOVE));
        for (int64_t m = 0; m < M; m++)
            assert_int_equal(number(sums, k, m), run * BELOW);
    }
}

/* `below` is the type of what is read and kept; the diagonal is of the upper part. */
static void run_parts(const char *sched, int workers)
{
    static const twill_datatype below = {.size = sizeof(twill_datatype),
                                         .region = TWILL_REGION_STRICTLY_LOWER};
    static const twill_datatype upper = {.size = sizeof(twill_datatype),
                                         .region = TWILL_REGION_UPPER};
    twill *tw = test_start(workers, sched);
    twill_array *a = tiles(tw, 2 * N, 1, ROWS, COLS), *sums = tiles(tw, N, M, 1, 1);
    twill_array *two = tiles(tw, N, 1, ROWS, COLS), *seen = tiles(tw, N, 1, 1, 1);
    twill_graph *g;
    OK(twill_parts_new(tw, N, M, a, sums, two, seen, &below, &upper, &g));
    for (int64_t run = 1; run <= 3; run++) {
        OK(twill_ptg_run(g));
        OK(twill_wait(g));
        check_run(run, a, sums, two, seen);
    }
    twill_graph_free(g);
    twill_stop(tw);
}

TEST(triangles_go_different_ways)
{
    for (int s = 0; s < test_nsetups; s++)
        run_parts(test_setups[s].sched, test_setups[s].workers);
}

/* ---- a part of a part, by hand ----------------------------------------------------------------
 *
 *   FIRST()  RW t <- A(0) [UPPER]  -> t NEXT() [LOWER]  -> A(0)    adds 1 to the upper triangle
 *   NEXT()   RW t [FULL]           -> A(0)                         adds 10 to what is left: the
 * diagonal
 */
typedef struct by_hand {
    twill_array *a;
    const twill_datatype *upper, *lower;
} by_hand;

static twill_tile *only_tile(const void *globals)
{
    return twill_tile_at(((const by_hand *)globals)->a, 0, 0);
}

static int64_t first_inputs(const void *globals, const int64_t *p)
{
    (void)globals, (void)p;
    return 0;
}

static int64_t next_inputs(const void *globals, const int64_t *p)
{
    (void)globals, (void)p;
    return 1;
}

static bool start_first(const void *globals, int64_t *p, bool first)
{
    (void)globals, (void)p;
    return first;
}

static void first_bind(twill_ptg_inputs *in, const void *globals, const int64_t *p)
{
    (void)p;
    twill_ptg_memory_region(in, 0, only_tile(globals), ((const by_hand *)globals)->upper);
}

static void first_release(twill_ptg_outputs *out, const void *globals, const int64_t *p)
{
    twill_ptg_output(out, 0);
    twill_ptg_send_region(out, 1, 0, p, ((const by_hand *)globals)->lower);
    twill_ptg_store(out, only_tile(globals), NULL);
}

static void next_bind(twill_ptg_inputs *in, const void *globals, const int64_t *p)
{
    (void)globals, (void)p;
    twill_ptg_take_region(in, 0, NULL);
}

static void next_release(twill_ptg_outputs *out, const void *globals, const int64_t *p)
{
    (void)p;
    twill_ptg_output(out, 0);
    twill_ptg_store(out, only_tile(globals), NULL);
}

static twill_outcome first_body(twill_task *t, const void *globals, const int64_t *p,
                                const twill_flow *flow)
{
    (void)t, (void)globals, (void)p;
    add_to(&flow[0], 1, 1);
    return TWILL_DONE;
}

static twill_outcome next_body(twill_task *t, const void *globals, const int64_t *p,
                               const twill_flow *flow)
{
    (void)t, (void)globals, (void)p;
    for (int64_t j = 0; j < COLS; j++)
        ((int64_t *)flow[0].data)[j + j * flow[0].ld] += 10;
    return TWILL_DONE;
}

static const twill_ptg_flow changes_t[] = {{.name = "t", .mode = TWILL_FLOW_READ_WRITE}};
static const twill_ptg_class first_class = {.size = sizeof(twill_ptg_class),
                                            .name = "FIRST",
                                            .flows = 1,
                                            .flow = changes_t,
                                            .inputs = first_inputs,
                                            .startup = start_first,
                                            .bind = first_bind,
                                            .release = first_release,
                                            .chores = {TWILL_CPU(first_body)}};
static const twill_ptg_class next_class = {.size = sizeof(twill_ptg_class),
                                           .name = "NEXT",
                                           .flows = 1,
                                           .flow = changes_t,
                                           .inputs = next_inputs,
                                           .bind = next_bind,
                                           .release = next_release,
                                           .chores = {TWILL_CPU(next_body)}};
static const twill_ptg_graph part_of_part = {
    .size = sizeof(twill_ptg_graph),
    .name = "part_of_part",
    .classes = 2,
    .collections = 1,
    .cls = (const twill_ptg_class *const[]){&first_class, &next_class},
    .collection = (const twill_ptg_collection[]){
        {.name = "A", .offset = offsetof(by_hand, a), .access = TWILL_READ_WRITE}}};

TEST(a_part_of_a_part_is_what_both_have)
{
    static const twill_datatype lower = {.size = sizeof(twill_datatype),
                                         .region = TWILL_REGION_LOWER};
    static const twill_datatype upper = {.size = sizeof(twill_datatype),
                                         .region = TWILL_REGION_UPPER};
    twill *tw = test_start(2, NULL);
    by_hand g = {tiles(tw, 1, 1, ROWS, COLS), &upper, &lower};
    twill_graph *graph;
    void *x;
    int64_t ld;
    OK(twill_ptg_new(tw, &part_of_part, &g, sizeof g, &graph));
    OK(twill_ptg_run(graph));
    OK(twill_wait(graph));
    OK(twill_map(twill_view_all(g.a), TWILL_READ, &x, &ld));
    for (int64_t j = 0; j < COLS; j++)
        for (int64_t i = 0; i < ROWS; i++)
            assert_int_equal(((int64_t *)x)[i + j * ld], i > j ? 0 : i == j ? 11 : 1);
    OK(twill_unmap(twill_view_all(g.a), x));
    twill_graph_free(graph);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_go_different_ways),
        cmocka_unit_test(a_part_of_a_part_is_what_both_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
