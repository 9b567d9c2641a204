/* Rows, columns and runs of tiles that change apart, at the same time, against plain loops. The
 * graph is in shapes.jdf. */
#include "support/test.h"

#include "shapes.h"

#include <stdlib.h>

enum { N = 5, M = 12, ROWS = 70, HALF = 33, COLS = 6, RUNS = 3, LD = N * ROWS + 1 };

void spread(const twill_flow *half, const twill_flow *up, const twill_flow *down, int64_t h);
void add_columns(const twill_flow *t, int64_t first, int64_t step, int64_t what);
void add_run(const twill_flow *t, int64_t first, int64_t count, int64_t what);
int64_t sum_of(const twill_flow *t);
void wait_a_little(int64_t k);

void wait_a_little(int64_t k)
{
    if (k % 5 == 1)
        test_sleep_ms(1);
}

static int64_t *at(const twill_flow *t, int64_t row, int64_t col)
{
    return (int64_t *)t->data + row + col * t->ld;
}

/* Each row becomes the sum of its neighbours and itself, modulo something; where there is no
 * neighbour, nothing is added. */
static int64_t sum_rows(int64_t up, int64_t here, int64_t down)
{
    return (up + here + down) % 1000003;
}

void spread(const twill_flow *half, const twill_flow *up, const twill_flow *down, int64_t h)
{
    int64_t first = h % 2 ? HALF : 0, end = h % 2 ? ROWS : HALF;
    for (int64_t j = 0; j < COLS; j++) {
        int64_t before = up->data ? *at(up, h % 2 ? HALF - 1 : ROWS - 1, j) : 0;
        int64_t after = down->data ? *at(down, h % 2 ? 0 : HALF, j) : 0;
        for (int64_t i = first; i < end; i++) {
            int64_t here = *at(half, i, j);
            *at(half, i, j) = sum_rows(before, here, i < end - 1 ? *at(half, i + 1, j) : after);
            before = here;
        }
    }
}

void add_columns(const twill_flow *t, int64_t first, int64_t step, int64_t what)
{
    for (int64_t j = first; j < t->cols; j += step)
        for (int64_t i = 0; i < t->rows; i++)
            *at(t, i, j) += what;
}

void add_run(const twill_flow *t, int64_t first, int64_t count, int64_t what)
{
    for (int64_t e = first; e < first + count && e < t->rows * t->cols; e++)
        *at(t, e % t->rows, e / t->rows) += what;
}

int64_t sum_of(const twill_flow *t)
{
    int64_t sum = 0;
    for (int64_t j = 0; j < t->cols; j++)
        for (int64_t i = 0; i < t->rows; i++)
            sum += *at(t, i, j);
    return sum;
}

/* ---- what must come out ------------------------------------------------------------------ */

static int64_t number(int64_t row, int64_t col)
{
    return row * 7 + col;
}

/* One step of all halves; in the first one they do not know each other yet. */
static void spread_all(int64_t (*x)[COLS], bool alone)
{
    static int64_t old[N * ROWS][COLS];
    for (int64_t i = 0; i < N * ROWS; i++)
        for (int64_t j = 0; j < COLS; j++)
            old[i][j] = x[i][j];
    for (int64_t i = 0; i < N * ROWS; i++) {
        bool first = i % ROWS == 0 || i % ROWS == HALF;
        bool last = i % ROWS == ROWS - 1 || i % ROWS == HALF - 1;
        bool up = i > 0 && !(alone && first), down = i < N * ROWS - 1 && !(alone && last);
        for (int64_t j = 0; j < COLS; j++)
            x[i][j] = sum_rows(up ? old[i - 1][j] : 0, old[i][j], down ? old[i + 1][j] : 0);
    }
}

static int64_t piece(int64_t row, int64_t col)
{
    return (row >= 3 && row < 18 ? col + 1 : 0) + (row >= 3 && row < 11 ? 100 : 0);
}

/* ---- the graph --------------------------------------------------------------------------- */

typedef struct tiles {
    twill_array *array;
    int64_t *x;
} tiles;

/* Tiles one below the other in memory of the program's, so that their columns are far apart. */
static tiles make_tiles(twill *tw, bool numbered)
{
    tiles t = {.x = calloc((size_t)LD * COLS, sizeof *t.x)};
    twill_pattern p = twill_tiled(N * ROWS, COLS, ROWS, COLS);
    assert_non_null(t.x);
    for (int64_t i = 0; numbered && i < N * ROWS; i++)
        for (int64_t j = 0; j < COLS; j++)
            t.x[i + j * LD] = number(i, j);
    OK(twill_array_wrap(tw, &p, TWILL_BYTES, sizeof(int64_t), t.x, LD, &t.array));
    return t;
}

static void check(const tiles *t, int64_t i, int64_t j, int64_t wanted)
{
    assert_int_equal(t->x[i + j * LD], wanted);
}

static const twill_datatype top = {.size = sizeof(twill_datatype), .row = {.count = HALF}},
                            bottom = {.size = sizeof(twill_datatype), .row = {.first = HALF}},
                            first = {.size = sizeof(twill_datatype), .row = {.count = 1}},
                            above = {.size = sizeof(twill_datatype),
                                     .row = {.first = HALF - 1, .count = 1}},
                            middle = {.size = sizeof(twill_datatype),
                                      .row = {.first = HALF, .count = 1}},
                            last = {.size = sizeof(twill_datatype), .row = {.first = -1}},
                            even = {.size = sizeof(twill_datatype), .col = {.step = 2}},
                            odd = {.size = sizeof(twill_datatype), .col = {.first = 1, .step = 2}},
                            first_column = {.size = sizeof(twill_datatype), .col = {.count = 1}},
                            element = {.size = sizeof(twill_datatype), .element = 8},
                            five = {.size = sizeof(twill_datatype),
                                    .row = {.first = 3, .count = 5},
                                    .col = {.count = 1}};

static void run_shapes(const char *sched, int workers)
{
    static int64_t wanted[N * ROWS][COLS];
    twill *tw = test_start(workers, sched);
    tiles a = make_tiles(tw, true), b = make_tiles(tw, false), c = make_tiles(tw, false),
          d = make_tiles(tw, false), e = make_tiles(tw, false), f = make_tiles(tw, false);
    twill_array *seen = test_integers(tw, N);
    twill_graph *g;
    for (int64_t i = 0; i < N * ROWS; i++)
        for (int64_t j = 0; j < COLS; j++)
            wanted[i][j] = number(i, j);
    OK(twill_shapes_new(tw, N, M, a.array, b.array, seen, c.array, d.array, e.array, f.array, ROWS,
                        &top, &bottom, &first, &middle, &last, &above, &odd, &even, &first_column,
                        &five, &element, &g));
    for (int64_t run = 1; run <= RUNS; run++) {
        OK(twill_ptg_run(g));
        OK(twill_wait(g));
        for (int t = 0; t < M; t++)
            spread_all(wanted, t == 0);
        for (int64_t i = 0; i < N * ROWS; i++)
            for (int64_t j = 0; j < COLS; j++) {
                check(&a, i, j, wanted[i][j]);
                check(&b, i, j, run * M * (1 + j % 2));
                check(&c, i, j, run * (j + 1));
                check(&d, i, j, run * piece(i % ROWS, j));
                check(&e, i, j, run * ((i % ROWS + j * ROWS) / 50 + 1));
                check(&f, i, j, run * (j + 2));
            }
        for (int64_t k = 0; k < N; k++)
            assert_int_equal(test_get(seen, k), run * M * ROWS * COLS * 3 / 2);
    }
    twill_graph_free(g);
    twill_stop(tw);
    free(a.x), free(b.x), free(c.x), free(d.x), free(e.x), free(f.x);
}

TEST(shapes_of_a_tile_change_apart)
{
    for (int s = 0; s < test_nsetups; s++)
        run_shapes(test_setups[s].sched, test_setups[s].workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_of_a_tile_change_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
