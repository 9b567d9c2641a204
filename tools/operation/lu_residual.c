/* Residuals of LU: both sides of the equation are multiplied with a few vectors. */
#include "operation/lu.h"
#include "operation/solution.h"

#include <stdlib.h>

static int64_t greater(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static int64_t lesser(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static probe_matrix plain(twill_array *a)
{
    return (probe_matrix){.array = a, .trans = TWILL_NO_TRANS};
}

/* A residual of so many rows, relative to the norms of matrices and of the vectors x. */
static double ratio_of(const work *w, const double complex *r, int64_t rows, double norms,
                       const double complex *x, int64_t cols)
{
    double size = (double)greater(1, greater(rows, cols));
    double scale = norms * size * probe_eps(w->p->element) * probe_size(x, cols);
    return probe_ratio(probe_size(r, rows), scale);
}

/* ---- P L U = A ----------------------------------------------------------------------------- */

static void exchange(double complex *x, double complex *y)
{
    double complex z = *x;
    *x = *y;
    *y = z;
}

/* y := P y: the interchanges in reverse. */
static twill_status permute(const work *w, double complex *y)
{
    double *ipiv;
    twill_status status = pivots_read(lu_pivots(w), &ipiv);
    if (status != TWILL_OK)
        return status;
    for (int64_t i = lesser(w->p->m, w->p->n) - 1; i >= 0; i--)
        for (int64_t v = 0; v < PROBES; v++)
            exchange(&y[i + v * w->p->m], &y[(int64_t)ipiv[i] - 1 + v * w->p->m]);
    free(ipiv);
    return TWILL_OK;
}

/* y := -P L (U x). */
static twill_status multiply_factors(const work *w, const double complex *x, double complex *ux,
                                     double complex *y)
{
    int64_t least = lesser(w->p->m, w->p->n);
    probe_matrix u = {.array = w->x[0].array,
                      .shape = PROBE_TRIANGLE,
                      .uplo = TWILL_UPPER,
                      .trans = TWILL_NO_TRANS,
                      .rows = least};
    probe_matrix l = {.array = w->x[0].array,
                      .shape = PROBE_UNIT_TRIANGLE,
                      .uplo = TWILL_LOWER,
                      .trans = TWILL_NO_TRANS,
                      .cols = least};
    twill_status status = least ? probe_multiply(1.0, u, x, ux) : TWILL_OK;
    if (status == TWILL_OK && least)
        status = probe_multiply(-1.0, l, ux, y);
    return status == TWILL_OK ? permute(w, y) : status;
}

twill_status lu_factor_residual(work *w, double *ratio)
{
    int64_t m = w->p->m, n = w->p->n;
    probe_vectors x = probe_random(n, 1), ux = probe_zeros(lesser(m, n)), r = probe_zeros(m);
    double norm = 0;
    twill_status status = x && ux && r ? TWILL_OK : TWILL_ERR_MEMORY;
    if (status == TWILL_OK)
        status = multiply_factors(w, x, ux, r);
    if (status == TWILL_OK)
        status = probe_multiply(1.0, plain(w->before[0].array), x, r);
    if (status == TWILL_OK)
        status = probe_norm(plain(w->before[0].array), &norm);
    if (status == TWILL_OK)
        *ratio = ratio_of(w, r, m, norm, x, n);
    free(x);
    free(ux);
    free(r);
    return status;
}

/* ---- A X = B ------------------------------------------------------------------------------- */

twill_status lu_solve_residual(work *w, double *ratio)
{
    probe_matrix a = {.array = w->before[0].array, .trans = problem_trans(w->p->trans)};
    return solution_compare(w, a, plain(w->x[1].array), w->before[1].array, w->p->nrhs, ratio);
}

twill_status lu_inverse_residual(work *w, double *ratio)
{
    return solution_compare(w, plain(w->before[0].array), plain(w->x[0].array), NULL, w->p->n,
                            ratio);
}
