/* Packing: one walk over the runs of rows in an area, used three ways. */
#include "data/pack.h"

#include "base/minmax.h"

#include <string.h>

/* Where a walk is. */
typedef struct walk {
    const tw_value *v;
    char *packed; /* NULL: only count */
    size_t done;  /* bytes */
    bool out;     /* of the value */
} walk;

static void take_run(walk *w, int64_t col, int64_t row, int64_t end)
{
    const tw_value *v = w->v;
    end = tw_min(end, v->rows);
    if (row >= end)
        return;
    size_t bytes = (size_t)(end - row) * v->element;
    if (w->packed) {
        char *here = (char *)v->host.data + (size_t)(row + col * v->host.ld) * v->element;
        memcpy(w->out ? w->packed + w->done : here, w->out ? here : w->packed + w->done, bytes);
    }
    w->done += bytes;
}

/* Whole columns; without a walk where only their size is asked for, as a damaged message may say
 * that there are any number of them. */
static void walk_columns(walk *w, int64_t first, int64_t end)
{
    if (!w->packed || w->v->rows == 0) {
        w->done += (size_t)(end - first) * (size_t)w->v->rows * w->v->element;
        return;
    }
    for (int64_t j = first; j < end; j++)
        take_run(w, j, 0, w->v->rows);
}

static void walk_region(walk *w, tw_region region)
{
    int64_t square = tw_min(w->v->rows, w->v->cols);
    for (int64_t j = 0; j < square; j++) {
        if (region & TW_ABOVE)
            take_run(w, j, 0, j);
        if (region & TW_DIAGONAL)
            take_run(w, j, j, j + 1);
        if (region & TW_BELOW)
            take_run(w, j, j + 1, w->v->rows);
    }
    if (region & TW_ABOVE) /* and nothing else is beyond */
        walk_columns(w, square, w->v->cols);
}

static void walk_word(walk *w, int64_t col, int64_t row, uint64_t bits)
{
    for (int i = 0; i < TW_WORD; i++)
        if (bits >> i & 1)
            take_run(w, col, row + i, row + i + 1);
}

static void walk_mask(walk *w, const tw_mask *s)
{
    for (int64_t j = 0; j < s->cols && s->col + j < w->v->cols; j++)
        for (int64_t k = 0; k < s->words; k++)
            walk_word(w, s->col + j, (s->word + k) * TW_WORD, s->bits[j * s->words + k]);
}

static size_t walk_area(walk w, tw_area area)
{
    if (area.mask)
        walk_mask(&w, area.mask);
    else if (area.region == TW_FULL)
        walk_columns(&w, 0, w.v->cols);
    else
        walk_region(&w, area.region);
    return w.done;
}

size_t tw_pack_size(const tw_value *v, tw_area area)
{
    return walk_area((walk){.v = v}, area);
}

void tw_pack(const tw_value *v, tw_area area, void *to)
{
    walk_area((walk){.v = v, .packed = to, .out = true}, area);
}

void tw_unpack(tw_value *v, tw_area area, const void *from)
{
    walk_area((walk){.v = v, .packed = (char *)(uintptr_t)from}, area);
}
