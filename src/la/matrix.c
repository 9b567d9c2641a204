/* Matrices with a tile size chosen for them. */
#include "data/array.h"
#include "la/choose.h"
#include "la/la.h"

twill_status twill_matrix_create(twill *tw, twill_type type, int64_t m, int64_t n, twill_array **a)
{
    if (!tw || !a)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_matrix_create: an argument is NULL");
    int64_t nb = tw_choose_tile(tw, type, m, n);
    twill_pattern p = twill_tiled(m, n, nb, nb);
    twill_status status = twill_array_create(tw, &p, type, 0, a);
    if (status == TWILL_OK)
        (*a)->tiles_chosen = true;
    return status;
}
