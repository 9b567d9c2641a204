/* Reflectors for processors with wide vectors; the build gives this file their flags. */
#define HOUSES tw_houses_wide
#include "la/kernel/house_types.inc"
