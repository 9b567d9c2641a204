/* Sets of elements, a word of 64 rows at a time. */
#include "data/area.h"

#include "base/minmax.h"

#include <stdlib.h>

/* ---- masks ------------------------------------------------------------------------------ */

/* Rows in words, and columns; the ends are not part of it. */
typedef struct window {
    int64_t word, word_end, col, col_end;
} window;

static tw_mask *new_mask(window w)
{
    size_t words = (size_t)tw_max(w.word_end - w.word, 0),
           cols = (size_t)tw_max(w.col_end - w.col, 0);
    tw_mask *s = calloc(1, sizeof *s + words * cols * sizeof s->bits[0]);
    if (!s)
        return NULL;
    atomic_init(&s->refs, 1);
    s->word = w.word;
    s->words = (int64_t)words;
    s->col = w.col;
    s->cols = (int64_t)cols;
    return s;
}

tw_mask *tw_mask_new(int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    return new_mask((window){row / TW_WORD, (row + rows + TW_WORD - 1) / TW_WORD, col, col + cols});
}

void tw_mask_drop(tw_mask *s)
{
    if (atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) == 1)
        free(s);
}

/* The lowest n bits. */
static uint64_t low(int64_t n)
{
    return n <= 0 ? 0 : n >= TW_WORD ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

/* The number of a word in the window. */
static int64_t at(const tw_mask *s, int64_t word, int64_t col)
{
    return (col - s->col) * s->words + word - s->word;
}

static void add_rows(tw_mask *s, int64_t row, int64_t end, int64_t col)
{
    for (int64_t w = row / TW_WORD; w * TW_WORD < end; w++)
        s->bits[at(s, w, col)] |= low(end - w * TW_WORD) & ~low(row - w * TW_WORD);
}

void tw_mask_add(tw_mask *s, int64_t row, int64_t n, int64_t step, int64_t col)
{
    if (step == 1)
        add_rows(s, row, row + n, col);
    else
        for (int64_t i = 0; i < n; i++)
            add_rows(s, row + i * step, row + i * step + 1, col);
}

void tw_mask_add_like(tw_mask *s, int64_t other, int64_t col)
{
    for (int64_t w = s->word; w < s->word + s->words; w++)
        s->bits[at(s, w, col)] |= s->bits[at(s, w, other)];
}

tw_area tw_area_from(tw_mask *s, int64_t rows, int64_t cols)
{
    s->count = 0;
    for (int64_t i = 0; i < s->words * s->cols; i++)
        s->count += __builtin_popcountll(s->bits[i]);
    if (s->count != 0 && s->count != rows * cols)
        return (tw_area){TW_MASKED, s};
    tw_area plain = tw_area_of(s->count ? TW_FULL : 0);
    tw_mask_drop(s);
    return plain;
}

/* ---- words of areas ---------------------------------------------------------------------- */

static window window_of(tw_area a, int64_t rows, int64_t cols)
{
    if (!a.region)
        return (window){0};
    window all = {0, (rows + TW_WORD - 1) / TW_WORD, 0, cols};
    const tw_mask *s = a.mask;
    if (!s)
        return all;
    return (window){s->word, tw_min(s->word + s->words, all.word_end), s->col,
                    tw_min(s->col + s->cols, cols)};
}

static bool is_empty(window w)
{
    return w.word >= w.word_end || w.col >= w.col_end;
}

/* Where there may be elements of the result. */
static window window_for(tw_area a, tw_area_op op, tw_area b, int64_t rows, int64_t cols)
{
    window x = window_of(a, rows, cols), y = window_of(b, rows, cols);
    if (op == TW_WITHOUT || (op == TW_EITHER && is_empty(y)))
        return x;
    if (op == TW_EITHER && is_empty(x))
        return y;
    if (op == TW_EITHER)
        return (window){tw_min(x.word, y.word), tw_max(x.word_end, y.word_end),
                        tw_min(x.col, y.col), tw_max(x.col_end, y.col_end)};
    return (window){tw_max(x.word, y.word), tw_min(x.word_end, y.word_end), tw_max(x.col, y.col),
                    tw_min(x.col_end, y.col_end)};
}

/* Of a region: the diagonal is in row `col`. */
static uint64_t triangle(tw_region region, int64_t word, int64_t col)
{
    uint64_t above = low(col - word * TW_WORD), upper = low(col + 1 - word * TW_WORD);
    return (region & TW_ABOVE ? above : 0) | (region & TW_DIAGONAL ? upper & ~above : 0) |
           (region & TW_BELOW ? ~upper : 0);
}

static uint64_t word_of(tw_area a, int64_t word, int64_t col)
{
    const tw_mask *s = a.mask;
    if (!s)
        return triangle(a.region, word, col);
    bool inside =
        word >= s->word && word < s->word + s->words && col >= s->col && col < s->col + s->cols;
    return inside ? s->bits[at(s, word, col)] : 0;
}

static uint64_t result(tw_area a, tw_area_op op, tw_area b, int64_t word, int64_t col)
{
    uint64_t x = word_of(a, word, col), y = word_of(b, word, col);
    return op == TW_BOTH ? x & y : op == TW_EITHER ? x | y : x & ~y;
}

/* ---- sets -------------------------------------------------------------------------------- */

bool tw_area_any(tw_area a, tw_area_op op, tw_area b, int64_t rows, int64_t cols)
{
    window w = window_for(a, op, b, rows, cols);
    for (int64_t col = w.col; col < w.col_end; col++)
        for (int64_t word = w.word; word < w.word_end; word++)
            if (result(a, op, b, word, col) & low(rows - word * TW_WORD))
                return true;
    return false;
}

/* Without a look at the elements: an area that is one of the two, or NULL. */
static const tw_area *one_of(const tw_area *a, tw_area_op op, const tw_area *b)
{
    if (op == TW_WITHOUT)
        return b->region ? NULL : a;
    tw_region neutral = op == TW_BOTH ? TW_FULL : 0;
    return b->region == neutral || a->mask == b->mask ? a : a->region == neutral ? b : NULL;
}

bool tw_area_make(tw_area a, tw_area_op op, tw_area b, int64_t rows, int64_t cols, tw_area *out)
{
    const tw_area *same = one_of(&a, op, &b);
    if (same) {
        *out = tw_area_hold(*same);
        return true;
    }
    window w = window_for(a, op, b, rows, cols);
    tw_mask *s = new_mask(w);
    if (!s)
        return false;
    for (int64_t col = w.col; col < w.col_end; col++)
        for (int64_t word = w.word; word < w.word_end; word++)
            s->bits[at(s, word, col)] = result(a, op, b, word, col) & low(rows - word * TW_WORD);
    *out = tw_area_from(s, rows, cols);
    return true;
}
