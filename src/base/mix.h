/* The splitmix64 finaliser: hashes, digests and reproducible random numbers are made of it. */
#ifndef TW_BASE_MIX_H
#define TW_BASE_MIX_H

#include <stdint.h>

static inline uint64_t tw_mix(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

#endif
