/* QR and LQ: what is refused, and with which number; NaN, infinities and extreme entries. */
#include "support/full.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

/* A factored matrix and its reflectors. */
typedef struct factored {
    twill_array *a;
    twill_reflectors *h;
} factored;

static factored factor(twill *tw, twill_type type, int64_t m, int64_t n, bool lq)
{
    factored f = {test_matrix(tw, type, m, n, 8), NULL};
    OK(twill_fill_random(f.a, 3));
    OK(twill_reflectors_create(tw, NULL, &f.h));
    OK(lq ? twill_gelqf(f.a, f.h) : twill_geqrf(f.a, f.h));
    return f;
}

static void let_go(factored *f)
{
    twill_reflectors_free(f->h);
    twill_array_free(f->a);
}

TEST(what_cannot_be_factored_is_refused)
{
    twill *tw = test_start(1, NULL), *elsewhere = test_start(1, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 20, 10, 8), *flat, *bytes, *triangle;
    twill_pattern p = twill_tiled(20, 10, 8, 4), q = twill_tiled(20, 10, 8, 8);
    twill_reflectors *h, *foreign;
    twill_graph *g;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &flat));
    OK(twill_array_create(tw, &q, TWILL_BYTES, 8, &bytes));
    OK(twill_reflectors_create(tw, NULL, &h));
    OK(twill_matrix_create_triangle(tw, TWILL_FLOAT64, 20, 8, TWILL_LOWER, &triangle));
    REFUSED(twill_geqrf(triangle, h), TWILL_ERR_ARGUMENT, "triangle");
    OK(twill_reflectors_create(elsewhere, NULL, &foreign));
    REFUSED(twill_geqrf(flat, h), TWILL_ERR_ARGUMENT, "square");
    REFUSED(twill_gelqf(bytes, h), TWILL_ERR_ARGUMENT, "type");
    REFUSED(twill_geqrf(NULL, h), TWILL_ERR_ARGUMENT, "NULL");
    REFUSED(twill_geqrf(a, NULL), TWILL_ERR_ARGUMENT, "NULL");
    REFUSED(twill_geqrf(a, foreign), TWILL_ERR_ARGUMENT, "another context");
    OK(twill_stf_begin(tw, &g));
    REFUSED(twill_gelqf_insert(
                g, a, h, &(twill_la_options){.size = sizeof(twill_la_options), .lookahead = -1}),
            TWILL_ERR_ARGUMENT, "lookahead");
    twill_graph_free(g);
    twill_reflectors_free(h);
    twill_reflectors_free(foreign);
    twill_reflectors_free(NULL);
    twill_stop(elsewhere);
    twill_stop(tw);
}

TEST(reflectors_know_what_they_are_of)
{
    twill *tw = test_start(1, NULL);
    twill_reflectors *h = NULL;
    twill_tree tree;
    int64_t ib;
    double tau[20];
    REFUSED(twill_reflectors_create(
                tw, &(twill_la_options){.size = sizeof(twill_la_options), .ib = -1}, &h),
            TWILL_ERR_ARGUMENT, "ib");
    REFUSED(twill_reflectors_create(
                tw, &(twill_la_options){.size = sizeof(twill_la_options), .branches = -1}, &h),
            TWILL_ERR_ARGUMENT, "branches");
    REFUSED(
        twill_reflectors_create(
            tw, &(twill_la_options){.size = sizeof(twill_la_options), .tree = (twill_tree)9}, &h),
        TWILL_ERR_ARGUMENT, "tree");
    REFUSED(twill_reflectors_create(NULL, NULL, &h), TWILL_ERR_ARGUMENT, "NULL");
    OK(twill_reflectors_create(
        tw,
        &(twill_la_options){.size = sizeof(twill_la_options), .tree = TWILL_TREE_GREEDY, .ib = 5},
        &h));
    REFUSED(twill_reflectors_info(h, &tree, &ib), TWILL_ERR_STATE, "factored");
    REFUSED(twill_reflectors_branches(h, &ib), TWILL_ERR_STATE, "factored");
    REFUSED(twill_reflectors_tau(h, tau), TWILL_ERR_STATE, "factored");
    REFUSED(twill_reflectors_tau(NULL, tau), TWILL_ERR_ARGUMENT, "NULL");
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 20, 20, 8);
    OK(twill_geqrf(a, h));
    OK(twill_reflectors_info(h, &tree, &ib));
    assert_int_equal(tree, TWILL_TREE_GREEDY);
    assert_int_equal(ib, 5);
    REFUSED(twill_reflectors_tau(h, tau), TWILL_ERR_UNSUPPORTED, "flat");
    twill_reflectors_free(h);
    twill_stop(tw);
}

TEST(products_with_q_refuse_with_lapacks_numbers)
{
    twill *tw = test_start(1, NULL);
    factored qr = factor(tw, TWILL_COMPLEX128, 20, 12, false),
             lq = factor(tw, TWILL_COMPLEX128, 20, 12, true);
    twill_array *c = test_matrix(tw, TWILL_COMPLEX128, 20, 12, 8),
                *real = test_matrix(tw, TWILL_FLOAT64, 20, 12, 8),
                *other = test_matrix(tw, TWILL_COMPLEX128, 20, 12, 5);
    twill_trans no = TWILL_NO_TRANS;
    REFUSED(twill_unmqr((twill_side)'x', no, qr.a, qr.h, c), TWILL_ERR_ARGUMENT, "argument 1");
    REFUSED(twill_unmqr(TWILL_LEFT, TWILL_TRANS, qr.a, qr.h, c), TWILL_ERR_ARGUMENT, "argument 2");
    REFUSED(twill_unmqr(TWILL_RIGHT, no, qr.a, qr.h, c), TWILL_ERR_ARGUMENT, "argument 4");
    REFUSED(twill_unmlq(TWILL_LEFT, no, lq.a, lq.h, c), TWILL_ERR_ARGUMENT, "argument 3");
    REFUSED(twill_unmqr(TWILL_LEFT, no, qr.a, qr.h, real), TWILL_ERR_ARGUMENT, "type");
    REFUSED(twill_unmqr(TWILL_LEFT, no, qr.a, qr.h, other), TWILL_ERR_ARGUMENT, "tiles");
    REFUSED(twill_unmqr(TWILL_LEFT, no, qr.a, qr.h, qr.a), TWILL_ERR_ARGUMENT, "another array");
    REFUSED(twill_unmqr(TWILL_LEFT, no, qr.a, lq.h, c), TWILL_ERR_ARGUMENT, "not of this matrix");
    REFUSED(twill_unmqr(TWILL_LEFT, no, qr.a, NULL, c), TWILL_ERR_ARGUMENT, "NULL");
    REFUSED(twill_unmqr(TWILL_LEFT, no, qr.a, qr.h, NULL), TWILL_ERR_ARGUMENT, "NULL");
    let_go(&qr);
    let_go(&lq);
    twill_stop(tw);
}

TEST(q_itself_refuses_with_lapacks_numbers)
{
    twill *tw = test_start(1, NULL);
    factored qr = factor(tw, TWILL_FLOAT64, 20, 12, false),
             lq = factor(tw, TWILL_FLOAT64, 12, 20, true);
    twill_array *low = test_matrix(tw, TWILL_FLOAT64, 12, 12, 8),
                *wide = test_matrix(tw, TWILL_FLOAT64, 20, 21, 8),
                *tall = test_matrix(tw, TWILL_FLOAT64, 21, 20, 8), *oblong;
    twill_pattern p = twill_tiled(20, 12, 8, 4);
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &oblong));
    REFUSED(twill_ungqr(qr.a, qr.h, low), TWILL_ERR_ARGUMENT, "argument 1");
    REFUSED(twill_ungqr(qr.a, qr.h, wide), TWILL_ERR_ARGUMENT, "argument 2");
    REFUSED(twill_unglq(lq.a, lq.h, low), TWILL_ERR_ARGUMENT, "argument 2");
    REFUSED(twill_unglq(lq.a, lq.h, tall), TWILL_ERR_ARGUMENT, "argument 1");
    REFUSED(twill_ungqr(qr.a, qr.h, oblong), TWILL_ERR_ARGUMENT, "square");
    REFUSED(twill_ungqr(qr.a, lq.h, low), TWILL_ERR_ARGUMENT, "not of this matrix");
    let_go(&qr);
    let_go(&lq);
    twill_stop(tw);
}

/* ---- extreme numbers --------------------------------------------------------------------------
 */

static void spoil(twill_array *a, double value)
{
    void *data;
    int64_t ld;
    twill_view v = twill_view_sub(twill_view_all(a), 11, 5, 1, 1);
    OK(twill_map(v, TWILL_WRITE, &data, &ld));
    test_store(data, twill_array_type(a), 0, value);
    OK(twill_unmap(v, data));
}

/* The factorization ends; what is on the left of the column has not seen it. */
TEST(nan_and_infinity_end_and_stay_on_the_right)
{
    static const double planted[] = {NAN, INFINITY};
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int tree = 0; tree <= TWILL_TREE_FIBONACCI; tree++)
            for (int v = 0; v < 2; v++) {
                twill_array *a = test_matrix(tw, test_types[t].type, 40, 12, 4);
                twill_reflectors *h;
                OK(twill_reflectors_create(
                    tw,
                    &(twill_la_options){.size = sizeof(twill_la_options), .tree = (twill_tree)tree},
                    &h));
                OK(twill_fill_random(a, 3));
                spoil(a, planted[v]);
                OK(twill_geqrf(a, h));
                test_full r = test_full_of(a);
                test_full_cut(r, TWILL_UPPER);
                assert_true(isnan(test_full_norm(r)));
                r.n = 4; /* the first panel */
                assert_true(isfinite(test_full_norm(r)));
                test_full_free(&r);
                twill_reflectors_free(h);
                twill_array_free(a);
            }
    twill_stop(tw);
}

/* R of a matrix times 1e-300 or 1e300 is R times that. */
TEST(extreme_entries_make_no_difference)
{
    twill *tw = test_start(2, NULL);
    for (int tree = TWILL_TREE_FLAT; tree <= TWILL_TREE_FIBONACCI; tree++)
        for (int e = -996; e <= 996; e += 996) {
            double factor = ldexp(1.0, e);
            twill_array *a = test_matrix(tw, TWILL_FLOAT64, 50, 12, 4);
            twill_reflectors *h;
            OK(twill_reflectors_create(
                tw, &(twill_la_options){.size = sizeof(twill_la_options), .tree = (twill_tree)tree},
                &h));
            double size[2];
            for (int scaled = 0; scaled < 2; scaled++) {
                OK(twill_fill_random(a, 3));
                double *x = test_unpack(a);
                for (int i = 0; i < 600 && scaled; i++)
                    x[i] *= factor;
                test_pack(a, x);
                free(x);
                OK(twill_geqrf(a, h));
                test_full r = test_full_of(a);
                test_full_cut(r, TWILL_UPPER);
                for (int i = 0; i < 600 && scaled; i++)
                    r.x[i] /= factor;
                size[scaled] = test_full_norm(r);
                test_full_free(&r);
            }
            assert_true(fabs(size[1] - size[0]) <= 1e-13 * size[0]);
            twill_reflectors_free(h);
            twill_array_free(a);
        }
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_factored_is_refused),
        cmocka_unit_test(reflectors_know_what_they_are_of),
        cmocka_unit_test(products_with_q_refuse_with_lapacks_numbers),
        cmocka_unit_test(q_itself_refuses_with_lapacks_numbers),
        cmocka_unit_test(nan_and_infinity_end_and_stay_on_the_right),
        cmocka_unit_test(extreme_entries_make_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
