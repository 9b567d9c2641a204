/* Swapping rows, column by column: the upper rows of a column stay in the nearest cache meanwhile.
 */
#include "la/lu/swap.h"

#include <string.h>

static char *address(const tw_rows *rows, int64_t row, size_t *step)
{
    int64_t number = row < rows->nb ? 0 : row / rows->nb; /* a division costs as much as all else */
    const twill_flow *tile = &rows->tiles[number];
    *step = (size_t)tile->ld * rows->element;
    return (char *)tile->data + (size_t)(row - number * rows->nb) * rows->element;
}

int64_t tw_swap_list(const tw_rows *rows, int64_t first, int64_t count, const int64_t *pivot,
                     int64_t offset, bool backward, tw_swap *list)
{
    int64_t n = 0;
    for (int64_t step = 0; step < count; step++) {
        int64_t i = backward ? count - 1 - step : step, with = pivot[i] - offset;
        if (with == first + i)
            continue;
        list[n].a = address(rows, first + i, &list[n].step_a);
        list[n].b = address(rows, with, &list[n].step_b);
        n++;
    }
    return n;
}

/* The size is a constant where this is called, so the copies are moves. */
static inline void swap_all(const tw_swap *list, int64_t count, size_t size, int64_t first,
                            int64_t cols)
{
    for (int64_t c = first; c < first + cols; c++) {
        /* every row is on a line of its own, and nothing but this asks for it in time */
        size_t ahead = c + 2 < first + cols ? 2 : 0;
        for (int64_t s = 0; s < count; s++) {
            char *a = list[s].a + (size_t)c * list[s].step_a;
            char *b = list[s].b + (size_t)c * list[s].step_b;
            char x[16], y[16];
            memcpy(x, a, size);
            memcpy(y, b, size);
            memcpy(a, y, size);
            memcpy(b, x, size);
            __builtin_prefetch(b + ahead * list[s].step_b, 1);
        }
    }
}

void tw_swap_rows(const tw_swap *list, int64_t count, size_t element, int64_t first, int64_t cols)
{
    if (element == 4)
        swap_all(list, count, 4, first, cols);
    else if (element == 8)
        swap_all(list, count, 8, first, cols);
    else
        swap_all(list, count, 16, first, cols);
}

static inline void copy_all(const tw_swap *list, int64_t count, size_t size, int64_t cols)
{
    for (int64_t c = 0; c < cols; c++) {
        size_t ahead = c + 2 < cols ? 2 : 0; /* as above */
        for (int64_t s = 0; s < count; s++) {
            const char *a = list[s].a + (size_t)c * list[s].step_a;
            char *b = list[s].b + (size_t)c * list[s].step_b;
            memcpy(b, a, size);
            __builtin_prefetch(a + ahead * list[s].step_a, 0);
            __builtin_prefetch(b + ahead * list[s].step_b, 1);
        }
    }
}

void tw_copy_rows(const tw_swap *list, int64_t count, size_t element, int64_t cols)
{
    if (element == 4)
        copy_all(list, count, 4, cols);
    else if (element == 8)
        copy_all(list, count, 8, cols);
    else
        copy_all(list, count, 16, cols);
}

/* ---- many at once ------------------------------------------------------------------------ */

void tw_permutation_add(int64_t *from, int64_t first, int64_t count, const int64_t *pivot,
                        int64_t offset)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t with = pivot[i] - offset, row = from[first + i];
        from[first + i] = from[with];
        from[with] = row;
    }
}

static inline void permute_column(const tw_rows *rows, int64_t count, const int64_t *from,
                                  char *column, size_t size, int64_t c)
{
    const twill_flow *tile = rows->tiles;
    for (int64_t done = 0; done < count; done += tile->rows, tile++)
        memcpy(column + (size_t)done * size, (char *)tile->data + (size_t)(c * tile->ld) * size,
               (size_t)tile->rows * size);
    tile = rows->tiles;
    for (int64_t done = 0; done < count; done += tile->rows, tile++) {
        char *to = (char *)tile->data + (size_t)(c * tile->ld) * size;
        for (int64_t i = 0; i < tile->rows; i++)
            if (from[done + i] != done + i)
                memcpy(to + (size_t)i * size, column + (size_t)from[done + i] * size, size);
    }
}

void tw_permute_rows(const tw_rows *rows, int64_t count, const int64_t *from, char *column,
                     int64_t cols)
{
    for (int64_t c = 0; c < cols; c++)
        if (rows->element == 4)
            permute_column(rows, count, from, column, 4, c);
        else if (rows->element == 8)
            permute_column(rows, count, from, column, 8, c);
        else
            permute_column(rows, count, from, column, 16, c);
}

bool tw_permuting_pays(int64_t swaps, int64_t rows)
{
    return 2 * rows <= 3 * swaps;
}
