/* Every routine on small matrices: without tasks when Twill chose the tiles, and with the results
 * that the tile algorithm has, which other tests compare with LAPACK's. */
#include "support/matrix.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

static const int64_t orders[] = {1, 5, 31, 64, 81, 130};
static const int64_t counts[] = {1, 2, 7};
enum { NB = 16 };

/* What a call works on. A, D and E are square, B and C have some columns. */
enum { A, B, C, D, E, MATRICES };
typedef struct problem {
    twill_array *x[MATRICES], *ipiv;
    twill_reflectors *h;
    twill_uplo uplo;
    twill_side side;
    twill_trans trans;
    twill_diag diag;
    double value; /* a number that is a result */
} problem;

/* Matrices that Twill cuts (nb 0), or that are cut into tiles of nb. */
static twill_array *make(twill *tw, twill_type type, int64_t m, int64_t n, int64_t nb)
{
    twill_array *a = NULL;
    if (nb)
        return test_matrix(tw, type, m, n, nb);
    OK(twill_matrix_create(tw, type, m, n, &a));
    return a;
}

static problem start(twill *tw, twill_type type, int64_t n, int64_t nrhs, int64_t nb, int letters)
{
    problem p = {.uplo = letters & 1 ? TWILL_UPPER : TWILL_LOWER,
                 .side = letters & 2 ? TWILL_RIGHT : TWILL_LEFT,
                 .trans = letters & 4 ? TWILL_CONJ_TRANS : TWILL_NO_TRANS,
                 .diag = letters & 8 ? TWILL_UNIT : TWILL_NON_UNIT};
    for (int i = 0; i < MATRICES; i++) {
        p.x[i] = make(tw, type, n, i == B || i == C ? nrhs : n, nb);
        OK(i == A ? twill_fill_spd(p.x[i], 3) : twill_fill_random(p.x[i], (uint64_t)i));
    }
    OK(twill_pivots_create(p.x[A], &p.ipiv));
    OK(twill_reflectors_create(tw, NULL, &p.h));
    return p;
}

static void stop(problem *p)
{
    for (int i = 0; i < MATRICES; i++)
        twill_array_free(p->x[i]);
    twill_array_free(p->ipiv);
    twill_reflectors_free(p->h);
}

/* ---- the calls ----------------------------------------------------------------------------- */

static const twill_scalar two = {2.0, 0.0}, half = {0.5, 0.0}, zero = {0.0, 0.0};

#define CALL(name, call)            \
    static int64_t name(problem *p) \
    {                               \
        int64_t info = 0;           \
        twill_array **x = p->x;     \
        (void)x;                    \
        OK(call);                   \
        return info;                \
    }

CALL(gemm, twill_gemm(p->trans, TWILL_NO_TRANS, two, x[A], x[B], half, x[C]))
CALL(gemm_of_itself, twill_gemm(p->trans, TWILL_NO_TRANS, two, x[A], x[A], half, x[D]))
CALL(gemm_of_nothing, twill_gemm(p->trans, TWILL_NO_TRANS, zero, x[A], x[B], half, x[C]))
CALL(symm, twill_symm(TWILL_LEFT, p->uplo, two, x[A], x[B], half, x[C]))
CALL(hemm, twill_hemm(TWILL_RIGHT, p->uplo, two, x[A], x[D], half, x[E]))
CALL(syrk, twill_syrk(p->uplo, TWILL_NO_TRANS, two, x[D], half, x[E]))
CALL(herk, twill_herk(p->uplo, p->trans, 2.0, x[D], 0.5, x[E]))
CALL(herk_of_nothing, twill_herk(p->uplo, p->trans, 0.0, x[D], 0.5, x[E]))
CALL(syr2k, twill_syr2k(p->uplo, TWILL_NO_TRANS, two, x[B], x[C], half, x[E]))
CALL(her2k, twill_her2k(p->uplo, p->trans, two, x[A], x[D], 0.5, x[E]))
CALL(trmm, twill_trmm(p->side, p->uplo, p->trans, p->diag, two, x[A], x[D]))
CALL(trsm, twill_trsm(p->side, p->uplo, p->trans, TWILL_NON_UNIT, two, x[A], x[D]))
CALL(trsm_of_columns, twill_trsm(TWILL_LEFT, p->uplo, p->trans, TWILL_NON_UNIT, two, x[A], x[B]))
CALL(trsm_of_nothing, twill_trsm(p->side, p->uplo, p->trans, p->diag, zero, x[A], x[D]))
CALL(potrf, twill_potrf(p->uplo, x[A], &info))
CALL(potrs, twill_potrs(p->uplo, x[A], x[B]))
CALL(posv, twill_posv(p->uplo, x[A], x[B], &info))
CALL(trtri, twill_trtri(p->uplo, TWILL_NON_UNIT, x[A], &info))
CALL(lauum, twill_lauum(p->uplo, x[A]))
CALL(potri, twill_potri(p->uplo, x[A], &info))
CALL(pocon, twill_pocon(p->uplo, x[A], 1.0, &p->value))
CALL(getrf, twill_getrf(x[D], p->ipiv, &info))
CALL(gesv, twill_gesv(x[A], p->ipiv, x[B], &info))
CALL(gecon, twill_gecon(TWILL_NORM_ONE, x[A], 1.0, &p->value))
CALL(sysv, twill_sysv(p->uplo, x[A], x[B], &info))
CALL(hesv, twill_hesv(p->uplo, x[A], x[B], &info))
CALL(geqrf, twill_geqrf(x[D], p->h))
CALL(gelqf, twill_gelqf(x[D], p->h))
CALL(gels, twill_gels(p->trans, x[A], x[B], &info))
CALL(norm, twill_norm(p->diag == TWILL_UNIT ? TWILL_NORM_ONE : TWILL_NORM_FRO, x[D], &p->value))
CALL(norm_hermitian, twill_norm_hermitian(TWILL_NORM_INF, p->uplo, x[A], &p->value))

/* What needs a factor first. */
static int64_t getrs(problem *p)
{
    int64_t info = getrf(p);
    OK(twill_getrs(p->trans, p->x[D], p->ipiv, p->x[B]));
    return info;
}

static int64_t getri(problem *p)
{
    int64_t info = gesv(p);
    OK(twill_getri(p->x[A], p->ipiv, &info));
    return info;
}

static int64_t sytrs(problem *p)
{
    twill_array *a = p->x[A], *e = NULL, *ipiv = NULL;
    const twill_pattern *like = twill_array_pattern(a);
    twill_pattern column = twill_tiled(like->extent[0], 1, like->block[0], 1);
    bool hermitian = p->diag == TWILL_UNIT;
    int64_t info = -1;
    OK(twill_array_create(twill_array_context(a), &column, twill_array_type(a), 0, &e));
    OK(twill_array_create(twill_array_context(a), &column, TWILL_BYTES, 8, &ipiv));
    OK((hermitian ? twill_hetrf : twill_sytrf)(p->uplo, a, e, ipiv, &info));
    OK((hermitian ? twill_hetrs : twill_sytrs)(p->uplo, a, e, ipiv, p->x[B]));
    twill_array_free(e);
    twill_array_free(ipiv);
    return info;
}

static int64_t unmqr(problem *p)
{
    geqrf(p);
    OK(twill_unmqr(p->side, p->trans, p->x[D], p->h, p->x[E]));
    return 0;
}

static int64_t unmlq(problem *p)
{
    gelqf(p);
    OK(twill_unmlq(p->side, p->trans, p->x[D], p->h, p->x[E]));
    return 0;
}

static int64_t ungqr(problem *p)
{
    geqrf(p);
    OK(twill_ungqr(p->x[D], p->h, p->x[E]));
    return 0;
}

static int64_t unglq(problem *p)
{
    gelqf(p);
    OK(twill_unglq(p->x[D], p->h, p->x[E]));
    return 0;
}

/* ---- with tasks and without ---------------------------------------------------------------- */

typedef struct routine {
    const char *name;
    int64_t (*call)(problem *p);
    bool one_tile; /* results depend on the tiles: compare with those of one */
    bool own_ways; /* what is left in A is nobody's business */
} routine;

static const routine routines[] = {
    {"gemm", gemm, false, false},
    {"gemm of itself", gemm_of_itself, false, false},
    {"gemm, alpha 0", gemm_of_nothing, false, false},
    {"symm", symm, false, false},
    {"hemm", hemm, false, false},
    {"syrk", syrk, false, false},
    {"herk", herk, false, false},
    {"herk, alpha 0", herk_of_nothing, false, false},
    {"syr2k", syr2k, false, false},
    {"her2k", her2k, false, false},
    {"trmm", trmm, false, false},
    {"trsm", trsm, false, false},
    {"trsm of columns", trsm_of_columns, false, false},
    {"trsm, alpha 0", trsm_of_nothing, false, false},
    {"potrf", potrf, false, false},
    {"potrs", potrs, false, false},
    {"posv", posv, false, false},
    {"trtri", trtri, false, false},
    {"lauum", lauum, false, false},
    {"potri", potri, false, false},
    {"pocon", pocon, false, false},
    {"getrf", getrf, false, false},
    {"getrs", getrs, false, false},
    {"gesv", gesv, false, false},
    {"getri", getri, false, false},
    {"gecon", gecon, false, false},
    {"sysv", sysv, false, true},
    {"hesv", hesv, false, true},
    {"sytrf and sytrs", sytrs, false, false},
    {"geqrf", geqrf, true, false},
    {"gelqf", gelqf, true, false},
    {"unmqr", unmqr, true, false},
    {"unmlq", unmlq, true, false},
    {"ungqr", ungqr, true, false},
    {"unglq", unglq, true, false},
    {"gels", gels, false, true},
    {"norm", norm, false, false},
    {"norm_hermitian", norm_hermitian, false, false},
};

static int64_t executed(const twill *tw)
{
    twill_counters c = {.size = sizeof c};
    twill_count(tw, &c);
    return c.executed;
}

static double distance(twill_array *one, twill_array *other)
{
    const twill_pattern *p = twill_array_pattern(one);
    twill_type type = twill_array_type(one);
    void *x = test_unpack(one), *y = test_unpack(other);
    double most = 0, scale = 1;
    for (int64_t i = 0; i < p->extent[0] * p->extent[1]; i++) {
        double complex u = test_load(x, type, i), v = test_load(y, type, i);
        most = cabs(u - v) <= most ? most : cabs(u - v);
        scale = fmax(scale, cabs(v));
    }
    free(x);
    free(y);
    return most / scale;
}

static void compare(const routine *r, const test_type *type, problem *p, problem *q, int64_t n)
{
    double limit = 100 * (double)(n + 4) * type->eps;
    for (int i = 0; i < MATRICES; i++) {
        double far = r->own_ways && i == A ? 0 : distance(p->x[i], q->x[i]);
        if (!(far <= limit))
            fail_msg("%s %s n=%d: matrix %d differs by %g", r->name, type->name, (int)n, i, far);
    }
    assert_true(fabs(p->value - q->value) <= limit * fabs(q->value));
}

static void check(twill *tw, const routine *r, const test_type *type, int64_t n, int64_t nrhs,
                  int letters)
{
    problem p = start(tw, type->type, n, nrhs, 0, letters);
    problem q = start(tw, type->type, n, nrhs, r->one_tile ? n : NB, letters);
    int64_t before = executed(tw), info = r->call(&p), after = executed(tw);
    if (after != before)
        fail_msg("%s executed tasks", r->name);
    assert_int_equal(info, r->call(&q));
    assert_true(executed(tw) > after);
    compare(r, type, &p, &q, n);
    stop(&p);
    stop(&q);
}

TEST(small_matrices_need_no_tasks)
{
    twill *tw = test_start(2, NULL);
    for (int i = 0; i < COUNT(routines); i++)
        for (int t = 0; t < COUNT(test_types); t++)
            for (int s = 0; s < COUNT(orders); s++) {
                int64_t nrhs = counts[(i + s) % COUNT(counts)];
                nrhs = nrhs < orders[s] ? nrhs : orders[s];
                check(tw, &routines[i], &test_types[t], orders[s], nrhs, 7 * i + 5 * s + 3 * t);
            }
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_matrices_need_no_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
