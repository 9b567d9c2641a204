/* The table of leaves, made from the two texts for real and complex numbers. A file that includes
 * this says in LEAVES what its table is called. */
#include "la/leaf.h"

#include <float.h>
#include <math.h>

enum { LANES = 16 }; /* largest elements that a search keeps apart, so that vectors can hold them */

#define T float
#define SAFE FLT_MIN
#define ABS fabsf
#define NAME(function) function##_f32
#include "la/leaf_real.h"
#undef NAME
#define NAME(function) function##_c32
#include "la/leaf_complex.h"
#undef NAME
#undef ABS
#undef SAFE
#undef T

#define T double
#define SAFE DBL_MIN
#define ABS fabs
#define NAME(function) function##_f64
#include "la/leaf_real.h"
#undef NAME
#define NAME(function) function##_c64
#include "la/leaf_complex.h"

const tw_leaf LEAVES[TWILL_C64 + 1] = {
    [TWILL_F32] = {sizeof(float), update_f32, search_f32, scale_f32},
    [TWILL_F64] = {sizeof(double), update_f64, search_f64, scale_f64},
    [TWILL_C32] = {2 * sizeof(float), update_c32, search_c32, scale_c32},
    [TWILL_C64] = {2 * sizeof(double), update_c64, search_c64, scale_c64},
};
