/* Values on their own: parts of them, and tiles that change when nobody holds their bytes. */
#include "support/test.h"

#include "data/buffers.h"

enum { ROWS = 3, COLS = 3 };

/* A tile and its bytes. */
typedef struct home {
    tw_value value;
    int64_t bytes[ROWS * COLS];
} home;

static void make_home(home *h, int64_t number)
{
    *h = (home){.value = {.host = {h->bytes, ROWS},
                          .rows = ROWS,
                          .cols = COLS,
                          .element = sizeof(int64_t),
                          .region = TW_FULL}};
    for (int i = 0; i < ROWS * COLS; i++)
        h->bytes[i] = number;
}

static tw_value *make_value(tw_buffer_cache *cache, int64_t number)
{
    tw_value *v = tw_value_new(cache, ROWS, COLS, sizeof(int64_t));
    assert_non_null(v);
    for (int i = 0; i < ROWS * COLS; i++)
        ((int64_t *)v->host.data)[i] = number;
    return v;
}

/* Store `number` in that region, from a value of its own. */
static void store(home *h, int64_t number, tw_region region, tw_buffer_cache *cache)
{
    tw_value *v = make_value(cache, number);
    assert_true(tw_value_store(&h->value, v, tw_area_of(region), cache));
    tw_value_drop(cache, v);
}

static void expect(const int64_t *x, int64_t below, int64_t diagonal, int64_t above)
{
    for (int64_t j = 0; j < COLS; j++)
        for (int64_t i = 0; i < ROWS; i++)
            assert_int_equal(x[i + j * ROWS], i > j ? below : i == j ? diagonal : above);
}

TEST(a_region_is_copied_and_the_rest_stays)
{
    static const struct {
        tw_region region;
        int64_t below, diagonal, above;
    } cases[] = {{TW_FULL, 2, 2, 2},
                 {TW_LOWER_PART, 2, 2, 1},
                 {TW_UPPER_PART, 1, 2, 2},
                 {TW_BELOW, 2, 1, 1},
                 {TW_ABOVE, 1, 1, 2},
                 {TW_DIAGONAL, 1, 2, 1},
                 {TW_BELOW | TW_ABOVE, 2, 1, 2}};
    tw_depot depot = {0};
    tw_buffer_cache cache = {.depot = &depot};
    for (int i = 0; i < COUNT(cases); i++) {
        home h;
        make_home(&h, 1);
        store(&h, 2, cases[i].region, &cache);
        expect(h.bytes, cases[i].below, cases[i].diagonal, cases[i].above);
    }
    tw_buffer_cache_close(&cache);
    tw_depot_close(&depot);
}

TEST(parts_that_wait_to_be_stored_add_up)
{
    tw_depot depot = {0};
    tw_buffer_cache cache = {.depot = &depot};
    home h;
    make_home(&h, 1);
    tw_value *reader = tw_value_current(&h.value, tw_area_of(TW_FULL), &cache);
    store(&h, 2, TW_LOWER_PART, &cache);
    store(&h, 3, TW_ABOVE, &cache);
    store(&h, 4, TW_DIAGONAL, &cache);
    expect(h.bytes, 1, 1, 1);
    tw_value_drop(&cache, reader);
    expect(h.bytes, 2, 4, 3);
    tw_buffer_cache_close(&cache);
    tw_depot_close(&depot);
}

TEST(what_changes_in_place_is_newer_than_what_waits)
{
    tw_depot depot = {0};
    tw_buffer_cache cache = {.depot = &depot};
    home h;
    make_home(&h, 1);
    tw_value *writer = tw_value_current(&h.value, tw_area_of(TW_FULL), &cache);
    store(&h, 2, TW_FULL, &cache);
    for (int i = 0; i < ROWS * COLS; i++)
        h.bytes[i] = 5;
    assert_true(tw_value_store(&h.value, writer, tw_area_of(TW_UPPER_PART), &cache));
    tw_value *seen = tw_value_current(&h.value, tw_area_of(TW_FULL), &cache);
    expect(seen->host.data, 2, 5, 5);
    tw_value_drop(&cache, seen);
    tw_value_drop(&cache, writer);
    expect(h.bytes, 2, 5, 5);
    tw_buffer_cache_close(&cache);
    tw_depot_close(&depot);
}

TEST(nothing_waits_once_all_of_it_has_changed_in_place)
{
    tw_depot depot = {0};
    tw_buffer_cache cache = {.depot = &depot};
    home h;
    make_home(&h, 1);
    tw_value *writer = tw_value_current(&h.value, tw_area_of(TW_FULL), &cache);
    store(&h, 2, TW_BELOW, &cache);
    assert_true(tw_value_store(&h.value, writer, tw_area_of(TW_LOWER_PART), &cache));
    assert_null(h.value.newer);
    tw_value_drop(&cache, writer);
    expect(h.bytes, 1, 1, 1);
    tw_buffer_cache_close(&cache);
    tw_depot_close(&depot);
}

TEST(a_reader_gets_what_is_current_in_its_region)
{
    tw_depot depot = {0};
    tw_buffer_cache cache = {.depot = &depot};
    home h;
    make_home(&h, 1);
    tw_value *reader = tw_value_current(&h.value, tw_area_of(TW_FULL), &cache);
    store(&h, 2, TW_BELOW, &cache);
    tw_value *below = tw_value_current(&h.value, tw_area_of(TW_BELOW), &cache);
    tw_value *upper = tw_value_current(&h.value, tw_area_of(TW_UPPER_PART), &cache);
    tw_value *lower = tw_value_current(&h.value, tw_area_of(TW_LOWER_PART), &cache);
    assert_int_equal(((int64_t *)below->host.data)[1], 2);
    assert_ptr_equal(upper, &h.value);
    assert_int_equal(((int64_t *)lower->host.data)[0], 1);
    assert_int_equal(((int64_t *)lower->host.data)[1], 2);
    assert_int_equal(lower->region, TW_LOWER_PART);
    tw_value_drop(&cache, below);
    tw_value_drop(&cache, lower);
    tw_value_drop(&cache, upper);
    tw_value_drop(&cache, reader);
    expect(h.bytes, 2, 1, 1);
    tw_buffer_cache_close(&cache);
    tw_depot_close(&depot);
}

TEST(a_part_holds_the_whole_and_is_not_alone_beside_others)
{
    tw_depot depot = {0};
    tw_buffer_cache cache = {.depot = &depot};
    tw_value *v = make_value(&cache, 1), *other = v;
    tw_value_pass(v, 2);
    tw_value *part = tw_value_region(&cache, v, tw_area_of(TW_UPPER_PART));
    assert_ptr_equal(part->host.data, other->host.data);
    assert_false(tw_value_alone(part));
    tw_value_drop(&cache, other);
    assert_true(tw_value_alone(part));
    tw_value *diagonal = tw_value_region(&cache, part, tw_area_of(TW_LOWER_PART));
    assert_int_equal(diagonal->region, TW_DIAGONAL);
    assert_true(tw_value_alone(diagonal));
    home h;
    make_home(&h, 7);
    assert_true(tw_value_store(&h.value, diagonal, tw_area_of(TW_FULL), &cache));
    expect(h.bytes, 7, 1, 7);
    tw_value_drop(&cache, diagonal);
    tw_value *again = make_value(&cache, 0);
    assert_ptr_equal(again, v); /* its bytes were given back */
    tw_value_drop(&cache, again);
    tw_buffer_cache_close(&cache);
    tw_depot_close(&depot);
}

TEST(a_tile_is_kept_from_writers_until_nobody_holds_it)
{
    tw_depot depot = {0};
    tw_buffer_cache cache = {.depot = &depot};
    home h;
    make_home(&h, 1);
    tw_value *v = tw_value_current(&h.value, tw_area_of(TW_FULL), &cache);
    assert_true(tw_value_writable(v, &cache));
    tw_value_keep(v, TW_BELOW);
    assert_false(tw_value_writable(v, &cache));
    tw_value_pass(v, 2);
    tw_value *above = tw_value_region(&cache, v, tw_area_of(TW_ABOVE));
    assert_false(tw_value_writable(above, &cache)); /* another one has the whole */
    tw_value_drop(&cache, v);
    assert_false(tw_value_alone(above));
    assert_true(tw_value_writable(above, &cache));
    tw_value_keep(above, TW_FULL); /* it has that part only */
    assert_int_equal(h.value.refs, 1 + TW_KEPT * (TW_BELOW | TW_ABOVE));
    tw_value_drop(&cache, above);
    assert_int_equal(h.value.refs, 0);
    v = tw_value_current(&h.value, tw_area_of(TW_FULL), &cache);
    assert_true(tw_value_writable(v, &cache));
    tw_value_drop(&cache, v);
    tw_value *buffer = make_value(&cache, 1);
    tw_value_keep(buffer, TW_FULL);
    assert_true(tw_value_writable(buffer, &cache));
    tw_value_drop(&cache, buffer);
    tw_buffer_cache_close(&cache);
    tw_depot_close(&depot);
}

TEST(packed_replicas_hold_a_value_until_its_last_reader_or_a_writer_ends_them)
{
    static tw_replicas replicas;
    tw_packed_table *all = &replicas.packed;
    tw_depot depot = {.replicas = &replicas};
    tw_buffer_cache cache = {.depot = &depot};
    home h;
    make_home(&h, 1);
    tw_value *values[] = {tw_value_current(&h.value, tw_area_of(TW_FULL), &cache),
                          make_value(&cache, 1)};
    for (int i = 0; i < COUNT(values); i++) {
        tw_value *v = values[i];
        tw_value_pass(v, 2);
        tw_packed_put(all, tw_packed_get(all, v, &v->refs, 0, 64, 4));
        assert_false(tw_value_writable(v, &cache)); /* there are two readers */
        assert_int_equal(all->used, 1);
        tw_value_drop(&cache, v);
        assert_int_equal(all->used, 1);
        assert_true(tw_value_writable(v, &cache));
        assert_int_equal(all->used, 0);
        assert_true(tw_value_alone(v));
        tw_packed_put(all, tw_packed_get(all, v, &v->refs, 0, 64, 4));
        if (i == 0)
            store(&h, 2, TW_FULL, &cache);
        tw_value_drop(&cache, v);
        assert_int_equal(all->used, 0);
    }
    expect(h.bytes, 2, 2, 2); /* nobody holds it any more */
    assert_int_equal(h.value.refs, 0);
    tw_packed_close(all);
    tw_buffer_cache_close(&cache);
    tw_depot_close(&depot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_is_copied_and_the_rest_stays),
        cmocka_unit_test(parts_that_wait_to_be_stored_add_up),
        cmocka_unit_test(what_changes_in_place_is_newer_than_what_waits),
        cmocka_unit_test(nothing_waits_once_all_of_it_has_changed_in_place),
        cmocka_unit_test(a_reader_gets_what_is_current_in_its_region),
        cmocka_unit_test(a_part_holds_the_whole_and_is_not_alone_beside_others),
        cmocka_unit_test(a_tile_is_kept_from_writers_until_nobody_holds_it),
        cmocka_unit_test(packed_replicas_hold_a_value_until_its_last_reader_or_a_writer_ends_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
