/* Chains of views, against a plain model: in each dimension a list of the indices that the view
 * has. Random chains over random patterns, on 1 to 9 ranks. */
#include "support/test.h"

#include "data/array.h"

#include <string.h>

enum { MOST = 24, LINKS = 6, RANKS = 9 };

/* What one dimension of a view may have, and what it has of it. */
typedef struct line {
    int64_t domain[MOST];
    int64_t all, start, extent;
    bool sliced;
} line;

typedef struct model {
    line line[TWILL_DIMS];
    bool bad; /* it has left its array, or is no view */
} model;

static tw_data data;
static twill_array *array;

static int64_t pick(uint64_t *seed, int64_t low, int64_t high)
{
    return low + (int64_t)test_random(seed, (uint64_t)(high - low + 1));
}

/* ---- the model ------------------------------------------------------------------------------ */

static line *line_at(model *m, int d)
{
    for (int e = 0; e < array->pattern.ndim; e++)
        if (!m->line[e].sliced && d-- == 0)
            return &m->line[e];
    return NULL;
}

static void model_all(model *m)
{
    memset(m, 0, sizeof *m);
    for (int d = 0; d < array->pattern.ndim; d++) {
        line *l = &m->line[d];
        l->all = l->extent = array->pattern.extent[d];
        for (int64_t i = 0; i < l->all; i++)
            l->domain[i] = i;
    }
}

static void model_range(model *m, int d, int64_t begin, int64_t end)
{
    line *l = line_at(m, d);
    if (!l || begin < 0 || end < begin || end > l->extent) {
        m->bad = true;
        return;
    }
    l->start += begin;
    l->extent = end - begin;
}

static void model_shift(model *m, int d, int64_t by)
{
    line *l = line_at(m, d);
    m->bad = m->bad || !l || l->start + by < 0 || l->start + by + l->extent > l->all;
    if (!m->bad)
        l->start += by;
}

/* Which block of its domain a position is in: positions of one block of the array follow each
 * other there. */
static int64_t block_at(const line *l, int d, int64_t position)
{
    return l->domain[l->start + position] / array->pattern.block[d];
}

static int64_t model_blocks(const line *l, int d)
{
    int64_t n = l->extent > 0;
    for (int64_t i = 1; i < l->extent; i++)
        n += block_at(l, d, i) != block_at(l, d, i - 1);
    return n;
}

static void model_block(model *m, const int64_t *which)
{
    for (int d = 0, left = 0; d < array->pattern.ndim && !m->bad; d++) {
        line *l = &m->line[d];
        if (l->sliced)
            continue;
        int64_t n = -1, begin = 0, end = 0, wanted = which[left++];
        for (int64_t i = 0; i < l->extent; i++) {
            n += i == 0 || block_at(l, d, i) != block_at(l, d, i - 1);
            begin = n < wanted ? i + 1 : begin;
            end = n <= wanted ? i + 1 : end;
        }
        m->bad = wanted < 0 || wanted > n;
        l->start += begin;
        l->extent = end - begin;
    }
}

/* Who owns index i along dimension d, if it is this rank. */
static bool is_mine(int d, int64_t i)
{
    int64_t here[TWILL_DIMS];
    const twill_pattern *p = &array->pattern;
    return tw_pattern_coordinates(p, data.rank, here) &&
           tw_pattern_coordinate(p, d, i / p->block[d]) == here[d];
}

static void model_local(model *m)
{
    for (int d = 0; d < array->pattern.ndim; d++) {
        line *l = &m->line[d], x = *l; /* of the array, whose domain are all indices */
        l->all = l->extent = l->start = 0;
        for (int64_t i = 0; i < array->pattern.extent[d]; i++) {
            if (!is_mine(d, i))
                continue;
            l->start += i < x.start;
            l->extent += i >= x.start && i < x.start + x.extent;
            l->domain[l->all++] = i;
        }
    }
}

static void model_global(model *m)
{
    for (int d = 0; d < array->pattern.ndim; d++) {
        line *l = &m->line[d];
        m->bad = m->bad || model_blocks(l, d) > 1;
        l->start = l->extent ? l->domain[l->start] : 0;
        l->all = array->pattern.extent[d];
        for (int64_t i = 0; i < l->all; i++)
            l->domain[i] = i;
    }
}

/* ---- both ----------------------------------------------------------------------------------- */

static twill_view block_of(twill_view v, model *m, uint64_t *seed)
{
    int64_t which[TWILL_DIMS] = {0}, number = 0;
    int n = twill_view_ndim(v), wrong = (int)pick(seed, 0, 30);
    bool last_fastest = array->pattern.order & TWILL_ROW_MAJOR_BLOCKS;
    for (int d = 0; d < n; d++) {
        int64_t blocks = twill_view_blocks(v, d);
        which[d] = wrong == d ? blocks : pick(seed, 0, blocks ? blocks - 1 : 0);
    }
    for (int k = n - 1; k >= 0; k--) {
        int d = last_fastest ? n - 1 - k : k;
        number = number * twill_view_blocks(v, d) + which[d];
    }
    if (number >= twill_view_all_blocks(v) || wrong < n || pick(seed, 0, 1)) {
        model_block(m, which);
        return twill_view_block(v, which);
    }
    model_block(m, which);
    return twill_view_block_nth(v, number);
}

static twill_view add_link(twill_view v, model *m, bool *local, uint64_t *seed)
{
    int n = twill_view_ndim(v), d = (int)pick(seed, 0, n > 0 ? n - 1 : 0);
    int64_t extent = twill_view_extent(v, d), begin = pick(seed, 0, extent), by = pick(seed, -3, 3);
    int64_t end = pick(seed, begin, extent + (pick(seed, 0, 20) == 0));
    switch (pick(seed, 0, 7)) {
    case 0:
        m->bad = m->bad || n == 0 || begin >= extent;
        if (!m->bad) {
            line *l = line_at(m, d);
            model_range(m, d, begin, begin + 1);
            l->sliced = true;
        }
        return d == 0 ? twill_view_row(v, begin) : twill_view_slice(v, d, begin);
    case 1:
        model_shift(m, d, by);
        return twill_view_shift(v, d, by);
    case 2:
        return block_of(v, m, seed);
    case 3:
        if (!*local)
            model_local(m);
        *local = true;
        return twill_view_local(v);
    case 4:
        if (*local)
            model_global(m);
        *local = false;
        return twill_view_global(v);
    default:
        model_range(m, d, begin, end);
        return twill_view_range(v, d, begin, end);
    }
}

static void check_same(twill_view v, const model *m)
{
    int64_t at[TWILL_DIMS] = {0}, shape[TWILL_DIMS], index[TWILL_DIMS], size = 1;
    const line *left[TWILL_DIMS];
    int n = 0, which[TWILL_DIMS];
    OK(twill_view_check(v));
    for (int d = 0; d < array->pattern.ndim; d++) {
        size *= m->line[d].extent;
        if (!m->line[d].sliced) {
            which[n] = d;
            left[n++] = &m->line[d];
        }
    }
    assert_int_equal(twill_view_ndim(v), n);
    assert_int_equal(twill_view_size(v), size);
    twill_view_shape(v, shape);
    for (int d = 0; d < n; d++) {
        assert_int_equal(shape[d], left[d]->extent);
        assert_int_equal(twill_view_extent(v, d), shape[d]);
        assert_int_equal(twill_view_blocks(v, d), model_blocks(left[d], which[d]));
    }
    for (int64_t number = 0; number < size; number++) {
        twill_view_index(v, at, index);
        for (int d = 0, k = 0; d < array->pattern.ndim; d++) {
            const line *l = &m->line[d];
            assert_int_equal(index[d], l->domain[l->start + (l->sliced ? 0 : at[k])]);
            k += !l->sliced;
        }
        for (int d = 0; d < n && ++at[d] == shape[d]; d++)
            at[d] = 0;
    }
}

/* Each tile of a view comes once, and the sections are as many elements as the view. */
typedef struct tally {
    const twill_view *v;
    int64_t elements;
} tally;

static void count_section(int64_t number, void *arg)
{
    tally *t = arg;
    int64_t block[TWILL_DIMS], index[TWILL_DIMS], elements = 1;
    tw_section section;
    for (int d = 0; d < TWILL_DIMS; d++) {
        block[d] = number % array->blocks[d];
        number /= array->blocks[d];
    }
    tw_view_section(t->v, block, &section);
    twill_view whole = *t->v;
    whole.sliced = 0;
    twill_view_index(whole, section.at, index);
    for (int d = 0; d < array->pattern.ndim; d++) {
        assert_int_equal(index[d], block[d] * array->pattern.block[d] + section.inside[d]);
        assert_in_range(section.extent[d], 1, section.whole[d] - section.inside[d]);
        elements *= section.extent[d];
    }
    t->elements += elements;
}

static void check_chain(uint64_t *seed)
{
    model m;
    bool local = false;
    twill_view v = twill_view_all(array);
    model_all(&m);
    for (int64_t n = pick(seed, 1, LINKS); n > 0 && !m.bad; n--) {
        v = add_link(v, &m, &local, seed);
        if (!m.bad)
            check_same(v, &m);
    }
    if (m.bad) {
        assert_int_not_equal(twill_view_check(v), TWILL_OK);
        assert_int_equal(twill_view_size(v), 0);
        return;
    }
    tally t = {&v, 0};
    tw_view_tiles(&v, count_section, &t);
    assert_int_equal(t.elements, twill_view_size(v));
}

/* ---- patterns ------------------------------------------------------------------------------- */

static twill_pattern make_pattern(uint64_t *seed, int ranks)
{
    int ndim = (int)pick(seed, 1, 4);
    int64_t extent[TWILL_DIMS], grid[TWILL_DIMS];
    twill_dim dim[TWILL_DIMS];
    twill_pattern p;
    for (int d = 0; d < ndim; d++) {
        extent[d] = pick(seed, pick(seed, 0, 9) > 0, ndim < 3 ? MOST : 7);
        grid[d] = pick(seed, 1, ranks);
        ranks /= (int)grid[d];
        dim[d] = twill_dim_of((twill_dim_kind)pick(seed, 1, TWILL_DIM_TILED), pick(seed, 1, 5));
    }
    OK(twill_pattern_make(ndim, extent, dim, grid, pick(seed, 0, TWILL_ROW_MAJOR), &p));
    if (pick(seed, 0, 1))
        p.source[0] = pick(seed, 0, grid[0] - 1);
    if (pick(seed, 0, 1))
        p.super[0] = pick(seed, 1, 3);
    return p;
}

static void with_array(const twill_pattern *p, int rank, int ranks)
{
    tw_data_open(&data, 1 << 24);
    data.rank = rank;
    data.ranks = ranks;
    OK(tw_array_create(&data, NULL, p, TWILL_FLOAT64, 0, &array));
}

static void without_array(void)
{
    tw_cache cache = {0};
    tw_array_destroy(tw_array_release(array), &cache);
    tw_cache_close(&cache);
    tw_data_close(&data);
}

TEST(every_chain_is_the_chain_of_a_plain_array)
{
    uint64_t seed = 2;
    for (int i = 0; i < (test_slow() ? 300 : 1500); i++) {
        int ranks = (int)pick(&seed, 1, RANKS);
        twill_pattern p = make_pattern(&seed, ranks);
        with_array(&p, (int)pick(&seed, 0, ranks - 1), ranks);
        for (int k = 0; k < 20; k++)
            check_chain(&seed);
        without_array();
    }
}

/* The seed of all this: a local block, in the array, one column further west. */
TEST(the_block_west_of_a_local_one)
{
    twill_pattern p;
    const int64_t extent[] = {6, 12}, grid[] = {1, 2};
    const twill_dim dim[] = {TWILL_TILED(3), TWILL_TILED(3)};
    OK(twill_pattern_make(2, extent, dim, grid, 0, &p));
    with_array(&p, 1, 2);
    twill_view block = twill_view_block_nth(twill_view_local(twill_view_all(array)), 3);
    twill_view west = twill_view_shift(twill_view_global(block), 1, -1);
    OK(twill_view_check(west));
    assert_int_equal(west.start[0], 3);
    assert_int_equal(west.start[1], 8);
    assert_int_equal(west.extent[1], 3);
    without_array();
}

TEST(local_blocks_are_views_in_any_pattern)
{
    twill_pattern p = twill_pattern_shifted(2, (int64_t[]){7, 9}, (int64_t[]){2, 2}, 3);
    with_array(&p, 1, 3);
    int64_t elements = 0, blocks = twill_pattern_rank_blocks(&p, 1);
    for (int64_t n = 0; n < blocks; n++)
        elements += twill_view_size(twill_view_lblock(array, n));
    assert_int_equal(elements, twill_pattern_rank_elements(&p, 1));
    REFUSED(twill_view_check(twill_view_lblock(array, blocks)), TWILL_ERR_ARGUMENT,
            "no local block");
    REFUSED(twill_view_check(twill_view_local(twill_view_all(array))), TWILL_ERR_UNSUPPORTED,
            "twill_view_lblock");
    without_array();
}

TEST(a_view_says_what_it_cannot_be)
{
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){8}, (int64_t[]){2}, (int64_t[]){2});
    with_array(&p, 0, 2);
    twill_view all = twill_view_all(array), local = twill_view_local(all);
    REFUSED(twill_view_check(twill_view_global(local)), TWILL_ERR_ARGUMENT, "several blocks");
    REFUSED(twill_view_check(twill_view_range(local, 0, 0, 5)), TWILL_ERR_ARGUMENT, "leaves");
    REFUSED(twill_view_check(twill_view_range(all, 1, 0, 1)), TWILL_ERR_ARGUMENT, "leaves");
    REFUSED(twill_view_check(twill_view_col(all, 0)), TWILL_ERR_ARGUMENT, "leaves");
    REFUSED(twill_view_check(twill_view_slice(all, 0, INT64_MAX)), TWILL_ERR_ARGUMENT, "leaves");
    REFUSED(twill_view_check(twill_view_shift(all, 0, INT64_MAX)), TWILL_ERR_ARGUMENT, "leaves");
    REFUSED(twill_view_check(twill_view_tile_nd(array, (int64_t[]){4})), TWILL_ERR_ARGUMENT,
            "leaves");
    OK(twill_view_check(twill_view_tile_nd(array, (int64_t[]){3})));
    without_array();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chain_is_the_chain_of_a_plain_array),
        cmocka_unit_test(the_block_west_of_a_local_one),
        cmocka_unit_test(local_blocks_are_views_in_any_pattern),
        cmocka_unit_test(a_view_says_what_it_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
