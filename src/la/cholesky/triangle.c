/* What algorithms on triangles share. */
#include "la/cholesky/triangle.h"

#include "la/fit.h"
#include "la/matrix/uplo.h"

twill_status tw_triangle_check(int64_t *info, const char *who, twill_uplo uplo, twill_array *a)
{
    if (uplo != TWILL_LOWER && uplo != TWILL_UPPER)
        return tw_la_bad(info, who, 1, "(uplo) must be TWILL_LOWER or TWILL_UPPER");
    twill_status status = tw_la_check_blas(who, a);
    return status == TWILL_OK ? tw_uplo_resolve(who, 1, a, &uplo) : status;
}

twill_status tw_triangle_check_rhs(int64_t *info, const char *who, twill_uplo uplo, twill_array *a,
                                   twill_array *b, int ldb)
{
    twill_status status = tw_triangle_check(info, who, uplo, a);
    if (status == TWILL_OK)
        status = tw_la_check_whole(who, b);
    if (status == TWILL_OK)
        status = tw_la_check_disjoint(who, a, b);
    if (status != TWILL_OK)
        return status;
    const twill_pattern *p = twill_array_pattern(a), *q = twill_array_pattern(b);
    if (twill_array_type(a) != twill_array_type(b))
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the matrices differ in type", who);
    if (p->extent[0] != q->extent[0] || !tw_can_fit(a, 0, b, 0))
        return tw_la_bad(info, who, ldb,
                         "(right-hand sides) must have %lld rows in tiles of %lld, not %lld in "
                         "tiles of %lld",
                         (long long)p->extent[0], (long long)p->block[0], (long long)q->extent[0],
                         (long long)q->block[0]);
    return TWILL_OK;
}

twill_tile *tw_triangle_tile(twill_array *a, twill_uplo uplo, int64_t i, int64_t j)
{
    return uplo == TWILL_LOWER ? twill_tile_at(a, i, j) : twill_tile_at(a, j, i);
}

twill_arg tw_triangle_cost(const twill_array *a, int64_t i, int64_t j, int64_t k, double share)
{
    const twill_pattern *p = twill_array_pattern(a);
    double m = (double)twill_pattern_block_extent(p, 0, i);
    double n = (double)twill_pattern_block_extent(p, 0, j);
    double inner = (double)twill_pattern_block_extent(p, 0, k);
    double size = (double)twill_array_element(a);
    return TWILL_COST(tw_la_flops(twill_array_type(a), share * m * n * inner),
                      size * ((m + n) * inner + 2 * m * n));
}

twill_status tw_triangle_run(twill *tw, tw_la_insert *insert, void *arg, int64_t *info)
{
    twill_status status = tw_la_run(tw, insert, arg, info);
    return status == TWILL_ERR_NUMERICAL ? TWILL_OK : status;
}
