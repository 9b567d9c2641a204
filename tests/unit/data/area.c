/* Areas, which are bits and triangles, against plain sets of elements; and values of which areas
 * are taken, changed and stored at random, against what a program would see that does it all at
 * once. */
#include "support/test.h"

#include "data/buffers.h"

#include <string.h>

enum { ROWS = 150, COLS = 9, MOST = ROWS * COLS };

/* An area of a tile of that size, and the same as a set. */
typedef struct set {
    tw_area area;
    bool has[MOST];
} set;

static int64_t rows, cols; /* of the tile at hand */
static uint64_t seed;

static int64_t pick(int64_t n)
{
    return (int64_t)test_random(&seed, (uint64_t)n);
}

static void make_region(set *s)
{
    s->area = tw_area_of((tw_region)pick(TW_FULL + 1));
    for (int64_t i = 0; i < rows * cols; i++) {
        int64_t row = i % rows, col = i / rows;
        tw_region where = row > col ? TW_BELOW : row == col ? TW_DIAGONAL : TW_ABOVE;
        s->has[i] = s->area.region & where;
    }
}

/* Some rows, one behind the other, of every so many columns. */
static void make_mask(set *s)
{
    int64_t row = pick(rows), n = 1 + pick(rows - row), col = pick(cols), step = 1 + pick(3);
    tw_mask *mask = tw_mask_new(row, n, col, cols - col);
    assert_non_null(mask);
    memset(s->has, 0, sizeof s->has);
    for (int64_t j = col; j < cols; j += step) {
        int64_t gap = pick(3) == 0 ? pick(n) : 0;
        tw_mask_add(mask, row + gap, n - gap, 1, j);
        for (int64_t i = row + gap; i < row + n; i++)
            s->has[i + j * rows] = true;
    }
    s->area = tw_area_from(mask, rows, cols);
}

static void make_set(set *s)
{
    pick(3) == 0 ? make_region(s) : make_mask(s);
}

static void make_size(int64_t most_rows)
{
    rows = 1 + pick(most_rows);
    cols = 1 + pick(COLS - 1) + (rows == 1); /* a single element would be a region */
}

static void check_same(const set *s)
{
    set mask = {.area = tw_area_of(0)};
    for (int64_t i = 0; i < rows * cols; i++) {
        int64_t row = i % rows, col = i / rows;
        tw_mask *one = tw_mask_new(row, 1, col, 1);
        assert_non_null(one);
        tw_mask_add(one, row, 1, 1, col);
        mask.area = tw_area_from(one, rows, cols);
        assert_int_equal(tw_area_meets(s->area, mask.area, rows, cols), s->has[i]);
        tw_area_drop(mask.area);
    }
}

static void check_pair(const set *a, const set *b)
{
    set both, either, without;
    bool meets = false, within = true;
    assert_true(tw_area_both(a->area, b->area, rows, cols, &both.area));
    assert_true(tw_area_either(a->area, b->area, rows, cols, &either.area));
    assert_true(tw_area_without(a->area, b->area, rows, cols, &without.area));
    for (int64_t i = 0; i < rows * cols; i++) {
        both.has[i] = a->has[i] && b->has[i];
        either.has[i] = a->has[i] || b->has[i];
        without.has[i] = a->has[i] && !b->has[i];
        meets |= both.has[i];
        within &= !without.has[i];
    }
    check_same(&both);
    check_same(&either);
    check_same(&without);
    if (tw_area_is_plain(a->area, b->area) && (rows < 2 || cols < 2))
        return; /* nothing is to be dropped, and the tile has nothing of some regions */
    assert_int_equal(tw_area_meets(a->area, b->area, rows, cols), meets);
    assert_int_equal(tw_area_within(a->area, b->area, rows, cols), within);
    tw_area_drop(both.area);
    tw_area_drop(either.area);
    tw_area_drop(without.area);
}

TEST(areas_are_sets_of_elements)
{
    static set a, b;
    seed = 1;
    for (int i = 0; i < (test_slow() ? 100 : 1000); i++) {
        make_size(ROWS);
        make_set(&a);
        make_set(&b);
        check_same(&a);
        check_pair(&a, &b);
        tw_area_drop(a.area);
        tw_area_drop(b.area);
    }
}

TEST(areas_of_nothing_and_of_all_have_no_mask)
{
    rows = cols = 3;
    tw_mask *all = tw_mask_new(0, 3, 0, 3), *none = tw_mask_new(0, 3, 0, 3);
    for (int64_t j = 0; j < 3; j++)
        tw_mask_add(all, 0, 3, 1, j);
    assert_int_equal(tw_area_from(all, 3, 3).region, TW_FULL);
    assert_int_equal(tw_area_from(none, 3, 3).region, 0);
}

/* ---- values ------------------------------------------------------------------------------ */

enum { HOLDERS = 6, STEPS = 60 };

/* A value that somebody holds, the elements that it has, and what is in them. */
typedef struct holder {
    tw_value *v;
    bool has[MOST];
    int64_t seen[MOST];
} holder;

static tw_depot depot;
static tw_buffer_cache cache;
static tw_value home;
static int64_t bytes[MOST], memory[MOST]; /* the tile, and what a program would read there */
static holder holders[HOLDERS];
static int64_t last; /* number that was written */

static int64_t *element(const tw_value *v, int64_t i)
{
    return (int64_t *)v->host.data + i % rows + i / rows * v->host.ld;
}

static void check_holder(const holder *h)
{
    for (int64_t i = 0; i < rows * cols; i++)
        if (h->has[i])
            assert_int_equal(*element(h->v, i), h->seen[i]);
}

static void take_part(holder *h, const set *s)
{
    if (!tw_area_within(tw_value_area(h->v), s->area, rows, cols))
        h->v = tw_value_region(&cache, h->v, s->area);
    assert_non_null(h->v);
    for (int64_t i = 0; i < rows * cols; i++)
        h->has[i] = h->has[i] && s->has[i];
}

static void take_from_memory(holder *h, const set *s)
{
    h->v = tw_value_current(&home, s->area, &cache);
    assert_non_null(h->v);
    memset(h->has, true, sizeof h->has);
    memcpy(h->seen, memory, sizeof memory);
    take_part(h, s);
}

/* Something that does not come from memory. */
static void take_new(holder *h)
{
    h->v = tw_value_new(&cache, rows, cols, sizeof(int64_t));
    assert_non_null(h->v);
    memset(h->has, true, sizeof h->has);
    for (int64_t i = 0; i < rows * cols; i++)
        *element(h->v, i) = h->seen[i] = ++last;
}

/* What a task does that changes a flow: in place, or in a copy of its own. */
static void change(holder *h, const set *s)
{
    if (!tw_value_alone(h->v)) {
        tw_value *own = tw_value_new(&cache, rows, cols, sizeof(int64_t));
        assert_non_null(own);
        tw_value_copy(own, h->v, tw_value_area(h->v));
        tw_value_limit(own, tw_area_hold(tw_value_area(h->v)));
        tw_value_drop(&cache, h->v);
        h->v = own;
    }
    for (int64_t i = 0; i < rows * cols; i++)
        if (h->has[i] && s->has[i])
            *element(h->v, i) = h->seen[i] = ++last;
}

static void store(const holder *h, const set *s)
{
    assert_true(tw_value_store(&home, h->v, s->area, &cache));
    for (int64_t i = 0; i < rows * cols; i++)
        if (h->has[i] && s->has[i])
            memory[i] = h->seen[i];
}

static void drop(holder *h)
{
    tw_value_drop(&cache, h->v);
    h->v = NULL;
}

static void step(void)
{
    static set s;
    holder *h = &holders[pick(HOLDERS)];
    int64_t what = pick(8);
    make_set(&s);
    if (!h->v) {
        what < 6 ? take_from_memory(h, &s) : take_new(h);
    } else if (what < 4) {
        change(h, &s);
        store(h, &s);
    } else if (what < 6) {
        take_part(h, &s);
    } else {
        drop(h);
    }
    tw_area_drop(s.area);
    for (int i = 0; i < HOLDERS; i++)
        if (holders[i].v)
            check_holder(&holders[i]);
}

static void live(void)
{
    make_size(ROWS / 2);
    home = (tw_value){.host = {bytes, rows + pick(3)},
                      .rows = rows,
                      .cols = cols,
                      .element = sizeof(int64_t),
                      .region = TW_FULL};
    memset(bytes, 0, sizeof bytes);
    memset(memory, 0, sizeof memory);
    for (int i = 0; i < STEPS; i++)
        step();
    for (int i = 0; i < HOLDERS; i++)
        if (holders[i].v)
            drop(&holders[i]);
    assert_null(home.newer);
    assert_null(home.mask);
    for (int64_t i = 0; i < rows * cols; i++)
        assert_int_equal(*element(&home, i), memory[i]);
}

TEST(areas_of_a_tile_are_as_the_last_store_left_them)
{
    cache = (tw_buffer_cache){.depot = &depot};
    seed = 2;
    for (int i = 0; i < (test_slow() ? 100 : 1000); i++)
        live();
    tw_buffer_cache_close(&cache);
    tw_depot_close(&depot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_are_sets_of_elements),
        cmocka_unit_test(areas_of_nothing_and_of_all_have_no_mask),
        cmocka_unit_test(areas_of_a_tile_are_as_the_last_store_left_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
