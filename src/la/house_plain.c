/* Reflectors for any processor. */
#define HOUSES tw_houses_plain
#include "la/house_types.inc"
