/* Choosing the vectors. */
#include "la/house.h"

#if defined(__x86_64__)
static bool has_wide_vectors(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
static bool has_wide_vectors(void)
{
    return false;
}
#endif

const tw_house *tw_house_of(twill_type type)
{
    if (type != TWILL_F32 && type != TWILL_F64)
        return NULL;
    return has_wide_vectors() ? &tw_houses_wide[type] : &tw_houses_plain[type];
}
