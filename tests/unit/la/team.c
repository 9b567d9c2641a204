/* Kernels of teams: right, and with the same bits for any size of the team. */
#include "engine/team.h"
#include "la/kernel/blocks.h"
#include "la/lu/panel.h"
#include "la/qr/qr_team.h"
#include "la/team/team.h"

#include "support/matrix.h"
#include "support/test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, LD = 301, ELEMENT = 16 };

/* ---- a team of threads without an engine ---------------------------------------------------- */

typedef void kernel(twill_team *team, void *arg);

typedef struct member {
    twill_team team;
    kernel *run;
    void *arg;
} member;

static void *run_member(void *arg)
{
    member *m = arg;
    m->run(&m->team, m->arg);
    return NULL;
}

static void run_team(int size, kernel *run, void *arg)
{
    tw_team *shared = aligned_alloc(TW_LINE, tw_whole_lines(sizeof *shared));
    memset(shared, 0, sizeof *shared);
    shared->yields = true;
    atomic_store(&shared->size, size);
    tw_barrier_open(&shared->barrier, size, true);
    pthread_t threads[MOST];
    member members[MOST];
    for (int i = 0; i < size; i++) {
        members[i] = (member){{.shared = shared, .rank = i}, run, arg};
        assert_int_equal(pthread_create(&threads[i], NULL, run_member, &members[i]), 0);
    }
    for (int i = 0; i < size; i++)
        pthread_join(threads[i], NULL);
    free(shared);
}

/* ---- matrices ------------------------------------------------------------------------------- */

static const size_t bytes = (size_t)LD * LD * ELEMENT;

static void *random_matrix(twill_type type, double diagonal)
{
    static uint64_t seed = 1;
    void *a = calloc(1, bytes);
    for (int64_t at = 0; at < (int64_t)LD * LD; at++) {
        double re = (double)test_random(&seed, 1 << 20) / (1 << 20) - 0.5;
        double im = (double)test_random(&seed, 1 << 20) / (1 << 20) - 0.5;
        if (at / LD == at % LD) {
            re += diagonal;
            im = 0;
        }
        test_store(a, type, at, test_number(re, im));
    }
    return a;
}

static double distance(twill_type type, int m, int n, const void *x, const void *y)
{
    double largest = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            int64_t at = i + (int64_t)j * LD;
            double d = cabs(test_load(x, type, at) - test_load(y, type, at));
            largest = d > largest || isnan(d) ? d : largest;
        }
    return largest;
}

/* ---- the kernels, each with its check ------------------------------------------------------- */

typedef struct problem {
    const tw_kernels *k;
    const char *name;
    kernel *run;
    /* How far the result is from right, in units of eps times something moderate. */
    double (*error)(const struct problem *p);
    char uplo, trans;
    int m, n, inner;
    void *a, *b, *c;       /* c is what changes */
    void *before, *second; /* c as it was; a second result */
    int64_t *pivots;
    int info;
} problem;

static void run_gemm(twill_team *team, void *arg)
{
    problem *p = arg;
    tw_team_gemm(p->k, team, p->trans, 'N', p->m, p->n, p->inner, p->k->minus_one, p->a, LD, p->b,
                 LD, p->k->one, p->c, LD);
}

static double gemm_error(const problem *p)
{
    int ld = LD;
    void *want = malloc(bytes);
    memcpy(want, p->before, bytes);
    p->k->gemm(&p->trans, "N", &p->m, &p->n, &p->inner, p->k->minus_one, p->a, &ld, p->b, &ld,
               p->k->one, want, &ld, 1, 1);
    double d = distance(p->k->type, LD, LD, want, p->c);
    free(want);
    return d;
}

static void run_trsm(twill_team *team, void *arg)
{
    problem *p = arg;
    tw_triangle t = {p->uplo == 'L' ? 'L' : 'R', p->uplo, p->trans, 'N'};
    tw_team_trsm(p->k, team, t, p->m, p->n, p->k->one, p->a, LD, p->c, LD);
}

static double trsm_error(const problem *p)
{
    int ld = LD;
    const char *side = p->uplo == 'L' ? "L" : "R";
    void *again = malloc(bytes);
    memcpy(again, p->c, bytes);
    p->k->trmm(side, &p->uplo, &p->trans, "N", &p->m, &p->n, p->k->one, p->a, &ld, again, &ld, 1, 1,
               1, 1);
    double d = distance(p->k->type, LD, LD, again, p->before) / LD;
    free(again);
    return d;
}

static void run_herk(twill_team *team, void *arg)
{
    problem *p = arg;
    tw_team_herk(p->k, team, p->uplo, p->trans, p->n, p->inner, p->k->minus_one, p->a, LD,
                 p->k->one, p->c, LD);
}

static double herk_error(const problem *p)
{
    int ld = LD;
    void *want = malloc(bytes);
    memcpy(want, p->before, bytes);
    p->k->herk(&p->uplo, &p->trans, &p->n, &p->inner, p->k->minus_one, p->a, &ld, p->k->one, want,
               &ld, 1, 1);
    double d = distance(p->k->type, LD, LD, want, p->c);
    free(want);
    return d;
}

static void run_syrk(twill_team *team, void *arg)
{
    problem *p = arg;
    tw_team_syrk(p->k, team, p->uplo, p->trans == 'C' ? 'T' : 'N', p->n, p->inner, p->k->minus_one,
                 p->a, LD, p->k->one, p->c, LD);
}

static double syrk_error(const problem *p)
{
    int ld = LD;
    void *want = malloc(bytes);
    memcpy(want, p->before, bytes);
    p->k->syrk(&p->uplo, p->trans == 'C' ? "T" : "N", &p->n, &p->inner, p->k->minus_one, p->a, &ld,
               p->k->one, want, &ld, 1, 1);
    double d = distance(p->k->type, LD, LD, want, p->c);
    free(want);
    return d;
}

static void run_potrf(twill_team *team, void *arg)
{
    problem *p = arg;
    tw_team_potrf(p->k, team, p->uplo, p->n, p->c, LD, &p->info);
}

static double potrf_error(const problem *p)
{
    void *want = malloc(bytes);
    memcpy(want, p->before, bytes);
    int info = tw_potrf_recursive(p->k, p->uplo, p->n, want, LD);
    double d = info == p->info ? 0 : INFINITY;
    if (info == 0)
        d = distance(p->k->type, LD, LD, want, p->c);
    free(want);
    return d;
}

static void run_lu(twill_team *team, void *arg)
{
    problem *p = arg;
    enum { NB = 70 };
    twill_flow tiles[(LD + NB - 1) / NB] = {0};
    double *best = p->b;
    int count = (p->m + NB - 1) / NB;
    for (int i = 0; i < count; i++)
        tiles[i] = (twill_flow){tw_at_rw(p->k, p->c, i * NB, 0, LD), LD,
                                p->m - i * NB < NB ? p->m - i * NB : NB, p->n};
    tw_panel_factor(&(tw_panel){.kernels = p->k,
                                .leaf = tw_leaf_of(p->k->type),
                                .tiles = tiles,
                                .rows = p->m,
                                .cols = p->n,
                                .nb = NB,
                                .pivots = p->pivots,
                                .best = best,
                                .search = true},
                    team);
}

/* L U against the rows of A in the order of the pivots. */
static double lu_error(const problem *p)
{
    twill_type type = p->k->type;
    void *want = malloc(bytes), *again = calloc(1, bytes);
    memcpy(want, p->before, bytes);
    int steps = p->m < p->n ? p->m : p->n;
    for (int j = 0; j < steps; j++)
        for (int c = 0; c < p->n; c++) {
            int64_t x = j + (int64_t)c * LD, y = p->pivots[j] - 1 + (int64_t)c * LD;
            double complex keep = test_load(want, type, x);
            test_store(want, type, x, test_load(want, type, y));
            test_store(want, type, y, keep);
        }
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++) {
            double complex sum = 0;
            for (int q = 0; q <= j && q <= i && q < steps; q++) {
                double complex l = q == i ? 1 : test_load(p->c, type, i + (int64_t)q * LD);
                sum += l * test_load(p->c, type, q + (int64_t)j * LD);
            }
            test_store(again, type, i + (int64_t)j * LD, sum);
        }
    double d = distance(type, p->m, p->n, want, again);
    free(want), free(again);
    return d;
}

enum { IB = 24 };

static void run_qr(twill_team *team, void *arg)
{
    problem *p = arg;
    tw_qr_team(p->k, team, p->m, p->n, IB, p->c, LD, p->a, IB, p->b);
}

/* R^H R = A^H A. */
static double qr_error(const problem *p)
{
    twill_type type = p->k->type;
    double largest = 0;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i <= j; i++) {
            double complex want = 0, got = 0;
            for (int q = 0; q < p->m; q++)
                want += conj(test_load(p->before, type, q + (int64_t)i * LD)) *
                        test_load(p->before, type, q + (int64_t)j * LD);
            for (int q = 0; q <= i && q < p->m; q++)
                got += conj(test_load(p->c, type, q + (int64_t)i * LD)) *
                       test_load(p->c, type, q + (int64_t)j * LD);
            largest = fmax(largest, cabs(want - got) / LD);
        }
    return largest;
}

/* ---- all sizes of teams --------------------------------------------------------------------- */

static void check_team(problem *p, int size, double tolerance)
{
    memcpy(p->c, p->before, bytes);
    run_team(size, p->run, p);
    if (size == 1)
        memcpy(p->second, p->c, bytes);
    double error = p->error(p);
    if (!(error < tolerance) || memcmp(p->c, p->second, bytes) != 0)
        fail_msg("%s, type %d, %c %c, %d x %d x %d, team of %d: error %g%s", p->name, p->k->type,
                 p->uplo, p->trans, p->m, p->n, p->inner, size, error,
                 memcmp(p->c, p->second, bytes) != 0 ? ", other bits" : "");
}

static void check(problem p, double diagonal)
{
    twill_type type = p.k->type;
    p.a = random_matrix(type, 2 * LD);
    p.b = random_matrix(type, 0);
    p.before = random_matrix(type, diagonal);
    p.c = malloc(bytes), p.second = malloc(bytes);
    p.pivots = calloc(LD, sizeof *p.pivots);
    double tolerance = p.k->single ? 2e-3 : 1e-11;
    static const int sizes[] = {1, 2, 3, 5, MOST};
    for (int i = 0; i < COUNT(sizes); i++)
        check_team(&p, sizes[i], tolerance);
    free(p.a), free(p.b), free(p.before), free(p.c), free(p.second), free(p.pivots);
}

static const int orders[] = {0, 1, 37, 113, 293};

static void for_all(const char *name, kernel *run, double (*error)(const problem *p),
                    double diagonal)
{
    twill *tw = test_start(1, "lws");
    const tw_blas *blas;
    OK(tw_blas_get(tw, &blas));
    for (twill_type type = TWILL_FLOAT32; type <= TWILL_COMPLEX128; type++)
        for (int i = test_slow() ? 2 : 0; i < COUNT(orders) - test_slow(); i++)
            for (int form = 0; form < 4; form++)
                check((problem){.k = &blas->kernels[type],
                                .name = name,
                                .run = run,
                                .error = error,
                                .uplo = "LU"[form % 2],
                                .trans = "NC"[form / 2],
                                .m = orders[(i + form) % COUNT(orders)],
                                .n = orders[i],
                                .inner = orders[(i + 2) % COUNT(orders)]},
                      diagonal);
    twill_stop(tw);
}

TEST(gemm)
{
    for_all("gemm", run_gemm, gemm_error, 0);
}

TEST(trsm)
{
    for_all("trsm", run_trsm, trsm_error, 0);
}

TEST(herk)
{
    for_all("herk", run_herk, herk_error, 0);
}

TEST(syrk)
{
    for_all("syrk", run_syrk, syrk_error, 0);
}

TEST(potrf)
{
    for_all("potrf", run_potrf, potrf_error, 2 * LD);
}

/* Some minor is not positive definite: all members stop, and say where. */
TEST(potrf_of_what_is_not_definite)
{
    for_all("potrf", run_potrf, potrf_error, 0);
}

TEST(lu_panel)
{
    for_all("lu", run_lu, lu_error, 0);
}

TEST(qr_panel)
{
    for_all("qr", run_qr, qr_error, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm),     cmocka_unit_test(trsm),
        cmocka_unit_test(herk),     cmocka_unit_test(syrk),
        cmocka_unit_test(potrf),    cmocka_unit_test(potrf_of_what_is_not_definite),
        cmocka_unit_test(lu_panel), cmocka_unit_test(qr_panel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
