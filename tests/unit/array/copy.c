/* Copies between views and memory: against plain arrays, in the background, and in line with tasks.
 */
#include "support/test.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

static twill *tw;

static int start(void **state)
{
    (void)state;
    tw = test_start(2, NULL);
    return 0;
}

static int start_alone(void **state)
{
    (void)state;
    tw = test_start(1, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    twill_stop(tw);
    return 0;
}

static int64_t pick(uint64_t *seed, int64_t low, int64_t high)
{
    return low + (int64_t)test_random(seed, (uint64_t)(high - low + 1));
}

static bool advance(int64_t *at, const int64_t *extent, int n)
{
    for (int d = 0; d < n; d++) {
        if (++at[d] < extent[d])
            return true;
        at[d] = 0;
    }
    return false;
}

/* ---- random views of random arrays, beside plain ones --------------------------------------- */

typedef struct mirror {
    twill_array *array;
    double *plain; /* by number of the element */
    int64_t elements;
} mirror;

static twill_pattern some_pattern(uint64_t *seed, int ndim, const int64_t *extent)
{
    int64_t block[TWILL_DIMS];
    for (int d = 0; d < ndim; d++)
        block[d] = pick(seed, 1, extent[d] + 1);
    twill_pattern p = twill_pattern_nd(ndim, extent, block, NULL);
    p.order = pick(seed, 0, TWILL_ROW_MAJOR);
    return p;
}

static mirror open_mirror(const twill_pattern *p, uint64_t *seed)
{
    mirror m = {.elements = twill_pattern_rank_elements(p, 0)};
    OK(twill_array_create(tw, p, TWILL_FLOAT64, 0, &m.array));
    m.plain = malloc((size_t)m.elements * sizeof *m.plain);
    for (int64_t i = 0; i < m.elements; i++)
        m.plain[i] = (double)pick(seed, 0, 1 << 20);
    OK(twill_put(m.plain, twill_view_all(m.array)));
    return m;
}

static void close_mirror(mirror *m)
{
    twill_array_free(m->array);
    free(m->plain);
}

/* With these extents, in some dimensions of the array; the others are sliced. NULL array: no. */
static twill_view some_view(twill_array *a, uint64_t *seed, int left, const int64_t *extent)
{
    twill_view v = twill_view_all(a);
    int n = twill_array_pattern(a)->ndim, kept = 0;
    for (int d = 0; d < n; d++) {
        int dim = kept;
        if (n - d > left - kept && (kept == left || pick(seed, 0, 1))) {
            v = twill_view_slice(v, dim, pick(seed, 0, twill_view_extent(v, dim) - 1));
            continue;
        }
        int64_t most = twill_view_extent(v, dim) - extent[kept];
        if (most < 0)
            return (twill_view){0};
        int64_t begin = pick(seed, 0, most);
        v = twill_view_range(v, dim, begin, begin + extent[kept++]);
    }
    return pick(seed, 0, 3) ? v : twill_view_local(v);
}

static double *plain_at(const mirror *m, twill_view v, const int64_t *at)
{
    int64_t index[TWILL_DIMS];
    twill_view_index(v, at, index);
    return &m->plain[twill_pattern_index(twill_array_pattern(m->array), index)];
}

/* Number of an element in memory for the view: in the order of the array's elements. */
static int64_t number_in(twill_view v, const int64_t *at)
{
    int n = twill_view_ndim(v);
    bool row_major = twill_array_pattern(v.array)->order & TWILL_ROW_MAJOR_ELEMENTS;
    int64_t number = 0;
    for (int k = n - 1; k >= 0; k--) {
        int d = row_major ? n - 1 - k : k;
        number = number * twill_view_extent(v, d) + at[d];
    }
    return number;
}

static void check_all(const mirror *m)
{
    double *now = malloc((size_t)m->elements * sizeof *now);
    OK(twill_get(twill_view_all(m->array), now));
    assert_memory_equal(now, m->plain, (size_t)m->elements * sizeof *now);
    free(now);
}

static void through_memory(mirror *m, twill_view v, uint64_t *seed)
{
    int64_t at[TWILL_DIMS] = {0}, shape[TWILL_DIMS];
    int n = twill_view_ndim(v), what = (int)pick(seed, 0, 2);
    double *memory = malloc((size_t)twill_view_size(v) * sizeof *memory);
    twill_view_shape(v, shape);
    for (int64_t i = 0; i < twill_view_size(v); i++)
        memory[i] = (double)pick(seed, 0, 1 << 20);
    if (what == 0)
        OK(twill_get(v, memory));
    else if (what == 1)
        OK(twill_put(memory, v));
    else
        OK(twill_accumulate(memory, v));
    do {
        double *here = plain_at(m, v, at), there = memory[number_in(v, at)];
        if (what == 0)
            assert_true(*here == there);
        *here = what == 2 ? *here + there : there;
    } while (advance(at, shape, n));
    free(memory);
}

static void between(mirror *from, twill_view v, mirror *to, twill_view w)
{
    int64_t at[TWILL_DIMS] = {0}, shape[TWILL_DIMS];
    twill_view_shape(v, shape);
    OK(twill_transfer(v, w));
    do
        *plain_at(to, w, at) = *plain_at(from, v, at);
    while (advance(at, shape, twill_view_ndim(v)));
}

TEST(copies_are_those_of_plain_arrays)
{
    uint64_t seed = 8;
    for (int i = 0; i < (test_slow() ? 60 : 400); i++) {
        mirror m[2];
        int dims[2];
        int64_t shape[TWILL_DIMS];
        for (int k = 0; k < 2; k++) {
            int64_t extent[TWILL_DIMS];
            dims[k] = (int)pick(&seed, 1, 4);
            for (int d = 0; d < dims[k]; d++)
                extent[d] = pick(&seed, 1, dims[k] < 3 ? 11 : 5);
            twill_pattern p = some_pattern(&seed, dims[k], extent);
            m[k] = open_mirror(&p, &seed);
        }
        int left = (int)pick(&seed, 0, dims[0] < dims[1] ? dims[0] : dims[1]);
        for (int d = 0; d < left; d++)
            shape[d] = pick(&seed, 1, 4);
        twill_view v = some_view(m[0].array, &seed, left, shape);
        twill_view w = some_view(m[1].array, &seed, left, shape);
        if (v.array)
            through_memory(&m[0], v, &seed);
        if (v.array && w.array)
            between(&m[0], v, &m[1], w);
        check_all(&m[0]);
        check_all(&m[1]);
        close_mirror(&m[0]);
        close_mirror(&m[1]);
    }
}

/* ---- types ---------------------------------------------------------------------------------- */

TEST(every_numeric_type_is_added)
{
    static const twill_type types[] = {TWILL_FLOAT32, TWILL_FLOAT64, TWILL_COMPLEX64,
                                       TWILL_COMPLEX128};
    for (int i = 0; i < COUNT(types); i++) {
        double memory[12];
        twill_pattern p = twill_tiled(3, 2, 2, 2);
        twill_array *a;
        OK(twill_array_create(tw, &p, types[i], 0, &a));
        bool single = types[i] == TWILL_FLOAT32 || types[i] == TWILL_COMPLEX64;
        int numbers = (int)(twill_type_size(types[i]) * 6 / (single ? 4 : 8));
        for (int k = 0; k < numbers; k++)
            if (single)
                ((float *)memory)[k] = (float)k;
            else
                memory[k] = k;
        OK(twill_put(memory, twill_view_all(a)));
        OK(twill_accumulate(memory, twill_view_all(a)));
        OK(twill_get(twill_view_all(a), memory));
        for (int k = 0; k < numbers; k++)
            assert_true((single ? ((float *)memory)[k] : memory[k]) == 2.0 * k);
        twill_array_free(a);
    }
}

TEST(elements_of_any_size_are_copied)
{
    struct odd {
        char text[7];
    } in[15], out[15], one;
    twill_pattern p = twill_tiled(5, 3, 2, 2);
    twill_array *a;
    memset(out, 0, sizeof out);
    for (int i = 0; i < 15; i++)
        memset(&in[i], 'a' + i, sizeof in[i]);
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(struct odd), &a));
    OK(twill_put(in, twill_view_all(a)));
    OK(twill_get(twill_view_all(a), out));
    assert_memory_equal(in, out, sizeof in);
    OK(twill_get(twill_view_element(a, (int64_t[]){4, 2}), &one));
    assert_memory_equal(&one, &in[14], sizeof one);
    REFUSED(twill_accumulate(in, twill_view_all(a)), TWILL_ERR_ARGUMENT, "cannot be added");
    REFUSED(twill_get(twill_view_element(a, (int64_t[]){5, 0}), &one), TWILL_ERR_ARGUMENT,
            "leaves");
    twill_array_free(a);
}

/* ---- in the background ---------------------------------------------------------------------- */

static twill_outcome add_one(twill_task *t)
{
    double *x = twill_task_data(t, 0);
    for (int64_t i = 0; i < twill_task_rows(t, 0); i++)
        x[i] += 1;
    return TWILL_DONE;
}

static const twill_class adder = {
    .size = sizeof(twill_class), .name = "add_one", .chores = {TWILL_CPU(add_one)}};

/* Tasks and copies on one array, as they come, give what they would give one after the other. */
static void check_order(uint64_t *seed)
{
    enum { N = 12, B = 3, STEPS = 40, MOST = STEPS };
    twill_pattern p = twill_tiled(N, 1, B, 1);
    twill_array *a;
    twill_graph *g;
    twill_future *futures[MOST];
    double plain[N] = {0}, got[MOST][N], wanted[MOST][N], puts[MOST][N];
    int n = 0;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    OK(twill_stf_begin(tw, &g));
    for (int s = 0; s < STEPS; s++) {
        int64_t begin = pick(seed, 0, N - 1), end = pick(seed, begin + 1, N),
                what = pick(seed, 0, 3);
        twill_view v = twill_view_range(twill_view_all(a), 0, begin, end);
        size_t size = (size_t)(end - begin) * sizeof(double);
        if (what == 0) {
            int64_t tile = pick(seed, 0, N / B - 1);
            OK(twill_insert(g, &adder, TWILL_RW(twill_tile_at(a, tile, 0))));
            for (int64_t i = tile * B; i < (tile + 1) * B; i++)
                plain[i] += 1;
            continue;
        }
        for (int64_t i = 0; i < end - begin; i++)
            puts[n][i] = (double)pick(seed, 0, 99);
        memset(got[n], 0, sizeof got[n]);
        memset(wanted[n], 0, sizeof wanted[n]);
        if (what == 1) {
            OK(twill_get_async(v, got[n], &futures[n]));
            memcpy(wanted[n], plain + begin, size);
        } else if (what == 2) {
            OK(twill_put_async(puts[n], v, &futures[n]));
            memcpy(plain + begin, puts[n], size);
        } else {
            OK(twill_accumulate_async(puts[n], v, &futures[n]));
            for (int64_t i = begin; i < end; i++)
                plain[i] += puts[n][i - begin];
        }
        n++;
    }
    while (n > 0 && !twill_future_test(futures[0]))
        continue;
    OK(twill_future_wait_all(futures, n));
    for (int i = 0; i < n; i++)
        assert_memory_equal(got[i], wanted[i], sizeof got[i]);
    OK(twill_get(twill_view_all(a), got[0]));
    assert_memory_equal(got[0], plain, sizeof plain);
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_array_free(a);
}

TEST(copies_stand_in_line_with_tasks)
{
    uint64_t seed = 77;
    for (int i = 0; i < (test_slow() ? 20 : 200); i++)
        check_order(&seed);
}

/* A copy waits for the task before it; asking does not. */
TEST(a_future_is_over_when_its_copy_is)
{
    twill_array *a = test_integers(tw, 1);
    twill_graph *g;
    twill_future *f;
    test_hold hold = {NULL};
    int64_t x = 5;
    OK(twill_stf_begin(tw, &g));
    test_hold_begin(&hold, g, "writer", TWILL_W(twill_tile_at(a, 0, 0)));
    OK(twill_get_async(twill_view_all(a), &x, &f));
    for (int i = 0; i < 10; i++)
        assert_false(twill_future_test(f));
    assert_int_equal(x, 5);
    twill_task_done(hold.task, TWILL_OK);
    while (!twill_future_test(f))
        continue;
    assert_int_equal(x, 0);
    OK(twill_future_wait(f));
    OK(twill_future_wait(NULL));
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_array_free(a);
}

static twill_outcome fail_body(twill_task *t)
{
    return twill_task_fail(t, "on purpose");
}

static const twill_class failing = {
    .size = sizeof(twill_class), .name = "failing", .chores = {TWILL_CPU(fail_body)}};

TEST(what_a_failed_task_should_have_written_is_not_copied)
{
    twill_array *a = test_integers(tw, 1);
    twill_graph *g;
    int64_t x = 5;
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &failing, TWILL_W(twill_tile_at(a, 0, 0))));
    assert_int_not_equal(twill_get(twill_view_all(a), &x), TWILL_OK);
    assert_int_equal(x, 5);
    OK(twill_put(&x, twill_view_all(a)));
    x = 0;
    OK(twill_get(twill_view_all(a), &x));
    assert_int_equal(x, 5);
    assert_int_not_equal(twill_wait(g), TWILL_OK);
    twill_graph_free(g);
    twill_array_free(a);
}

/* ---- text ----------------------------------------------------------------------------------- */

TEST(a_view_has_a_text)
{
    const float complex pair[2] = {1 + 2 * I, -3 - 1 * I};
    const double x[6] = {1, 2.5, -3, 4, 5, 6};
    char text[4096];
    size_t length;
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 3, 2, 2);
    twill_view all = twill_view_all(a);
    OK(twill_put(x, all));
    OK(twill_view_text(all, text, sizeof text, &length));
    assert_string_equal(text, "[[1 4]\n [2.5 5]\n [-3 6]]");
    assert_int_equal(length, strlen(text));
    OK(twill_view_text(twill_view_col(all, 0), text, 6, &length));
    assert_string_equal(text, "[1 2.");
    assert_int_equal(length, strlen("[1 2.5 -3]"));
    OK(twill_view_text(all, NULL, 0, &length));
    OK(twill_view_text(twill_view_row(twill_view_row(all, 1), 1), text, sizeof text, NULL));
    assert_string_equal(text, "5");
    OK(twill_view_text(twill_view_range(all, 0, 1, 1), text, sizeof text, NULL));
    assert_string_equal(text, "[]");
    twill_array_free(a);
    a = test_matrix(tw, TWILL_COMPLEX64, 2, 1, 2);
    OK(twill_put(pair, twill_view_all(a)));
    OK(twill_view_text(twill_view_all(a), text, sizeof text, NULL));
    assert_string_equal(text, "[[1+2i]\n [-3-1i]]");
    twill_array_free(a);
    a = test_matrix(tw, TWILL_FLOAT32, 200, 8, 64);
    OK(twill_view_text(twill_view_all(a), text, sizeof text, NULL));
    assert_string_equal(text, "[[0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n ...\n "
                              "[0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]]");
    twill_array_free(a);
    a = test_integers(tw, 1);
    REFUSED(twill_view_text(twill_view_all(a), text, 1, NULL), TWILL_ERR_ARGUMENT, "no text");
    twill_array_free(a);
}

/* ---- what is refused ------------------------------------------------------------------------ */

TEST(copies_that_make_no_sense_are_refused)
{
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 7, 5, 3);
    twill_array *b = test_matrix(tw, TWILL_FLOAT32, 7, 5, 3), *triangle;
    twill_view all = twill_view_all(a);
    double x[35] = {0};
    void *data;
    int64_t ld;
    twill_future *f = NULL;
    REFUSED(twill_get(all, NULL), TWILL_ERR_ARGUMENT, "no memory");
    REFUSED(twill_get(twill_view_range(all, 0, 0, 8), x), TWILL_ERR_ARGUMENT, "leaves");
    REFUSED(twill_get_async(all, x, NULL), TWILL_ERR_ARGUMENT, "no place for the future");
    REFUSED(twill_put_async(x, all, NULL), TWILL_ERR_ARGUMENT, "no place for the future");
    REFUSED(twill_accumulate_async(x, all, NULL), TWILL_ERR_ARGUMENT, "no place");
    REFUSED(twill_transfer_async(all, all, NULL), TWILL_ERR_ARGUMENT, "no place");
    REFUSED(twill_transfer(all, twill_view_all(b)), TWILL_ERR_ARGUMENT, "type of their elements");
    REFUSED(twill_transfer(all, all), TWILL_ERR_ARGUMENT, "overlap");
    REFUSED(twill_transfer(twill_view_row(all, 1), twill_view_col(all, 1)), TWILL_ERR_ARGUMENT,
            "7 elements");
    twill_view row = twill_view_range(twill_view_row(all, 1), 0, 0, 3);
    REFUSED(twill_transfer(row, twill_view_range(twill_view_col(all, 1), 0, 0, 3)),
            TWILL_ERR_ARGUMENT, "overlap");
    OK(twill_transfer(row, twill_view_range(twill_view_col(all, 1), 0, 2, 5)));
    REFUSED(twill_transfer(row, all), TWILL_ERR_ARGUMENT, "1 and 2 dimensions");
    OK(twill_map(all, TWILL_READ, &data, &ld));
    REFUSED(twill_get(all, x), TWILL_ERR_STUCK, "unmap");
    OK(twill_put_async(x, all, &f));
    REFUSED(twill_future_wait(f), TWILL_ERR_STUCK, "unmap");
    OK(twill_unmap(all, data));
    OK(twill_future_wait(f));
    OK(twill_matrix_create_triangle(tw, TWILL_FLOAT64, 6, 2, TWILL_LOWER, &triangle));
    REFUSED(twill_get(twill_view_all(triangle), x), TWILL_ERR_UNSUPPORTED, "triangle");
    OK(twill_get(twill_view_range(all, 0, 3, 3), NULL));
    twill_array_free(triangle);
    twill_array_free(a);
    twill_array_free(b);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, start, stop)
#define ALONE(test) cmocka_unit_test_setup_teardown(test, start_alone, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(copies_are_those_of_plain_arrays),
        WITH_CONTEXT(every_numeric_type_is_added),
        WITH_CONTEXT(elements_of_any_size_are_copied),
        WITH_CONTEXT(copies_stand_in_line_with_tasks),
        ALONE(copies_stand_in_line_with_tasks),
        WITH_CONTEXT(a_future_is_over_when_its_copy_is),
        WITH_CONTEXT(what_a_failed_task_should_have_written_is_not_copied),
        WITH_CONTEXT(a_view_has_a_text),
        WITH_CONTEXT(copies_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
