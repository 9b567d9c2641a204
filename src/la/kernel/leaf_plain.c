/* Columns of a panel, for any processor. */
#define LEAVES tw_leaves_plain
#include "la/kernel/leaf_types.inc"
