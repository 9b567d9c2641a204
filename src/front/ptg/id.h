/* Who an instance is, in one word: so that instances are found and told apart by comparing it. */
#ifndef TW_FRONT_PTG_ID_H
#define TW_FRONT_PTG_ID_H

#include "front/ptg/ptg.h"

enum { TW_ID_BITS = 52 }; /* for parameters; then the class, and two marks */

/* All of it is there, or it is a hash. */
#define TW_ID_EXACT ((uint64_t)1 << 62)
#define TW_ID_HASH ((uint64_t)1 << 63)

/* Of an instance whose parameters are too large. */
uint64_t tw_instance_hash(const tw_ptg_class *c, const int64_t *p);

/* Parameters side by side, each of so many bits; `*over` is not 0 if one does not fit. */
static inline uint64_t tw_id_pack(const int64_t *p, int n, int bits, uint64_t *over)
{
    uint64_t id = 0, half = (uint64_t)1 << bits >> 1;
    for (int i = 0; i < n; i++) {
        uint64_t part = (uint64_t)p[i] + half;
        *over |= part >> bits;
        id = id << bits | part;
    }
    return id;
}

/* Never 0. Most classes have few parameters: for those the compiler knows the shifts. */
static inline uint64_t tw_instance_id(const tw_ptg_class *c, const int64_t *p)
{
    uint64_t id, over = 0;
    int n = c->cls->parameters;
    if (n == 2)
        id = tw_id_pack(p, 2, TW_ID_BITS / 2, &over);
    else if (n == 3)
        id = tw_id_pack(p, 3, TW_ID_BITS / 3, &over);
    else
        id = tw_id_pack(p, n, c->bits, &over);
    return tw_likely(!over) ? id | c->id : tw_instance_hash(c, p);
}

#endif
