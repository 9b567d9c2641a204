/* The level 3 BLAS checked by plain loops. */
#include "support/level3.h"

#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const level3_names[LEVEL3_ROUTINES] = {"gemm",  "symm",  "hemm", "syrk", "herk",
                                                   "syr2k", "her2k", "trmm", "trsm"};

/* ---- the matrices of a call ---------------------------------------------------------------- */

/* An array, and the numbers that were put into it. */
typedef struct matrix {
    twill_array *array;
    void *memory;         /* when it is wrapped */
    twill_array *whole;   /* when it is a part */
    double complex *full; /* m by n */
    int64_t m, n, mb, nb;
    bool triangle; /* it could be stored as one */
} matrix;

/* What the call works on; `r` is the result, which also is the B of trmm and trsm. */
typedef struct setting {
    const level3_call *o;
    matrix a, b, r;
    bool has_b;
} setting;

static bool is_rank_update(level3_routine r)
{
    return r >= LEVEL3_SYRK && r <= LEVEL3_HER2K;
}

static bool is_triangular(level3_routine r)
{
    return r == LEVEL3_TRMM || r == LEVEL3_TRSM;
}

static bool is_hermitian(level3_routine r)
{
    return r == LEVEL3_HEMM || r == LEVEL3_HERK || r == LEVEL3_HER2K;
}

static bool is_complex(const level3_call *o)
{
    return o->type->type == TWILL_COMPLEX64 || o->type->type == TWILL_COMPLEX128;
}

bool level3_allowed(const level3_call *o)
{
    twill_trans wrong = is_hermitian(o->routine) ? TWILL_TRANS : TWILL_CONJ_TRANS;
    return !is_rank_update(o->routine) || !is_complex(o) || o->transa != wrong;
}

static matrix shape(int64_t m, int64_t n, int64_t mb, int64_t nb, bool flipped)
{
    return flipped ? (matrix){.m = n, .n = m, .mb = nb, .nb = mb}
                   : (matrix){.m = m, .n = n, .mb = mb, .nb = nb};
}

static void set_shapes(setting *s)
{
    const level3_call *o = s->o;
    bool ta = o->transa != TWILL_NO_TRANS, tb = o->transb != TWILL_NO_TRANS;
    bool left = o->side == TWILL_LEFT;
    int64_t order = left ? o->m : o->n, block = left ? o->mb : o->nb;
    s->r = shape(o->m, o->n, o->mb, o->nb, false);
    s->has_b = !is_triangular(o->routine);
    bool updated = is_rank_update(o->routine);
    if (o->routine == LEVEL3_GEMM) {
        s->a = shape(o->m, o->k, o->mb, o->kb, ta);
        s->b = shape(o->k, o->n, o->kb, o->nb, tb);
    } else if (updated) {
        s->a = s->b = shape(o->n, o->k, o->nb, o->kb, ta);
        s->r = shape(o->n, o->n, o->nb, o->nb, false);
        s->has_b = o->routine == LEVEL3_SYR2K || o->routine == LEVEL3_HER2K;
    } else {
        s->a = shape(order, order, block, block, false);
        s->b = s->r;
    }
    s->a.triangle = o->routine != LEVEL3_GEMM && !updated;
    s->r.triangle = updated;
}

static double complex uniform(uint64_t *seed, bool imaginary)
{
    double re = (double)test_random(seed, 1 << 20) / (1 << 20) - 0.5;
    double im = (double)test_random(seed, 1 << 20) / (1 << 20) - 0.5;
    return imaginary ? re + im * I : re;
}

/* The numbers as the type holds them go into `full` and into the array. */
static void put(matrix *x, twill_type type)
{
    void *bytes = calloc((size_t)(x->m * x->n + 1), twill_type_size(type));
    for (int64_t at = 0; at < x->m * x->n; at++) {
        test_store(bytes, type, at, x->full[at]);
        x->full[at] = test_load(bytes, type, at);
    }
    test_pack(x->array, bytes);
    free(bytes);
}

static twill_array *create(twill *tw, matrix *x, const level3_call *o, bool wrapped, int64_t more)
{
    int64_t m = x->m + more * x->mb, n = x->n + more * x->nb, ld = m + 3;
    twill_pattern p = twill_tiled(m, n, x->mb, x->nb);
    twill_array *a = NULL;
    if (o->triangle && x->triangle) {
        OK(twill_matrix_create_triangle(tw, o->type->type, m, x->mb, o->uplo, &a));
    } else if (wrapped) {
        x->memory = calloc((size_t)(ld * (n + 1)), twill_type_size(o->type->type));
        OK(twill_array_wrap(tw, &p, o->type->type, 0, x->memory, ld, &a));
    } else {
        OK(twill_array_create(tw, &p, o->type->type, 0, &a));
    }
    return a;
}

static void make(twill *tw, matrix *x, const level3_call *o, bool wrapped, uint64_t *seed)
{
    x->full = calloc((size_t)(x->m * x->n + 1), sizeof *x->full);
    for (int64_t at = 0; at < x->m * x->n; at++)
        x->full[at] = uniform(seed, is_complex(o));
    if (o->part && x->m > 0 && x->n > 0) {
        x->whole = create(tw, x, o, wrapped, 1);
        twill_view all = twill_view_all(x->whole);
        OK(twill_matrix_sub(twill_view_sub(all, x->mb, x->nb, x->m, x->n), &x->array));
    } else {
        x->array = create(tw, x, o, wrapped, 0);
    }
}

static void discard(matrix *x)
{
    twill_array_free(x->array);
    twill_array_free(x->whole);
    free(x->memory);
    free(x->full);
}

/* ---- rubbish where the routine must not look ----------------------------------------------- */

static bool reads_factors(const level3_call *o)
{
    bool none = (o->routine == LEVEL3_GEMM || is_rank_update(o->routine)) && o->k == 0;
    return o->alpha != 0 && !none;
}

static void spoil_all(matrix *x)
{
    for (int64_t at = 0; at < x->m * x->n; at++)
        x->full[at] = NAN;
}

/* Well conditioned also when its diagonal is ones; rubbish outside the triangle. */
static void make_triangle(matrix *a, const level3_call *o)
{
    bool triangular = is_triangular(o->routine);
    for (int64_t j = 0; j < a->n; j++)
        for (int64_t i = 0; i < a->m; i++) {
            double complex *x = &a->full[i + j * a->m];
            if (triangular)
                *x = i == j ? *x + 2.0 : *x / (double)a->m;
            if (!test_inside(o->uplo, i, j) || (triangular && o->diag == TWILL_UNIT && i == j))
                *x = NAN;
            if (o->routine == LEVEL3_HEMM && is_complex(o) && i == j)
                *x = creal(*x) + 7.0 * I;
        }
}

static void spoil(setting *s)
{
    const level3_call *o = s->o;
    if (is_triangular(o->routine) || o->routine == LEVEL3_SYMM || o->routine == LEVEL3_HEMM)
        make_triangle(&s->a, o);
    if (!reads_factors(o)) {
        spoil_all(&s->a);
        if (s->has_b)
            spoil_all(&s->b);
    }
    if (is_triangular(o->routine) ? o->alpha == 0 : o->beta == 0)
        spoil_all(&s->r);
}

static void begin(twill *tw, setting *s, const level3_call *o)
{
    uint64_t seed = o->seed + 1;
    s->o = o;
    set_shapes(s);
    make(tw, &s->a, o, o->wrapped & 1, &seed);
    if (s->has_b)
        make(tw, &s->b, o, o->wrapped & 2, &seed);
    make(tw, &s->r, o, o->wrapped & 4, &seed);
    spoil(s);
    put(&s->a, o->type->type);
    if (s->has_b)
        put(&s->b, o->type->type);
    put(&s->r, o->type->type);
}

static void end(setting *s)
{
    discard(&s->a);
    if (s->has_b)
        discard(&s->b);
    discard(&s->r);
}

/* ---- the call ------------------------------------------------------------------------------ */

static twill_status call(const setting *s)
{
    const level3_call *o = s->o;
    twill_scalar alpha = {creal(o->alpha), cimag(o->alpha)},
                 beta = {creal(o->beta), cimag(o->beta)};
    twill_array *a = s->a.array, *b = s->b.array, *r = s->r.array;
    switch (o->routine) {
    case LEVEL3_GEMM:
        return twill_gemm(o->transa, o->transb, alpha, a, b, beta, r);
    case LEVEL3_SYMM:
        return twill_symm(o->side, o->uplo, alpha, a, b, beta, r);
    case LEVEL3_HEMM:
        return twill_hemm(o->side, o->uplo, alpha, a, b, beta, r);
    case LEVEL3_SYRK:
        return twill_syrk(o->uplo, o->transa, alpha, a, beta, r);
    case LEVEL3_HERK:
        return twill_herk(o->uplo, o->transa, alpha.re, a, beta.re, r);
    case LEVEL3_SYR2K:
        return twill_syr2k(o->uplo, o->transa, alpha, a, b, beta, r);
    case LEVEL3_HER2K:
        return twill_her2k(o->uplo, o->transa, alpha, a, b, beta.re, r);
    case LEVEL3_TRMM:
        return twill_trmm(o->side, o->uplo, o->transa, o->diag, alpha, a, r);
    default:
        return twill_trsm(o->side, o->uplo, o->transa, o->diag, alpha, a, r);
    }
}

static twill_status call_insert(twill_graph *g, const setting *s)
{
    const level3_call *o = s->o;
    twill_scalar alpha = {creal(o->alpha), cimag(o->alpha)},
                 beta = {creal(o->beta), cimag(o->beta)};
    twill_array *a = s->a.array, *b = s->b.array, *r = s->r.array;
    twill_la_options expert = {.size = sizeof(twill_la_options), .no_priority = true},
                     *options = o->no_priority ? &expert : NULL;
    switch (o->routine) {
    case LEVEL3_GEMM:
        return twill_gemm_insert(g, o->transa, o->transb, alpha, a, b, beta, r, options);
    case LEVEL3_SYMM:
        return twill_symm_insert(g, o->side, o->uplo, alpha, a, b, beta, r, options);
    case LEVEL3_HEMM:
        return twill_hemm_insert(g, o->side, o->uplo, alpha, a, b, beta, r, options);
    case LEVEL3_SYRK:
        return twill_syrk_insert(g, o->uplo, o->transa, alpha, a, beta, r, options);
    case LEVEL3_HERK:
        return twill_herk_insert(g, o->uplo, o->transa, alpha.re, a, beta.re, r, options);
    case LEVEL3_SYR2K:
        return twill_syr2k_insert(g, o->uplo, o->transa, alpha, a, b, beta, r, options);
    case LEVEL3_HER2K:
        return twill_her2k_insert(g, o->uplo, o->transa, alpha, a, b, beta.re, r, options);
    case LEVEL3_TRMM:
        return twill_trmm_insert(g, o->side, o->uplo, o->transa, o->diag, alpha, a, r, options);
    default:
        return twill_trsm_insert(g, o->side, o->uplo, o->transa, o->diag, alpha, a, r, options);
    }
}

static void run(twill *tw, const setting *s)
{
    twill_graph *g;
    if (!s->o->inserted) {
        OK(call(s));
        return;
    }
    OK(twill_stf_begin(tw, &g));
    OK(call_insert(g, s));
    OK(twill_wait(g));
    twill_graph_free(g);
}

/* ---- the answer by plain loops ------------------------------------------------------------- */

/* Element (i, j) of op(X). */
static double complex op(const matrix *x, twill_trans trans, int64_t i, int64_t j)
{
    double complex y = trans == TWILL_NO_TRANS ? x->full[i + j * x->m] : x->full[j + i * x->m];
    return trans == TWILL_CONJ_TRANS ? conj(y) : y;
}

/* Element (i, j) of the symmetric or Hermitian matrix, or of op of the triangular one. */
static double complex structured(const setting *s, int64_t i, int64_t j)
{
    const level3_call *o = s->o;
    const matrix *a = &s->a;
    if (is_triangular(o->routine)) {
        int64_t row = o->transa == TWILL_NO_TRANS ? i : j, column = i + j - row;
        if (i == j && o->diag == TWILL_UNIT)
            return 1.0;
        return test_inside(o->uplo, row, column) ? op(a, o->transa, i, j) : 0.0;
    }
    bool hermitian = o->routine == LEVEL3_HEMM;
    if (i == j && hermitian)
        return creal(a->full[i + i * a->m]);
    if (test_inside(o->uplo, i, j))
        return a->full[i + j * a->m];
    double complex x = a->full[j + i * a->m];
    return hermitian ? conj(x) : x;
}

/* A sum, and what its terms add up to in magnitude. */
typedef struct sum {
    double complex value;
    double size;
} sum;

static void add(sum *t, double complex factor, double complex x, double complex y)
{
    t->value += factor * x * y;
    t->size += cabs(factor) * cabs(x) * cabs(y);
}

/* The factors' part of element (i, j); `x` is the other factor of structured ones. */
static sum multiply(const setting *s, const double complex *x, int64_t i, int64_t j)
{
    const level3_call *o = s->o;
    bool hermitian = is_hermitian(o->routine), plain = o->transa == TWILL_NO_TRANS;
    twill_trans other = !plain ? TWILL_NO_TRANS : hermitian ? TWILL_CONJ_TRANS : TWILL_TRANS;
    const matrix *b = s->has_b ? &s->b : &s->a;
    sum t = {0, 0};
    if (o->routine == LEVEL3_GEMM) {
        for (int64_t k = 0; k < o->k; k++)
            add(&t, 1, op(&s->a, o->transa, i, k), op(&s->b, o->transb, k, j));
    } else if (is_rank_update(o->routine)) {
        for (int64_t k = 0; k < o->k; k++) {
            double complex first = s->has_b && hermitian ? o->alpha : 1.0;
            add(&t, first, op(&s->a, o->transa, i, k), op(b, other, k, j));
            if (s->has_b)
                add(&t, conj(first), op(b, o->transa, i, k), op(&s->a, other, k, j));
        }
    } else if (o->side == TWILL_LEFT) {
        for (int64_t k = 0; k < o->m; k++)
            add(&t, 1, structured(s, i, k), x[k + j * o->m]);
    } else {
        for (int64_t k = 0; k < o->n; k++)
            add(&t, 1, x[i + k * o->m], structured(s, k, j));
    }
    return t;
}

/* Error of an element of the result, in units of eps and of the magnitude of its terms. */
static double element_error(const setting *s, const double complex *result, int64_t i, int64_t j)
{
    const level3_call *o = s->o;
    const double complex *factor = o->routine == LEVEL3_TRSM   ? result
                                   : o->routine == LEVEL3_TRMM ? s->r.full
                                                               : s->b.full;
    double complex before = s->r.full[i + j * s->r.m], got = result[i + j * s->r.m];
    double complex alpha = o->routine == LEVEL3_HER2K && reads_factors(o) ? 1.0 : o->alpha;
    double complex beta = is_triangular(o->routine) ? 0.0 : o->beta;
    if (is_hermitian(o->routine) && is_rank_update(o->routine) && i == j)
        before = creal(before);
    sum t = reads_factors(o) ? multiply(s, factor, i, j) : (sum){0, 0};
    double complex want = alpha * t.value + (beta == 0 ? 0 : beta * before);
    double size = cabs(alpha) * t.size + (beta == 0 ? 0 : cabs(beta * before));
    if (o->routine == LEVEL3_TRSM && reads_factors(o)) { /* op(A) X against alpha B */
        got = t.value;
        want = alpha * before;
        size = t.size + cabs(want);
    }
    double error = cabs(got - want);
    return error == 0.0 ? 0.0 : error / (o->type->eps * size);
}

/* ---- comparing ----------------------------------------------------------------------------- */

static void complain(const level3_call *o, const char *what, int64_t i, int64_t j, double error)
{
    fail_msg("%s %s side %c uplo %c trans %c%c diag %c m=%d n=%d k=%d tiles %d %d %d alpha %g%+gi "
             "beta %g%+gi wrapped %x triangle %d part %d inserted %d: %s at (%d, %d), %g",
             level3_names[o->routine], o->type->name, o->side, o->uplo, o->transa, o->transb,
             o->diag, (int)o->m, (int)o->n, (int)o->k, (int)o->mb, (int)o->nb, (int)o->kb,
             creal(o->alpha), cimag(o->alpha), creal(o->beta), cimag(o->beta), o->wrapped,
             o->triangle, o->part, o->inserted, what, (int)i, (int)j, error);
}

/* Elements that the routine leaves alone. */
static bool is_left_alone(const setting *s, int64_t i, int64_t j)
{
    const level3_call *o = s->o;
    if (!is_rank_update(o->routine))
        return false;
    return !test_inside(o->uplo, i, j) || (!reads_factors(o) && o->beta == 1.0);
}

static bool same(double complex x, double complex y)
{
    return (creal(x) == creal(y) || (isnan(creal(x)) && isnan(creal(y)))) &&
           (cimag(x) == cimag(y) || (isnan(cimag(x)) && isnan(cimag(y))));
}

static double complex *result_of(const setting *s)
{
    void *bytes = test_unpack(s->r.array);
    double complex *full = calloc((size_t)(s->r.m * s->r.n + 1), sizeof *full);
    for (int64_t at = 0; at < s->r.m * s->r.n; at++)
        full[at] = test_load(bytes, s->o->type->type, at);
    free(bytes);
    return full;
}

static double compare(const setting *s, const double complex *result)
{
    const level3_call *o = s->o;
    bool real_diagonal = is_rank_update(o->routine) && is_hermitian(o->routine);
    double worst = 0.0;
    for (int64_t j = 0; j < s->r.n; j++)
        for (int64_t i = 0; i < s->r.m; i++) {
            int64_t at = i + j * s->r.m;
            if (is_left_alone(s, i, j)) {
                if (!o->triangle && !same(result[at], s->r.full[at]))
                    complain(o, "touched", i, j, creal(result[at]));
                continue;
            }
            double error = element_error(s, result, i, j);
            if (!(error < 30.0))
                complain(o, "wrong", i, j, error);
            if (real_diagonal && i == j && cimag(result[at]) != 0.0)
                complain(o, "not real", i, j, cimag(result[at]));
            worst = error > worst ? error : worst;
        }
    return worst;
}

double level3_check(twill *tw, const level3_call *o)
{
    setting s = {0};
    begin(tw, &s, o);
    run(tw, &s);
    double complex *result = result_of(&s);
    double worst = compare(&s, result);
    free(result);
    end(&s);
    return worst;
}

uint64_t level3_digest(twill *tw, const level3_call *o)
{
    setting s = {0};
    uint64_t digest = 0;
    begin(tw, &s, o);
    run(tw, &s);
    OK(twill_digest(s.r.array, is_rank_update(o->routine) ? o->uplo : TWILL_GENERAL, &digest));
    end(&s);
    return digest;
}
