/* Matrices with a tile size chosen for them. */
#include "data/array.h"
#include "la/la.h"

/* Large enough for the kernels, small enough that all workers have tiles to work on. */
static int64_t choose_tile(int64_t m, int64_t n, int workers)
{
    int64_t larger = m > n ? m : n;
    int64_t per_side = 10 + 2 * workers;
    int64_t nb = (larger / per_side + 31) / 32 * 32;
    return nb < 128 ? 128 : nb > 384 ? 384 : nb;
}

twill_status twill_matrix_create(twill *tw, twill_type type, int64_t m, int64_t n, twill_array **a)
{
    if (!tw || !a)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_matrix_create: an argument is NULL");
    int64_t nb = choose_tile(m, n, twill_workers(tw));
    twill_pattern p = twill_tiled(m, n, nb, nb);
    return twill_array_create(tw, &p, type, 0, a);
}

twill_uplo twill_array_part(const twill_array *a)
{
    return a->stored == TW_LOWER_PART   ? TWILL_LOWER
           : a->stored == TW_UPPER_PART ? TWILL_UPPER
                                        : TWILL_GENERAL;
}
