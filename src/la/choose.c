/* The tile size of matrices whose makers leave it to Twill. */
#include "la/choose.h"

#include "engine/engine.h"

/* Orders up to which one core with one tile is as fast as all of them with many. */
enum { ONE_TILE = 320 };

static int64_t rounded(double x)
{
    return ((int64_t)x + 31) / 32 * 32;
}

/* Large enough for the kernels, small enough that all workers have tiles to work on. */
int64_t tw_choose_tile(const twill *tw, twill_type type, int64_t m, int64_t n)
{
    (void)type;
    int64_t larger = m > n ? m : n;
    if (larger <= ONE_TILE)
        return larger > 1 ? larger : 1;
    int64_t per_side = 10 + 2 * twill_workers(tw);
    int64_t nb = rounded((double)larger / (double)per_side);
    return nb < 128 ? 128 : nb > 384 ? 384 : nb;
}
