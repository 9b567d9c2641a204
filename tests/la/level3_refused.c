/* Bad arguments of the level 3 BLAS: refused before any work, with the BLAS's own number. */
#include "support/test.h"

#define BAD(call, number) REFUSED((call), TWILL_ERR_ARGUMENT, "argument " #number " ")

static const twill_scalar one = {1.0, 0.0};
static const twill_trans none = TWILL_NO_TRANS, trans = TWILL_TRANS, wrong_trans = (twill_trans)'X';
static const twill_uplo lower = TWILL_LOWER, wrong_uplo = TWILL_GENERAL;
static const twill_side left = TWILL_LEFT, right = TWILL_RIGHT, wrong_side = (twill_side)'X';
static const twill_diag plain = TWILL_NON_UNIT, wrong_diag = (twill_diag)'X';

/* Matrices named after their sizes: letters are 20, 30 and 40 rows or columns, in tiles of 8. */
typedef struct matrices {
    twill *tw;
    twill_array *mm, *mn, *mk, *kn, *nn, *nk, *result;
    twill_array *nine;                 /* m by n in tiles of 9 */
    twill_array *single, *bytes, *far; /* m by n: of other types, and of another context */
} matrices;

static twill_array *array(twill *tw, int64_t m, int64_t n, int64_t nb, twill_type type)
{
    twill_array *a = NULL;
    twill_pattern p = twill_tiled(m, n, nb, nb);
    OK(twill_array_create(tw, &p, type, type == TWILL_BYTES ? 8 : 0, &a));
    OK(type == TWILL_BYTES ? TWILL_OK : twill_fill_random(a, 1));
    return a;
}

static matrices make(twill_type type, twill *other)
{
    twill *tw = test_start(1, NULL);
    matrices x = {.tw = tw};
    x.mm = array(tw, 20, 20, 8, type);
    x.mn = array(tw, 20, 30, 8, type);
    x.mk = array(tw, 20, 40, 8, type);
    x.kn = array(tw, 40, 30, 8, type);
    x.nn = array(tw, 30, 30, 8, type);
    x.nk = array(tw, 30, 40, 8, type);
    x.result = array(tw, 20, 30, 8, type);
    x.nine = array(tw, 20, 30, 9, type);
    x.single = array(tw, 20, 30, 8, TWILL_FLOAT32);
    x.bytes = array(tw, 20, 30, 8, TWILL_BYTES);
    x.far = array(other, 20, 30, 8, type);
    return x;
}

/* Both forms refuse, and the result is as it was. */
typedef struct watch {
    twill_graph *g;
    twill_array *result;
    uint64_t digest;
} watch;

static watch begin(const matrices *x, twill_array *result)
{
    watch w = {.result = result};
    OK(twill_stf_begin(x->tw, &w.g));
    OK(twill_digest(result, TWILL_GENERAL, &w.digest));
    return w;
}

static void end(watch *w)
{
    uint64_t digest;
    int64_t added, done;
    twill_graph_progress(w->g, &added, &done);
    assert_int_equal(added, 0);
    OK(twill_wait(w->g));
    twill_graph_free(w->g);
    OK(twill_digest(w->result, TWILL_GENERAL, &digest));
    assert_true(digest == w->digest);
}

static void stop(matrices *x, twill *other)
{
    twill_stop(x->tw);
    twill_stop(other);
}

TEST(gemm_refuses)
{
    twill *other = test_start(1, NULL);
    matrices x = make(TWILL_FLOAT64, other);
    watch w = begin(&x, x.mn);
    BAD(twill_gemm(wrong_trans, none, one, x.mk, x.kn, one, x.mn), 1);
    BAD(twill_gemm(none, wrong_trans, one, x.mk, x.kn, one, x.mn), 2);
    BAD(twill_gemm(none, none, one, x.kn, x.kn, one, x.mn), 3);
    BAD(twill_gemm(trans, none, one, x.mk, x.kn, one, x.mn), 3);
    BAD(twill_gemm(none, none, one, x.mk, x.mk, one, x.mn), 4);
    BAD(twill_gemm(none, none, one, x.mm, x.kn, one, x.mn), 5);
    BAD(twill_gemm(none, none, one, NULL, x.kn, one, x.mn), 7);
    BAD(twill_gemm(none, none, one, x.bytes, x.kn, one, x.mn), 7);
    BAD(twill_gemm(none, none, one, x.mk, NULL, one, x.mn), 9);
    BAD(twill_gemm(none, none, one, x.mk, x.single, one, x.mn), 9);
    BAD(twill_gemm(none, none, one, x.mk, x.far, one, x.mn), 9);
    BAD(twill_gemm(none, none, one, x.mk, x.kn, one, NULL), 12);
    BAD(twill_gemm(none, none, one, x.mk, x.kn, one, x.single), 12);
    BAD(twill_gemm(none, none, one, x.nn, x.nn, one, x.nn), 12);
    REFUSED(twill_gemm(none, none, one, x.mk, x.kn, one, x.nine), TWILL_ERR_ARGUMENT,
            "argument 3 (m) is cut into tiles of 9 for one matrix and of 8 for another");
    BAD(twill_gemm_insert(w.g, none, wrong_trans, one, x.mk, x.kn, one, x.mn, NULL), 2);
    end(&w);
    stop(&x, other);
}

TEST(symm_and_hemm_refuse)
{
    twill *other = test_start(1, NULL);
    matrices x = make(TWILL_COMPLEX128, other);
    watch w = begin(&x, x.mn);
    BAD(twill_symm(wrong_side, lower, one, x.mm, x.result, one, x.mn), 1);
    BAD(twill_hemm(left, wrong_uplo, one, x.mm, x.result, one, x.mn), 2);
    BAD(twill_symm(left, lower, one, x.nn, x.result, one, x.mn), 3);
    BAD(twill_symm(left, lower, one, x.mk, x.result, one, x.mn), 3);
    BAD(twill_hemm(right, lower, one, x.mm, x.result, one, x.mn), 4);
    BAD(twill_symm(left, lower, one, x.mm, x.mk, one, x.mn), 4);
    BAD(twill_symm(left, lower, one, NULL, x.result, one, x.mn), 6);
    BAD(twill_hemm(left, lower, one, x.mm, x.single, one, x.mn), 8);
    BAD(twill_symm(left, lower, one, x.mm, x.mn, one, x.mn), 11);
    BAD(twill_symm_insert(w.g, left, wrong_uplo, one, x.mm, x.result, one, x.mn, NULL), 2);
    BAD(twill_hemm_insert(w.g, left, wrong_uplo, one, x.mm, x.result, one, x.mn, NULL), 2);
    end(&w);
    stop(&x, other);
}

TEST(rank_updates_refuse)
{
    twill *other = test_start(1, NULL);
    matrices x = make(TWILL_COMPLEX128, other);
    twill_array *real = array(x.tw, 30, 40, 8, TWILL_FLOAT64),
                *square = array(x.tw, 30, 30, 8, TWILL_FLOAT64);
    watch w = begin(&x, x.nn);
    BAD(twill_syrk(wrong_uplo, none, one, x.nk, one, x.nn), 1);
    BAD(twill_herk(wrong_uplo, none, 1.0, x.nk, 1.0, x.nn), 1);
    BAD(twill_syrk(lower, TWILL_CONJ_TRANS, one, x.kn, one, x.nn), 2);
    BAD(twill_herk(lower, trans, 1.0, x.kn, 1.0, x.nn), 2);
    BAD(twill_syr2k(lower, TWILL_CONJ_TRANS, one, x.kn, x.kn, one, x.nn), 2);
    BAD(twill_her2k(lower, trans, one, x.kn, x.kn, 1.0, x.nn), 2);
    BAD(twill_her2k(lower, wrong_trans, one, x.kn, x.kn, 1.0, x.nn), 2);
    BAD(twill_syrk(lower, none, one, x.kn, one, x.nn), 3);
    BAD(twill_herk(lower, none, 1.0, x.nk, 1.0, x.mn), 3);
    BAD(twill_syr2k(lower, none, one, x.nk, x.nn, one, x.nn), 11);
    BAD(twill_syr2k(lower, none, one, x.nk, x.kn, one, x.nn), 3);
    BAD(twill_her2k(lower, none, one, array(x.tw, 30, 20, 8, TWILL_COMPLEX128), x.nk, 1.0, x.nn),
        4);
    BAD(twill_syrk(lower, none, one, NULL, one, x.nn), 6);
    BAD(twill_her2k(lower, none, one, x.nk, NULL, 1.0, x.nn), 8);
    BAD(twill_syrk(lower, none, one, x.nk, one, NULL), 9);
    BAD(twill_herk(lower, none, 1.0, x.nk, 1.0, square), 9);
    BAD(twill_syrk_insert(w.g, lower, none, one, x.nk, one, NULL, NULL), 9);
    BAD(twill_herk_insert(w.g, lower, trans, 1.0, x.kn, 1.0, x.nn, NULL), 2);
    BAD(twill_syr2k_insert(w.g, lower, none, one, x.nk, x.nk, one, NULL, NULL), 11);
    BAD(twill_her2k_insert(w.g, lower, trans, one, x.kn, x.kn, 1.0, x.nn, NULL), 2);
    end(&w);
    /* of real matrices both transposes are the same */
    OK(twill_syrk(lower, none, one, real, one, square));
    OK(twill_herk(lower, none, 1.0, real, 1.0, square));
    stop(&x, other);
}

TEST(triangular_routines_refuse)
{
    twill *other = test_start(1, NULL);
    matrices x = make(TWILL_FLOAT64, other);
    watch w = begin(&x, x.mn);
    BAD(twill_trmm(wrong_side, lower, none, plain, one, x.mm, x.mn), 1);
    BAD(twill_trsm(left, wrong_uplo, none, plain, one, x.mm, x.mn), 2);
    BAD(twill_trmm(left, lower, wrong_trans, plain, one, x.mm, x.mn), 3);
    BAD(twill_trsm(left, lower, none, wrong_diag, one, x.mm, x.mn), 4);
    BAD(twill_trsm(left, lower, none, plain, one, x.nn, x.mn), 5);
    BAD(twill_trmm(left, lower, none, plain, one, x.mk, x.mn), 5);
    BAD(twill_trsm(left, lower, none, plain, one, x.mm, x.nine), 5);
    BAD(twill_trsm(right, lower, none, plain, one, x.mm, x.mn), 6);
    BAD(twill_trsm(left, lower, none, plain, one, NULL, x.mn), 8);
    BAD(twill_trmm(left, lower, none, plain, one, x.mm, NULL), 10);
    BAD(twill_trsm(left, lower, none, plain, one, x.mm, x.single), 10);
    BAD(twill_trsm(left, lower, none, plain, one, x.mm, x.mm), 10);
    BAD(twill_trmm_insert(w.g, left, lower, none, wrong_diag, one, x.mm, x.mn, NULL), 4);
    BAD(twill_trsm_insert(w.g, left, lower, none, wrong_diag, one, x.mm, x.mn, NULL), 4);
    end(&w);
    stop(&x, other);
}

TEST(what_is_not_stored_is_refused)
{
    twill *tw = test_start(1, NULL);
    twill_array *low, *a = array(tw, 20, 20, 8, TWILL_FLOAT64),
                      *b = array(tw, 20, 20, 8, TWILL_FLOAT64);
    OK(twill_matrix_create_triangle(tw, TWILL_FLOAT64, 20, 8, lower, &low));
    BAD(twill_gemm(none, none, one, low, a, one, b), 7);
    BAD(twill_gemm(none, none, one, a, low, one, b), 9);
    BAD(twill_gemm(none, none, one, a, b, one, low), 12);
    BAD(twill_symm(left, TWILL_UPPER, one, low, a, one, b), 6);
    BAD(twill_symm(left, lower, one, a, b, one, low), 11);
    BAD(twill_syrk(TWILL_UPPER, none, one, a, one, low), 9);
    BAD(twill_syrk(lower, none, one, low, one, b), 6);
    BAD(twill_trsm(left, TWILL_UPPER, none, plain, one, low, b), 8);
    BAD(twill_trmm(left, lower, none, plain, one, a, low), 10);
    twill_stop(tw);
}

TEST(imaginary_factors_of_real_matrices_are_refused)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = array(tw, 9, 9, 8, TWILL_FLOAT32), *b = array(tw, 9, 9, 8, TWILL_FLOAT32);
    twill_array *c = array(tw, 9, 9, 8, TWILL_FLOAT32);
    const twill_scalar i = twill_complex(0.0, 1.0);
    BAD(twill_gemm(none, none, i, a, b, one, c), 6);
    BAD(twill_gemm(none, none, one, a, b, i, c), 11);
    BAD(twill_symm(left, lower, i, a, b, one, c), 5);
    BAD(twill_hemm(left, lower, one, a, b, i, c), 10);
    BAD(twill_syrk(lower, none, i, a, one, c), 5);
    BAD(twill_syrk(lower, none, one, a, i, c), 8);
    BAD(twill_syr2k(lower, none, one, a, b, i, c), 10);
    BAD(twill_trsm(left, lower, none, plain, i, a, b), 7);
    twill_stop(tw);
}

/* One tile is cut like any other cut of its size. */
TEST(single_tiles_fit_whatever_their_tile_size)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = array(tw, 5, 6, 8, TWILL_FLOAT64), *b = array(tw, 6, 7, 64, TWILL_FLOAT64);
    twill_array *c = array(tw, 5, 7, 16, TWILL_FLOAT64), *t = array(tw, 5, 5, 5, TWILL_FLOAT64);
    OK(twill_gemm(none, none, one, a, b, one, c));
    OK(twill_trmm(left, lower, none, plain, one, t, c));
    twill_stop(tw);
}

TEST(a_mapped_matrix_is_refused)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = array(tw, 5, 5, 8, TWILL_FLOAT64), *b = array(tw, 5, 5, 8, TWILL_FLOAT64);
    void *data;
    int64_t ld;
    OK(twill_map(twill_view_all(a), TWILL_READ, &data, &ld));
    REFUSED(twill_trsm(left, lower, none, plain, one, a, b), TWILL_ERR_STUCK, "twill_unmap");
    OK(twill_unmap(twill_view_all(a), data));
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_refuses),
        cmocka_unit_test(symm_and_hemm_refuse),
        cmocka_unit_test(rank_updates_refuse),
        cmocka_unit_test(triangular_routines_refuse),
        cmocka_unit_test(what_is_not_stored_is_refused),
        cmocka_unit_test(imaginary_factors_of_real_matrices_are_refused),
        cmocka_unit_test(single_tiles_fit_whatever_their_tile_size),
        cmocka_unit_test(a_mapped_matrix_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
