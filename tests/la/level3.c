/* The nine routines of the level 3 BLAS: every type, side, triangle, transpose and diagonal, over
 * sizes around the tile size, and the same bits whoever computes them. */
#include "support/level3.h"
#include "support/test.h"

#include "sched/sched.h"

enum { NB = 16 };

static const twill_side sides[] = {TWILL_LEFT, TWILL_RIGHT};
static const twill_uplo triangles[] = {TWILL_LOWER, TWILL_UPPER};
static const twill_trans transposes[] = {TWILL_NO_TRANS, TWILL_TRANS, TWILL_CONJ_TRANS};
static const twill_diag diagonals[] = {TWILL_NON_UNIT, TWILL_UNIT};

/* m, n, k: nothing, one, around the tile size, prime, and not square in all ways. */
static const int64_t sizes[][3] = {
    {0, NB, NB},  {NB, 0, NB}, {NB + 1, NB, 0}, {1, 1, 1},   {NB - 1, NB, NB + 1},
    {NB, NB, NB}, {37, 3, 20}, {3, 37, 53},     {37, 41, 2}, {33, 2 * NB, 47}};

/* Which letters a routine looks at. */
static bool has_side(level3_routine r)
{
    return r == LEVEL3_SYMM || r == LEVEL3_HEMM || r == LEVEL3_TRMM || r == LEVEL3_TRSM;
}

static bool has_trans(level3_routine r)
{
    return r != LEVEL3_SYMM && r != LEVEL3_HEMM;
}

static bool has_diag(level3_routine r)
{
    return r == LEVEL3_TRMM || r == LEVEL3_TRSM;
}

/* Call `visit` for all letters that make a difference. */
static void each_variant(level3_routine r, const test_type *type,
                         void (*visit)(twill *tw, level3_call o), twill *tw)
{
    for (int v = 0; v < 2 * 2 * 3 * 3 * 2; v++) {
        int side = v % 2, uplo = v / 2 % 2, ta = v / 4 % 3, tb = v / 12 % 3, diag = v / 36;
        level3_call o = {.routine = r,
                         .type = type,
                         .side = sides[side],
                         .uplo = triangles[uplo],
                         .transa = transposes[ta],
                         .transb = transposes[tb],
                         .diag = diagonals[diag]};
        bool needless = (side && !has_side(r)) || (uplo && r == LEVEL3_GEMM) ||
                        (ta && !has_trans(r)) || (tb && r != LEVEL3_GEMM) || (diag && !has_diag(r));
        if (!needless && level3_allowed(&o))
            visit(tw, o);
    }
}

static level3_call with_size(level3_call o, int i)
{
    o.m = sizes[i][0], o.n = sizes[i][1], o.k = sizes[i][2];
    o.mb = o.nb = o.kb = NB;
    return o;
}

static level3_call with_factors(level3_call o, double complex alpha, double complex beta)
{
    bool has_im = o.type->type == TWILL_COMPLEX64 || o.type->type == TWILL_COMPLEX128;
    bool real_alpha = o.routine == LEVEL3_HERK || !has_im;
    bool real_beta = real_alpha || o.routine == LEVEL3_HER2K;
    o.alpha = real_alpha ? creal(alpha) : alpha;
    o.beta = real_beta ? creal(beta) : beta;
    return o;
}

/* ---- right answers --------------------------------------------------------------------------- */

static void check_sizes(twill *tw, level3_call o)
{
    for (int i = 0; i < COUNT(sizes); i += test_slow() ? 3 : 1) {
        o = with_factors(with_size(o, i), 0.7 - 0.3 * I, 1.1 + 0.2 * I);
        o.seed = (uint64_t)i;
        o.wrapped = (unsigned)i * 3 % 8;
        o.inserted = i % 2;
        o.no_priority = i % 4 == 3;
        o.triangle = i % 4 == 2;
        o.part = i % 5 == 4;
        level3_check(tw, &o);
    }
}

static void check_routine(level3_routine r)
{
    static const char *const schedulers[] = {"lws", "prio", "rand", "eager"};
    for (int t = 0; t < COUNT(test_types); t++) {
        twill *tw = test_start(t % 3 + 1, schedulers[t]);
        each_variant(r, &test_types[t], check_sizes, tw);
        twill_stop(tw);
    }
}

TEST(gemm_is_right)
{
    check_routine(LEVEL3_GEMM);
}

TEST(symm_is_right)
{
    check_routine(LEVEL3_SYMM);
}

TEST(hemm_is_right)
{
    check_routine(LEVEL3_HEMM);
}

TEST(syrk_is_right)
{
    check_routine(LEVEL3_SYRK);
}

TEST(herk_is_right)
{
    check_routine(LEVEL3_HERK);
}

TEST(syr2k_is_right)
{
    check_routine(LEVEL3_SYR2K);
}

TEST(her2k_is_right)
{
    check_routine(LEVEL3_HER2K);
}

TEST(trmm_is_right)
{
    check_routine(LEVEL3_TRMM);
}

TEST(trsm_is_right)
{
    check_routine(LEVEL3_TRSM);
}

/* ---- factors of zero and one ---------------------------------------------------------------- */

static void check_factors(twill *tw, level3_call o)
{
    static const double complex factors[] = {0.0, 1.0, -0.5 + 2.0 * I};
    for (int a = 0; a < COUNT(factors); a++)
        for (int b = 0; b < COUNT(factors); b++) {
            o = with_factors(o, factors[a], factors[b]);
            o.mb = o.kb = 7, o.nb = 9;
            o.m = 20, o.n = 23, o.k = 15;
            level3_check(tw, &o);
            o.k = 0;
            level3_check(tw, &o);
        }
}

/* Where a factor is 0, what it multiplies is NaN in these checks. */
TEST(factors_of_zero_and_one_are_treated_as_in_the_blas)
{
    twill *tw = test_start(2, NULL);
    for (int r = 0; r < LEVEL3_ROUTINES; r++)
        for (int t = 0; t < COUNT(test_types); t++)
            each_variant((level3_routine)r, &test_types[t], check_factors, tw);
    twill_stop(tw);
}

/* Tiles larger than a leaf of the recursive kernels. */
static void check_large_tiles(twill *tw, level3_call o)
{
    o = with_factors(o, 0.7 - 0.3 * I, 1.1);
    o.m = 131, o.n = 101, o.k = 149;
    o.mb = 100, o.nb = 67, o.kb = 150;
    level3_check(tw, &o);
}

TEST(large_tiles_are_right)
{
    twill *tw = test_start(2, NULL);
    for (int r = 0; r < LEVEL3_ROUTINES; r++)
        each_variant((level3_routine)r, &test_types[test_slow() ? 3 : r % 4], check_large_tiles,
                     tw);
    twill_stop(tw);
}

/* ---- the same bits --------------------------------------------------------------------------- */

static level3_call one_of(level3_routine r, int t)
{
    level3_call o = {.routine = r,
                     .type = &test_types[t],
                     .side = sides[t % 2],
                     .uplo = triangles[t / 2],
                     .transa = transposes[t % 2                                   ? 0
                                          : r == LEVEL3_HERK || r == LEVEL3_HER2K ? 2
                                                                                  : 1],
                     .transb = transposes[t % 3],
                     .diag = TWILL_NON_UNIT,
                     .m = 61,
                     .n = 50,
                     .k = 70,
                     .mb = NB,
                     .nb = NB,
                     .kb = NB};
    return with_factors(o, 0.7 - 0.3 * I, 1.1);
}

TEST(the_bits_do_not_depend_on_workers_or_schedulers)
{
    static const int workers[] = {1, 2, 3, 8};
    uint64_t wanted[LEVEL3_ROUTINES][4];
    for (int w = 0; w < COUNT(workers); w++)
        for (int s = 0; tw_schedulers[s]; s++) {
            twill *tw = test_start(workers[w], tw_schedulers[s]->name);
            for (int r = 0; r < LEVEL3_ROUTINES; r++)
                for (int t = 0; t < 4; t++) {
                    level3_call o = one_of((level3_routine)r, t);
                    o.inserted = (w + s + t) % 2;
                    o.no_priority = w % 2;
                    uint64_t digest = level3_digest(tw, &o);
                    if (w == 0 && s == 0)
                        wanted[r][t] = digest;
                    if (digest != wanted[r][t])
                        fail_msg("%s %s: other bits with %d workers, %s", level3_names[r],
                                 o.type->name, workers[w], tw_schedulers[s]->name);
                }
            twill_stop(tw);
        }
    assert_true(wanted[0][0] != wanted[0][1] && wanted[0][0] != wanted[1][0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_is_right),
        cmocka_unit_test(symm_is_right),
        cmocka_unit_test(hemm_is_right),
        cmocka_unit_test(syrk_is_right),
        cmocka_unit_test(herk_is_right),
        cmocka_unit_test(syr2k_is_right),
        cmocka_unit_test(her2k_is_right),
        cmocka_unit_test(trmm_is_right),
        cmocka_unit_test(trsm_is_right),
        cmocka_unit_test(factors_of_zero_and_one_are_treated_as_in_the_blas),
        cmocka_unit_test(large_tiles_are_right),
        cmocka_unit_test(the_bits_do_not_depend_on_workers_or_schedulers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
