/* Host access to arrays of one to six dimensions, in either order of elements: what a task writes
 * into tiles is what views show, and what is written through views is what tasks read. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static twill *tw;

static int start(void **state)
{
    (void)state;
    tw = test_start(2, NULL);
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

/* ---- by place: what tasks see --------------------------------------------------------------- */

/* Elements of a tile by their offsets, as twill_pattern_find gives them. */
static double *element_of(twill_array *a, const int64_t *index)
{
    const twill_pattern *p = twill_array_pattern(a);
    twill_place place = twill_pattern_find(p, index);
    twill_view tile = twill_view_tile_nd(a, place.block);
    void *data;
    int64_t ld, offset = 0, apart = 1;
    OK(twill_map(tile, TWILL_READ_WRITE, &data, &ld));
    for (int k = 0; k < p->ndim; k++) {
        int d = p->order & TWILL_ROW_MAJOR_ELEMENTS ? p->ndim - 1 - k : k;
        offset += index[d] % p->block[d] * apart;
        apart *= k == 0 ? ld : tile.extent[d];
    }
    /* the array's own bytes, which stay where they are */
    OK(twill_unmap(tile, data));
    return (double *)data + offset;
}

/* ---- by view -------------------------------------------------------------------------------- */

static twill_view some_part(twill_array *a, uint64_t *seed)
{
    twill_view v = twill_view_all(a);
    for (int d = 0; d < twill_array_pattern(a)->ndim; d++) {
        int64_t begin = pick(seed, 0, v.extent[d] - 1);
        v = twill_view_range(v, d, begin, pick(seed, begin + 1, v.extent[d]));
    }
    if (pick(seed, 0, 3) == 0)
        v = twill_view_slice(v, 0, pick(seed, 0, v.extent[0] - 1));
    return pick(seed, 0, 2) ? v : twill_view_local(v);
}

/* Where the element at `at` of a mapped view is: the formula of twill_map. */
static int64_t offset_in(twill_view v, const int64_t *at, int64_t ld)
{
    const twill_pattern *p = twill_array_pattern(v.array);
    int64_t offset = 0, apart = 1;
    for (int k = 0; k < p->ndim; k++) {
        int d = p->order & TWILL_ROW_MAJOR_ELEMENTS ? p->ndim - 1 - k : k;
        offset += at[d] * apart;
        apart *= k == 0 ? ld : v.extent[d];
    }
    return offset;
}

/* Compare a part with the plain array, and write new numbers into both. */
static void visit(twill_array *a, double *plain, uint64_t *seed)
{
    twill_view v = some_part(a, seed), whole = v;
    const twill_pattern *p = twill_array_pattern(a);
    twill_access mode = (twill_access)pick(seed, TWILL_READ, TWILL_READ_WRITE);
    int64_t at[TWILL_DIMS] = {0}, index[TWILL_DIMS], ld;
    void *data;
    whole.sliced = 0; /* as memory, a slice has one element there */
    OK(twill_map(v, mode, &data, &ld));
    do {
        twill_view_index(whole, at, index);
        double *here = (double *)data + offset_in(v, at, ld);
        double *there = plain + twill_pattern_index(p, index);
        if (mode != TWILL_WRITE)
            assert_true(*here == *there);
        if (mode != TWILL_READ)
            *here = *there = (double)pick(seed, 0, 1 << 20);
    } while (advance(at, v.extent, p->ndim));
    OK(twill_unmap(v, data));
}

static twill_array *make_array(uint64_t *seed, double **memory)
{
    int ndim = (int)pick(seed, 1, TWILL_DIMS);
    int64_t extent[TWILL_DIMS], block[TWILL_DIMS], order = pick(seed, 0, TWILL_ROW_MAJOR);
    int64_t size = 1, ld = 0;
    bool wrapped = pick(seed, 0, 2) == 0;
    int first = order & TWILL_ROW_MAJOR_ELEMENTS ? ndim - 1 : 0, last = ndim - 1 - first;
    for (int d = 0; d < ndim; d++) {
        extent[d] = pick(seed, 1, ndim < 3 ? 12 : ndim == 3 ? 7 : 4);
        block[d] = pick(seed, 1, extent[d] + 1);
        if (wrapped && d != first && d != last)
            block[d] = extent[d];
        ld = d == first ? extent[d] + pick(seed, 0, 2) : ld;
        size *= d == first ? ld : extent[d];
    }
    twill_pattern p = twill_pattern_nd(ndim, extent, block, NULL);
    p.order = order;
    twill_array *a;
    *memory = wrapped ? calloc((size_t)size, sizeof(double)) : NULL;
    if (wrapped)
        OK(twill_array_wrap(tw, &p, TWILL_FLOAT64, 0, *memory, ld, &a));
    else
        OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    return a;
}

static void check_places(twill_array *a, const double *plain, const double *memory)
{
    const twill_pattern *p = twill_array_pattern(a);
    int64_t at[TWILL_DIMS] = {0};
    do {
        double *here = element_of(a, at);
        assert_true(*here == plain[twill_pattern_index(p, at)]);
        if (!memory && twill_tile_nd(a, (int64_t[TWILL_DIMS]){0})) { /* in the tile, by offset */
            twill_place place = twill_pattern_find(p, at);
            int64_t start[TWILL_DIMS];
            for (int d = 0; d < p->ndim; d++)
                start[d] = place.block[d] * p->block[d];
            assert_int_equal(here - element_of(a, start), place.offset);
        }
    } while (advance(at, p->extent, p->ndim));
}

TEST(parts_of_any_dimensions_are_those_of_a_plain_array)
{
    uint64_t seed = 4;
    for (int i = 0; i < (test_slow() ? 60 : 300); i++) {
        double *memory;
        twill_array *a = make_array(&seed, &memory);
        const twill_pattern *p = twill_array_pattern(a);
        double *plain = calloc((size_t)twill_pattern_rank_elements(p, 0), sizeof *plain);
        for (int k = 0; k < 20; k++)
            visit(a, plain, &seed);
        check_places(a, plain, memory);
        twill_array_free(a);
        free(plain);
        free(memory);
    }
}

/* ---- tiles of three dimensions in tasks ----------------------------------------------------- */

static twill_outcome add_one(twill_task *t)
{
    double *x = twill_task_data(t, 0);
    int64_t ld = twill_task_ld(t, 0);
    for (int64_t j = 0; j < twill_task_cols(t, 0); j++)
        for (int64_t i = 0; i < twill_task_rows(t, 0); i++)
            x[i + j * ld] += 1;
    return TWILL_DONE;
}

static const twill_class adder = {
    .size = sizeof(twill_class), .name = "add_one", .chores = {TWILL_CPU(add_one)}};

TEST(tasks_see_every_element_of_a_tile_once)
{
    for (int64_t order = 0; order < 2; order++) {
        twill_pattern p = twill_pattern_nd(3, (int64_t[]){5, 7, 4}, (int64_t[]){2, 3, 3}, NULL);
        p.order = order;
        twill_array *a;
        twill_graph *g;
        int64_t block[3], ld;
        void *data;
        OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
        OK(twill_stf_begin(tw, &g));
        for (block[0] = 0; block[0] < 3; block[0]++)
            for (block[1] = 0; block[1] < 3; block[1]++)
                for (block[2] = 0; block[2] < 2; block[2]++)
                    OK(twill_insert(g, &adder, TWILL_RW(twill_tile_nd(a, block))));
        OK(twill_wait(g));
        OK(twill_map(twill_view_all(a), TWILL_READ, &data, &ld));
        for (int64_t i = 0; i < 5 * 7 * 4; i++)
            assert_true(((double *)data)[i] == 1);
        OK(twill_unmap(twill_view_all(a), data));
        twill_array_free(a);
    }
}

/* ---- row-major matrices and linear algebra -------------------------------------------------- */

TEST(linear_algebra_refuses_elements_in_row_major_order)
{
    twill_pattern p = twill_tiled(6, 6, 2, 2);
    twill_array *a;
    double norm;
    p.order = TWILL_ROW_MAJOR;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    REFUSED(twill_norm(TWILL_NORM_MAX, a, &norm), TWILL_ERR_UNSUPPORTED, "row-major");
    twill_array_free(a);
    p.order = TWILL_ROW_MAJOR_BLOCKS | TWILL_ROW_MAJOR_RANKS;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    OK(twill_norm(TWILL_NORM_MAX, a, &norm));
    twill_array_free(a);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(parts_of_any_dimensions_are_those_of_a_plain_array),
        WITH_CONTEXT(tasks_see_every_element_of_a_tile_once),
        WITH_CONTEXT(linear_algebra_refuses_elements_in_row_major_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
