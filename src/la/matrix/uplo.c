/* Parts of matrices, and tasks on the tiles that have some of them. */
#include "la/matrix/uplo.h"

#include "data/array.h"

twill_status tw_uplo_resolve(const char *who, int number, const twill_array *a, twill_uplo *uplo)
{
    twill_uplo stored = twill_array_uplo(a);
    if (*uplo != TWILL_GENERAL && *uplo != TWILL_LOWER && *uplo != TWILL_UPPER)
        return tw_la_bad(NULL, who, number,
                         "is no part of a matrix: TWILL_GENERAL, TWILL_LOWER and TWILL_UPPER are");
    if (*uplo != TWILL_GENERAL && stored != TWILL_GENERAL && *uplo != stored)
        return tw_la_bad(NULL, who, number,
                         "asks for the %s triangle, and the matrix stores only the other one",
                         *uplo == TWILL_LOWER ? "lower" : "upper");
    if (*uplo == TWILL_GENERAL)
        *uplo = stored;
    return TWILL_OK;
}

twill_status tw_la_check_whole(const char *who, twill_array *a)
{
    twill_status status = tw_la_check(who, a);
    if (status == TWILL_OK && twill_array_uplo(a) != TWILL_GENERAL)
        status = tw_fail(TWILL_ERR_ARGUMENT,
                         "%s: a matrix that stores only a triangle will not do here", who);
    return status;
}

twill_status tw_la_check_disjoint(const char *who, const twill_array *a, const twill_array *b)
{
    return tw_array_overlaps(a, b) ? tw_fail(TWILL_ERR_ARGUMENT, "%s: the matrices overlap", who)
                                   : TWILL_OK;
}

twill_status tw_la_check_order(const char *who, twill_array *a)
{
    twill_status status = tw_la_check(who, a);
    if (status != TWILL_OK)
        return status;
    const twill_pattern *p = twill_array_pattern(a);
    if (p->extent[0] != p->extent[1])
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the matrix is %lld by %lld and must be square", who,
                       (long long)p->extent[0], (long long)p->extent[1]);
    return TWILL_OK;
}

twill_status tw_la_check_scalar(const char *who, int number, const twill_array *a, twill_scalar x)
{
    if (x.im == 0.0 || tw_la_complex(twill_array_type(a)))
        return TWILL_OK;
    return tw_la_bad(NULL, who, number, "has an imaginary part, and the matrix is real");
}

twill_arg_kind tw_uplo_overwrites(const twill_array *a, twill_uplo uplo, int64_t i0, int64_t rows,
                                  int64_t j0, int64_t cols)
{
    /* outside the triangle that a matrix stores there is nothing to keep */
    bool all = twill_array_uplo(a) == uplo || tw_uplo_covers(uplo, i0, rows, j0, cols);
    return all ? TWILL_ARG_WRITE : TWILL_ARG_READ_WRITE;
}

twill_status tw_uplo_each_tile(twill_graph *g, const twill_class *cls, twill_array *a,
                               twill_uplo uplo, twill_access access, twill_arg argument)
{
    const twill_pattern *p = twill_array_pattern(a);
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < tw_la_nt(a); j++)
        for (int64_t i = 0; i < tw_la_mt(a) && status == TWILL_OK; i++) {
            int64_t i0 = i * p->block[0], rows = twill_pattern_block_extent(p, 0, i);
            int64_t j0 = j * p->block[1], cols = twill_pattern_block_extent(p, 1, j);
            if (!tw_uplo_meets(uplo, i0, rows, j0, cols))
                continue;
            twill_arg_kind kind = access == TWILL_READ ? TWILL_ARG_READ
                                  : access == TWILL_READ_WRITE
                                      ? TWILL_ARG_READ_WRITE
                                      : tw_uplo_overwrites(a, uplo, i0, rows, j0, cols);
            status = twill_insert(g, cls, twill_arg_tile(kind, twill_tile_at(a, i, j)), argument,
                                  TWILL_INT(i0), TWILL_INT(j0));
        }
    return status;
}
