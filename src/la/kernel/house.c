/* Choosing the vectors. */
#include "la/kernel/house.h"

#include "la/blas/blas.h"

const tw_house *tw_house_of(twill_type type)
{
    if (type != TWILL_FLOAT32 && type != TWILL_FLOAT64)
        return NULL;
    return tw_cpu_has_wide_vectors() ? &tw_houses_wide[type] : &tw_houses_plain[type];
}
