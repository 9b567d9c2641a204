/* Choosing the vectors. */
#include "la/leaf.h"

#if defined(__x86_64__)
static bool has_wide_vectors(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
static bool has_wide_vectors(void)
{
    return false;
}
#endif

const tw_leaf *tw_leaf_of(twill_type type)
{
    return has_wide_vectors() ? &tw_leaves_wide[type] : &tw_leaves_plain[type];
}
