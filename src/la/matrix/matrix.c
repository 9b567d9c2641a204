/* Making matrices: with a tile size chosen for them, triangles of them, and parts of others. */
#include "engine/engine.h"
#include "engine/report/trace.h"
#include "la/choose.h"
#include "la/la.h"
#include "la/matrix/total.h"

/* Over all ranks; with nb 0 in tiles of a size that rank 0 chooses, since ranks may run on unlike
 * machines. */
static twill_status deal(twill *tw, twill_type type, int64_t m, int64_t n, int64_t nb,
                         twill_pattern *p)
{
    twill_ptg_grid grid = twill_ptg_grid_of(tw);
    uint64_t chosen = nb > 0 || twill_rank(tw) > 0 ? 0 : (uint64_t)tw_choose_tile(tw, type, m, n);
    twill_status status = nb > 0 ? TWILL_OK : tw_total(tw, &chosen, 1);
    nb = nb > 0 ? nb : (int64_t)chosen;
    *p = twill_block_cyclic(m, n, nb, nb, grid.rows, grid.cols);
    return status;
}

twill_status twill_matrix_create(twill *tw, twill_type type, int64_t m, int64_t n, twill_array **a)
{
    twill_pattern p;
    if (!tw || !a)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_matrix_create: an argument is NULL");
    twill_status status = deal(tw, type, m, n, 0, &p);
    if (status == TWILL_OK)
        status = twill_array_create(tw, &p, type, 0, a);
    if (status == TWILL_OK)
        (*a)->tiles_chosen = true;
    return status;
}

twill_status twill_matrix_wrap(twill *tw, twill_type type, int64_t m, int64_t n, void *data,
                               int64_t ld, twill_array **a)
{
    twill_pattern p;
    if (!tw || !a)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_matrix_wrap: an argument is NULL");
    twill_status status = deal(tw, type, m, n, 0, &p);
    if (status == TWILL_OK)
        status = twill_array_wrap(tw, &p, type, 0, data, ld, a);
    if (status == TWILL_OK)
        (*a)->tiles_chosen = true;
    return status;
}

static twill_status create_triangle(twill *tw, twill_type type, const twill_pattern *p,
                                    twill_uplo uplo, twill_array **a)
{
    tw_region stored = uplo == TWILL_LOWER ? TW_LOWER_PART : TW_UPPER_PART;
    twill_status status = tw_array_create_triangle(&tw->data, tw, p, type, stored, a);
    tw_emit_memory(tw);
    return status;
}

twill_status twill_matrix_create_triangle(twill *tw, twill_type type, int64_t n, int64_t nb,
                                          twill_uplo uplo, twill_array **a)
{
    const char *who = "matrix_create_triangle";
    if (!tw || !a)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: an argument is NULL", who);
    if (nb < 0)
        return tw_la_bad(NULL, who, 4, "(nb) is %lld", (long long)nb);
    if (uplo != TWILL_LOWER && uplo != TWILL_UPPER)
        return tw_la_bad(NULL, who, 5, "(uplo) must be TWILL_LOWER or TWILL_UPPER");
    twill_pattern p;
    twill_status status = deal(tw, type, n, n, nb, &p);
    if (status == TWILL_OK)
        status = create_triangle(tw, type, &p, uplo, a);
    if (status == TWILL_OK)
        (*a)->tiles_chosen = nb == 0;
    return status;
}

twill_status tw_la_triangle_like(const twill_array *a, twill_type type, twill_uplo uplo,
                                 twill_array **x)
{
    return create_triangle(a->context, type, &a->pattern, uplo, x);
}

twill_status tw_la_column_like(const twill_array *a, twill_type type, size_t bytes, twill_array **x)
{
    const twill_pattern *p = &a->pattern;
    twill_pattern column = tw_pattern_like(p, p->extent[0], 1, p->block[0], 1);
    return twill_array_create(a->context, &column, type, bytes, x);
}

twill_status twill_matrix_sub(twill_view v, twill_array **sub)
{
    if (!sub)
        return tw_fail(TWILL_ERR_ARGUMENT, "matrix_sub: an argument is NULL");
    return tw_array_sub(&v, sub);
}

twill_uplo twill_array_uplo(const twill_array *a)
{
    return a->stored == TW_LOWER_PART   ? TWILL_LOWER
           : a->stored == TW_UPPER_PART ? TWILL_UPPER
                                        : TWILL_GENERAL;
}
