/* Tiles of translated loops, which are anywhere in the program's memory, as arrays over all ranks.
 */
#include "array/loops.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>
#include <twill/ptg.h>

twill_loops_tiles *twill_loops_tiles_new(int dims, size_t bytes)
{
    twill_loops_tiles *t = dims >= 1 && dims <= TWILL_DIMS ? calloc(1, sizeof *t) : NULL;
    if (t) {
        t->dims = dims;
        t->bytes = bytes;
    }
    return t;
}

void twill_loops_tiles_free(twill_loops_tiles *tiles)
{
    if (!tiles)
        return;
    twill_array_free(tiles->array);
    free(tiles->grid);
    free(tiles->list);
    free(tiles);
}

void twill_loops_tiles_add(twill_loops_tiles *tiles, const int64_t *index, const void *memory,
                           bool written)
{
    if (!tiles || tiles->failed)
        return;
    if (tiles->count == tiles->room) {
        size_t room = 2 * tiles->room + 64;
        tw_loops_tile *list = realloc(tiles->list, room * sizeof *list);
        tiles->failed = !list;
        if (!list)
            return;
        tiles->list = list;
        tiles->room = room;
    }
    tw_loops_tile *tile = &tiles->list[tiles->count++];
    *tile = (tw_loops_tile){.memory = (char *)memory, .written = written};
    for (int d = 0; d < tiles->dims; d++) {
        tile->index[d] = index[d];
        tiles->failed |= index[d] < 0;
        if (index[d] >= tiles->extent[d])
            tiles->extent[d] = index[d] + 1;
    }
}

/* ---- Do tiles share memory? -------------------------------------------------------------- */

typedef struct span {
    const char *from, *to;
} span;

static int compare_spans(const void *x, const void *y)
{
    const span *a = x, *b = y;
    return (a->from > b->from) - (a->from < b->from);
}

static size_t add_spans(const twill_loops_tiles *t, span *spans)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->list[i].memory)
            spans[count++] = (span){t->list[i].memory, t->list[i].memory + t->bytes};
    return count;
}

bool twill_loops_tiles_apart(twill_loops_tiles *const *lists, int count)
{
    size_t all = 0, n = 0;
    for (int i = 0; i < count; i++) {
        if (!lists[i] || lists[i]->failed || !lists[i]->bytes)
            return false;
        all += lists[i]->count;
    }
    span *spans = malloc((all + 1) * sizeof *spans);
    bool apart = spans != NULL;
    for (int i = 0; i < count && apart; i++)
        n += add_spans(lists[i], spans + n);
    if (apart)
        qsort(spans, n, sizeof *spans, compare_spans);
    for (size_t i = 1; i < n && apart; i++)
        apart = spans[i].from >= spans[i - 1].to;
    free(spans);
    return apart;
}

/* ---- As an array ------------------------------------------------------------------------- */

int64_t tw_loops_places(const twill_loops_tiles *tiles)
{
    int64_t places = 1;
    for (int d = 0; d < tiles->dims; d++)
        places *= tiles->extent[d];
    return places;
}

void tw_loops_block(const twill_loops_tiles *tiles, int64_t k, int64_t *block)
{
    for (int d = 0; d < tiles->dims; d++) {
        block[d] = k % tiles->extent[d];
        k /= tiles->extent[d];
    }
}

static int64_t place_of(const twill_loops_tiles *tiles, const int64_t *block)
{
    int64_t k = 0;
    for (int d = tiles->dims - 1; d >= 0; d--)
        k = k * tiles->extent[d] + block[d];
    return k;
}

/* What no task touches has some memory, too: nobody looks at it. */
static void *data_of(const int64_t *block, int64_t *ld, void *arg)
{
    const twill_loops_tiles *tiles = arg;
    const tw_loops_tile *tile = tiles->grid[place_of(tiles, block)];
    (void)ld;
    return tile ? tile->memory : (void *)tiles->grid;
}

static twill_status make_grid(twill_loops_tiles *tiles)
{
    int64_t places = 1;
    for (int d = 0; d < tiles->dims; d++)
        if (__builtin_mul_overflow(places, tiles->extent[d], &places) || places > INT64_MAX / 64)
            return tw_fail(TWILL_ERR_MEMORY, "tiles of translated loops have indices that are too "
                                             "large for a table of them");
    tiles->grid = calloc((size_t)places + 1, sizeof(tw_loops_tile *));
    if (!tiles->grid)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a table of %lld tiles", (long long)places);
    for (size_t i = 0; i < tiles->count; i++)
        tiles->grid[place_of(tiles, tiles->list[i].index)] = &tiles->list[i];
    return TWILL_OK;
}

/* A tile is a column of words, or of bytes. */
static twill_pattern pattern_of(const twill *tw, const twill_loops_tiles *tiles, int64_t rows)
{
    int64_t extent[TWILL_DIMS], block[TWILL_DIMS], ranks[TWILL_DIMS];
    twill_ptg_grid grid = twill_ptg_grid_of(tw);
    for (int d = 0; d < tiles->dims; d++) {
        extent[d] = tiles->extent[d] * (d ? 1 : rows);
        block[d] = d ? 1 : rows;
        ranks[d] = d == 0 ? grid.rows : d == 1 ? grid.cols : 1;
    }
    if (tiles->dims == 1)
        ranks[0] = grid.rows * grid.cols;
    return twill_pattern_nd(tiles->dims, extent, block, ranks);
}

twill_status twill_loops_tiles_array(twill *tw, twill_loops_tiles *tiles, twill_array **a)
{
    twill_collection mine = {.size = sizeof mine, .data_of = data_of, .arg = tiles};
    size_t element = tiles->bytes % 8 ? 1 : 8;
    twill_pattern pattern = pattern_of(tw, tiles, (int64_t)(tiles->bytes / element));
    twill_status status = make_grid(tiles);
    if (status == TWILL_OK)
        status = twill_array_collection(tw, &pattern, TWILL_BYTES, element, &mine, &tiles->array);
    if (status == TWILL_OK)
        *a = tiles->array;
    return status;
}
