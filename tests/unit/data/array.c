/* Arrays: slabs, tiles, wrapped memory, and sizes that are refused. */
#include "support/test.h"

#include "base/status.h"
#include "data/array.h"

#include <stdlib.h>
#include <string.h>

static const int64_t GIB = INT64_C(1) << 30;

static int open_data(void **state)
{
    static tw_data data;
    tw_data_open(&data, 4 * GIB);
    *state = &data;
    return 0;
}

static int close_data(void **state)
{
    tw_data_close(*state);
    return 0;
}

static twill_array *create(void **state, twill_pattern p, size_t element)
{
    twill_array *a = NULL;
    OK(tw_array_create(*state, NULL, &p, TWILL_BYTES, element, &a));
    return a;
}

static void discard(twill_array *a)
{
    tw_cache cache = {0};
    tw_array_destroy(tw_array_release(a), &cache);
    tw_cache_close(&cache);
}

/* ---- tiles in a slab ------------------------------------------------------------------------ */

static const struct {
    int64_t m, n, mb, nb;
} shapes[] = {
    {8, 8, 4, 4}, {7, 5, 3, 2}, {1, 1, 1, 1},   {3, 2, 8, 8},     {2, 9, 8, 4},
    {0, 5, 4, 4}, {5, 0, 4, 4}, {100, 1, 7, 1}, {1, 100, 16, 16}, {130, 70, 64, 64},
};
static const size_t elements[] = {1, 3, 8, 24};

/* Write each element's number into its tile, as bodies would, and read all of them back: no two
 * share a byte. */
static void number_elements(twill_array *a, bool check)
{
    const twill_pattern *p = &a->pattern;
    for (int64_t j = 0; j < p->extent[1]; j++)
        for (int64_t i = 0; i < p->extent[0]; i++) {
            const tw_value *v = &twill_tile_at(a, i / p->block[0], j / p->block[1])->value;
            int64_t at = i % p->block[0] + j % p->block[1] * v->host.ld;
            unsigned char *byte = (unsigned char *)v->host.data + (size_t)at * a->element;
            for (size_t k = 0; k < a->element; k++) {
                unsigned char value = (unsigned char)(i + 3 * j + 7 * (int64_t)k);
                if (check)
                    assert_int_equal(byte[k], value);
                else
                    byte[k] = value;
            }
        }
}

static void check_tiles(twill_array *a)
{
    const twill_pattern *p = &a->pattern;
    for (int64_t j = 0; j < twill_pattern_blocks(p, 1); j++)
        for (int64_t i = 0; i < twill_pattern_blocks(p, 0); i++) {
            const twill_tile *tile = twill_tile_at(a, i, j);
            const tw_value *v = &tile->value;
            int64_t block[TWILL_DIMS];
            assert_int_equal((uintptr_t)v->host.data % 64, 0);
            assert_int_equal(v->rows, twill_pattern_block_extent(p, 0, i));
            assert_int_equal(v->cols, twill_pattern_block_extent(p, 1, j));
            /* a full tile's rows, so that all tiles have the same leading dimension */
            assert_int_equal(v->host.ld, p->block[0] < p->extent[0] ? p->block[0] : p->extent[0]);
            tw_tile_block(tile, block);
            assert_int_equal(block[0], i);
            assert_int_equal(block[1], j);
        }
}

static void tiles_are_aligned_and_apart_for_any_shape_and_element(void **state)
{
    for (int s = 0; s < COUNT(shapes); s++)
        for (int e = 0; e < COUNT(elements); e++) {
            twill_array *a =
                create(state, twill_tiled(shapes[s].m, shapes[s].n, shapes[s].mb, shapes[s].nb),
                       elements[e]);
            check_tiles(a);
            number_elements(a, false);
            number_elements(a, true);
            discard(a);
        }
}

static void elements_are_zero_at_first(void **state)
{
    const int64_t sizes[] = {10, 3000}; /* small memory, and memory from the system */
    for (int s = 0; s < COUNT(sizes); s++) {
        twill_array *a = create(state, twill_tiled(sizes[s], sizes[s], 100, 100), 1);
        for (size_t i = 0; i < a->slab_size; i++)
            if (a->slab[i])
                fail_msg("byte %zu is not zero", i);
        discard(a);
    }
}

static void there_are_no_tiles_outside(void **state)
{
    const int64_t outside[][2] = {{-1, 0}, {0, -1}, {3, 0}, {0, 3}, {INT64_MAX, INT64_MAX}};
    twill_array *a = create(state, twill_tiled(7, 5, 3, 2), 8);
    for (int i = 0; i < COUNT(outside); i++)
        assert_null(twill_tile_at(a, outside[i][0], outside[i][1]));
    assert_non_null(twill_tile_at(a, 2, 2));
    discard(a);
}

static void a_tile_is_the_same_record_each_time(void **state)
{
    twill_array *a = create(state, twill_tiled(9, 9, 3, 3), 8);
    for (int64_t k = 0; k < 9; k++) {
        twill_tile *tile = twill_tile_at(a, k % 3, k / 3);
        assert_ptr_equal(tile, twill_tile_nd(a, (int64_t[]){k % 3, k / 3}));
        assert_ptr_equal(tile, tw_array_tile(a, k));
    }
    discard(a);
}

static void other_numbers_of_dimensions_have_tiles_too(void **state)
{
    twill_array *line =
        create(state, twill_pattern_nd(1, (int64_t[]){10}, (int64_t[]){4}, NULL), 8);
    assert_int_equal(twill_tile_at(line, 2, 0)->value.rows, 2);
    assert_int_equal(twill_tile_at(line, 2, 0)->value.cols, 1);
    assert_null(twill_tile_at(line, 0, 1));
    discard(line);
    twill_array *cube =
        create(state, twill_pattern_nd(3, (int64_t[]){4, 5, 6}, (int64_t[]){2, 2, 4}, NULL), 8);
    const tw_value *v = &twill_tile_nd(cube, (int64_t[]){1, 2, 1})->value;
    assert_int_equal(v->rows, 2);
    assert_int_equal(v->cols, 1 * 2);
    assert_null(twill_tile_at(cube, 0, 0));
    assert_null(twill_tile_nd(cube, (int64_t[]){0, 0, 2}));
    discard(cube);
}

/* ---- where elements are in tiles ------------------------------------------------------------ */

static int64_t value_at(const int64_t *index)
{
    int64_t value = 0;
    for (int d = 0; d < TWILL_DIMS; d++)
        value = 10 * value + index[d];
    return value;
}

static bool next_index(const twill_pattern *p, int64_t *index)
{
    for (int d = 0; d < p->ndim; d++) {
        if (++index[d] < p->extent[d])
            return true;
        index[d] = 0;
    }
    return false;
}

/* Element `index` of a packed copy of its tile. */
static int64_t packed_at(const twill_pattern *p, const int64_t *index)
{
    int64_t at = 0, step = 1;
    for (int d = 0; d < p->ndim; d++) {
        at += index[d] % p->block[d] * step;
        step *= twill_pattern_block_extent(p, d, index[d] / p->block[d]);
    }
    return at;
}

static void check_copy(const twill_pattern *p, const twill_tile *tile, const int64_t *index)
{
    int64_t copied[256] = {0};
    tw_value copy = {.host = {copied, tile->value.rows},
                     .rows = tile->value.rows,
                     .cols = tile->value.cols,
                     .element = sizeof *copied,
                     .region = TW_FULL};
    tw_value_copy(&copy, &tile->value, tw_area_of(TW_FULL));
    assert_int_equal(copied[packed_at(p, index)], value_at(index));
}

/* Elements written where patterns say they are, arrive in copies of tiles. */
static void patterns_know_where_elements_of_tiles_are(void **state)
{
    const int64_t extent[] = {5, 3, 4, 1, 3, 2}, block[] = {2, 2, 3, 4, 1, 2};
    const int64_t large[] = {7, 2, 3, 4, 3, 3};
    for (int ndim = 1; ndim <= TWILL_DIMS; ndim++)
        for (int l = 0; l < 2; l++) {
            twill_pattern p = twill_pattern_nd(ndim, extent, l ? large : block, NULL);
            twill_array *a = create(state, p, sizeof(int64_t));
            int64_t index[TWILL_DIMS] = {0};
            do {
                twill_place place = twill_pattern_find(&p, index);
                int64_t *tile = twill_tile_nd(a, place.block)->value.host.data;
                tile[place.offset] = value_at(index);
            } while (next_index(&p, index));
            do
                check_copy(&p, twill_tile_nd(a, twill_pattern_find(&p, index).block), index);
            while (next_index(&p, index));
            discard(a);
        }
}

/* ---- memory of other kinds ------------------------------------------------------------------ */

typedef struct counting_space {
    tw_space space;
    int64_t bytes;
    int calls;
} counting_space;

static void *count_alloc(const tw_space *space, size_t bytes)
{
    counting_space *s = (counting_space *)(uintptr_t)space;
    s->bytes += (int64_t)bytes;
    s->calls++;
    return tw_host.alloc(&tw_host, bytes);
}

static void count_free(const tw_space *space, void *memory, size_t bytes)
{
    ((counting_space *)(uintptr_t)space)->bytes -= (int64_t)bytes;
    tw_host.free(&tw_host, memory, bytes);
}

static void a_slab_is_memory_of_the_space_that_was_named(void **state)
{
    counting_space s = {.space = {.name = "counting", .alloc = count_alloc, .free = count_free}};
    tw_array_kind kind = {TWILL_FLOAT64, 0, TW_FULL, &s.space};
    twill_pattern p = twill_tiled(100, 100, 10, 10);
    twill_array *a;
    OK(tw_array_create_kind(*state, NULL, &p, &kind, &a));
    assert_int_equal(s.bytes, a->slab_size);
    discard(a);
    kind.stored = TW_UPPER_PART;
    OK(tw_array_create_kind(*state, NULL, &p, &kind, &a));
    assert_int_equal(s.bytes, a->slab_size);
    discard(a);
    assert_int_equal(s.bytes, 0);
    assert_int_equal(s.calls, 2);
}

/* ---- wrapped memory ------------------------------------------------------------------------- */

static void wrapped_tiles_point_into_the_memory_of_the_program(void **state)
{
    enum { M = 7, N = 5, LD = 9 };
    double memory[LD * N];
    twill_array *a;
    twill_pattern p = twill_tiled(M, N, 3, 2);
    OK(tw_array_wrap(*state, NULL, &p, TWILL_FLOAT64, 0, memory, LD, &a));
    for (int64_t j = 0; j < 3; j++)
        for (int64_t i = 0; i < 3; i++) {
            const tw_value *v = &twill_tile_at(a, i, j)->value;
            assert_ptr_equal(v->host.data, &memory[3 * i + 2 * j * LD]);
            assert_int_equal(v->host.ld, LD);
            assert_int_equal(v->rows, i < 2 ? 3 : 1);
            assert_int_equal(v->cols, j < 2 ? 2 : 1);
        }
    discard(a);
}

static void memory_that_cannot_be_wrapped_is_refused(void **state)
{
    double memory[100];
    twill_array *a = NULL;
    twill_pattern p = twill_tiled(7, 5, 3, 2), none = twill_tiled(0, 5, 3, 2);
    twill_pattern cube = twill_pattern_nd(3, (int64_t[]){2, 3, 2}, (int64_t[]){2, 2, 2}, NULL);
    REFUSED(tw_array_wrap(*state, NULL, &p, TWILL_FLOAT64, 0, memory, 6, &a), TWILL_ERR_ARGUMENT,
            "leading dimension 6 is below the 7 rows");
    REFUSED(tw_array_wrap(*state, NULL, &p, TWILL_FLOAT64, 0, NULL, 7, &a), TWILL_ERR_ARGUMENT,
            "NULL");
    REFUSED(tw_array_wrap(*state, NULL, &cube, TWILL_FLOAT64, 0, memory, 2, &a), TWILL_ERR_ARGUMENT,
            "only one block along dimension 1");
    REFUSED(tw_array_wrap(*state, NULL, &none, TWILL_FLOAT64, 0, memory, 0, &a), TWILL_ERR_ARGUMENT,
            "leading dimension 0");
    assert_null(a);
    OK(tw_array_wrap(*state, NULL, &none, TWILL_FLOAT64, 0, NULL, 1, &a));
    discard(a);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void element_sizes_fit_the_type(void **state)
{
    static const struct {
        twill_type type;
        size_t bytes;
        bool allowed;
    } cases[] = {
        {TWILL_FLOAT64, 0, true},    {TWILL_FLOAT64, 8, true},     {TWILL_FLOAT64, 4, false},
        {TWILL_COMPLEX128, 0, true}, {TWILL_COMPLEX128, 8, false}, {TWILL_BYTES, 0, false},
        {TWILL_BYTES, 5, true},      {(twill_type)77, 0, false},
    };
    twill_pattern p = twill_tiled(2, 2, 2, 2);
    for (int i = 0; i < COUNT(cases); i++) {
        twill_array *a = NULL;
        twill_status status = tw_array_create(*state, NULL, &p, cases[i].type, cases[i].bytes, &a);
        assert_int_equal(status, cases[i].allowed ? TWILL_OK : TWILL_ERR_ARGUMENT);
        if (a)
            discard(a);
    }
}

static void more_than_the_memory_is_refused_with_both_sizes(void **state)
{
    twill_array *a = NULL;
    twill_pattern p = twill_tiled(32768, 32768, 256, 256);
    REFUSED(tw_array_create(*state, NULL, &p, TWILL_FLOAT64, 0, &a), TWILL_ERR_MEMORY,
            "needs 8.0 GiB and this machine has 4.0 GiB");
    assert_null(a);
}

/* From what is a little too much to what no 64-bit number can hold. */
static void absurd_sizes_are_refused(void **state)
{
    const int64_t large = INT64_C(1) << 31, huge = INT64_C(1) << 62;
    const twill_pattern patterns[] = {
        twill_tiled(large, large, 256, 256), twill_tiled(large, large, 1, 1),
        twill_tiled(huge, huge, 1, 1),       twill_tiled(huge, 1, huge, 1),
        twill_tiled(1, huge, 1, 7),          twill_tiled(huge, huge, huge, huge),
        twill_tiled(INT64_MAX, 1, 1024, 1),  twill_tiled(10, 10, huge, huge),
    };
    for (int i = 0; i < COUNT(patterns) - 1; i++) {
        twill_array *a = NULL;
        twill_status status = tw_array_create(*state, NULL, &patterns[i], TWILL_FLOAT64, 0, &a);
        assert_true(status == TWILL_ERR_MEMORY || status == TWILL_ERR_ARGUMENT);
        assert_null(a);
    }
    /* a huge block of a small array is fine: only what there is is stored */
    discard(create(state, patterns[COUNT(patterns) - 1], 8));
}

static void tiles_have_owners(void **state)
{
    twill_array *a = create(state, twill_tiled(8, 6, 2, 2), 8);
    assert_int_equal(twill_owner_at(a, 3, 2), 0);
    assert_int_equal(twill_owner_at(a, 4, 0), -1);
    assert_int_equal(twill_owner_at(a, 0, -1), -1);
    assert_int_equal(twill_owner_nd(a, (int64_t[]){3, 2}), 0);
    discard(a);
}

static void a_grid_of_ranks_is_refused_while_there_is_one(void **state)
{
    twill_array *a = NULL;
    twill_pattern p = twill_block_cyclic(10, 10, 5, 5, 1, 2);
    REFUSED(tw_array_create(*state, NULL, &p, TWILL_FLOAT64, 0, &a), TWILL_ERR_UNSUPPORTED,
            "2 ranks");
}

static void private_tiles_are_packed_and_freed(void **state)
{
    tw_cache cache = {0};
    twill_array *a = create(state, twill_tiled(7, 5, 3, 2), 24);
    twill_tile *tile = tw_tile_private(a, 3, 2, 5);
    assert_non_null(tile);
    assert_int_equal(tw_tile_owner(tile), 5);
    assert_null(tile->value.host.data); /* memory for a copy is another matter */
    assert_true(tw_tile_take_bytes(tile, true));
    tw_tile_private_free(tile, &cache);
    tile = tw_tile_private(a, 3, 2, 0);
    assert_non_null(tile);
    assert_int_equal(tile->value.host.ld, 3);
    assert_int_equal((uintptr_t)tile->value.host.data % 64, 0);
    memset(tile->value.host.data, 1, 3 * 2 * 24);
    tw_tile_private_free(tile, &cache);
    tw_cache_close(&cache);
    discard(a);
}

#define test(name) cmocka_unit_test_setup_teardown(name, open_data, close_data)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(tiles_are_aligned_and_apart_for_any_shape_and_element),
        test(elements_are_zero_at_first),
        test(there_are_no_tiles_outside),
        test(a_tile_is_the_same_record_each_time),
        test(other_numbers_of_dimensions_have_tiles_too),
        test(patterns_know_where_elements_of_tiles_are),
        test(a_slab_is_memory_of_the_space_that_was_named),
        test(wrapped_tiles_point_into_the_memory_of_the_program),
        test(memory_that_cannot_be_wrapped_is_refused),
        test(element_sizes_fit_the_type),
        test(more_than_the_memory_is_refused_with_both_sizes),
        test(absurd_sizes_are_refused),
        test(tiles_have_owners),
        test(a_grid_of_ranks_is_refused_while_there_is_one),
        test(private_tiles_are_packed_and_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
