/* Who computes which part of a product. */
#include "la/hybrid/division.h"

#include "base/minmax.h"
#include "base/status.h"

#include <twill/pattern.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sizes ----------------------------------------------------------------------------------- */

static int64_t blocks_of(int64_t extent, int64_t tile)
{
    return (extent + tile - 1) / tile;
}

/* Blocks of B stay, two of A and two tiles of C are under way. */
static bool fits(int64_t n, int64_t k, int64_t tile, int devices, int64_t elements)
{
    int64_t columns = blocks_of(blocks_of(n, tile), devices) * tile;
    return elements == 0 || (columns + 2 * tile) * k + 2 * tile * tile <= elements;
}

int64_t tw_division_tile(int64_t m, int64_t n, int64_t k, int devices, int64_t elements)
{
    enum { LEAST = 512, MOST = 4096, EACH = 8 };
    int64_t tile = MOST;
    while (tile > LEAST && (blocks_of(m, tile) * blocks_of(n, tile) < EACH * devices ||
                            !fits(n, k, tile, devices, elements)))
        tile -= tile > 1024 ? 1024 : 512;
    return tile;
}

/* ---- opening --------------------------------------------------------------------------------- */

static double rate_of_devices(const tw_division *d)
{
    double rate = 0;
    for (int i = 0; i < d->devices; i++)
        rate += d->rates.device[i];
    return rate;
}

/* The part of the cores is rounded down: devices, which are faster, rather get too much. */
static void cut(tw_division *d)
{
    d->share = d->rates.cores / (d->rates.cores + rate_of_devices(d));
    bool below = d->m >= d->n;
    int64_t extent = below ? d->m : d->n;
    int64_t kept = blocks_of(extent - (int64_t)((double)extent * d->share), d->tile) * d->tile;
    kept = tw_min(kept, extent);
    d->of_cores = below ? (tw_part){.row = kept, .rows = d->m - kept, .cols = d->n}
                        : (tw_part){.col = kept, .rows = d->m, .cols = d->n - kept};
    d->rows = blocks_of(below ? kept : d->m, d->tile);
    d->cols = blocks_of(below ? d->n : kept, d->tile);
    d->left = d->rows * d->cols;
}

twill_status tw_division_open(tw_division *d, int64_t m, int64_t n, int64_t k, int64_t tile,
                              int devices, const tw_rates *rates)
{
    *d = (tw_division){.m = m, .n = n, .k = k, .tile = tile, .devices = devices, .rates = *rates};
    d->phase = 1;
    cut(d);
    size_t each = (size_t)devices;
    d->taken = calloc((size_t)d->left + 1, sizeof *d->taken);
    d->has_a = calloc((size_t)d->rows * each + 1, sizeof *d->has_a);
    d->has_b = calloc((size_t)d->cols * each + 1, sizeof *d->has_b);
    if (!d->taken || !d->has_a || !d->has_b) {
        tw_division_close(d);
        return tw_fail(TWILL_ERR_MEMORY, "no memory to divide a product");
    }
    twill_status status = twill_pattern_weigh(d->cols, devices, rates->device, d->first);
    if (status != TWILL_OK)
        tw_division_close(d);
    return status;
}

void tw_division_close(tw_division *d)
{
    free(d->taken);
    free(d->has_a);
    free(d->has_b);
    d->taken = d->has_a = d->has_b = NULL;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static bool *tile_at(const tw_division *d, int64_t i, int64_t j)
{
    return &d->taken[i * d->cols + j];
}

/* Some tiles of a row; the last row and column may be smaller, up to where the cores' part begins.
 */
static tw_part part_of(const tw_division *d, int64_t i, int64_t j, int64_t rows, int64_t cols)
{
    int64_t last_row = d->of_cores.row ? d->of_cores.row : d->m;
    int64_t last_col = d->of_cores.col ? d->of_cores.col : d->n;
    tw_part part = {.row = i * d->tile, .col = j * d->tile};
    part.rows = tw_min((i + rows) * d->tile, last_row) - part.row;
    part.cols = tw_min((j + cols) * d->tile, last_col) - part.col;
    return part;
}

static tw_part take(tw_division *d, int64_t i, int64_t j, int64_t rows, int64_t cols)
{
    for (int64_t r = i; r < i + rows; r++)
        for (int64_t c = j; c < j + cols; c++)
            *tile_at(d, r, c) = true;
    d->left -= rows * cols;
    return part_of(d, i, j, rows, cols);
}

/* ---- devices --------------------------------------------------------------------------------- */

/* The first tile that is left in columns from..to-1, row by row; or the last one. */
static bool find(const tw_division *d, int64_t from, int64_t to, bool last, int64_t *i, int64_t *j)
{
    for (int64_t r = 0; r < d->rows; r++)
        for (int64_t c = from; c < to; c++) {
            *i = last ? d->rows - 1 - r : r;
            *j = last ? to - 1 - (c - from) : c;
            if (!*tile_at(d, *i, *j))
                return true;
        }
    return false;
}

static int64_t left_of(const tw_division *d, int device)
{
    int64_t left = 0;
    for (int64_t i = 0; i < d->rows; i++)
        for (int64_t j = d->first[device]; j < d->first[device + 1]; j++)
            left += !*tile_at(d, i, j);
    return left;
}

/* Who would be the last to be done by itself. */
static int slowest(const tw_division *d)
{
    int most = 0;
    for (int e = 1; e < d->devices; e++)
        if ((double)left_of(d, e) / d->rates.device[e] >
            (double)left_of(d, most) / d->rates.device[most])
            most = e;
    return most;
}

/* Would this device be done with a tile of the other's before that one is with all? */
static bool helps(const tw_division *d, int device, int other)
{
    return (double)left_of(d, other) / d->rates.device[other] >= 1 / d->rates.device[device];
}

bool tw_division_next(tw_division *d, int device, tw_part *part)
{
    int64_t i, j;
    if (!find(d, d->first[device], d->first[device + 1], false, &i, &j)) {
        int other = slowest(d);
        if (!helps(d, device, other) ||
            !find(d, d->first[other], d->first[other + 1], true, &i, &j))
            return false;
    }
    bool *has_a = &d->has_a[device * d->rows + i], *has_b = &d->has_b[device * d->cols + j];
    *part = take(d, i, j, 1, 1);
    part->needs_a = !*has_a;
    part->needs_b = !*has_b;
    *has_a = *has_b = true;
    return true;
}

/* ---- cores ----------------------------------------------------------------------------------- */

/* Rows at the end of which no tile is taken. */
static int64_t free_rows(const tw_division *d)
{
    int64_t rows = 0;
    while (rows < d->rows &&
           !memchr(&d->taken[(d->rows - 1 - rows) * d->cols], true, (size_t)d->cols))
        rows++;
    return rows;
}

/* The second phase: whole rows of tiles from the end, or a part of the last one. */
static bool take_share(tw_division *d, tw_part *part)
{
    int64_t tiles = (int64_t)((double)d->left * d->share), free = free_rows(d);
    int64_t rows = tw_min(tiles / d->cols, free);
    if (rows > 0)
        *part = take(d, d->rows - rows, 0, rows, d->cols);
    else if (tiles > 1 && free > 0)
        *part = take(d, d->rows - 1, d->cols - tw_min(tiles, d->cols), 1, tw_min(tiles, d->cols));
    return rows > 0 || (tiles > 1 && free > 0);
}

/* The third: one tile, if the devices need as long for all that are left, and what they have begun
 * is as good as over. */
static bool take_one(tw_division *d, tw_part *part)
{
    int64_t i, j;
    if (d->rates.cores <= 0 || (double)d->left / rate_of_devices(d) < 1 / d->rates.cores ||
        !find(d, 0, d->cols, true, &i, &j))
        return false;
    *part = take(d, i, j, 1, 1);
    return true;
}

bool tw_division_next_of_cores(tw_division *d, tw_part *part)
{
    if (d->phase == 1) {
        d->phase = 2;
        *part = d->of_cores;
        if (part->rows > 0 && part->cols > 0)
            return true;
    }
    if (d->phase == 2) {
        d->phase = 3;
        if (d->left > 0 && take_share(d, part))
            return true;
    }
    return take_one(d, part);
}
