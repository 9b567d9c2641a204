/* Products for processors with AVX-512; the build gives this file their instructions. */
#include "la/kernel/multiply.h"

#include "engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Types that the text below makes for each REAL. */
#define VECTOR NAME(vector)
#define LOOSE NAME(loose)
#define FACTOR NAME(factor)
#define PRODUCT NAME(product)
#define SYSTEM NAME(linear_system)
#define TRIANGLE NAME(triangle)
#define PLACE NAME(place)
#define STRIP NAME(strip)

/* A block of C in registers is ROWS by COLS: 24 of the 32 vectors. */
#define LANES ((int)(TW_LINE / sizeof(REAL)))
#define ROWS (3 * LANES)
#define COLS 8

/* Sizes of what is packed: as much of A as half of a level 2 cache holds, with DEPTH such that the
 * columns of B that a block needs stay in the level 1 cache. */
enum { A_BYTES = 528 << 10, WIDTH = 1024, DEPTH = 384 };

/* Where packed factors go when there is no memory: very small parts of them. */
enum { SPARE_DEPTH = 16 };

static int smaller(int x, int y)
{
    return x < y ? x : y;
}

static bool is_plain(char trans)
{
    return trans == 'N' || trans == 'n';
}

/* Memory of the worker, or else of its own, to be freed; NULL: there is none. */
static void *get_space(size_t bytes, void **own)
{
    void *kept = tw_workspace(bytes);
    if (!kept)
        *own = aligned_alloc(TW_LINE, tw_whole_lines(bytes));
    return kept ? kept : *own;
}

static int up_to_multiple(int x, int of)
{
    return (x + of - 1) / of * of;
}

/* Parts of equal size, none larger than `most`. */
static int even_part(int n, int most)
{
    int parts = (n + most - 1) / most;
    return (n + parts - 1) / parts;
}

#define REAL float
#define LANE int32_t
#define NAME(x) x##_f32
#include "la/kernel/multiply.inc"
#undef REAL
#undef LANE
#undef NAME

#define REAL double
#define LANE int64_t
#define NAME(x) x##_f64
#include "la/kernel/multiply.inc"

const char tw_multiply_name[] = "AVX-512";

const tw_multiply *tw_multiply_of(bool single)
{
    if (!__builtin_cpu_supports("avx512f"))
        return NULL;
    return single ? &table_f32 : &table_f64;
}
