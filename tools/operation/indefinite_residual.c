/* The residual of symmetric and Hermitian factorizations, by products with a few vectors. */
#include "operation/indefinite.h"

#include <stdlib.h>

/* ---- P ------------------------------------------------------------------------------------- */

/* Row i was interchanged with row with[i], from 0. Two negative pivots in a row are a block, of
 * which one row took part. */
static void find_partners(const double *ipiv, int64_t n, bool lower, int64_t *with)
{
    for (int64_t i = 0; i < n; i++)
        with[i] = i;
    for (int64_t i = 0; i < n; i++) {
        bool block = ipiv[i] < 0;
        int64_t row = i + (block && lower);
        with[row] = (int64_t)(block ? -ipiv[row] : ipiv[row]) - 1;
        i += block;
    }
}

/* Interchange rows of vectors from the first one on, or from the last one. */
static void interchange(const int64_t *with, int64_t n, bool ascending, double complex *x)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t i = ascending ? k : n - 1 - k;
        for (int v = 0; v < PROBES; v++) {
            double complex kept = x[i + v * n];
            x[i + v * n] = x[with[i] + v * n];
            x[with[i] + v * n] = kept;
        }
    }
}

/* ---- D ------------------------------------------------------------------------------------- */

/* y := y + E x, E being what D has beside its diagonal. */
static void multiply_beside(const work *w, const double complex *e, const double complex *x,
                            double complex *y)
{
    int64_t n = w->p->n;
    bool lower = problem_uplo(w->p) == TWILL_LOWER;
    for (int64_t c = lower ? 0 : 1; c < (lower ? n - 1 : n); c++) {
        int64_t r = lower ? c + 1 : c - 1; /* e[c] is D(r, c) */
        double complex mirrored = indefinite_is_hermitian(w) ? conj(e[c]) : e[c];
        for (int v = 0; v < PROBES; v++) {
            y[r + v * n] += e[c] * x[c + v * n];
            y[c + v * n] += mirrored * x[r + v * n];
        }
    }
}

/* y := D x, y being zeros before. */
static twill_status multiply_blocks(const work *w, const double complex *x, double complex *y)
{
    const factor *f = w->own;
    const double complex ones[PROBES] = {1.0, 1.0, 1.0, 1.0};
    probe_vectors e = probe_zeros(w->p->n);
    twill_status status = e ? TWILL_OK : TWILL_ERR_MEMORY;
    if (status == TWILL_OK)
        status = probe_multiply(1.0, solution_read(w, f->e, PROBE_GENERAL), ones, e);
    if (status == TWILL_OK)
        status = probe_multiply(1.0, solution_read(w, w->x[0].array, PROBE_DIAGONAL), x, y);
    if (status == TWILL_OK)
        multiply_beside(w, e, x, y);
    free(e);
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* r := r - P L D L^T P^T x; x is used up, y and z are zeros. */
static twill_status subtract(const work *w, const int64_t *with, double complex *x,
                             double complex *y, double complex *z, double complex *r)
{
    int64_t n = w->p->n;
    bool lower = problem_uplo(w->p) == TWILL_LOWER;
    probe_matrix l = solution_read(w, w->x[0].array, PROBE_UNIT_TRIANGLE), back = l;
    back.trans = indefinite_is_hermitian(w) ? TWILL_CONJ_TRANS : TWILL_TRANS;
    interchange(with, n, lower, x);
    twill_status status = probe_multiply(1.0, back, x, y);
    if (status == TWILL_OK)
        status = multiply_blocks(w, y, z);
    for (int64_t i = 0; i < n * PROBES; i++)
        x[i] = 0.0;
    if (status == TWILL_OK)
        status = probe_multiply(1.0, l, z, x);
    interchange(with, n, !lower, x);
    for (int64_t i = 0; i < n * PROBES; i++)
        r[i] -= x[i];
    return status;
}

static twill_status compare(const work *w, const int64_t *with, double complex *x,
                            double complex *y, double complex *z, double complex *r, double *ratio)
{
    int64_t n = w->p->n;
    probe_shape shape = indefinite_is_hermitian(w) ? PROBE_HERMITIAN : PROBE_SYMMETRIC;
    probe_matrix a = solution_read(w, w->before[0].array, shape);
    double size = probe_size(x, n), norm = 0;
    twill_status status = probe_multiply(1.0, a, x, r);
    if (status == TWILL_OK)
        status = subtract(w, with, x, y, z, r);
    if (status == TWILL_OK)
        status = probe_norm(a, &norm);
    *ratio = probe_ratio(probe_size(r, n), (double)n * norm * probe_eps(w->p->element) * size);
    return status;
}

twill_status indefinite_factor_residual(work *w, double *ratio)
{
    const factor *f = w->own;
    int64_t n = w->p->n, *with = calloc((size_t)n + 1, sizeof *with);
    probe_vectors x = probe_random(n, 1), y = probe_zeros(n), z = probe_zeros(n),
                  r = probe_zeros(n);
    double *ipiv = NULL;
    twill_status status = with && x && y && z && r ? TWILL_OK : TWILL_ERR_MEMORY;
    if (status == TWILL_OK)
        status = pivots_read(f->ipiv, &ipiv);
    if (status == TWILL_OK) {
        find_partners(ipiv, n, problem_uplo(w->p) == TWILL_LOWER, with);
        status = compare(w, with, x, y, z, r, ratio);
    }
    free(with);
    free(x);
    free(y);
    free(z);
    free(r);
    free(ipiv);
    return status;
}
