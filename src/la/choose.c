/* The tile size of matrices whose makers leave it to Twill. */
#include "la/choose.h"

#include "engine/engine.h"
#include "la/tuning.h"

#include <math.h>

/* Measured with OpenBLAS on two kinds of processors. */
enum {
    ONE_TILE = 384,      /* order up to which one core with one tile is as fast as all of them */
    LEAST = 128,         /* smaller tiles keep the kernels from their speed */
    LEAST_LARGEST = 192, /* and so large they may be even where caches are small */
    MOST = 512
};

/* The largest tile: half of it fits into the second cache, where the kernels keep the blocks that
 * they multiply by; that is enough. */
static int64_t largest(const twill *tw, size_t element)
{
    double l2 = tw->topo.machine.l2 > 0 ? (double)tw->topo.machine.l2 : 1048576.0;
    double nb = sqrt(2.0 * l2 / (double)element);
    return nb < LEAST_LARGEST ? LEAST_LARGEST : nb > MOST ? MOST : (int64_t)nb / 32 * 32;
}

/* Large enough for the kernels, small enough that all workers have tiles to work on: in sweeps over
 * potrf, getrf, geqrf and gemm on two cores eight tiles a side were best or close to it. */
static int64_t estimate(const twill *tw, twill_type type, int64_t n)
{
    size_t element = twill_type_size(type);
    int64_t per_side = 4 + 2 * twill_workers(tw);
    int64_t nb = (n / per_side + 31) / 32 * 32, most = largest(tw, element ? element : 8);
    return nb < LEAST ? LEAST : nb > most ? most : nb;
}

int64_t tw_choose_tile(twill *tw, twill_type type, int64_t m, int64_t n)
{
    int64_t larger = m > n ? m : n;
    const tw_tuning *t = tw_tuning_applies(tw) ? tw_tuning_get(tw) : NULL;
    int64_t one = t && t->found.one_tile ? t->found.one_tile : ONE_TILE;
    if (larger <= one)
        return larger > 1 ? larger : 1;
    int64_t nb = t ? tw_tuning_tile(&t->found, type, twill_workers(tw), larger) : 0;
    return nb ? nb : estimate(tw, type, larger);
}
