/* A tile's part in a norm: its largest magnitude, its sums, or its sum of squares. */
#include "la/kernel/norm_tile.h"

#include "la/kernel/numbers.h"

#include <math.h>

/* ---- sums of squares --------------------------------------------------------------------- */

/* Squares of numbers between these limits do not overflow, nor do sums of 2^50 of them, and they
 * lose no digits. */
static const double too_small = 0x1p-511, too_large = 0x1p486;
static const double enlarge = 0x1p537, reduce = 0x1p-538;

static void add_squares(tw_squares *s, const double *x, int64_t n, double weight)
{
    for (int64_t i = 0; i < n; i++) {
        if (x[i] > too_large)
            s->large += weight * (x[i] * reduce) * (x[i] * reduce);
        else if (x[i] < too_small)
            s->small += weight * (x[i] * enlarge) * (x[i] * enlarge);
        else /* NaN comes here */
            s->usual += weight * x[i] * x[i];
    }
}

double tw_squares_root(tw_squares s)
{
    bool usual = s.usual > 0.0 || isnan(s.usual);
    if (s.large > 0.0)
        return sqrt(s.large + (usual ? s.usual * reduce * reduce : 0.0)) / reduce;
    if (s.small == 0.0 || isnan(s.usual))
        return sqrt(s.usual);
    return hypot(sqrt(s.usual), sqrt(s.small) / enlarge);
}

/* ---- a column ---------------------------------------------------------------------------- */

/* In a fixed order that processors like. */
static double sum_of(const double *x, int64_t n)
{
    double uplo[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            uplo[k] += x[i + k];
    for (; i < n; i++)
        uplo[0] += x[i];
    return (uplo[0] + uplo[1]) + (uplo[2] + uplo[3]);
}

static double largest_of(const double *x, int64_t n)
{
    double largest = 0.0;
    for (int64_t i = 0; i < n; i++)
        largest = tw_larger(x[i], largest);
    return largest;
}

/* Where a tile's contributions go. */
typedef struct share {
    double *largest;
    tw_squares *squares;
    double *columns, *rows; /* of the tile's first column and row */
} share;

static void add_run(const tw_norm *norm, const share *to, const double *x, int64_t i, int64_t j,
                    int64_t n, bool twice)
{
    switch (norm->kind) {
    case TWILL_NORM_MAX:
        *to->largest = tw_larger(largest_of(x, n), *to->largest);
        break;
    case TWILL_NORM_FRO:
        add_squares(to->squares, x, n, twice ? 2.0 : 1.0);
        break;
    default:
        if (norm->columns)
            to->columns[j] += sum_of(x, n);
        for (int64_t k = 0; k < n && norm->rows && (twice || !norm->mirrored); k++)
            to->rows[i + k] += x[k];
        break;
    }
}

typedef struct tile {
    const void *data;
    twill_type type;
    int64_t ld;
} tile;

/* Elements [i, end) of column j, none of them on the diagonal. */
static void take_rows(const tw_norm *norm, const share *to, const tile *a, int64_t i, int64_t end,
                      int64_t j)
{
    double x[TW_NUMBERS];
    for (; i < end; i += TW_NUMBERS) {
        int64_t n = end - i < TW_NUMBERS ? end - i : TW_NUMBERS;
        tw_magnitudes(x, a->data, a->type, i + j * a->ld, n);
        add_run(norm, to, x, i, j, n, norm->mirrored);
    }
}

static void take_diagonal(const tw_norm *norm, const share *to, const tile *a, int64_t i, int64_t j)
{
    double x[2] = {1.0, 0.0};
    if (!norm->unit && norm->real_only)
        tw_numbers_load(x, a->data, a->type, i + j * a->ld, 1, 1);
    else if (!norm->unit)
        tw_magnitudes(x, a->data, a->type, i + j * a->ld, 1);
    x[0] = fabs(x[0]);
    add_run(norm, to, x, i, j, 1, false);
}

void tw_norm_tile(const tw_norm *norm, twill_type type, const twill_flow *f, int64_t i0, int64_t j0)
{
    tile a = {f->data, type, f->ld};
    int64_t ti = i0 / norm->mb, tj = j0 / norm->nb, number = ti + tj * norm->mt;
    share to = {norm->largest ? norm->largest + number : NULL,
                norm->squares ? norm->squares + number : NULL,
                norm->columns ? norm->columns + ti * norm->n + j0 : NULL,
                norm->rows ? norm->rows + tj * norm->m + i0 : NULL};
    for (int64_t j = 0; j < f->cols; j++) {
        tw_span span = tw_uplo_rows(norm->uplo, i0, f->rows, j0 + j);
        int64_t diagonal = tw_clamp(j0 + j - i0, span.first, span.end);
        take_rows(norm, &to, &a, span.first, diagonal, j);
        if (diagonal == j0 + j - i0 && diagonal < span.end)
            take_diagonal(norm, &to, &a, diagonal++, j);
        take_rows(norm, &to, &a, diagonal, span.end, j);
    }
}

twill_outcome tw_norm_body(twill_task *t)
{
    const tw_norm *norm = *(const tw_norm *const *)twill_task_data(t, 1);
    twill_flow tile = tw_la_tile(t, 0);
    tw_norm_tile(norm, twill_array_type(twill_task_array(t, 0)), &tile, twill_task_int(t, 2),
                 twill_task_int(t, 3));
    return TWILL_DONE;
}
