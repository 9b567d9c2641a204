/* Matrices whose tiles Twill chose fit each other in every routine, whatever their shapes, and
 * matrices whose tiles the program chose. */
#include "engine/engine.h"
#include "support/matrix.h"
#include "support/ranks.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One tile; and two sizes for which Twill chooses tiles of different sizes. */
enum { S = 150, M = 500, L = 1000, NB = 50, MATRICES = 3 };

static const twill_scalar two = {2.0, 0.0}, half = {0.5, 0.0}, zero = {0.0, 0.0};
static const twill_trans none = TWILL_NO_TRANS, trans = TWILL_TRANS, adjoint = TWILL_CONJ_TRANS;
static const twill_uplo lower = TWILL_LOWER, upper = TWILL_UPPER;
static const twill_diag plain = TWILL_NON_UNIT;
static const twill_side left = TWILL_LEFT, right = TWILL_RIGHT;

/* ---- the calls ----------------------------------------------------------------------------- */

/* In a graph, if there is one. */
typedef twill_status routine_call(twill_graph *g, twill_array **x);

#define CALL(name, now, later)                                \
    static twill_status name(twill_graph *g, twill_array **x) \
    {                                                         \
        return g ? later : now;                               \
    }

CALL(gemm, twill_gemm(none, none, two, x[0], x[1], half, x[2]),
     twill_gemm_insert(g, none, none, two, x[0], x[1], half, x[2], NULL))
CALL(gemm_over, twill_gemm(none, none, two, x[0], x[1], zero, x[2]),
     twill_gemm_insert(g, none, none, two, x[0], x[1], zero, x[2], NULL))
CALL(gemm_transposed, twill_gemm(trans, adjoint, two, x[0], x[1], half, x[2]),
     twill_gemm_insert(g, trans, adjoint, two, x[0], x[1], half, x[2], NULL))
CALL(gemm_of_itself, twill_gemm(none, trans, two, x[0], x[0], half, x[1]),
     twill_gemm_insert(g, none, trans, two, x[0], x[0], half, x[1], NULL))
CALL(symm, twill_symm(left, lower, two, x[0], x[1], half, x[2]),
     twill_symm_insert(g, left, lower, two, x[0], x[1], half, x[2], NULL))
CALL(hemm_right, twill_hemm(right, upper, two, x[0], x[1], half, x[2]),
     twill_hemm_insert(g, right, upper, two, x[0], x[1], half, x[2], NULL))
CALL(syrk, twill_syrk(lower, none, two, x[0], half, x[1]),
     twill_syrk_insert(g, lower, none, two, x[0], half, x[1], NULL))
CALL(herk, twill_herk(upper, adjoint, 2.0, x[0], 0.5, x[1]),
     twill_herk_insert(g, upper, adjoint, 2.0, x[0], 0.5, x[1], NULL))
CALL(syr2k, twill_syr2k(upper, none, two, x[0], x[1], half, x[2]),
     twill_syr2k_insert(g, upper, none, two, x[0], x[1], half, x[2], NULL))
CALL(her2k, twill_her2k(lower, adjoint, two, x[0], x[1], 0.5, x[2]),
     twill_her2k_insert(g, lower, adjoint, two, x[0], x[1], 0.5, x[2], NULL))
CALL(trmm, twill_trmm(left, lower, adjoint, plain, two, x[0], x[1]),
     twill_trmm_insert(g, left, lower, adjoint, plain, two, x[0], x[1], NULL))
CALL(trmm_right, twill_trmm(right, upper, none, plain, two, x[0], x[1]),
     twill_trmm_insert(g, right, upper, none, plain, two, x[0], x[1], NULL))
CALL(trsm, twill_trsm(left, upper, none, plain, two, x[0], x[1]),
     twill_trsm_insert(g, left, upper, none, plain, two, x[0], x[1], NULL))
CALL(trsm_right, twill_trsm(right, lower, adjoint, plain, two, x[0], x[1]),
     twill_trsm_insert(g, right, lower, adjoint, plain, two, x[0], x[1], NULL))
CALL(potrs, twill_potrs(lower, x[0], x[1]), twill_potrs_insert(g, lower, x[0], x[1], NULL))

static _Thread_local int64_t info; /* ranks are threads */

CALL(posv, twill_posv(upper, x[0], x[1], &info), twill_posv_insert(g, upper, x[0], x[1], NULL))

static twill_array *pivots_of(twill_array *a)
{
    twill_array *ipiv = NULL; /* the context frees it */
    OK(twill_pivots_create(a, &ipiv));
    return ipiv;
}

static twill_status gesv(twill_graph *g, twill_array **x)
{
    twill_array *ipiv = pivots_of(x[0]);
    return g ? twill_gesv_insert(g, x[0], ipiv, x[1], NULL) : twill_gesv(x[0], ipiv, x[1], &info);
}

static twill_status getrs(twill_graph *g, twill_array **x)
{
    twill_array *ipiv = pivots_of(x[0]);
    OK(twill_getrf(x[0], ipiv, &info));
    return g ? twill_getrs_insert(g, adjoint, x[0], ipiv, x[1], NULL)
             : twill_getrs(adjoint, x[0], ipiv, x[1]);
}

/* The inserted form with e and ipiv of its own. */
static twill_status indefinite(twill_graph *g, twill_array **x, bool hermitian)
{
    twill_array *e = NULL, *ipiv = NULL;
    const twill_pattern *p = twill_array_pattern(x[0]);
    twill_pattern column = twill_tiled(p->extent[0], 1, p->block[0], 1);
    twill *tw = twill_array_context(x[0]);
    OK(twill_array_create(tw, &column, twill_array_type(x[0]), 0, &e));
    OK(twill_array_create(tw, &column, TWILL_BYTES, 8, &ipiv));
    if (!hermitian && g)
        return twill_sysv_insert(g, lower, x[0], e, ipiv, x[1], NULL);
    if (!hermitian)
        return twill_sysv(lower, x[0], x[1], &info);
    OK(twill_hetrf(upper, x[0], e, ipiv, &info));
    return g ? twill_hetrs_insert(g, upper, x[0], e, ipiv, x[1], NULL)
             : twill_hetrs(upper, x[0], e, ipiv, x[1]);
}

static twill_status sysv(twill_graph *g, twill_array **x)
{
    return indefinite(g, x, false);
}

static twill_status hetrs(twill_graph *g, twill_array **x)
{
    return indefinite(g, x, true);
}

static twill_reflectors *reflectors;

CALL(gels, twill_gels(none, x[0], x[1], &info),
     twill_gels_insert(g, none, x[0], reflectors, x[1], NULL))

static twill_status unmqr(twill_graph *g, twill_array **x)
{
    OK(twill_geqrf(x[0], reflectors));
    return g ? twill_unmqr_insert(g, left, adjoint, x[0], reflectors, x[1], NULL)
             : twill_unmqr(left, adjoint, x[0], reflectors, x[1]);
}

static twill_status unmlq(twill_graph *g, twill_array **x)
{
    OK(twill_gelqf(x[0], reflectors));
    return g ? twill_unmlq_insert(g, right, none, x[0], reflectors, x[1], NULL)
             : twill_unmlq(right, none, x[0], reflectors, x[1]);
}

static twill_status ungqr(twill_graph *g, twill_array **x)
{
    OK(twill_geqrf(x[0], reflectors));
    return g ? twill_ungqr_insert(g, x[0], reflectors, x[1], NULL)
             : twill_ungqr(x[0], reflectors, x[1]);
}

static twill_status unglq(twill_graph *g, twill_array **x)
{
    OK(twill_gelqf(x[0], reflectors));
    return g ? twill_unglq_insert(g, x[0], reflectors, x[1], NULL)
             : twill_unglq(x[0], reflectors, x[1]);
}

/* ---- with tiles of all kinds --------------------------------------------------------------- */

/* Sizes of its matrices. What is factored keeps its tiles, and numbers depend on them: those that
 * are compared with have the same. */
typedef struct routine {
    const char *name;
    routine_call *call;
    int64_t size[MATRICES][2];
    bool factors;
} routine;

static const routine routines[] = {
    {"gemm", gemm, {{M, L}, {L, S}, {M, S}}, false},
    {"gemm of one tile", gemm, {{S, S}, {S, M}, {S, M}}, false},
    {"gemm, beta 0", gemm_over, {{M, L}, {L, M}, {M, M}}, false},
    {"gemm, transposed", gemm_transposed, {{L, M}, {S, L}, {M, S}}, false},
    {"gemm of itself", gemm_of_itself, {{M, L}, {M, M}}, false},
    {"symm", symm, {{S, S}, {S, M}, {S, M}}, false},
    {"hemm", hemm_right, {{M, M}, {L, M}, {L, M}}, false},
    {"syrk", syrk, {{M, L}, {M, M}}, false},
    {"herk", herk, {{L, M}, {M, M}}, false},
    {"syr2k", syr2k, {{M, L}, {M, L}, {M, M}}, false},
    {"her2k", her2k, {{M, S}, {M, S}, {S, S}}, false},
    {"trmm", trmm, {{S, S}, {S, L}}, false},
    {"trmm, right", trmm_right, {{M, M}, {L, M}}, false},
    {"trsm", trsm, {{S, S}, {S, M}}, false},
    {"trsm, right", trsm_right, {{M, M}, {S, M}}, false},
    {"potrs", potrs, {{S, S}, {S, M}}, true},
    {"posv", posv, {{M, M}, {M, L}}, true},
    {"gesv of one tile", gesv, {{S, S}, {S, L}}, true},
    {"gesv", gesv, {{M, M}, {M, L}}, true},
    {"getrs", getrs, {{M, M}, {M, L}}, true},
    {"sysv", sysv, {{S, S}, {S, M}}, true},
    {"hetrs", hetrs, {{M, M}, {M, L}}, true},
    {"gels", gels, {{M, S}, {M, L}}, true},
    {"gels, least norm", gels, {{S, M}, {M, L}}, true},
    {"unmqr", unmqr, {{M, S}, {M, L}}, true},
    {"unmlq", unmlq, {{S, M}, {L, M}}, true},
    {"ungqr", ungqr, {{S, M}, {S, S}}, true},
    {"unglq", unglq, {{M, S}, {S, S}}, true},
};

/* Who chose the tiles of one matrix: Twill, of memory of the program or its own, or the program. */
typedef enum chosen { BY_TWILL, WRAPPED, BY_PROGRAM } chosen;

typedef struct problem {
    twill_array *x[MATRICES];
    void *memory[MATRICES];
} problem;

static void make_one(problem *p, twill *tw, twill_type type, const routine *r, int i, chosen by,
                     int64_t nb)
{
    int64_t m = r->size[i][0], n = r->size[i][1], ld = m + 3;
    twill_pattern tiles = twill_tiled(m, n, nb, nb);
    if (by == WRAPPED) {
        p->memory[i] = calloc((size_t)(ld * n), twill_type_size(type));
        OK(twill_matrix_wrap(tw, type, m, n, p->memory[i], ld, &p->x[i]));
    } else if (by == BY_TWILL) {
        OK(twill_matrix_create(tw, type, m, n, &p->x[i]));
    } else {
        OK(twill_array_create(tw, &tiles, type, 0, &p->x[i]));
    }
    OK(i == 0 && m == n ? twill_fill_spd(p->x[i], 3) : twill_fill_random(p->x[i], (uint64_t)i + 1));
}

static void compare(const routine *r, const test_type *type, int i, problem *p, problem *q)
{
    int64_t m = r->size[i][0], n = r->size[i][1];
    void *x = test_unpack(p->x[i]), *y = test_unpack(q->x[i]);
    double most = 0.0, scale = 1.0;
    for (int64_t k = 0; k < m * n; k++) {
        double complex u = test_load(x, type->type, k), v = test_load(y, type->type, k);
        most = cabs(u - v) <= most ? most : cabs(u - v);
        scale = fmax(scale, cabs(v));
    }
    if (!(most <= 1000 * type->eps * scale))
        fail_msg("%s %s: matrix %d differs by %g", r->name, type->name, i, most);
    free(x);
    free(y);
}

static void run(twill *tw, const routine *r, problem *p, bool later)
{
    twill_graph *g = NULL;
    int64_t before = tw_data_bytes(&tw->data);
    info = 0;
    if (!later) {
        OK(r->call(NULL, p->x));
    } else {
        OK(twill_stf_begin(tw, &g));
        OK(r->call(g, p->x));
        OK(twill_wait(g));
        twill_graph_free(g);
    }
    assert_int_equal(info, 0);
    if (!r->factors) /* copies are gone */
        assert_true(tw_data_bytes(&tw->data) == before);
}

/* Matrix `one` is as `by` says, the others are Twill's choice. */
static void check(twill *tw, const routine *r, const test_type *type, int one, chosen by,
                  bool later)
{
    problem p = {0}, q = {0};
    int matrices = r->size[2][0] ? 3 : 2;
    for (int i = 0; i < matrices; i++)
        make_one(&p, tw, type->type, r, i, i == one ? by : BY_TWILL, i == 0 ? 2 * NB : NB);
    int64_t nb = r->factors ? twill_array_pattern(p.x[0])->block[0] : NB;
    for (int i = 0; i < matrices; i++)
        make_one(&q, tw, type->type, r, i, BY_PROGRAM, nb);
    OK(twill_reflectors_create(tw, NULL, &reflectors));
    run(tw, r, &p, later);
    run(tw, r, &q, later);
    for (int i = 0; i < matrices; i++)
        compare(r, type, i, &p, &q);
    twill_reflectors_free(reflectors);
    for (int i = 0; i < matrices; i++) {
        twill_array_free(p.x[i]);
        twill_array_free(q.x[i]);
        free(p.memory[i]);
    }
}

/* So few workers that the larger sizes get other tiles. */
static twill *start(void)
{
    return test_start(1, NULL);
}

static void check_kind(const test_type *type, chosen by)
{
    for (int r = 0; r < COUNT(routines); r++) {
        twill *tw = start();
        int matrices = by == BY_TWILL ? 1 : routines[r].size[2][0] ? 3 : 2;
        for (int one = 0; one < matrices; one++)
            check(tw, &routines[r], type, one, by, (r + one + (int)by) % 2);
        twill_stop(tw);
    }
}

TEST(sizes_have_tiles_of_their_own)
{
    twill *tw = start();
    twill_array *a = NULL, *b = NULL, *c = NULL;
    OK(twill_matrix_create(tw, TWILL_FLOAT64, S, S, &a));
    OK(twill_matrix_create(tw, TWILL_FLOAT64, M, M, &b));
    OK(twill_matrix_create(tw, TWILL_FLOAT64, L, L, &c));
    assert_int_equal(twill_pattern_blocks(twill_array_pattern(a), 0), 1);
    assert_true(twill_array_pattern(b)->block[0] < twill_array_pattern(c)->block[0]);
    twill_stop(tw);
}

TEST(tiles_of_twill_fit)
{
    for (int t = 0; t < COUNT(test_types); t++)
        if (t == 1 || !test_slow())
            check_kind(&test_types[t], BY_TWILL);
}

TEST(memory_of_the_program_fits)
{
    check_kind(&test_types[1], WRAPPED);
}

TEST(tiles_of_twill_fit_those_of_the_program)
{
    check_kind(&test_types[1], BY_PROGRAM);
}

/* ---- in tasks, and mixed precision --------------------------------------------------------- */

static twill_array *made(twill *tw, int64_t m, int64_t n)
{
    twill_array *a = NULL;
    OK(twill_matrix_create(tw, TWILL_FLOAT64, m, n, &a));
    OK(m == n ? twill_fill_spd(a, 1) : twill_fill_random(a, 2));
    return a;
}

static twill_outcome multiply_body(twill_task *t)
{
    twill_array **x = (twill_array **)*(void *const *)twill_task_data(t, 0);
    twill_graph *g = NULL;
    if (twill_nest(t, &g) != TWILL_OK || gemm(g, x) != TWILL_OK)
        return twill_task_fail(t, "the product cannot be inserted");
    return twill_nest_end(g);
}

static const twill_class multiply = {
    .size = sizeof(twill_class), .name = "multiply", .chores = {TWILL_CPU(multiply_body)}};

TEST(products_that_tasks_insert_fit)
{
    twill *tw = start();
    twill_array *x[] = {made(tw, M, L), made(tw, L, S), made(tw, M, S)}, *c = made(tw, M, S);
    twill_array *y[] = {x[0], x[1], c};
    void *list = x;
    twill_graph *g = NULL;
    double norm = -1.0;
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &multiply, TWILL_VALUE(list)));
    OK(twill_wait(g));
    twill_graph_free(g);
    OK(gemm(NULL, y));
    OK(twill_add(TWILL_GENERAL, none, twill_real(-1.0), x[2], twill_real(1.0), c));
    OK(twill_norm(TWILL_NORM_MAX, c, &norm));
    assert_true(norm == 0.0);
    twill_stop(tw);
}

/* A product and two systems of one tile with more right-hand sides; X is compared by its product.
 */
static void check_ranks(twill *tw, void *unused)
{
    (void)unused;
    double norm = -1.0;
    for (int general = 0; general < 2; general++) {
        twill_array *a = made(tw, S, S), *factor = made(tw, S, S), *x = made(tw, S, M),
                    *b = made(tw, S, M), *ipiv = pivots_of(factor);
        assert_true(twill_array_pattern(x)->block[0] < S);
        info = -1;
        OK(general ? twill_gesv(factor, ipiv, x, &info) : twill_posv(lower, factor, x, &info));
        assert_int_equal(info, 0);
        OK(twill_gemm(none, none, twill_real(-1.0), a, x, twill_real(1.0), b));
        OK(twill_norm(TWILL_NORM_MAX, b, &norm));
        assert_true(norm <= 1e-12);
        twill_array_free(ipiv);
    }
}

TEST(matrices_of_several_ranks_fit)
{
    test_on_ranks(&(test_ranks){.ranks = 4, .workers = 1}, check_ranks, NULL);
}

TEST(residuals_fit)
{
    twill *tw = start();
    twill_array *a = made(tw, M, M), *factor = test_matrix(tw, TWILL_FLOAT64, M, M, NB);
    double ratio = INFINITY;
    OK(twill_copy(a, factor));
    OK(twill_potrf(lower, factor, &info));
    OK(twill_potrf_residual(lower, a, factor, &ratio));
    assert_true(ratio < 30);
    twill_stop(tw);
}

/* Solutions are those in double precision; n and the number of right-hand sides. */
static void check_mixed(twill_refine refine, int64_t n, int64_t nrhs)
{
    twill *tw = start();
    int64_t iterations = -1;
    twill_array *a = made(tw, n, n), *b = made(tw, n, nrhs), *x = made(tw, n, nrhs);
    twill_array *ipiv = pivots_of(a);
    for (int general = 0; general < 2; general++) {
        double norm = -1.0;
        info = -1;
        OK(general ? twill_gesv_mixed(a, ipiv, b, x, refine, &iterations, &info)
                   : twill_posv_mixed(lower, a, b, x, refine, &iterations, &info));
        assert_int_equal(info, 0);
        assert_true(iterations >= 0);
        twill_array *r = made(tw, n, nrhs);
        OK(twill_copy(b, r));
        OK(twill_gemm(none, none, twill_real(-1.0), a, x, twill_real(1.0), r));
        OK(twill_norm(TWILL_NORM_MAX, r, &norm));
        assert_true(norm <= 1e-12);
    }
    twill_stop(tw);
}

TEST(right_hand_sides_of_mixed_precision_fit)
{
    check_mixed(TWILL_REFINE_CLASSIC, 4, 10);
    check_mixed(TWILL_REFINE_GMRES, 4, 10);
    check_mixed(TWILL_REFINE_CLASSIC, S, M);
    check_mixed(TWILL_REFINE_CLASSIC, M, L);
    check_mixed(TWILL_REFINE_GMRES, M, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_have_tiles_of_their_own),
        cmocka_unit_test(tiles_of_twill_fit),
        cmocka_unit_test(memory_of_the_program_fits),
        cmocka_unit_test(tiles_of_twill_fit_those_of_the_program),
        cmocka_unit_test(products_that_tasks_insert_fit),
        cmocka_unit_test(matrices_of_several_ranks_fit),
        cmocka_unit_test(residuals_fit),
        cmocka_unit_test(right_hand_sides_of_mixed_precision_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
