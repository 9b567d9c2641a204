/* Routines on several ranks. */
#include "support/routines.h"

#include "support/lu.h"

#include <stdlib.h>
#include <string.h>

typedef struct run {
    twill *tw;
    int64_t p, q, m, n, nb;
    twill_type type;
    test_owners owners;
    int64_t ranks; /* what the owner function is given */
    test_results *results;
} run;

static void note(run *r, const char *routine, uint64_t bits)
{
    test_results *results = r->results;
    assert_true(results->n < TEST_RESULTS);
    results->routine[results->n] = routine;
    results->bits[results->n++] = bits;
}

static void note_real(run *r, const char *routine, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    note(r, routine, bits);
}

/* The digest of a matrix, which is freed. */
static void note_matrix(run *r, const char *routine, twill_array *a)
{
    uint64_t digest = 0;
    OK(twill_digest(a, TWILL_GENERAL, &digest));
    note(r, routine, digest);
    twill_array_free(a);
}

static int64_t somewhere(const int64_t *block, void *arg)
{
    return (block[0] + 3 * block[1] + block[0] * block[1] / 2) % *(const int64_t *)arg;
}

/* In tiles of nb; no two of them begin at the same rank of a grid. */
static twill_array *make(run *r, int64_t m, int64_t n, int64_t nb, int number)
{
    twill_array *a;
    twill_pattern p = twill_block_cyclic(m, n, nb, nb, r->p, r->q);
    p.source[0] = number % r->p;
    p.source[1] = (number + 1) % r->q;
    if (r->owners == TEST_SUPERTILES) {
        p.super[0] = 2;
        p.super[1] = 1 + number % 3;
    }
    if (r->owners == TEST_FUNCTION)
        p = twill_placed(m, n, nb, nb, somewhere, &r->ranks);
    OK(twill_array_create(r->tw, &p, r->type, 0, &a));
    return a;
}

static twill_array *random_matrix(run *r, int64_t m, int64_t n, int number)
{
    twill_array *a = make(r, m, n, r->nb, number);
    OK(twill_fill_random(a, (uint64_t)number));
    return a;
}

static twill_array *definite(run *r)
{
    twill_array *a = make(r, r->n, r->n, r->nb, 0);
    OK(twill_fill_spd(a, 5));
    return a;
}

/* Give element (i, i) another value, where it is. */
static void set_diagonal(twill_array *a, int64_t i, double value)
{
    int64_t nb = twill_array_pattern(a)->block[0], ld;
    twill_view v = twill_view_sub(twill_view_all(a), i, i, 1, 1);
    void *data;
    if (twill_owner_at(a, i / nb, i / nb) != twill_rank(twill_array_context(a)))
        return;
    OK(twill_map(v, TWILL_READ_WRITE, &data, &ld));
    test_store(data, twill_array_type(a), 0, value);
    OK(twill_unmap(v, data));
}

static twill_scalar scalar(const run *r, double re, double im)
{
    bool is_complex = r->type == TWILL_COMPLEX64 || r->type == TWILL_COMPLEX128;
    return twill_complex(re, is_complex ? im : 0.0);
}

/* ---- matrices ---------------------------------------------------------------------------- */

static void norms(run *r)
{
    static const twill_norm_kind kinds[] = {TWILL_NORM_MAX, TWILL_NORM_ONE, TWILL_NORM_INF,
                                            TWILL_NORM_FRO};
    twill_array *a = random_matrix(r, r->m, r->n, 1), *s = random_matrix(r, r->n, r->n, 2);
    for (int k = 0; k < COUNT(kinds); k++) {
        double x = -1.0;
        OK(twill_norm(kinds[k], a, &x));
        note_real(r, "norm", x);
        OK(twill_norm_symmetric(kinds[k], TWILL_UPPER, s, &x));
        note_real(r, "norm_symmetric", x);
        OK(twill_norm_hermitian(kinds[k], TWILL_LOWER, s, &x));
        note_real(r, "norm_hermitian", x);
        OK(twill_norm_triangular(kinds[k], TWILL_LOWER, TWILL_UNIT, a, &x));
        note_real(r, "norm_triangular", x);
    }
    twill_array_free(a);
    twill_array_free(s);
}

static void fills(run *r)
{
    twill_array *a = make(r, r->n, r->n, r->nb, 0);
    uint64_t digest = 0;
    OK(twill_fill_hermitian(a, 3));
    OK(twill_digest(a, TWILL_LOWER, &digest));
    note(r, "fill_hermitian", digest);
    OK(twill_fill_symmetric(a, 4));
    OK(twill_digest(a, TWILL_UPPER, &digest));
    note(r, "fill_symmetric", digest);
    OK(twill_fill_spd_cond(a, 5, 100.0));
    note_matrix(r, "fill_spd_cond", a);
}

static void sums(run *r)
{
    twill_array *a = random_matrix(r, r->m, r->n, 1), *b = make(r, r->m, r->n, 5, 2),
                *c = make(r, r->n, r->m, 7, 3);
    OK(twill_copy(a, b)); /* other tiles on other ranks */
    OK(twill_transpose(TWILL_CONJ_TRANS, a, c));
    OK(twill_add(TWILL_UPPER, TWILL_TRANS, scalar(r, 2.0, 0.5), c, scalar(r, 1.0, -1.0), b));
    OK(twill_scale(TWILL_LOWER, scalar(r, -0.5, 0.25), b));
    OK(twill_set(TWILL_LOWER, twill_real(3.0), twill_real(4.0), a));
    note_matrix(r, "copy, add, scale", b);
    note_matrix(r, "transpose", c);
    note_matrix(r, "set", a);
}

/* Each rank gives and gets what it owns. */
static void layouts(run *r)
{
    size_t size = twill_type_size(r->type);
    twill_array *a = make(r, r->m, r->n, r->nb, 1), *b = make(r, r->m, r->n, r->nb, 1);
    size_t elements = (size_t)(r->m * r->n) + 1;
    char *memory = calloc(elements, size), *copy = calloc(elements, size);
    int64_t ld = r->m > 1 ? r->m : 1;
    for (size_t i = 0; i < (size_t)(r->m * r->n) * size; i++)
        memory[i] = (char)(i % 7); /* small numbers, and some that are not normal */
    OK(twill_matrix_read(a, TWILL_GENERAL, memory, ld));
    OK(twill_matrix_write(a, TWILL_GENERAL, copy, ld));
    OK(twill_matrix_read(b, TWILL_GENERAL, copy, ld));
    note_matrix(r, "matrix_read", a);
    note_matrix(r, "matrix_write", b);
    free(memory);
    free(copy);
}

/* ---- products ---------------------------------------------------------------------------- */

static void products(run *r)
{
    twill_array *a = random_matrix(r, r->m, r->n, 1), *b = random_matrix(r, r->n, r->n, 2);
    twill_array *c = random_matrix(r, r->m, r->n, 3), *d = random_matrix(r, r->n, r->m, 4);
    twill_array *e = random_matrix(r, r->n, r->m, 5);
    twill_scalar alpha = scalar(r, 1.5, -0.5), beta = scalar(r, 0.25, 1.0);
    OK(twill_gemm(TWILL_NO_TRANS, TWILL_CONJ_TRANS, alpha, a, b, beta, c));
    OK(twill_symm(TWILL_RIGHT, TWILL_UPPER, alpha, b, a, beta, c));
    OK(twill_hemm(TWILL_LEFT, TWILL_LOWER, alpha, b, d, beta, e));
    note_matrix(r, "gemm, symm", c);
    note_matrix(r, "hemm", e);
    twill_array_free(d);
    twill_array_free(a);
    twill_array_free(b);
}

static void ranks_of_matrices(run *r)
{
    twill_array *a = random_matrix(r, r->n, r->m, 1), *b = random_matrix(r, r->n, r->m, 2);
    twill_array *c = random_matrix(r, r->n, r->n, 3), *h = random_matrix(r, r->n, r->n, 4);
    twill_array *s = random_matrix(r, r->m, r->m, 5);
    twill_scalar alpha = scalar(r, 1.5, -0.5), beta = scalar(r, 0.25, 1.0);
    OK(twill_syrk(TWILL_LOWER, TWILL_NO_TRANS, alpha, a, beta, c));
    OK(twill_syr2k(TWILL_UPPER, TWILL_NO_TRANS, alpha, a, b, beta, c));
    OK(twill_herk(TWILL_UPPER, TWILL_NO_TRANS, 0.5, b, -1.0, h));
    OK(twill_her2k(TWILL_LOWER, TWILL_NO_TRANS, alpha, a, b, 2.0, h));
    OK(twill_syrk(TWILL_LOWER, TWILL_TRANS, alpha, a, beta, s));
    note_matrix(r, "syrk, syr2k", c);
    note_matrix(r, "herk, her2k", h);
    note_matrix(r, "syrk transposed", s);
    twill_array_free(a);
    twill_array_free(b);
}

static void triangles(run *r)
{
    static const char sides[] = "LR", trans[] = "NC";
    twill_array *t = definite(r);
    for (int k = 0; k < 8; k++) {
        twill_side side = (twill_side)sides[k % 2];
        twill_uplo uplo = k & 2 ? TWILL_UPPER : TWILL_LOWER;
        twill_trans op = (twill_trans)trans[k / 4];
        bool left = side == TWILL_LEFT;
        twill_array *b = random_matrix(r, left ? r->n : r->m, left ? r->m : r->n, k);
        OK(twill_trmm(side, uplo, op, TWILL_UNIT, scalar(r, 0.5, 0.5), t, b));
        OK(twill_trsm(side, uplo, op, TWILL_NON_UNIT, scalar(r, 2.0, 1.0), t, b));
        note_matrix(r, "trmm, trsm", b);
    }
    twill_array_free(t);
}

/* ---- Cholesky ---------------------------------------------------------------------------- */

static void solve_definite(run *r, twill_uplo uplo)
{
    twill_array *a = definite(r), *before = definite(r), *b = random_matrix(r, r->n, 3, 6);
    int64_t info = -1;
    double x = -1.0;
    OK(twill_posv(uplo, a, b, &info));
    assert_int_equal(info, 0);
    OK(twill_pocon(uplo, a, 1.0, &x));
    note_real(r, "pocon", x);
    OK(twill_potrf_residual(uplo, before, a, &x));
    assert_true(x < 30.0);
    note_real(r, "potrf_residual", x);
    note_matrix(r, "posv", b);
    OK(twill_potri(uplo, a, &info));
    assert_int_equal(info, 0);
    note_matrix(r, "potri", a);
    twill_array_free(before);
}

static void invert_triangle(run *r, twill_uplo uplo)
{
    twill_array *a = definite(r);
    int64_t info = -1;
    OK(twill_trtri(uplo, TWILL_NON_UNIT, a, &info));
    assert_int_equal(info, 0);
    OK(twill_lauum(uplo, a));
    note_matrix(r, "trtri, lauum", a);
}

static void singular_triangle(run *r)
{
    twill_array *a = random_matrix(r, r->n, r->n, 0);
    int64_t info = -1;
    OK(twill_set(TWILL_LOWER, twill_real(0.0), twill_real(0.0), a));
    OK(twill_trtri(TWILL_LOWER, TWILL_NON_UNIT, a, &info));
    note(r, "info of trtri", (uint64_t)info);
    note_matrix(r, "trtri of zeros", a);
}

static void not_definite(run *r)
{
    int64_t info = -1, bad = 2 * r->n / 3;
    twill_array *a = definite(r), *b = random_matrix(r, r->n, 3, 6);
    if (r->n)
        set_diagonal(a, bad, -1.0);
    OK(twill_posv(TWILL_LOWER, a, b, &info));
    assert_int_equal(info, r->n ? bad + 1 : 0);
    note_matrix(r, "posv of a matrix that is not definite", b);
    twill_array_free(a);
}

/* ---- LU ---------------------------------------------------------------------------------- */

static void solve_general(run *r)
{
    twill_array *a = random_matrix(r, r->n, r->n, 1), *b = random_matrix(r, r->n, 5, 2), *ipiv;
    int64_t info = -1;
    double x = -1.0;
    OK(twill_pivots_create(a, &ipiv));
    OK(twill_gesv(a, ipiv, b, &info));
    assert_int_equal(info, 0);
    OK(twill_getrs(TWILL_CONJ_TRANS, a, ipiv, b));
    note_matrix(r, "gesv, getrs", b);
    OK(twill_gecon(TWILL_NORM_ONE, a, 1.0, &x));
    note_real(r, "gecon, one", x);
    OK(twill_gecon(TWILL_NORM_INF, a, 2.0, &x));
    note_real(r, "gecon, infinity", x);
    OK(twill_getri(a, ipiv, &info));
    assert_int_equal(info, 0);
    note_matrix(r, "getri", a);
    twill_array_free(ipiv);
}

static void singular_matrix(run *r)
{
    twill_array *a = make(r, r->n, r->n, r->nb, 1), *b = random_matrix(r, r->n, 2, 2), *ipiv;
    int64_t info = -1, zero = r->n / 2;
    OK(twill_set(TWILL_GENERAL, twill_real(0.0), twill_real(2.0), a));
    OK(twill_pivots_create(a, &ipiv));
    if (r->n)
        set_diagonal(a, zero, 0.0);
    OK(twill_gesv(a, ipiv, b, &info));
    assert_int_equal(info, r->n ? zero + 1 : 0);
    note_matrix(r, "gesv of a singular matrix", b);
    twill_array_free(a);
    twill_array_free(ipiv);
}

static void factor_by(run *r, twill_method method)
{
    twill_la_options options = {.size = sizeof options, .method = method};
    bool needs_none = method == TWILL_METHOD_NO_PIVOTING;
    twill_array *a = needs_none ? definite(r) : random_matrix(r, r->m, r->n, 3), *ipiv;
    twill_graph *g;
    OK(twill_pivots_create(a, &ipiv));
    OK(twill_stf_begin(r->tw, &g));
    OK(twill_getrf_insert(g, a, ipiv, &options));
    OK(twill_wait(g));
    twill_graph_free(g);
    note_matrix(r, "getrf", a);
    twill_array_free(ipiv);
}

/* ---- mixed precision --------------------------------------------------------------------- */

static void refine(run *r, bool general, twill_refine how)
{
    twill_array *a = general ? random_matrix(r, r->n, r->n, 1) : make(r, r->n, r->n, r->nb, 1);
    int64_t nrhs = how == TWILL_REFINE_GMRES ? 1 : 3, steps = -9, info = -1;
    twill_array *b = random_matrix(r, r->n, nrhs, 2), *x = make(r, r->n, nrhs, r->nb, 3), *ipiv;
    OK(twill_pivots_create(a, &ipiv));
    if (!general)
        OK(twill_fill_spd_cond(a, 4, 1e4));
    if (general)
        OK(twill_gesv_mixed(a, ipiv, b, x, how, &steps, &info));
    else
        OK(twill_posv_mixed(TWILL_UPPER, a, b, x, how, &steps, &info));
    assert_int_equal(info, 0);
    assert_true(steps >= 0);
    note(r, "steps in mixed precision", (uint64_t)steps);
    note_matrix(r, general ? "gesv_mixed" : "posv_mixed", x);
    twill_array_free(ipiv);
    twill_array_free(a);
    twill_array_free(b);
}

static void mixed(run *r)
{
    if (r->type != TWILL_FLOAT64 && r->type != TWILL_COMPLEX128)
        return;
    refine(r, true, TWILL_REFINE_CLASSIC);
    refine(r, false, TWILL_REFINE_CLASSIC);
    refine(r, r->type == TWILL_FLOAT64, TWILL_REFINE_GMRES);
}

/* Refused on several ranks, with a word about what is not. */
static void indefinite(run *r)
{
    twill_array *a = random_matrix(r, r->n, r->n, 1), *b = random_matrix(r, r->n, 1, 1);
    int64_t info = -1;
    if (twill_ranks(r->tw) > 1)
        REFUSED(twill_sysv(TWILL_LOWER, a, b, &info), TWILL_ERR_UNSUPPORTED,
                "sysv: this is for one rank, and there are");
    twill_array_free(a);
    twill_array_free(b);
}

/* What a program finds out about its own tiles. */
static void sum(run *r)
{
    double x[2] = {1.0, twill_rank(r->tw)};
    int ranks = twill_ranks(r->tw);
    OK(twill_sum(r->tw, x, 2));
    assert_true(x[0] == ranks && x[1] == ranks * (ranks - 1) / 2);
    OK(twill_sum(r->tw, NULL, 0));
    REFUSED(twill_sum(r->tw, NULL, 1), TWILL_ERR_ARGUMENT, "twill_sum");
}

/* ---- all --------------------------------------------------------------------------------- */

test_deal test_usual_deal(twill_type type, int64_t p, int64_t q)
{
    return (test_deal){.type = type, .p = p, .q = q, .m = 29, .n = 35, .nb = 8};
}

void test_routines(twill *tw, const test_deal *d, test_results *results)
{
    static void (*const parts[])(run *) = {sum,
                                           norms,
                                           fills,
                                           sums,
                                           layouts,
                                           products,
                                           ranks_of_matrices,
                                           triangles,
                                           singular_triangle,
                                           not_definite,
                                           solve_general,
                                           singular_matrix,
                                           mixed,
                                           indefinite};
    run r = {.tw = tw,
             .p = d->p,
             .q = d->q,
             .m = d->m,
             .n = d->n,
             .nb = d->nb,
             .type = d->type,
             .owners = d->owners,
             .ranks = twill_ranks(tw),
             .results = results};
    results->n = 0;
    for (int i = 0; i < COUNT(parts); i++)
        parts[i](&r);
    for (int u = 0; u < 2; u++) {
        solve_definite(&r, u ? TWILL_UPPER : TWILL_LOWER);
        invert_triangle(&r, u ? TWILL_UPPER : TWILL_LOWER);
    }
    for (twill_method m = TWILL_METHOD_PARTIAL; m <= TWILL_METHOD_NO_PIVOTING; m++)
        factor_by(&r, m);
}

void test_same_results(const test_results *one, const test_results *many)
{
    assert_int_equal(one->n, many->n);
    for (int i = 0; i < one->n; i++)
        if (one->bits[i] != many->bits[i])
            fail_msg("%s: %016llx on one rank, %016llx here", one->routine[i],
                     (unsigned long long)one->bits[i], (unsigned long long)many->bits[i]);
}
