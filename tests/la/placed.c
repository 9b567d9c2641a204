/* Temporaries are on the ranks of the matrix they belong to. */
#include "support/test.h"

#include "engine/engine.h"
#include "la/la.h"
#include "la/qr/qr.h"

enum { N = 70, NB = 16, RHS = 20 };

/* ---- all on the second of two ranks --------------------------------------------------------- */

/* The context is told that it is the second of two ranks; nobody is the first. A temporary that
 * were made without a look at the matrix would be on the first, and have no bytes here. */
static twill *start(bool second)
{
    twill *tw = test_start(2, NULL);
    tw->data.ranks = second ? 2 : 1;
    tw->data.rank = second;
    return tw;
}

static twill_array *matrix(twill *tw, int64_t m, int64_t n, uint64_t seed)
{
    twill_pattern p = twill_tiled(m, n, NB, NB);
    twill_array *a;
    p.first = tw->data.rank;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    OK(twill_fill_random(a, seed));
    return a;
}

/* What an operation does to A and B, and perhaps a number that it finds. */
typedef void operation(twill_array *a, twill_array *b, double *number);

static void lu(twill_array *a, twill_array *b, double *number)
{
    twill_array *ipiv;
    int64_t info;
    double norm;
    OK(twill_pivots_create(a, &ipiv));
    OK(twill_norm(TWILL_NORM_ONE, a, &norm));
    OK(twill_gesv(a, ipiv, b, &info));
    OK(twill_gecon(TWILL_NORM_ONE, a, norm, number));
    OK(twill_getri(a, ipiv, &info));
    twill_array_free(ipiv);
}

static void least_squares(twill_array *a, twill_array *b, double *number)
{
    int64_t info;
    (void)number;
    OK(twill_gels(TWILL_NO_TRANS, a, b, &info));
}

static void qr_and_lq(twill_array *a, twill_array *b, double *number)
{
    twill_reflectors *h;
    double tau[N];
    OK(twill_reflectors_create(twill_array_context(a), NULL, &h));
    OK(twill_geqrf(a, h));
    OK(twill_unmqr(TWILL_LEFT, TWILL_CONJ_TRANS, a, h, b));
    OK(twill_gelqf(a, h));
    OK(twill_unmlq(TWILL_LEFT, TWILL_NO_TRANS, a, h, b));
    OK(twill_reflectors_tau(h, tau));
    *number = tau[0] + tau[N / 2];
    twill_reflectors_free(h);
}

static void indefinite(twill_array *a, twill_array *b, double *number)
{
    int64_t info;
    (void)number;
    OK(twill_fill_symmetric(a, 5));
    OK(twill_sysv(TWILL_LOWER, a, b, &info));
}

static void definite(twill_array *a, twill_array *b, double *number)
{
    int64_t info;
    double norm;
    OK(twill_fill_spd(a, 6));
    OK(twill_norm_hermitian(TWILL_NORM_ONE, TWILL_LOWER, a, &norm));
    OK(twill_posv(TWILL_LOWER, a, b, &info));
    OK(twill_pocon(TWILL_LOWER, a, norm, number));
    OK(twill_potri(TWILL_LOWER, a, &info));
}

static void mixed(twill_array *a, twill_array *b, twill_refine refine)
{
    const twill_pattern *p = twill_array_pattern(b);
    twill_array *x = matrix(twill_array_context(a), p->extent[0], p->extent[1], 8), *ipiv;
    int64_t iterations, info;
    OK(twill_fill_spd(a, 7));
    OK(twill_pivots_create(a, &ipiv));
    OK(twill_posv_mixed(TWILL_UPPER, a, b, x, refine, &iterations, &info));
    assert_true(iterations >= 0);
    OK(twill_gesv_mixed(a, ipiv, x, b, refine, &iterations, &info));
    assert_true(iterations >= 0);
    twill_array_free(x);
    twill_array_free(ipiv);
}

static void mixed_refined(twill_array *a, twill_array *b, double *number)
{
    (void)number;
    mixed(a, b, TWILL_REFINE_CLASSIC);
}

static void mixed_gmres(twill_array *a, twill_array *b, double *number)
{
    (void)number;
    mixed(a, b, TWILL_REFINE_GMRES);
}

typedef struct found {
    uint64_t a, b;
    double number;
} found;

static found run(operation *operate, bool second)
{
    twill *tw = start(second);
    found f = {0};
    twill_array *a = matrix(tw, N, N, 1), *b = matrix(tw, N, RHS, 2);
    operate(a, b, &f.number);
    OK(twill_digest(a, TWILL_GENERAL, &f.a));
    OK(twill_digest(b, TWILL_GENERAL, &f.b));
    twill_array_free(a);
    twill_array_free(b);
    twill_stop(tw);
    return f;
}

TEST(operations_on_another_rank_find_the_same)
{
    operation *const operations[] = {lu,       least_squares, qr_and_lq,  indefinite,
                                     definite, mixed_refined, mixed_gmres};
    for (int i = 0; i < COUNT(operations); i++) {
        found here = run(operations[i], false), there = run(operations[i], true);
        assert_true(here.a == there.a && here.b == there.b);
        assert_true(here.number == there.number);
    }
}

/* ---- over a grid ---------------------------------------------------------------------------- */

static twill_array *on_a_grid(twill *tw, int64_t m, int64_t n, int64_t source)
{
    twill_pattern p = twill_block_cyclic(m, n, NB, NB, 2, 3);
    twill_array *a;
    p.source[1] = source;
    p.first = 1;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    return a;
}

/* Where both have tiles: branches of a tree are filled up to the same length. */
static void check_owners(const twill_array *a, const twill_array *x)
{
    for (int64_t j = 0; j < tw_min(tw_la_nt(x), tw_la_nt(a)); j++)
        for (int64_t i = 0; i < tw_min(tw_la_mt(x), tw_la_mt(a)); i++)
            assert_int_equal(twill_owner_at(x, i, j), twill_owner_at(a, i, j));
}

TEST(temporaries_have_the_owners_of_the_matrix)
{
    twill *tw = test_start(2, NULL);
    tw->data.ranks = 8;
    twill_array *a = on_a_grid(tw, N, N, 2), *x[3];
    OK(twill_pivots_create(a, &x[0]));
    OK(tw_la_column_like(a, TWILL_FLOAT32, 0, &x[1]));
    OK(tw_la_triangle_like(a, TWILL_FLOAT32, TWILL_UPPER, &x[2]));
    for (int i = 0; i < 3; i++) {
        check_owners(a, x[i]);
        twill_array_free(x[i]);
    }
    twill_array_free(a);
    twill_stop(tw);
}

/* Reflectors of one matrix do for another only if that is on the same ranks. */
TEST(reflectors_have_the_owners_of_the_matrix)
{
    twill *tw = test_start(2, NULL);
    twill_reflectors *h;
    twill_la_options options = {.size = sizeof options, .tree = TWILL_TREE_FIBONACCI};
    tw->data.ranks = 8;
    OK(twill_reflectors_create(tw, &options, &h));
    for (int mirror = 0; mirror < 2; mirror++)
        for (int source = 0; source < 3; source++) {
            twill_array *a = on_a_grid(tw, mirror ? N / 2 : 2 * N, mirror ? 2 * N : N / 2, source);
            OK(tw_reflectors_fit(h, a, mirror));
            assert_true(h->tree.domain == 1 && h->merges);
            check_owners(a, h->panels);
            check_owners(a, h->merges);
            twill_array_free(a);
        }
    twill_reflectors_free(h);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_on_another_rank_find_the_same),
        cmocka_unit_test(temporaries_have_the_owners_of_the_matrix),
        cmocka_unit_test(reflectors_have_the_owners_of_the_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
