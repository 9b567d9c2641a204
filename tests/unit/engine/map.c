/* Host access: what the program sees between twill_map and twill_unmap. */
#include "support/test.h"

#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

enum { M = 7, N = 5, MB = 3, NB = 2, LD = 9, LARGEST = 24 };

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

/* ---- contents ------------------------------------------------------------------------------- */

/* An array beside a plain copy of what should be in it. */
typedef struct mirror {
    twill_array *array;
    size_t element;
    bool wrapped;
    unsigned char *memory; /* the program's, when wrapped */
    unsigned char model[M * N * LARGEST];
} mirror;

static void open_mirror(mirror *m, size_t element, bool wrapped)
{
    twill_pattern p = twill_tiled(M, N, MB, NB);
    *m = (mirror){.element = element, .wrapped = wrapped};
    if (wrapped) {
        m->memory = calloc(LD * N, element);
        OK(twill_array_wrap(tw, &p, TWILL_BYTES, element, m->memory, LD, &m->array));
    } else {
        OK(twill_array_create(tw, &p, TWILL_BYTES, element, &m->array));
    }
}

static void close_mirror(mirror *m)
{
    twill_array_free(m->array);
    free(m->memory);
}

/* Compare a mapped view with the model, and write new bytes into both when asked to. */
static void visit(mirror *m, twill_view v, unsigned char *data, int64_t ld, bool compare,
                  uint64_t *seed)
{
    for (int64_t j = 0; j < v.extent[1]; j++)
        for (int64_t i = 0; i < v.extent[0]; i++) {
            unsigned char *here = data + (size_t)(i + j * ld) * m->element;
            unsigned char *there =
                m->model + (size_t)(v.start[0] + i + (v.start[1] + j) * M) * m->element;
            if (compare)
                assert_memory_equal(here, there, m->element);
            for (size_t k = 0; seed && k < m->element; k++)
                here[k] = there[k] = (unsigned char)test_random(seed, 256);
        }
}

static void pass_over(mirror *m, twill_view v, twill_access mode, uint64_t *seed)
{
    void *data;
    int64_t ld;
    OK(twill_map(v, mode, &data, &ld));
    visit(m, v, data, ld, mode != TWILL_WRITE, mode == TWILL_READ ? NULL : seed);
    OK(twill_unmap(v, data));
}

/* Every part of the array, in every mode: after each, the whole must be what the model says, so a
 * write-back changed the view and nothing else. */
static void check_all_parts(mirror *m)
{
    uint64_t seed = 1;
    twill_view all = twill_view_all(m->array);
    pass_over(m, all, TWILL_WRITE, &seed);
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++)
            for (int64_t rows = 0; rows <= M - i; rows++)
                for (int64_t cols = 0; cols <= N - j; cols++) {
                    twill_access mode = (twill_access)(1 + (i + j + rows + cols) % 3);
                    pass_over(m, twill_view_sub(all, i, j, rows, cols), mode, &seed);
                    pass_over(m, all, TWILL_READ, NULL);
                }
}

TEST(any_part_in_any_mode_reads_and_writes_just_that_part)
{
    static const struct {
        size_t element;
        bool wrapped;
    } cases[] = {{1, false}, {3, false}, {8, false}, {24, false}, {3, true}, {8, true}};
    for (int i = 0; i < COUNT(cases); i++) {
        mirror m;
        open_mirror(&m, cases[i].element, cases[i].wrapped);
        check_all_parts(&m);
        close_mirror(&m);
    }
}

TEST(nothing_is_written_between_the_columns_of_wrapped_memory)
{
    uint64_t seed = 9;
    mirror m;
    open_mirror(&m, 1, true);
    memset(m.memory, 0xAA, LD * N);
    pass_over(&m, twill_view_all(m.array), TWILL_WRITE, &seed);
    for (int j = 0; j < N; j++)
        for (int i = M; i < LD; i++)
            assert_int_equal(m.memory[i + j * LD], 0xAA);
    close_mirror(&m);
}

/* ---- direct or a copy ----------------------------------------------------------------------- */

TEST(one_tile_is_given_as_it_is)
{
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, M, N, MB);
    void *whole, *part, *again;
    int64_t ld, ld_part;
    twill_view v = twill_view_tile(a, 1, 0), w = twill_view_sub(v, 1, 1, 2, 2);
    OK(twill_map(v, TWILL_READ, &whole, &ld));
    OK(twill_map(w, TWILL_READ, &part, &ld_part));
    OK(twill_map(v, TWILL_READ, &again, &ld));
    assert_ptr_equal(again, whole);
    assert_int_equal(ld, MB);
    assert_int_equal(ld_part, ld);
    assert_ptr_equal(part, (double *)whole + 1 + ld);
    OK(twill_unmap(v, whole));
    OK(twill_unmap(w, part));
    OK(twill_unmap(v, again));
}

TEST(wrapped_memory_is_given_as_it_is)
{
    double memory[LD * N];
    twill_array *a;
    void *data;
    int64_t ld;
    twill_pattern p = twill_tiled(M, N, MB, NB);
    OK(twill_array_wrap(tw, &p, TWILL_FLOAT64, 0, memory, LD, &a));
    twill_view v = twill_view_sub(twill_view_all(a), 2, 1, 4, 3);
    OK(twill_map(v, TWILL_READ_WRITE, &data, &ld));
    assert_ptr_equal(data, &memory[2 + LD]);
    assert_int_equal(ld, LD);
    OK(twill_unmap(v, data));
    twill_array_free(a);
}

TEST(several_tiles_are_a_packed_copy_that_is_written_back_at_the_end)
{
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, M, N, MB);
    twill_view v = twill_view_sub(twill_view_all(a), 2, 2, 3, 2), one = twill_view_tile(a, 0, 0);
    void *copy, *tile;
    int64_t ld, ld_tile;
    OK(twill_map(v, TWILL_WRITE, &copy, &ld));
    assert_int_equal(ld, 3);
    for (int i = 0; i < 6; i++)
        ((double *)copy)[i] = i + 1;
    OK(twill_unmap(v, copy));
    OK(twill_map(one, TWILL_READ, &tile, &ld_tile));
    assert_true(((double *)tile)[2 + 2 * ld_tile] == 1.0);
    assert_true(((double *)tile)[1 + 2 * ld_tile] == 0.0);
    OK(twill_unmap(one, tile));
    /* what was mapped to be read is not written back */
    OK(twill_map(v, TWILL_READ, &copy, &ld));
    ((double *)copy)[0] = 99;
    OK(twill_unmap(v, copy));
    OK(twill_map(one, TWILL_READ, &tile, &ld_tile));
    assert_true(((double *)tile)[2 + 2 * ld_tile] == 1.0);
    OK(twill_unmap(one, tile));
}

TEST(a_line_of_one_dimension_can_be_mapped)
{
    twill_array *a;
    void *data;
    int64_t ld;
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){10}, (int64_t[]){4}, NULL);
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    twill_view all = twill_view_all(a);
    OK(twill_map(all, TWILL_WRITE, &data, &ld));
    for (int i = 0; i < 10; i++)
        ((double *)data)[i] = i;
    OK(twill_unmap(all, data));
    twill_view last = twill_view_tile(a, 2, 0);
    OK(twill_map(last, TWILL_READ, &data, &ld));
    assert_true(((double *)data)[0] == 8.0 && ((double *)data)[1] == 9.0);
    OK(twill_unmap(last, data));
}

/* ---- what is refused ------------------------------------------------------------------------ */

TEST(what_is_not_mapped_cannot_be_unmapped)
{
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, M, N, MB);
    twill_view v = twill_view_tile(a, 0, 0), other = twill_view_tile(a, 1, 0);
    double x;
    void *data;
    int64_t ld;
    REFUSED(twill_unmap(v, &x), TWILL_ERR_ARGUMENT, "not mapped");
    REFUSED(twill_unmap(v, NULL), TWILL_ERR_ARGUMENT, "not mapped");
    OK(twill_map(v, TWILL_READ, &data, &ld));
    REFUSED(twill_unmap(v, (double *)data + 1), TWILL_ERR_ARGUMENT, "not mapped");
    REFUSED(twill_unmap(other, data), TWILL_ERR_ARGUMENT, "not mapped");
    OK(twill_unmap(v, data));
    REFUSED(twill_unmap(v, data), TWILL_ERR_ARGUMENT, "not mapped");
}

TEST(views_and_modes_that_make_no_sense_are_refused)
{
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, M, N, MB);
    void *data = NULL;
    int64_t ld = -1;
    twill_view outside = twill_view_sub(twill_view_all(a), 0, 0, M + 1, 1);
    REFUSED(twill_map(outside, TWILL_READ, &data, &ld), TWILL_ERR_ARGUMENT, "leaves its array");
    REFUSED(twill_map(twill_view_all(a), (twill_access)0, &data, &ld), TWILL_ERR_ARGUMENT, "mode");
    REFUSED(twill_map(twill_view_all(a), (twill_access)4, &data, &ld), TWILL_ERR_ARGUMENT, "mode");
    assert_null(data);
    assert_int_equal(ld, -1);
}

/* The context is told that there is another rank; nobody talks to it. */
TEST(tiles_of_this_rank_can_be_mapped_and_others_not)
{
    twill_pattern p = twill_block_cyclic(M, N, MB, NB, 1, 2);
    twill_array *a;
    double *data;
    int64_t ld;
    tw->data.ranks = 2;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    REFUSED(twill_map(twill_view_all(a), TWILL_READ, (void **)&data, &ld), TWILL_ERR_UNSUPPORTED,
            "other ranks own");
    REFUSED(twill_map(twill_view_tile(a, 0, 1), TWILL_READ, (void **)&data, &ld),
            TWILL_ERR_UNSUPPORTED, "other ranks own");
    twill_view column = twill_view_sub(twill_view_all(a), 0, 2 * NB, M, 1);
    for (int pass = 0; pass < 2; pass++) {
        OK(twill_map(column, TWILL_READ_WRITE, (void **)&data, &ld));
        for (int64_t i = 0; i < M; i++)
            assert_true(data[i] == (double)(pass * i));
        for (int64_t i = 0; i < M; i++)
            data[i] = (double)i;
        OK(twill_unmap(column, data));
    }
    assert_null(twill_tile_at(a, 2, 1)->value.host.data);
    twill_array_free(a);
    tw->data.ranks = 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_part_in_any_mode_reads_and_writes_just_that_part),
        cmocka_unit_test(nothing_is_written_between_the_columns_of_wrapped_memory),
        cmocka_unit_test(one_tile_is_given_as_it_is),
        cmocka_unit_test(wrapped_memory_is_given_as_it_is),
        cmocka_unit_test(several_tiles_are_a_packed_copy_that_is_written_back_at_the_end),
        cmocka_unit_test(a_line_of_one_dimension_can_be_mapped),
        cmocka_unit_test(what_is_not_mapped_cannot_be_unmapped),
        cmocka_unit_test(tiles_of_this_rank_can_be_mapped_and_others_not),
        cmocka_unit_test(views_and_modes_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
