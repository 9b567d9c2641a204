/* Moving elements of any size that are so many elements apart. The size is a constant in each loop,
 * so that an element is one or two instructions. */
#ifndef TW_LA_STRIDED_H
#define TW_LA_STRIDED_H

#include <stdint.h>
#include <string.h>

static inline void tw_strided_copy_sized(size_t size, int64_t n, const char *from,
                                         int64_t from_step, char *to, int64_t to_step)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * to_step * (int64_t)size, from + i * from_step * (int64_t)size, size);
}

/* n elements; steps may be negative. */
static inline void tw_strided_copy(size_t size, int64_t n, const char *from, int64_t from_step,
                                   char *to, int64_t to_step)
{
    if (from_step == 1 && to_step == 1)
        memcpy(to, from, (size_t)(n > 0 ? n : 0) * size);
    else if (size == 4)
        tw_strided_copy_sized(4, n, from, from_step, to, to_step);
    else if (size == 8)
        tw_strided_copy_sized(8, n, from, from_step, to, to_step);
    else
        tw_strided_copy_sized(16, n, from, from_step, to, to_step);
}

static inline void tw_swap_sized(size_t size, char *x, char *y)
{
    char keep[16];
    memcpy(keep, x, size);
    memcpy(x, y, size);
    memcpy(y, keep, size);
}

static inline void tw_strided_swap(size_t size, int64_t n, char *x, char *y, int64_t step)
{
    step *= (int64_t)size;
    for (int64_t i = 0; i < n; i++, x += step, y += step)
        if (size == 4)
            tw_swap_sized(4, x, y);
        else if (size == 8)
            tw_swap_sized(8, x, y);
        else
            tw_swap_sized(16, x, y);
}

#endif
