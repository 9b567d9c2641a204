/* Columns of a panel, for processors with wide vectors; the build gives this file their flags. */
#define LEAVES tw_leaves_wide
#include "la/kernel/leaf_types.inc"
