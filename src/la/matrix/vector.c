/* Vectors from and into columns of matrices, tile by tile: each rank moves what it owns. */
#include "la/matrix/vector.h"

#include "la/kernel/element.h"
#include "la/matrix/total.h"

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
