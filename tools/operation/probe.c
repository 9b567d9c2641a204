/* Products with a few vectors, tile by tile. */
#include "operation/probe.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

probe_vectors probe_zeros(int64_t length)
{
    return calloc((size_t)(length > 0 ? length : 1) * PROBES, sizeof(double complex));
}

probe_vectors probe_random(int64_t length, uint64_t seed)
{
    probe_vectors x = probe_zeros(length);
    for (int64_t i = 0; x && i < length * PROBES; i++) {
        /* the generator of Knuth's MMIX; its high bits are good enough for a check */
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double re = (double)(seed >> 11) * 0x1p-53 - 0.5;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = re + ((double)(seed >> 11) * 0x1p-53 - 0.5) * I;
    }
    return x;
}

static double complex load(const void *data, twill_type type, int64_t at)
{
    switch (type) {
    case TWILL_FLOAT32:
        return ((const float *)data)[at];
    case TWILL_COMPLEX64:
        return ((const float complex *)data)[at];
    case TWILL_COMPLEX128:
        return ((const double complex *)data)[at];
    default:
        return ((const double *)data)[at];
    }
}

/* What happens to each entry of the matrix as it is read. */
typedef struct walk {
    probe_matrix a;
    int64_t rows, cols; /* before op */
    void (*visit)(struct walk *w, int64_t i, int64_t j, double complex x);
    double complex alpha;
    const double complex *x;
    double complex *y;
    double *sums; /* of columns of op(A) */
} walk;

/* Entry (i, j) of the array, i and j counted in the whole. */
static void visit_stored(walk *w, int64_t i, int64_t j, double complex x)
{
    const probe_matrix *a = &w->a;
    if (a->shape == PROBE_GENERAL) {
        w->visit(w, i, j, x);
        return;
    }
    bool diagonal = i == j;
    if (a->shape == PROBE_DIAGONAL ? !diagonal : a->uplo == TWILL_LOWER ? i < j : i > j)
        return;
    if (diagonal && a->shape == PROBE_UNIT_TRIANGLE)
        x = 1.0;
    if (diagonal && a->shape == PROBE_HERMITIAN)
        x = creal(x);
    w->visit(w, i, j, x);
    if (!diagonal && a->shape == PROBE_SYMMETRIC)
        w->visit(w, j, i, x);
    if (!diagonal && a->shape == PROBE_HERMITIAN)
        w->visit(w, j, i, conj(x));
}

/* Does the part that is read have entries in these rows and columns? */
static bool touches(const walk *w, int64_t i, int64_t j, int64_t rows, int64_t cols)
{
    if (i >= w->rows || j >= w->cols)
        return false;
    if (w->a.shape == PROBE_GENERAL)
        return true;
    if (w->a.shape == PROBE_DIAGONAL)
        return i < j + cols && j < i + rows;
    return w->a.uplo == TWILL_LOWER ? i + rows > j : i < j + cols;
}

static twill_status walk_tile(walk *w, int64_t bi, int64_t bj)
{
    twill_view v = twill_view_tile(w->a.array, bi, bj);
    twill_type type = twill_array_type(w->a.array);
    void *data;
    int64_t ld;
    if (!touches(w, v.start[0], v.start[1], v.extent[0], v.extent[1]))
        return TWILL_OK;
    twill_status status = twill_map(v, TWILL_READ, &data, &ld);
    if (status != TWILL_OK)
        return status;
    for (int64_t j = 0; j < v.extent[1] && v.start[1] + j < w->cols; j++)
        for (int64_t i = 0; i < v.extent[0] && v.start[0] + i < w->rows; i++)
            visit_stored(w, v.start[0] + i, v.start[1] + j, load(data, type, i + j * ld));
    return twill_unmap(v, data);
}

/* Each rank walks through its own tiles. */
static twill_status walk_all(walk *w)
{
    const twill_pattern *p = twill_array_pattern(w->a.array);
    int rank = twill_rank(twill_array_context(w->a.array));
    twill_status status = TWILL_OK;
    w->rows = w->a.rows ? w->a.rows : p->extent[0];
    w->cols = w->a.cols ? w->a.cols : p->extent[1];
    for (int64_t j = 0; j < twill_pattern_blocks(p, 1); j++)
        for (int64_t i = 0; i < twill_pattern_blocks(p, 0) && status == TWILL_OK; i++)
            if (twill_owner_at(w->a.array, i, j) == rank)
                status = walk_tile(w, i, j);
    return status;
}

static void add_product(walk *w, int64_t i, int64_t j, double complex x)
{
    bool flipped = w->a.trans != TWILL_NO_TRANS;
    int64_t row = flipped ? j : i, column = flipped ? i : j;
    int64_t high = flipped ? w->cols : w->rows, wide = flipped ? w->rows : w->cols;
    double complex factor = w->alpha * (w->a.trans == TWILL_CONJ_TRANS ? conj(x) : x);
    for (int v = 0; v < PROBES; v++)
        w->y[row + v * high] += factor * w->x[column + v * wide];
}

twill_status probe_multiply(double complex alpha, probe_matrix a, const double complex *x,
                            double complex *y)
{
    const twill_pattern *p = twill_array_pattern(a.array);
    bool flipped = a.trans != TWILL_NO_TRANS;
    int64_t given = flipped ? a.cols : a.rows, high = given ? given : p->extent[flipped];
    walk w = {.a = a, .visit = add_product, .alpha = alpha, .x = x, .y = probe_zeros(high)};
    twill_status status = w.y ? walk_all(&w) : TWILL_ERR_MEMORY;
    if (status == TWILL_OK)
        status = twill_sum(twill_array_context(a.array), (double *)w.y, 2 * high * PROBES);
    for (int64_t i = 0; status == TWILL_OK && i < high * PROBES; i++)
        y[i] += w.y[i];
    free(w.y);
    return status;
}

static void add_magnitude(walk *w, int64_t i, int64_t j, double complex x)
{
    w->sums[w->a.trans == TWILL_NO_TRANS ? j : i] += cabs(x);
}

twill_status probe_norm(probe_matrix a, double *norm)
{
    const twill_pattern *p = twill_array_pattern(a.array);
    int64_t most = p->extent[0] > p->extent[1] ? p->extent[0] : p->extent[1];
    walk w = {.a = a, .visit = add_magnitude, .sums = calloc((size_t)most + 1, sizeof(double))};
    twill_status status = w.sums ? walk_all(&w) : TWILL_ERR_MEMORY;
    if (status == TWILL_OK)
        status = twill_sum(twill_array_context(a.array), w.sums, most);
    *norm = 0.0;
    for (int64_t i = 0; status == TWILL_OK && i < most; i++)
        if (!isnan(*norm) && !(w.sums[i] <= *norm))
            *norm = w.sums[i];
    free(w.sums);
    return status;
}

double probe_size(const double complex *x, int64_t length)
{
    double most = 0.0;
    for (int v = 0; v < PROBES; v++) {
        double sum = 0.0;
        for (int64_t i = 0; i < length; i++)
            sum += cabs(x[i + v * length]);
        if (!isnan(most) && !(sum <= most))
            most = sum;
    }
    return most;
}

double probe_eps(twill_type type)
{
    return type == TWILL_FLOAT32 || type == TWILL_COMPLEX64 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
}

double probe_ratio(double residual, double scale)
{
    return residual == 0.0 ? 0.0 : residual / scale;
}
