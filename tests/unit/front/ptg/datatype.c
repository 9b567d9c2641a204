/* Which elements of a tile a datatype names, against a look at each of them; and types that make
 * no sense. */
#include "support/test.h"

#include "front/ptg/ptg.h"

#include <string.h>

enum { ROWS = 140, COLS = 12, MOST = ROWS * COLS };

static uint64_t seed = 1;

static int64_t pick(int64_t n)
{
    return (int64_t)test_random(&seed, (uint64_t)n);
}

static bool on_line(const twill_lines *l, int64_t line, int64_t n)
{
    int64_t first = l->first < 0 ? n + l->first : l->first, step = l->step ? l->step : 1;
    if (first < 0 || line < first || (line - first) % step)
        return false;
    return !l->count || (line - first) / step < l->count;
}

static bool in_region(twill_region region, int64_t row, int64_t col)
{
    switch (region) {
    case TWILL_REGION_LOWER:
        return row >= col;
    case TWILL_REGION_UPPER:
        return row <= col;
    case TWILL_REGION_STRICTLY_LOWER:
        return row > col;
    case TWILL_REGION_STRICTLY_UPPER:
        return row < col;
    default:
        return true;
    }
}

/* The elements, column after column, as the header describes them. */
static void expect(const twill_datatype *t, const tw_value *v, bool *has)
{
    bool one[MOST] = {false};
    int64_t n = v->rows * v->cols, first = -1, last = -1;
    for (int64_t i = 0; i < n; i++) {
        int64_t row = i % v->rows, col = i / v->rows;
        one[i] = on_line(&t->row, row, v->rows) && on_line(&t->col, col, v->cols) &&
                 in_region(t->region, row, col);
        first = one[i] && first < 0 ? i : first;
        last = one[i] ? i : last;
    }
    memset(has, 0, MOST * sizeof *has);
    for (int64_t k = 0; k <= t->repeats && k < MOST; k++)
        for (int64_t i = 0; i < n; i++) {
            int64_t to = i + t->displ / (int64_t)v->element + k * (last - first + 1);
            if (one[i] && to < n)
                has[to] = true;
        }
}

static bool has_element(tw_area area, const tw_value *v, int64_t i)
{
    tw_mask *one = tw_mask_new(i % v->rows, 1, i / v->rows, 1);
    assert_non_null(one);
    tw_mask_add(one, i % v->rows, 1, 1, i / v->rows);
    tw_area single = tw_area_from(one, v->rows, v->cols);
    bool found = tw_area_meets(area, single, v->rows, v->cols);
    tw_area_drop(single);
    return found;
}

static void check_type(const twill_datatype *t, const tw_value *v)
{
    static bool has[MOST];
    tw_area area;
    expect(t, v, has);
    const char *why = tw_ptg_area(t, v, &area);
    if (why)
        fail_msg("%s", why);
    for (int64_t i = 0; i < v->rows * v->cols; i++)
        assert_int_equal(has_element(area, v, i), has[i]);
    tw_area_drop(area);
}

static twill_lines some_lines(int64_t n)
{
    twill_lines l = {0};
    if (pick(3) > 0)
        l.first = pick(20) == 0 ? INT64_MIN : pick(2 * n + 4) - n - 2;
    if (pick(2) > 0)
        l.count = 1 + pick(n + 1);
    if (pick(2) > 0)
        l.step = pick(8) == 0 ? INT64_MAX : 1 + pick(4);
    return l;
}

static twill_datatype moved(const twill_datatype *type, int64_t count, int64_t displ)
{
    twill_datatype made = {.size = sizeof made};
    return *twill_datatype_at(&made, type, count, displ);
}

static twill_datatype run_of(const twill_datatype *layout, int64_t count, int64_t displ)
{
    twill_datatype made = {.size = sizeof made};
    return *twill_datatype_run(&made, layout, count, displ);
}

TEST(types_name_the_elements_that_they_describe)
{
    for (int i = 0; i < (test_slow() ? 300 : 3000); i++) {
        int64_t rows = 1 + pick(i % 2 ? ROWS : 9);
        int64_t cols = 1 + pick(COLS - 1) + (rows == 1); /* a single element would be a region */
        tw_value v = {.rows = rows, .cols = cols, .element = 8};
        twill_datatype t = {.size = sizeof(twill_datatype),
                            .region = (twill_region)(pick(2) * pick(5)),
                            .row = some_lines(v.rows),
                            .col = some_lines(v.cols)};
        check_type(&t, &v);
        t = moved(&t, pick(4), 8 * pick(v.rows * v.cols));
        check_type(&t, &v);
        t = run_of(NULL, pick(v.rows * v.cols + 5), 8 * pick(v.rows * v.cols));
        check_type(&t, &v);
    }
}

TEST(counts_multiply_and_displacements_add)
{
    const twill_datatype t = {.size = sizeof(twill_datatype),
                              .element = 4,
                              .row = {.first = 1},
                              .displ = 8,
                              .repeats = 2};
    twill_datatype at = moved(&t, 5, 16);
    assert_int_equal(at.repeats, 14);
    assert_int_equal(at.displ, 24);
    assert_int_equal(at.row.first, 1);
    assert_int_equal(moved(&t, 0, 0).repeats, -1);
    assert_int_equal(moved(NULL, 1, 0).repeats, 0);
    assert_int_equal(moved(&t, INT64_MAX, 0).repeats, INT64_MAX - 1);
    twill_datatype run = run_of(&t, 7, 0);
    assert_int_equal(run.element, 4);
    assert_int_equal(run.repeats, 6);
    assert_false(tw_ptg_same_type(&t, &at));
    at = moved(&t, 1, 8);
    assert_false(tw_ptg_same_type(&t, &at));
    at = moved(&t, 5, 16);
    assert_true(tw_ptg_same_type(&at, &(twill_datatype){.size = sizeof(twill_datatype),
                                                        .element = 4,
                                                        .row = {.first = 1},
                                                        .displ = 24,
                                                        .repeats = 14}));
}

TEST(a_tile_without_elements_has_no_part)
{
    const tw_value v = {.rows = 0, .cols = 3, .element = 8};
    const twill_datatype t = {.size = sizeof(twill_datatype), .col = {.step = 2}};
    tw_area area;
    assert_null(tw_ptg_area(&t, &v, &area));
    assert_int_equal(area.region, 0);
}

TEST(types_without_a_meaning_are_refused)
{
    static const struct {
        twill_datatype type;
        const char *why;
    } cases[] = {
        {{.region = TWILL_REGION_LOWER}, "says no size"},
        {{.size = 8, .row = {.count = 1}}, "says no size"},
        {{.size = sizeof(twill_datatype), .row = {.count = -1}}, "negative count or step"},
        {{.size = sizeof(twill_datatype), .col = {.step = -1}}, "negative count or step"},
        {{.size = sizeof(twill_datatype), .element = 4, .displ = 8}, "elements of another size"},
        {{.size = sizeof(twill_datatype), .repeats = -2}, "count of its type is negative"},
        {{.size = sizeof(twill_datatype), .displ = -8}, "displ of its type is negative"},
        {{.size = sizeof(twill_datatype), .displ = 12}, "no multiple"},
        {{.size = sizeof(twill_datatype), .displ = 6 * 8}, "outside of the tile"},
    };
    const tw_value v = {.rows = 2, .cols = 3, .element = 8};
    for (int i = 0; i < COUNT(cases); i++) {
        tw_area area;
        const char *why = tw_ptg_area(&cases[i].type, &v, &area);
        assert_non_null(why);
        CONTAINS(why, cases[i].why);
    }
    assert_int_equal(moved(NULL, -3, 0).repeats, -2);
    assert_int_equal(moved(NULL, 1, INT64_MIN).displ, INT64_MIN);
}

/* What cannot be made is refused by whoever meets it. */
TEST(types_made_of_one_without_a_size_have_none)
{
    const twill_datatype bare = {.rows = 3}, sized = {.size = sizeof sized};
    twill_datatype made = {.size = sizeof made}, small = {.size = 8};
    assert_int_equal(twill_datatype_at(&made, &bare, 1, 0)->size, 0);
    assert_int_equal(twill_datatype_run(&made, &bare, 1, 0)->size, 0);
    assert_int_equal(twill_datatype_at(&small, &sized, 1, 0)->size, 0);
    assert_ptr_equal(twill_datatype_at(&made, &sized, 1, 0), &made);
    assert_int_equal(made.size, sizeof made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_name_the_elements_that_they_describe),
        cmocka_unit_test(counts_multiply_and_displacements_add),
        cmocka_unit_test(a_tile_without_elements_has_no_part),
        cmocka_unit_test(types_without_a_meaning_are_refused),
        cmocka_unit_test(types_made_of_one_without_a_size_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
