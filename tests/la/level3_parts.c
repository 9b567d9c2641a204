/* The level 3 BLAS on parts of matrices and on matrices that store a triangle. */
#include "support/matrix.h"
#include "support/test.h"

enum { N = 150, NB = 24, CUT = 3 * NB };

static const twill_scalar one = {1.0, 0.0}, zero = {0.0, 0.0}, minus_one = {-1.0, 0.0};
static const twill_trans none = TWILL_NO_TRANS, conj_trans = TWILL_CONJ_TRANS;

static twill_array *sub(twill_array *a, int64_t i, int64_t j, int64_t rows, int64_t cols)
{
    twill_array *part = NULL;
    OK(twill_matrix_sub(twill_view_sub(twill_view_all(a), i, j, rows, cols), &part));
    return part;
}

static twill_array *triangle(twill *tw, twill_type type, twill_uplo uplo)
{
    twill_array *a = NULL;
    OK(twill_matrix_create_triangle(tw, type, N, NB, uplo, &a));
    return a;
}

/* Cholesky by hand, block by block, in one graph: each routine has another part. */
static void factor(twill *tw, twill_uplo uplo, twill_array *a)
{
    bool lower = uplo == TWILL_LOWER;
    twill_array *first = sub(a, 0, 0, CUT, CUT), *last = sub(a, CUT, CUT, N - CUT, N - CUT);
    twill_array *side = lower ? sub(a, CUT, 0, N - CUT, CUT) : sub(a, 0, CUT, CUT, N - CUT);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    OK(twill_potrf_insert(g, uplo, first, NULL));
    OK(twill_trsm_insert(g, lower ? TWILL_RIGHT : TWILL_LEFT, uplo, conj_trans, TWILL_NON_UNIT, one,
                         first, side, NULL));
    OK(twill_herk_insert(g, uplo, lower ? none : conj_trans, -1.0, side, 1.0, last, NULL));
    OK(twill_potrf_insert(g, uplo, last, NULL));
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_array_free(first);
    twill_array_free(side);
    twill_array_free(last);
}

TEST(routines_on_parts_make_a_cholesky_factorization)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        for (int k = 0; k < 16; k++) {
            twill_type type = test_types[k % 4].type;
            twill_uplo uplo = k & 4 ? TWILL_LOWER : TWILL_UPPER;
            twill_array *a = k & 8 ? triangle(tw, type, uplo) : test_matrix(tw, type, N, N, NB);
            twill_array *before = test_matrix(tw, type, N, N, NB);
            double ratio = -1.0;
            OK(twill_fill_spd(a, 2));
            OK(twill_fill_spd(before, 2));
            factor(tw, uplo, a);
            OK(twill_potrf_residual(uplo, before, a, &ratio));
            assert_true(ratio >= 0.0 && ratio < 30.0);
            twill_array_free(a);
            twill_array_free(before);
        }
        twill_stop(tw);
    }
}

TEST(symmetric_factors_may_store_their_triangle_alone)
{
    twill *tw = test_start(2, NULL);
    for (int k = 0; k < 8; k++) {
        const test_type *t = &test_types[k % 4];
        twill_uplo uplo = k / 4 ? TWILL_LOWER : TWILL_UPPER;
        twill_array *half = triangle(tw, t->type, uplo), *full = test_matrix(tw, t->type, N, N, NB);
        twill_array *b = test_matrix(tw, t->type, N, 50, NB);
        twill_array *c = test_matrix(tw, t->type, N, 50, NB);
        double norm, size;
        OK(twill_fill_hermitian(half, 3));
        OK(twill_fill_hermitian(full, 3));
        OK(twill_fill_random(b, 4));
        OK(twill_hemm(TWILL_LEFT, uplo, one, half, b, zero, c));
        OK(twill_norm(TWILL_NORM_FRO, c, &size));
        OK(twill_gemm(none, none, minus_one, full, b, one, c));
        OK(twill_norm(TWILL_NORM_FRO, c, &norm));
        assert_true(size > 1.0 && norm < 100.0 * t->eps * size);
    }
    twill_stop(tw);
}

TEST(what_is_not_stored_or_overlaps_is_refused)
{
    twill *tw = test_start(1, NULL);
    twill_array *half = triangle(tw, TWILL_FLOAT64, TWILL_LOWER);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, N, N, NB),
                *b = test_matrix(tw, TWILL_FLOAT64, N, N, NB);
    twill_array *part = sub(a, 0, 0, N, N);
    twill_status bad = TWILL_ERR_ARGUMENT;
    REFUSED(twill_gemm(none, none, one, half, a, zero, b), bad, "argument 7");
    REFUSED(twill_gemm(none, none, one, a, half, zero, b), bad, "argument 9");
    REFUSED(twill_gemm(none, none, one, a, b, zero, half), bad, "argument 12");
    REFUSED(twill_gemm(none, none, one, a, b, zero, part), bad, "argument 12");
    REFUSED(twill_symm(TWILL_LEFT, TWILL_UPPER, one, half, a, zero, b), bad, "argument 6");
    REFUSED(twill_symm(TWILL_LEFT, TWILL_UPPER, one, a, half, zero, b), bad, "argument 8");
    REFUSED(twill_symm(TWILL_LEFT, TWILL_UPPER, one, a, b, zero, half), bad, "argument 11");
    REFUSED(twill_syrk(TWILL_LOWER, none, one, half, zero, b), bad, "argument 6");
    REFUSED(twill_syrk(TWILL_UPPER, none, one, a, zero, half), bad, "argument 9");
    REFUSED(twill_syr2k(TWILL_LOWER, none, one, a, half, zero, b), bad, "argument 8");
    REFUSED(twill_trsm(TWILL_LEFT, TWILL_UPPER, none, TWILL_UNIT, one, half, b), bad, "argument 8");
    REFUSED(twill_trmm(TWILL_LEFT, TWILL_UPPER, none, TWILL_UNIT, one, a, half), bad,
            "argument 10");
    REFUSED(twill_trmm(TWILL_LEFT, TWILL_UPPER, none, TWILL_UNIT, one, a, part), bad,
            "argument 10");
    twill_stop(tw);
}

/* Two parts of one matrix that have a tile in common: no routine may write one and read the other.
 * Parts that only touch are fine. */
TEST(parts_that_share_a_tile_are_no_result)
{
    twill *tw = test_start(1, NULL);
    enum { SIDE = 2 * NB };
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 2 * SIDE, 2 * SIDE, NB);
    twill_array *c = sub(a, 0, 0, SIDE, SIDE), *x = sub(a, NB, NB, SIDE, SIDE);
    twill_array *apart = sub(a, SIDE, SIDE, SIDE, SIDE), *y = sub(a, 0, SIDE, SIDE, SIDE);
    const char *words = "must be another array than the factors, and no part of them";
    twill_status bad = TWILL_ERR_ARGUMENT;
    uint64_t before, after;
    OK(twill_fill_spd(a, 1));
    OK(twill_digest(a, TWILL_GENERAL, &before));
    REFUSED(twill_gemm(none, none, one, x, y, one, c), bad, words);
    REFUSED(twill_gemm(none, none, one, y, x, one, c), bad, words);
    REFUSED(twill_symm(TWILL_LEFT, TWILL_LOWER, one, x, y, one, c), bad, words);
    REFUSED(twill_hemm(TWILL_RIGHT, TWILL_LOWER, one, y, x, one, c), bad, words);
    REFUSED(twill_syrk(TWILL_LOWER, none, one, x, one, c), bad, words);
    REFUSED(twill_herk(TWILL_LOWER, none, 1.0, x, 1.0, c), bad, words);
    REFUSED(twill_syr2k(TWILL_LOWER, none, one, y, x, one, c), bad, words);
    REFUSED(twill_her2k(TWILL_LOWER, none, one, x, y, 1.0, c), bad, words);
    REFUSED(twill_trmm(TWILL_LEFT, TWILL_LOWER, none, TWILL_UNIT, one, x, c), bad, words);
    REFUSED(twill_trsm(TWILL_RIGHT, TWILL_LOWER, none, TWILL_UNIT, one, x, c), bad, words);
    OK(twill_digest(a, TWILL_GENERAL, &after));
    assert_true(before == after);
    OK(twill_gemm(none, none, one, apart, y, one, c));
    OK(twill_trsm(TWILL_LEFT, TWILL_LOWER, none, TWILL_NON_UNIT, one, apart, c));
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routines_on_parts_make_a_cholesky_factorization),
        cmocka_unit_test(symmetric_factors_may_store_their_triangle_alone),
        cmocka_unit_test(what_is_not_stored_or_overlaps_is_refused),
        cmocka_unit_test(parts_that_share_a_tile_are_no_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
