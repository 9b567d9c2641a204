/* Parts of matrices as matrices: same elements, same hazards, whichever front end uses them. */
#include "support/matrix.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

enum { N = 130, NB = 24 };
static const twill_uplo triangles[] = {TWILL_LOWER, TWILL_UPPER};

static twill_array *sub(twill_array *a, int64_t i, int64_t j, int64_t rows, int64_t cols)
{
    twill_array *part = NULL;
    OK(twill_matrix_sub(twill_view_sub(twill_view_all(a), i, j, rows, cols), &part));
    return part;
}

static uint64_t digest_of(twill_array *a, twill_uplo part)
{
    uint64_t digest = 0;
    OK(twill_digest(a, part, &digest));
    return digest;
}

/* ---- elements ------------------------------------------------------------------------------- */

TEST(what_is_done_to_a_part_is_seen_in_the_whole)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, N, N, NB);
    twill_array *part = sub(a, 2 * NB, NB, N - 2 * NB, 2 * NB);
    double norm;
    OK(twill_set(TWILL_GENERAL, twill_real(2.0), twill_real(2.0), a));
    OK(twill_set(TWILL_LOWER, twill_real(-3.0), twill_real(7.0), part));
    void *full = test_unpack(a);
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++) {
            int64_t k = i - 2 * NB, l = j - NB;
            bool inside = k >= 0 && l >= 0 && l < 2 * NB && k >= l;
            assert_true(test_load(full, TWILL_FLOAT64, i + j * N) == (!inside  ? 2.0
                                                                      : k == l ? 7.0
                                                                               : -3.0));
        }
    free(full);
    OK(twill_norm_triangular(TWILL_NORM_MAX, TWILL_LOWER, TWILL_UNIT, part, &norm));
    assert_true(norm == 3.0);
    twill_stop(tw);
}

TEST(a_part_is_mapped_where_it_is)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, N, N, NB),
                *part = sub(a, NB, 2 * NB, NB, 2 * NB);
    twill_array *rest = sub(a, 2 * NB, 0, N - 2 * NB, N);
    twill_view v = twill_view_sub(twill_view_all(part), 3, 4, 10, 30);
    void *data;
    int64_t ld;
    OK(twill_map(v, TWILL_READ_WRITE, &data, &ld));
    ((double *)data)[5 + 25 * ld] = 9.0;
    /* the calling thread would wait for itself, but not for the rest of the matrix */
    REFUSED(twill_scale(TWILL_GENERAL, twill_real(2.0), a), TWILL_ERR_STUCK, "mapped");
    REFUSED(twill_scale(TWILL_GENERAL, twill_real(2.0), part), TWILL_ERR_STUCK, "mapped");
    OK(twill_scale(TWILL_GENERAL, twill_real(2.0), rest));
    OK(twill_unmap(v, data));
    void *full = test_unpack(a);
    assert_true(test_load(full, TWILL_FLOAT64, NB + 8 + (2 * NB + 29) * N) == 9.0);
    free(full);
    twill_stop(tw);
}

/* ---- Cholesky ------------------------------------------------------------------------------- */

typedef enum storage { TILES, WRAPPED, TRIANGLE, STORAGES } storage;

typedef struct matrix {
    twill_array *array;
    void *memory;
} matrix;

static matrix make_matrix(twill *tw, twill_type type, twill_uplo uplo, storage how)
{
    matrix m = {NULL, NULL};
    twill_pattern p = twill_tiled(N, N, NB, NB);
    if (how == TRIANGLE) {
        OK(twill_matrix_create_triangle(tw, type, N, NB, uplo, &m.array));
    } else if (how == TILES) {
        OK(twill_array_create(tw, &p, type, 0, &m.array));
    } else {
        m.memory = calloc((size_t)((N + 5) * N), twill_type_size(type));
        assert_non_null(m.memory);
        OK(twill_array_wrap(tw, &p, type, 0, m.memory, N + 5, &m.array));
    }
    OK(twill_fill_spd(m.array, 5));
    return m;
}

static void start(twill *tw, twill_uplo uplo, twill_array *a, bool inserted, twill_graph **g)
{
    if (inserted) {
        OK(twill_stf_begin(tw, g));
        OK(twill_potrf_insert(*g, uplo, a, NULL));
    } else {
        OK(twill_potrf_graph(uplo, a, NULL, g));
        OK(twill_ptg_run(*g));
    }
}

TEST(a_part_is_factored_like_a_copy_of_it)
{
    twill *tw = test_start(3, NULL);
    for (int k = 0; k < 4 * 2 * 2 * STORAGES; k++) {
        twill_type type = test_types[k % 4].type;
        twill_uplo uplo = triangles[k / 4 % 2];
        matrix m = make_matrix(tw, type, uplo, (storage)(k / 16));
        twill_array *part = sub(m.array, 2 * NB, 2 * NB, N - 2 * NB, N - 2 * NB);
        twill_array *copy = test_matrix(tw, type, N - 2 * NB, N - 2 * NB, NB);
        twill_array *before = test_matrix(tw, type, N - 2 * NB, N - 2 * NB, NB);
        twill_array *corner = sub(m.array, 0, 0, 2 * NB, 2 * NB);
        uint64_t untouched = digest_of(corner, uplo);
        twill_graph *g, *h;
        double ratio = -1.0;
        OK(twill_copy_uplo(uplo, part, copy));
        OK(twill_copy_uplo(uplo, part, before));
        start(tw, uplo, part, k / 8 % 2, &g);
        start(tw, uplo, copy, false, &h);
        OK(twill_wait(g));
        OK(twill_wait(h));
        if (k / 16 != WRAPPED) /* whose tiles have another layout: bits may differ */
            assert_true(digest_of(part, uplo) == digest_of(copy, uplo));
        assert_true(digest_of(corner, uplo) == untouched);
        OK(twill_potrf_residual(uplo, before, part, &ratio));
        assert_true(ratio < 30.0);
        twill_graph_free(g);
        twill_graph_free(h);
        twill_array *all[] = {m.array, part, copy, before, corner};
        for (int i = 0; i < COUNT(all); i++)
            twill_array_free(all[(i + k) % COUNT(all)]);
        free(m.memory);
    }
    twill_stop(tw);
}

/* ---- overlap -------------------------------------------------------------------------------- */

/* Graphs on a part and on the whole, started without waiting: the result is that of doing one after
 * the other. */
static uint64_t together(twill *tw, bool first_inserted, bool second_inserted, bool wait)
{
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, N, N, NB), *part = sub(a, 0, 0, 3 * NB, 3 * NB);
    twill_array *low = sub(a, 3 * NB, 3 * NB, N - 3 * NB, N - 3 * NB);
    twill_graph *g[3], *edit;
    OK(twill_fill_spd(a, 6));
    OK(twill_stf_begin(tw, &edit));
    start(tw, TWILL_LOWER, part, first_inserted, &g[0]);
    if (wait)
        OK(twill_wait(g[0]));
    OK(twill_scale_insert(edit, TWILL_GENERAL, twill_real(0.5), a));
    OK(twill_set_insert(edit, TWILL_GENERAL, twill_real(0.0), twill_real(9.0), part));
    if (wait)
        OK(twill_wait(edit));
    start(tw, TWILL_LOWER, low, second_inserted, &g[1]);
    if (wait)
        OK(twill_wait(g[1]));
    start(tw, TWILL_LOWER, part, second_inserted, &g[2]);
    OK(twill_wait(edit));
    for (int i = 0; i < 3; i++)
        OK(twill_wait(g[i]));
    uint64_t digest = digest_of(a, TWILL_GENERAL);
    for (int i = 0; i < 3; i++)
        twill_graph_free(g[i]);
    twill_graph_free(edit);
    twill_array_free(a);
    twill_array_free(low);
    twill_array_free(part);
    return digest;
}

TEST(work_on_parts_and_wholes_keeps_program_order)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        uint64_t wanted = together(tw, true, true, true);
        for (int k = 0; k < 8; k++)
            assert_true(together(tw, k & 1, k & 2, false) == wanted);
        twill_stop(tw);
    }
}

/* Parts that share no tile do not wait for each other. */
TEST(disjoint_parts_do_not_wait_for_each_other)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, N, N, NB);
    twill_array *part = sub(a, NB, NB, N - NB, N - NB);
    test_hold hold = {NULL};
    twill_graph *g, *h;
    OK(twill_fill_spd(a, 6));
    OK(twill_stf_begin(tw, &g));
    test_hold_begin(&hold, g, "hold", TWILL_RW(twill_tile_at(a, 0, 0)));
    start(tw, TWILL_LOWER, part, false, &h);
    OK(twill_wait(h));
    test_hold_end(&hold);
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_graph_free(h);
    twill_stop(tw);
}

TEST(a_failure_in_a_part_is_known_in_the_whole)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, N, N, NB), *part = sub(a, NB, NB, NB, NB);
    twill_graph *g;
    double norm;
    OK(twill_set(TWILL_GENERAL, twill_real(0.0), twill_real(-1.0), a));
    OK(twill_stf_begin(tw, &g));
    OK(twill_potrf_insert(g, TWILL_LOWER, part, NULL));
    REFUSED(twill_norm(TWILL_NORM_ONE, a, &norm), TWILL_ERR_CANCELED, "");
    REFUSED(twill_wait(g), TWILL_ERR_NUMERICAL, "");
    assert_int_equal(twill_graph_info(g), 1);
    OK(twill_norm(TWILL_NORM_ONE, a, &norm));
    twill_array_free(a);
    OK(twill_norm(TWILL_NORM_ONE, part, &norm));
    twill_graph_free(g);
    twill_stop(tw);
}

TEST(parts_that_overlap_are_not_copied_onto_each_other)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 4 * NB, 4 * NB, NB);
    twill_array *low = sub(a, 0, 0, 2 * NB, 4 * NB), *high = sub(a, NB, 0, 2 * NB, 4 * NB);
    twill_array *again = sub(a, 0, 0, 2 * NB, 4 * NB), *none = NULL;
    REFUSED(twill_copy(low, high), TWILL_ERR_ARGUMENT, "overlap");
    OK(twill_add(TWILL_GENERAL, TWILL_NO_TRANS, twill_real(1), low, twill_real(1), again));
    REFUSED(twill_matrix_sub(twill_view_sub(twill_view_all(a), 1, 0, NB, NB), &none),
            TWILL_ERR_ARGUMENT, "middle of tiles");
    REFUSED(twill_matrix_sub(twill_view_all(a), NULL), TWILL_ERR_ARGUMENT, "NULL");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_done_to_a_part_is_seen_in_the_whole),
        cmocka_unit_test(a_part_is_mapped_where_it_is),
        cmocka_unit_test(a_part_is_factored_like_a_copy_of_it),
        cmocka_unit_test(work_on_parts_and_wholes_keeps_program_order),
        cmocka_unit_test(disjoint_parts_do_not_wait_for_each_other),
        cmocka_unit_test(a_failure_in_a_part_is_known_in_the_whole),
        cmocka_unit_test(parts_that_overlap_are_not_copied_onto_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
