/* Tiles and costs of the tasks of Cholesky. */
#include "la/cholesky/potrf_about.h"

#include "la/la.h"

/* Rows of the tiles in row i of the matrix, which are the columns of those in column i. */
static double extent(const twill_array *a, int64_t i)
{
    return (double)twill_pattern_block_extent(twill_array_pattern(a), 0, i);
}

static double flops(const twill_array *a, double pairs)
{
    return tw_la_flops(twill_array_type(a), pairs);
}

double tw_flops_potrf(const twill_array *a, int64_t k)
{
    double n = extent(a, k);
    return flops(a, n * n * n / 6);
}

double tw_flops_trsm(const twill_array *a, int64_t m, int64_t k)
{
    double n = extent(a, k);
    return flops(a, n * n * extent(a, m) / 2);
}

double tw_flops_herk(const twill_array *a, int64_t m, int64_t k)
{
    double n = extent(a, m);
    return flops(a, n * (n + 1) * extent(a, k) / 2);
}

double tw_flops_gemm(const twill_array *a, int64_t m, int64_t n, int64_t k)
{
    return flops(a, extent(a, m) * extent(a, n) * extent(a, k));
}

/* ---- inserted tasks ---------------------------------------------------------------------- */

/* Coordinates of a tile in the lower triangle, whichever one is stored. */
static void place(const twill_task *t, int arg, bool lower, int64_t *i, int64_t *j)
{
    if (lower)
        twill_task_tile(t, arg, i, j);
    else
        twill_task_tile(t, arg, j, i);
}

/* Bytes of so many elements. */
static double bytes(const twill_array *a, double elements)
{
    return elements * (double)twill_array_element(a);
}

void tw_about_potrf(const twill_task *t, twill_about *about)
{
    const twill_array *a = twill_task_array(t, 0);
    int64_t *p = about->parameter, same;
    about->parameters = 1;
    twill_task_tile(t, 0, &p[0], &same);
    about->flops = tw_flops_potrf(a, p[0]);
    about->bytes = bytes(a, extent(a, p[0]) * extent(a, p[0]));
}

void tw_about_trsm(const twill_task *t, twill_about *about)
{
    const twill_array *a = twill_task_array(t, 0);
    int64_t *p = about->parameter;
    about->parameters = 2;
    place(t, 1, twill_task_int(t, 2) == TWILL_LOWER, &p[0], &p[1]);
    double m = extent(a, p[0]), k = extent(a, p[1]);
    about->flops = tw_flops_trsm(a, p[0], p[1]);
    about->bytes = bytes(a, k * k / 2 + 2 * m * k);
}

void tw_about_herk(const twill_task *t, twill_about *about)
{
    const twill_array *a = twill_task_array(t, 0);
    int64_t *p = about->parameter;
    about->parameters = 2;
    place(t, 0, twill_task_int(t, 2) == TWILL_LOWER, &p[0], &p[1]);
    double m = extent(a, p[0]), k = extent(a, p[1]);
    about->flops = tw_flops_herk(a, p[0], p[1]);
    about->bytes = bytes(a, m * k + m * m);
}

void tw_about_gemm(const twill_task *t, twill_about *about)
{
    const twill_array *a = twill_task_array(t, 0);
    bool lower = twill_task_int(t, 3) == TWILL_LOWER;
    int64_t *p = about->parameter, row;
    about->parameters = 3;
    place(t, 2, lower, &p[0], &p[1]);
    place(t, 0, lower, &row, &p[2]);
    double m = extent(a, p[0]), n = extent(a, p[1]), k = extent(a, p[2]);
    about->flops = tw_flops_gemm(a, p[0], p[1], p[2]);
    about->bytes = bytes(a, (m + n) * k + 2 * m * n);
}
