/* Groups of ranks, inside. */
#ifndef TW_ARRAY_GROUP_H
#define TW_ARRAY_GROUP_H

#include <twill/group.h>

#include <pthread.h>

/* A rank, and its number in a group. */
typedef struct tw_group_member {
    int64_t rank, number;
} tw_group_member;

/* How patterns are dealt over a group that is no run of ranks. Patterns of the same grid have one
 * in common, so that tiles of the same coordinates are seen to be on the same ranks. */
typedef struct tw_group_deal {
    struct tw_group_deal *next;
    const twill_group *group;
    twill_pattern numbers; /* extents, blocks and order are those of the first such pattern */
} tw_group_deal;

struct twill_group {
    twill *tw;
    twill_group *parent;
    int64_t size, parts;
    int64_t *rank;           /* by number */
    tw_group_member *member; /* by rank */
    twill_group **part;
    pthread_mutex_t mutex; /* of deals */
    tw_group_deal *deals;
};

/* Make a group of `size` ranks, which are in *rank[]; `parent` may be NULL. */
twill_status tw_group_make(twill *tw, twill_group *parent, int64_t size, const int64_t *rank,
                           twill_group **group);

#endif
