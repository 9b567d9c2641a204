/* Every routine takes parts of matrices, and those that use a triangle take matrices that store it
 * alone: the bits are those of matrices that stand by themselves. Others refuse before any work. */
#include "support/matrix.h"
#include "support/test.h"

enum { N = 70, NB = 16, RHS = 20, AT = 2 * NB };

typedef enum storage { OWN, PART, TRIANGLE, PART_OF_TRIANGLE, STORAGES } storage;

/* An m by n matrix, by itself or somewhere inside another; the whole is freed at once, for the
 * elements live on. */
static twill_array *make(twill *tw, twill_type type, int64_t m, int64_t n, storage how,
                         twill_uplo uplo)
{
    twill_array *a = NULL, *whole = NULL;
    if (how == OWN)
        return test_matrix(tw, type, m, n, NB);
    if (how == TRIANGLE) {
        OK(twill_matrix_create_triangle(tw, type, n, NB, uplo, &a));
        return a;
    }
    /* a part ends with a tile, or with the whole */
    if (how == PART)
        whole = test_matrix(tw, type, AT + m + (m % NB ? 0 : NB), AT + n + (n % NB ? 0 : NB), NB);
    else
        OK(twill_matrix_create_triangle(tw, type, AT + n, NB, uplo, &whole));
    OK(twill_matrix_sub(twill_view_sub(twill_view_all(whole), AT, AT, m, n), &a));
    twill_array_free(whole);
    return a;
}

static uint64_t digest_of(twill_array *a, twill_uplo part)
{
    uint64_t digest = 0;
    OK(twill_digest(a, part, &digest));
    return digest;
}

/* ---- routines that use a triangle of A ------------------------------------------------------ */

typedef twill_status routine(twill_uplo uplo, twill_array *a, twill_array *b);

static twill_status posv(twill_uplo uplo, twill_array *a, twill_array *b)
{
    int64_t info = -1;
    twill_status status = twill_posv(uplo, a, b, &info);
    assert_true(status != TWILL_OK || info == 0);
    return status;
}

static twill_status inverse(twill_uplo uplo, twill_array *a, twill_array *b)
{
    int64_t info = -1;
    (void)b;
    twill_status status = twill_potrf(uplo, a, &info);
    return status == TWILL_OK ? twill_potri(uplo, a, &info) : status;
}

static twill_status trtri(twill_uplo uplo, twill_array *a, twill_array *b)
{
    int64_t info = -1;
    (void)b;
    return twill_trtri(uplo, TWILL_NON_UNIT, a, &info);
}

static twill_status lauum(twill_uplo uplo, twill_array *a, twill_array *b)
{
    (void)b;
    return twill_lauum(uplo, a);
}

static twill_status condition(twill_uplo uplo, twill_array *a, twill_array *b)
{
    double rcond = -1.0;
    int64_t info;
    twill_status status = twill_potrf(uplo, a, &info);
    if (status == TWILL_OK)
        status = twill_pocon(uplo, a, 100.0, &rcond);
    return status == TWILL_OK ? twill_scale(TWILL_GENERAL, twill_real(rcond), b) : status;
}

static twill_status hesv(twill_uplo uplo, twill_array *a, twill_array *b)
{
    int64_t info = -1;
    return twill_hesv(uplo, a, b, &info);
}

static twill_status sysv(twill_uplo uplo, twill_array *a, twill_array *b)
{
    int64_t info = -1;
    return twill_sysv(uplo, a, b, &info);
}

static twill_status mixed(twill_uplo uplo, twill_array *a, twill_array *b)
{
    int64_t info = -1, iterations;
    twill_array *x = test_matrix(twill_array_context(b), TWILL_FLOAT64, N, RHS, NB);
    if (twill_array_type(a) != TWILL_FLOAT64)
        return TWILL_OK;
    twill_status status = twill_posv_mixed(uplo, a, b, x, TWILL_REFINE_CLASSIC, &iterations, &info);
    return status == TWILL_OK ? twill_copy(x, b) : status;
}

static routine *const triangular[] = {posv, inverse, trtri, lauum, condition, hesv, sysv, mixed};

static void run(twill *tw, routine *call, twill_type type, twill_uplo uplo, storage how,
                uint64_t *digests)
{
    twill_array *a = make(tw, type, N, N, how, uplo);
    twill_array *b = make(tw, type, N, RHS, how == OWN || how == TRIANGLE ? OWN : PART, uplo);
    OK(twill_fill_spd(a, 1));
    OK(twill_fill_random(b, 2));
    OK(call(uplo, a, b));
    digests[0] = digest_of(a, uplo);
    digests[1] = digest_of(b, TWILL_GENERAL);
    twill_array_free(a);
    twill_array_free(b);
}

TEST(triangles_may_be_stored_alone_and_be_parts)
{
    twill *tw = test_start(3, NULL);
    for (int r = 0; r < COUNT(triangular); r++)
        for (int k = 0; k < 8; k++) {
            twill_type type = test_types[k % 4].type;
            twill_uplo uplo = k / 4 ? TWILL_LOWER : TWILL_UPPER;
            uint64_t wanted[2], got[2];
            run(tw, triangular[r], type, uplo, OWN, wanted);
            for (int how = PART; how < STORAGES; how++) {
                run(tw, triangular[r], type, uplo, (storage)how, got);
                if (got[0] != wanted[0] || got[1] != wanted[1])
                    fail_msg("routine %d, type %s, uplo %c, storage %d: other bits", r,
                             test_types[k % 4].name, uplo, how);
            }
        }
    twill_stop(tw);
}

TEST(the_triangle_that_is_not_stored_is_refused)
{
    twill *tw = test_start(1, NULL);
    for (int r = 0; r < COUNT(triangular); r++) {
        twill_array *a = make(tw, TWILL_FLOAT64, N, N, TRIANGLE, TWILL_LOWER);
        twill_array *b = test_matrix(tw, TWILL_FLOAT64, N, RHS, NB);
        OK(twill_fill_spd(a, 1));
        uint64_t before = digest_of(a, TWILL_GENERAL);
        assert_int_equal(triangular[r](TWILL_UPPER, a, b), TWILL_ERR_ARGUMENT);
        CONTAINS(twill_message(), "triangle");
        assert_true(digest_of(a, TWILL_GENERAL) == before);
    }
    twill_stop(tw);
}

/* B must not be a part of A, nor a triangle. */
TEST(right_hand_sides_stand_by_themselves)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, N, N, NB), *b = NULL, *extra = NULL;
    twill_array *half = make(tw, TWILL_FLOAT64, N, N, TRIANGLE, TWILL_LOWER);
    twill_reflectors *h;
    int64_t info;
    OK(twill_fill_spd(a, 1));
    OK(twill_matrix_sub(twill_view_sub(twill_view_all(a), 0, NB, N, NB), &b));
    OK(twill_pivots_create(a, &extra));
    OK(twill_reflectors_create(tw, NULL, &h));
    uint64_t before = digest_of(a, TWILL_GENERAL);
    REFUSED(twill_posv(TWILL_LOWER, a, b, &info), TWILL_ERR_ARGUMENT, "overlap");
    REFUSED(twill_sysv(TWILL_LOWER, a, b, &info), TWILL_ERR_ARGUMENT, "overlap");
    REFUSED(twill_gesv(a, extra, b, &info), TWILL_ERR_ARGUMENT, "overlap");
    REFUSED(twill_gels(TWILL_NO_TRANS, a, b, &info), TWILL_ERR_ARGUMENT, "no part of them");
    REFUSED(twill_posv(TWILL_LOWER, a, half, &info), TWILL_ERR_ARGUMENT, "triangle");
    REFUSED(twill_gels(TWILL_NO_TRANS, a, half, &info), TWILL_ERR_ARGUMENT, "triangle");
    REFUSED(twill_gesv(a, extra, half, &info), TWILL_ERR_ARGUMENT, "triangle");
    assert_true(digest_of(a, TWILL_GENERAL) == before);
    OK(twill_geqrf(a, h));
    REFUSED(twill_unmqr(TWILL_LEFT, TWILL_NO_TRANS, a, h, b), TWILL_ERR_ARGUMENT, "result");
    REFUSED(twill_unmqr(TWILL_LEFT, TWILL_NO_TRANS, a, h, half), TWILL_ERR_ARGUMENT, "triangle");
    twill_reflectors_free(h);
    twill_stop(tw);
}

/* ---- routines that use all of A ------------------------------------------------------------- */

static twill_status gesv(twill_array *a, twill_array *b, twill_array **extra)
{
    int64_t info = -1;
    twill_status status = twill_pivots_create(a, extra);
    return status == TWILL_OK ? twill_gesv(a, *extra, b, &info) : status;
}

static twill_status getri(twill_array *a, twill_array *b, twill_array **extra)
{
    int64_t info = -1;
    (void)b;
    twill_status status = twill_pivots_create(a, extra);
    if (status == TWILL_OK)
        status = twill_getrf(a, *extra, &info);
    return status == TWILL_OK ? twill_getri(a, *extra, &info) : status;
}

static twill_status qr(twill_array *a, twill_array *b, bool rows)
{
    twill_reflectors *h = NULL;
    twill_status status = twill_reflectors_create(twill_array_context(a), NULL, &h);
    if (status == TWILL_OK)
        status = rows ? twill_gelqf(a, h) : twill_geqrf(a, h);
    if (status == TWILL_OK)
        status = rows ? twill_unmlq(TWILL_LEFT, TWILL_CONJ_TRANS, a, h, b)
                      : twill_unmqr(TWILL_LEFT, TWILL_CONJ_TRANS, a, h, b);
    twill_reflectors_free(h);
    return status;
}

static twill_status geqrf(twill_array *a, twill_array *b, twill_array **extra)
{
    (void)extra;
    return qr(a, b, false);
}

static twill_status gelqf(twill_array *a, twill_array *b, twill_array **extra)
{
    (void)extra;
    return qr(a, b, true);
}

static twill_status gels(twill_array *a, twill_array *b, twill_array **extra)
{
    int64_t info = -1;
    (void)extra;
    return twill_gels(TWILL_NO_TRANS, a, b, &info);
}

typedef twill_status general_routine(twill_array *a, twill_array *b, twill_array **extra);
static general_routine *const general[] = {gesv, getri, geqrf, gelqf, gels};

static void run_general(twill *tw, general_routine *call, twill_type type, storage how,
                        uint64_t *digests)
{
    twill_array *a = make(tw, type, N, N, how, TWILL_LOWER), *extra = NULL;
    twill_array *b = make(tw, type, N, RHS, how, TWILL_LOWER);
    OK(twill_fill_random(a, 1));
    OK(twill_fill_random(b, 2));
    OK(call(a, b, &extra));
    digests[0] = digest_of(a, TWILL_GENERAL);
    digests[1] = digest_of(b, TWILL_GENERAL);
    twill_array_free(extra);
    twill_array_free(a);
    twill_array_free(b);
}

TEST(general_matrices_may_be_parts)
{
    twill *tw = test_start(3, NULL);
    for (int r = 0; r < COUNT(general); r++)
        for (int t = 0; t < COUNT(test_types); t++) {
            uint64_t wanted[2], got[2];
            run_general(tw, general[r], test_types[t].type, OWN, wanted);
            run_general(tw, general[r], test_types[t].type, PART, got);
            if (got[0] != wanted[0] || got[1] != wanted[1])
                fail_msg("routine %d, type %s: other bits", r, test_types[t].name);
        }
    twill_stop(tw);
}

TEST(a_triangle_is_no_general_matrix)
{
    twill *tw = test_start(1, NULL);
    for (int r = 0; r < COUNT(general); r++) {
        twill_array *a = make(tw, TWILL_FLOAT64, N, N, TRIANGLE, TWILL_LOWER), *extra = NULL;
        twill_array *b = test_matrix(tw, TWILL_FLOAT64, N, RHS, NB);
        OK(twill_fill_random(a, 1));
        uint64_t before = digest_of(a, TWILL_GENERAL);
        if (general[r](a, b, &extra) != TWILL_ERR_ARGUMENT)
            fail_msg("routine %d: %s", r, twill_message());
        CONTAINS(twill_message(), "triangle");
        assert_true(digest_of(a, TWILL_GENERAL) == before);
    }
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_may_be_stored_alone_and_be_parts),
        cmocka_unit_test(the_triangle_that_is_not_stored_is_refused),
        cmocka_unit_test(right_hand_sides_stand_by_themselves),
        cmocka_unit_test(general_matrices_may_be_parts),
        cmocka_unit_test(a_triangle_is_no_general_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
