/* Trees: how one message gets to many ranks.
 *
 * Who has it is node 0; those who get it are the nodes 1 to `last`. A node that gets it sends it on
 * to those whose parent it is. */
#ifndef TW_ENGINE_REMOTE_TREE_H
#define TW_ENGINE_REMOTE_TREE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tw_tree {
    TW_TREE_STAR,     /* node 0 sends to all */
    TW_TREE_CHAIN,    /* each sends to the next */
    TW_TREE_BINOMIAL, /* those who have it double each time */
    TW_TREES
} tw_tree;

/* The tree by which so many bytes go to so many ranks. */
tw_tree tw_tree_choose(size_t bytes, int ranks);

/* The tree of that name; TW_TREES: none has it. */
tw_tree tw_tree_named(const char *name);

/* Who sends to this node, which is not 0. */
int tw_tree_parent(tw_tree tree, int node);

/* Does it send to nobody? */
bool tw_tree_is_leaf(tw_tree tree, int node, int last);

#endif
