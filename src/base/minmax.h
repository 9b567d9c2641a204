/* The smaller and the larger of two numbers, and a number between two others. */
#ifndef TW_BASE_MINMAX_H
#define TW_BASE_MINMAX_H

#include <stdint.h>

static inline int64_t tw_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t tw_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t tw_clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

#endif
