/* Areas: which elements of a tile. Most are all of it or a triangle, which three bits say; any
 * other set of elements is a mask, which has a bit per element. */
#ifndef TW_DATA_AREA_H
#define TW_DATA_AREA_H

#include "base/lock.h"

#include <stddef.h>
#include <stdint.h>

/* Regions of a matrix, and sets of them. */
typedef enum tw_region {
    TW_BELOW = 1, /* the diagonal */
    TW_DIAGONAL = 2,
    TW_ABOVE = 4,
    TW_LOWER_PART = TW_BELOW | TW_DIAGONAL,
    TW_UPPER_PART = TW_ABOVE | TW_DIAGONAL,
    TW_FULL = TW_BELOW | TW_DIAGONAL | TW_ABOVE,
    TW_MASKED = 8 /* none of these: a mask says it */
} tw_region;

enum { TW_WORD = 64 }; /* bits */

/* A set of elements, never empty, that does not change any more once others see it. There are bits
 * for a window of rows and columns only, so that a row of a large tile is small; a column of the
 * window begins with a word, and words have the rows 64 * word and up. */
typedef struct tw_mask {
    atomic_int refs;
    int64_t count; /* of elements */
    int64_t word, words;
    int64_t col, cols;
    uint64_t bits[]; /* column by column */
} tw_mask;

/* Its mask is NULL unless the region is TW_MASKED. Whoever makes an area drops it. */
typedef struct tw_area {
    tw_region region;
    tw_mask *mask;
} tw_area;

static inline tw_area tw_area_of(tw_region region)
{
    return (tw_area){region, NULL};
}

/* The same area, for one more owner. */
static inline tw_area tw_area_hold(tw_area a)
{
    if (a.mask)
        atomic_fetch_add_explicit(&a.mask->refs, 1, memory_order_relaxed);
    return a;
}

void tw_mask_drop(tw_mask *s);

static inline void tw_area_drop(tw_area a)
{
    if (a.mask)
        tw_mask_drop(a.mask);
}

/* ---- sets of elements of a tile of that size --------------------------------------------- */

typedef enum tw_area_op { TW_BOTH, TW_EITHER, TW_WITHOUT } tw_area_op;

/* For areas of which one has a mask; the functions below know when that is so. */
bool tw_area_make(tw_area a, tw_area_op op, tw_area b, int64_t rows, int64_t cols, tw_area *out);
bool tw_area_any(tw_area a, tw_area_op op, tw_area b, int64_t rows, int64_t cols);

static inline bool tw_area_is_plain(tw_area a, tw_area b)
{
    return !((a.region | b.region) & TW_MASKED);
}

/* What is in both, in either, or in the first alone. False: there is no memory. */
static inline bool tw_area_both(tw_area a, tw_area b, int64_t rows, int64_t cols, tw_area *out)
{
    *out = tw_area_of(a.region & b.region);
    return tw_area_is_plain(a, b) || tw_area_make(a, TW_BOTH, b, rows, cols, out);
}

static inline bool tw_area_either(tw_area a, tw_area b, int64_t rows, int64_t cols, tw_area *out)
{
    *out = tw_area_of(a.region | b.region);
    return tw_area_is_plain(a, b) || tw_area_make(a, TW_EITHER, b, rows, cols, out);
}

static inline bool tw_area_without(tw_area a, tw_area b, int64_t rows, int64_t cols, tw_area *out)
{
    *out = tw_area_of(a.region & ~b.region);
    return tw_area_is_plain(a, b) || tw_area_make(a, TW_WITHOUT, b, rows, cols, out);
}

/* Do they have elements in common? Two regions may seem so in a tile too small to have them. */
static inline bool tw_area_meets(tw_area a, tw_area b, int64_t rows, int64_t cols)
{
    return tw_area_is_plain(a, b) ? (a.region & b.region) != 0
                                  : tw_area_any(a, TW_BOTH, b, rows, cols);
}

/* Is all of `a` in `b`? */
static inline bool tw_area_within(tw_area a, tw_area b, int64_t rows, int64_t cols)
{
    return tw_area_is_plain(a, b) ? !(a.region & ~b.region)
                                  : !tw_area_any(a, TW_WITHOUT, b, rows, cols);
}

/* ---- how masks are made ------------------------------------------------------------------ */

/* Nothing yet, with room for these rows and columns; NULL when there is no memory. */
tw_mask *tw_mask_new(int64_t row, int64_t rows, int64_t col, int64_t cols);

/* Add `n` rows of a column, every `step`-th; or those that another column has. */
void tw_mask_add(tw_mask *s, int64_t row, int64_t n, int64_t step, int64_t col);
void tw_mask_add_like(tw_mask *s, int64_t other, int64_t col);

/* The area that a complete mask is in a tile of that size; the mask belongs to it, or is gone. */
tw_area tw_area_from(tw_mask *s, int64_t rows, int64_t cols);

#endif
