/* The tile size of matrices whose makers leave it to Twill. */
#include "la/choose.h"

#include "engine/engine.h"
#include "la/kernel/multiply.h"
#include "la/tuning.h"

#include <math.h>
#include <string.h>

/* Measured on two kinds of processors, with Twill's own products on one. */
enum {
    ONE_TILE = 384,      /* order up to which one core with one tile is as fast as all of them */
    LEAST_LARGEST = 192, /* so large may tiles be even where caches are small */
    MOST = 512
};

/* What suits kernels. In sweeps over potrf, getrf, geqrf and gemm on two cores eight tiles a side
 * were best or close to it with OpenBLAS, and fourteen with Twill's own products, which lose less
 * on small tiles. */
typedef struct taste {
    int64_t grain;            /* tiles of multiples of it are computed without waste */
    int64_t least;            /* smaller tiles keep the kernels from their speed */
    int64_t base, per_worker; /* tiles a side */
} taste;

static const taste of_libraries = {32, 128, 4, 2}, of_own = {48, 96, 6, 4};

static const taste *find_taste(const twill *tw, twill_type type)
{
    bool real = type == TWILL_FLOAT32 || type == TWILL_FLOAT64;
    bool own = real && tw_multiply_of(type == TWILL_FLOAT32) &&
               !strcmp(tw->options.text[TW_OPT_KERNELS], "auto");
    return own ? &of_own : &of_libraries;
}

/* The largest tile: half of it fits into the second cache, where the kernels keep the blocks that
 * they multiply by; that is enough. */
static int64_t largest(const twill *tw, size_t element, int64_t grain)
{
    double l2 = tw->topo.machine.l2 > 0 ? (double)tw->topo.machine.l2 : 1048576.0;
    double nb = sqrt(2.0 * l2 / (double)element);
    nb = nb < LEAST_LARGEST ? LEAST_LARGEST : nb > MOST ? MOST : nb;
    return (int64_t)nb / grain * grain;
}

int tw_choose_width(const twill *tw)
{
    return tw->topo.foreign || tw->workers < tw->topo.ncores ? tw->workers : tw->topo.ncores;
}

/* What ranks have they keep, so tiles have to come out even. In factorizations later tile rows and
 * columns have more work: the first ranks, which have less of it, should get one more. So the
 * number of tiles a side is odd; and there are more of them, since the difference is about one. */
static int64_t deal(int64_t n, int64_t nb, int64_t ranks)
{
    enum { STEP = 8 };
    int64_t tiles = ((n + nb - 1) / nb + ranks) | 1;
    return ((n + tiles - 1) / tiles + STEP - 1) / STEP * STEP;
}

/* Large enough for the kernels, small enough that all workers have tiles to work on. */
static int64_t estimate(const twill *tw, twill_type type, int64_t n)
{
    const taste *t = find_taste(tw, type);
    size_t element = twill_type_size(type);
    int64_t per_side = t->base + t->per_worker * tw_choose_width(tw) * tw->data.ranks;
    int64_t nb = (n / per_side + t->grain - 1) / t->grain * t->grain;
    int64_t most = largest(tw, element ? element : 8, t->grain);
    nb = nb < t->least ? t->least : nb > most ? most : nb;
    return tw->data.ranks > 1 ? deal(n, nb, tw->data.ranks) : nb;
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
