/* Trees: how one message gets to many ranks.
 *
 * Who has it is node 0; those who get it are the nodes 1 to `last`. A node that gets it sends it on
 * to those whose parent it is. */
#ifndef TW_ENGINE_REMOTE_TREE_H
#define TW_ENGINE_REMOTE_TREE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tw_bcast {
    TW_BCAST_STAR,     /* node 0 sends to all */
    TW_BCAST_CHAIN,    /* each sends to the next */
    TW_BCAST_BINOMIAL, /* those who have it double each time */
    TW_BCASTS
} tw_bcast;

/* The tree by which so many bytes go to so many ranks. */
tw_bcast tw_bcast_choose(size_t bytes, int ranks);

/* The tree of that name; TW_BCASTS: none has it. */
tw_bcast tw_bcast_named(const char *name);

/* Who sends to this node, which is not 0. */
int tw_bcast_parent(tw_bcast tree, int node);

/* Does it send to nobody? */
bool tw_bcast_is_leaf(tw_bcast tree, int node, int last);

#endif
