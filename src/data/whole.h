/* Uses of whole arrays: runs that touch any tile of some arrays, entered once per array.
 *
 * A root has a list of them in program order. Two that conflict, by the boxes of tiles that they
 * name, are ordered here; chains of tiles learn of them only where they have to. A use that comes
 * while tiles are in use enters the chains of these tiles; a tile that is used while there are uses
 * of its array that its chain has not seen lets them enter first. `seen` of a tile says up to which
 * one it has. Both happen under the lock of the array, which every insertion takes anyway. See
 * docs/decisions/0025-whole-array-uses.md. */
#ifndef TW_DATA_WHOLE_H
#define TW_DATA_WHOLE_H

#include "data/array.h"

/* Tiles of a root, from `first` up to and without `end`, and how they are used. */
typedef struct tw_box {
    int64_t first[TWILL_DIMS], end[TWILL_DIMS];
    twill_access access;
} tw_box;

/* The use of one root. When it ends, it leaves the list, except if a tile that has not seen it has
 * to learn that its content is poisoned, or is not any more: then it stays as a remainder. */
typedef struct tw_whole {
    struct tw_whole *next;
    twill_array *root;
    uint64_t number;          /* in the order of entering */
    uint64_t last;            /* when it left: the number of the last one that waits for it */
    bool leaving;             /* it is over, and tw_whole_released has not been called */
    bool over;                /* it is a remainder; it belongs to the array */
    uint32_t poison;          /* of a remainder: the mark, or 0 */
    void *owner;              /* who uses the array */
    void *proxies;            /* the owner's, one for each chain that it has entered */
    struct tw_whole *granted; /* those that need not wait any more, in a list */
    int boxes;
    tw_box box[];
} tw_whole;

/* All tiles of an array. */
tw_box tw_box_of(const twill_array *a, twill_access access);
bool tw_box_has(const tw_box *box, const int64_t *block);

/* How it uses a tile: an or of twill_access. */
int tw_whole_access(const tw_whole *u, const twill_tile *tile);

/* May they not go on at the same time? */
bool tw_whole_conflicts(const tw_whole *u, const tw_whole *v);

/* ---- the list, under the lock of the array ------------------------------------------------ */

/* Add it at the end. Returns how many conflicting ones that are under way come before it. */
int tw_whole_enter(tw_whole *u);

/* It is over, with a mark or 0. True when it stays as a remainder: then it is the array's as soon
 * as tw_whole_released has been called, with the lock taken again. */
bool tw_whole_leave(tw_whole *u, uint32_t poison);
void tw_whole_released(tw_whole *u);

/* Does a use that is under way have tiles of the box? */
bool tw_whole_uses(const twill_array *root, const tw_box *box);

/* Forget remainders of failures that do not hold any more, and what only outdated these. */
typedef bool tw_poison_test(void *arg, uint32_t poison);
void tw_whole_forget(twill_array *root, tw_poison_test *holds, void *arg);
void tw_whole_forget_all(twill_array *root);

/* Does it read a tile that a remainder has poisoned, without the chain of the tile knowing? */
bool tw_whole_is_poisoned(const tw_whole *u);

#endif
