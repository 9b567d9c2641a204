/* Vectors from and into columns of matrices, tile by tile: each rank moves what it owns. */
#include "la/matrix/vector.h"

#include "la/kernel/element.h"
#include "la/matrix/total.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The elements of the column in tile (i, j). */
static twill_view part_of(twill_array *a, int64_t i, int64_t column)
{
    const twill_pattern *p = twill_array_pattern(a);
    return twill_view_sub(twill_view_all(a), i * p->block[0], column,
                          twill_pattern_block_extent(p, 0, i), 1);
}

static twill_status move(twill_view v, double complex *x, bool in)
{
    twill_type type = twill_array_type(v.array);
    void *data;
    int64_t ld;
    twill_status status = twill_map(v, in ? TWILL_WRITE : TWILL_READ, &data, &ld);
    if (status != TWILL_OK)
        return status;
    for (int64_t i = 0; i < v.extent[0]; i++)
        if (in)
            tw_element_store(type, data, i, x[i]);
        else
            x[i] = tw_element_load(type, data, i);
    return twill_unmap(v, data);
}

static twill_status move_own(twill_array *a, int64_t column, double complex *x, bool in)
{
    const twill_pattern *p = twill_array_pattern(a);
    int rank = twill_rank(twill_array_context(a));
    twill_status status = TWILL_OK;
    for (int64_t i = 0; i < tw_la_mt(a) && status == TWILL_OK; i++)
        if (twill_owner_at(a, i, column / p->block[1]) == rank)
            status = move(part_of(a, i, column), x + i * p->block[0], in);
    return status;
}

twill_status tw_vector_put(twill_array *a, int64_t j, const double complex *x)
{
    uint64_t nothing = 0; /* but all ranks must have succeeded */
    twill_status status = move_own(a, j, (double complex *)(uintptr_t)x, true);
    return tw_total_of(twill_array_context(a), status, &nothing, 1);
}

twill_status tw_vector_get(twill_array *a, int64_t j, double complex *x)
{
    int64_t n = twill_array_pattern(a)->extent[0];
    memset(x, 0, (size_t)n * sizeof *x);
    twill_status status = move_own(a, j, x, false);
    return tw_total_of(twill_array_context(a), status, (uint64_t *)x, 2 * n);
}

/* ---- largest elements of columns --------------------------------------------------------- */

/* A larger number, or NaN, takes the place. */
static void keep_larger(double *most, double x)
{
    if (!(x <= *most) && !isnan(*most))
        *most = x;
}

/* Of a tile of this rank, by LAPACK's measure. */
static twill_status tile_largest(twill_view v, double *most)
{
    twill_type type = twill_array_type(v.array);
    void *data;
    int64_t ld;
    twill_status status = twill_map(v, TWILL_READ, &data, &ld);
    if (status != TWILL_OK)
        return status;
    for (int64_t j = 0; j < v.extent[1]; j++)
        for (int64_t i = 0; i < v.extent[0]; i++) {
            double complex e = tw_element_load(type, data, i + j * ld);
            keep_larger(&most[v.start[1] + j], fabs(creal(e)) + fabs(cimag(e)));
        }
    return twill_unmap(v, data);
}

static twill_status own_largest(twill_array *a, double *most)
{
    int rank = twill_rank(twill_array_context(a));
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < tw_la_nt(a); j++)
        for (int64_t i = 0; i < tw_la_mt(a) && status == TWILL_OK; i++)
            if (twill_owner_at(a, i, j) == rank)
                status = tile_largest(twill_view_tile(a, i, j), most);
    return status;
}

twill_status tw_columns_largest(twill_status status, twill_array *a, double *most)
{
    twill *tw = twill_array_context(a);
    int64_t n = twill_array_pattern(a)->extent[1], ranks = twill_ranks(tw), rank = twill_rank(tw);
    double *all = calloc((size_t)(n * ranks + 1), sizeof *all);
    if (status == TWILL_OK && !all)
        status = tw_fail(TWILL_ERR_MEMORY, "no memory for columns");
    if (status == TWILL_OK)
        status = own_largest(a, all + rank * n);
    status = tw_total_of(tw, status, (uint64_t *)all, n * ranks);
    for (int64_t k = 0; k < n * ranks && status == TWILL_OK; k++)
        keep_larger(&most[k % n], all[k]);
    free(all);
    return status;
}
