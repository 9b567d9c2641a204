/* Residuals of the level 3 BLAS: both sides of the equation are multiplied with a few vectors. */
#include "operation/level3.h"
#include "operation/probe.h"

#include <stdlib.h>

/* R := the sum of products of matrices, times vectors x, added up term by term. */
typedef struct balance {
    int64_t rows, cols; /* of the sum */
    int64_t size;       /* the largest extent that occurs */
    double scale;       /* norms of the terms added up */
    twill_type type;
    probe_vectors x, r;
    twill_status status;
} balance;

static balance begin(const work *w, int64_t rows, int64_t cols)
{
    balance s = {.rows = rows, .cols = cols, .type = w->p->element};
    s.size = rows > cols ? rows : cols;
    s.x = probe_random(cols, (uint64_t)w->p->n);
    s.r = probe_zeros(rows);
    s.status = s.x && s.r ? TWILL_OK : TWILL_ERR_MEMORY;
    return s;
}

static double complex number(twill_scalar x)
{
    return x.re + x.im * I;
}

static void add(balance *s, double complex factor, probe_matrix a)
{
    double norm = 0;
    if (s->status == TWILL_OK)
        s->status = probe_multiply(factor, a, s->x, s->r);
    if (s->status == TWILL_OK)
        s->status = probe_norm(a, &norm);
    s->scale += cabs(factor) * norm;
}

/* The product of two, whose inner size is given. */
static void add_product(balance *s, double complex factor, probe_matrix a, probe_matrix b,
                        int64_t inner)
{
    double first = 0, second = 0;
    probe_vectors y = probe_zeros(inner);
    s->size = inner > s->size ? inner : s->size;
    if (!y)
        s->status = TWILL_ERR_MEMORY;
    if (s->status == TWILL_OK)
        s->status = probe_multiply(1.0, b, s->x, y);
    if (s->status == TWILL_OK)
        s->status = probe_multiply(factor, a, y, s->r);
    if (s->status == TWILL_OK)
        s->status = probe_norm(a, &first);
    if (s->status == TWILL_OK)
        s->status = probe_norm(b, &second);
    s->scale += cabs(factor) * first * second;
    free(y);
}

static twill_status end(balance *s, double *ratio)
{
    if (s->status == TWILL_OK) {
        double size = s->size > 0 ? (double)s->size : 1.0;
        double scale = s->scale * size * probe_eps(s->type) * probe_size(s->x, s->cols);
        *ratio = probe_ratio(probe_size(s->r, s->rows), scale);
    }
    free(s->x);
    free(s->r);
    return s->status;
}

/* ---- matrices as probes read them ---------------------------------------------------------- */

static probe_matrix general(twill_array *a, twill_trans trans)
{
    return (probe_matrix){.array = a, .trans = trans};
}

static probe_matrix plain(twill_array *a)
{
    return general(a, TWILL_NO_TRANS);
}

static probe_matrix mirrored(const work *w, twill_array *a, bool hermitian)
{
    return (probe_matrix){.array = a,
                          .shape = hermitian ? PROBE_HERMITIAN : PROBE_SYMMETRIC,
                          .uplo = problem_uplo(w->p),
                          .trans = TWILL_NO_TRANS};
}

static probe_matrix triangle(const work *w)
{
    return (probe_matrix){.array = w->x[0].array,
                          .shape = problem_diag(w->p) == TWILL_UNIT ? PROBE_UNIT_TRIANGLE
                                                                    : PROBE_TRIANGLE,
                          .uplo = problem_uplo(w->p),
                          .trans = problem_trans(w->p->trans)};
}

/* ---- the equations ------------------------------------------------------------------------- */

twill_status level3_gemm_residual(work *w, double *ratio)
{
    const problem *p = w->p;
    balance s = begin(w, p->m, p->n);
    add_product(&s, number(level3_alpha(p, false)),
                general(w->x[0].array, problem_trans(p->transa)),
                general(w->x[1].array, problem_trans(p->transb)), p->k);
    add(&s, number(level3_beta()), plain(w->before[2].array));
    add(&s, -1.0, plain(w->x[2].array));
    return end(&s, ratio);
}

static twill_status symmetric_residual(const work *w, bool hermitian, double *ratio)
{
    const problem *p = w->p;
    bool left = problem_side(p) == TWILL_LEFT;
    balance s = begin(w, p->m, p->n);
    probe_matrix a = mirrored(w, w->x[0].array, hermitian), b = plain(w->x[1].array);
    add_product(&s, number(level3_alpha(p, false)), left ? a : b, left ? b : a, left ? p->m : p->n);
    add(&s, number(level3_beta()), plain(w->before[2].array));
    add(&s, -1.0, plain(w->x[2].array));
    return end(&s, ratio);
}

twill_status level3_symm_residual(work *w, double *ratio)
{
    return symmetric_residual(w, false, ratio);
}

twill_status level3_hemm_residual(work *w, double *ratio)
{
    return symmetric_residual(w, true, ratio);
}

/* The update by A and B, which are the same matrix when there is only one. */
static twill_status rank_residual(const work *w, bool hermitian, bool two, double *ratio)
{
    const problem *p = w->p;
    twill_array *a = w->x[0].array, *b = two ? w->x[1].array : a;
    twill_trans trans = problem_trans(p->trans);
    twill_trans other = trans != TWILL_NO_TRANS ? TWILL_NO_TRANS
                        : hermitian             ? TWILL_CONJ_TRANS
                                                : TWILL_TRANS;
    int result = two ? 2 : 1;
    double complex alpha = number(level3_alpha(p, hermitian && !two));
    balance s = begin(w, p->n, p->n);
    add_product(&s, alpha, general(a, trans), general(b, other), p->k);
    if (two)
        add_product(&s, hermitian ? conj(alpha) : alpha, general(b, trans), general(a, other),
                    p->k);
    add(&s, number(level3_beta()), mirrored(w, w->before[result].array, hermitian));
    add(&s, -1.0, mirrored(w, w->x[result].array, hermitian));
    return end(&s, ratio);
}

twill_status level3_syrk_residual(work *w, double *ratio)
{
    return rank_residual(w, false, false, ratio);
}

twill_status level3_herk_residual(work *w, double *ratio)
{
    return rank_residual(w, true, false, ratio);
}

twill_status level3_syr2k_residual(work *w, double *ratio)
{
    return rank_residual(w, false, true, ratio);
}

twill_status level3_her2k_residual(work *w, double *ratio)
{
    return rank_residual(w, true, true, ratio);
}

/* factor op(A) Y, or factor Y op(A). */
static void add_triangular(balance *s, const work *w, double complex factor, probe_matrix y)
{
    bool left = problem_side(w->p) == TWILL_LEFT;
    probe_matrix a = triangle(w);
    add_product(s, factor, left ? a : y, left ? y : a, left ? w->p->m : w->p->n);
}

twill_status level3_trmm_residual(work *w, double *ratio)
{
    balance s = begin(w, w->p->m, w->p->n);
    add_triangular(&s, w, number(level3_alpha(w->p, false)), plain(w->before[1].array));
    add(&s, -1.0, plain(w->x[1].array));
    return end(&s, ratio);
}

twill_status level3_trsm_residual(work *w, double *ratio)
{
    balance s = begin(w, w->p->m, w->p->n);
    add(&s, number(level3_alpha(w->p, false)), plain(w->before[1].array));
    s.scale = 0; /* LAPACK compares with A and X alone */
    add_triangular(&s, w, -1.0, plain(w->x[1].array));
    return end(&s, ratio);
}
