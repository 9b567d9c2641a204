/* Trees: which one, and who sends to whom. */
#include "engine/remote/tree.h"

#include <string.h>

/* A node sends on when it polls, which may be after a body: so a tree of several levels must save
 * the first sender something. Few bytes cost it some tenths of a microsecond per rank. Many keep
 * its link busy: in a chain it sends them once, and as long as it is short, the last rank does not
 * wait much longer than in other trees. */
enum { FEW_RANKS = 2, MORE_RANKS = 8, SHORT_CHAIN = 4, SMALL = 1 << 12, LARGE = 1 << 18 };

tw_bcast tw_bcast_choose(size_t bytes, int ranks)
{
    if (ranks <= FEW_RANKS || (bytes <= SMALL && ranks <= MORE_RANKS))
        return TW_BCAST_STAR;
    return bytes >= LARGE && ranks <= SHORT_CHAIN ? TW_BCAST_CHAIN : TW_BCAST_BINOMIAL;
}

tw_bcast tw_bcast_named(const char *name)
{
    static const char *const names[TW_BCASTS] = {"star", "chain", "binomial"};
    int tree = 0;
    while (tree < TW_BCASTS && strcmp(name, names[tree]))
        tree++;
    return (tw_bcast)tree;
}

/* The largest power of two that is not larger than a node, which is not 0. */
static int highest_bit(int node)
{
    int bit = 1;
    while (bit <= node / 2)
        bit *= 2;
    return bit;
}

int tw_bcast_parent(tw_bcast tree, int node)
{
    if (tree == TW_BCAST_CHAIN)
        return node - 1;
    return tree == TW_BCAST_STAR ? 0 : node - highest_bit(node);
}

bool tw_bcast_is_leaf(tw_bcast tree, int node, int last)
{
    if (tree == TW_BCAST_STAR)
        return node > 0 || last == 0;
    int next = tree == TW_BCAST_CHAIN || node == 0 ? 1 : 2 * highest_bit(node);
    return next > last - node;
}
