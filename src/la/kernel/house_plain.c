/* Reflectors for any processor. */
#define HOUSES tw_houses_plain
#include "la/kernel/house_types.inc"
