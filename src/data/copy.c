/* Copies of areas of values. */
#include "data/value.h"

#include "base/minmax.h"
#include "data/space.h"

#include <string.h>

/* Rows and columns that both have; distances in bytes. */
typedef struct copying {
    char *to;
    const char *from;
    size_t element, ld_to, ld_from;
    int64_t rows, cols;
} copying;

/* Rows of the column that `to` and `from` are at. */
static inline void copy_rows(const copying *c, char *to, const char *from, int64_t row, int64_t end)
{
    size_t at = (size_t)row * c->element;
    if (end == row + 1 && c->element == sizeof(double))
        memcpy(to + at, from + at, sizeof(double)); /* many rows with gaps between them */
    else if (row < end)
        memcpy(to + at, from + at, (size_t)(end - row) * c->element);
}

static void copy_region(const copying *c, tw_region region)
{
    char *to = c->to;
    const char *from = c->from;
    for (int64_t j = 0; j < c->cols; j++, to += c->ld_to, from += c->ld_from) {
        int64_t diagonal = tw_min(j, c->rows), below = tw_min(j + 1, c->rows);
        if (region & TW_ABOVE)
            copy_rows(c, to, from, 0, diagonal);
        if (region & TW_DIAGONAL)
            copy_rows(c, to, from, diagonal, below);
        if (region & TW_BELOW)
            copy_rows(c, to, from, below, c->rows);
    }
}

/* The rows `row` and up that the bits have. */
static void copy_word(const copying *c, int64_t col, int64_t row, uint64_t bits)
{
    char *to = c->to + (size_t)col * c->ld_to;
    const char *from = c->from + (size_t)col * c->ld_from;
    while (bits) {
        int first = __builtin_ctzll(bits);
        uint64_t gaps = ~bits >> first;
        int end = gaps ? first + __builtin_ctzll(gaps) : TW_WORD;
        copy_rows(c, to, from, row + first, tw_min(row + end, c->rows));
        bits = end < TW_WORD ? bits >> end << end : 0;
    }
}

static void copy_mask(const copying *c, const tw_mask *s)
{
    for (int64_t j = 0; j < s->cols && s->col + j < c->cols; j++)
        for (int64_t w = 0; w < s->words; w++)
            copy_word(c, s->col + j, (s->word + w) * TW_WORD, s->bits[j * s->words + w]);
}

void tw_value_copy(tw_value *to, const tw_value *from, tw_area area)
{
    copying c = {.to = to->host.data,
                 .from = from->host.data,
                 .element = to->element,
                 .ld_to = (size_t)to->host.ld * to->element,
                 .ld_from = (size_t)from->host.ld * to->element,
                 .rows = tw_min(to->rows, from->rows),
                 .cols = tw_min(to->cols, from->cols)};
    if (area.mask)
        copy_mask(&c, area.mask);
    else if (area.region == TW_FULL)
        tw_host.copy_2d(&tw_host, c.to, c.ld_to, c.from, c.ld_from, (size_t)c.rows * c.element,
                        (size_t)c.cols);
    else
        copy_region(&c, area.region);
}
