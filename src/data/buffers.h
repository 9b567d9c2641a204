/* Memory for values that are no tile's own. Each worker has a cache of free buffers, by size; what
 * is too much for one cache goes to the depot, where others find it. */
#ifndef TW_DATA_BUFFERS_H
#define TW_DATA_BUFFERS_H

#include "data/replica.h"

enum { TW_BUFFER_HEAD = 2 * TW_LINE }; /* bytes of a buffer begin here */

struct tw_buffer_size;

enum { TW_STORE_LOCKS = 16 };

/* Orders those who store into a tile that others still hold; a line of its own, because whole tiles
 * are copied under it. */
typedef struct tw_store_lock {
    tw_lock lock;
    char rest[TW_LINE - sizeof(tw_lock)];
} tw_store_lock;

/* The depot, and locks of tiles by their address. */
typedef struct tw_depot {
    tw_store_lock stores[TW_STORE_LOCKS];
    tw_lock lock;
    struct tw_buffer_size *sizes;
    tw_replicas *replicas; /* of its values */
} tw_depot;

/* One worker's. */
typedef struct tw_buffer_cache {
    _Alignas(TW_LINE) tw_depot *depot;
    struct tw_buffer_size *sizes;
} tw_buffer_cache;

/* Ask for the bytes of a value that is a buffer: to learn from the value where they are would take
 * as long as to get them. */
static inline void tw_buffer_expect(const tw_value *v)
{
    __builtin_prefetch((const char *)v + TW_BUFFER_HEAD);
}

/* Free what is there; nobody holds a buffer any more. */
void tw_buffer_cache_close(tw_buffer_cache *cache);
void tw_depot_close(tw_depot *depot);

/* A value at the head of so many bytes, which begin on a line; neither is set. NULL: no memory. */
tw_value *tw_buffer_get(tw_buffer_cache *cache, size_t bytes, void **data);
void tw_buffer_put(tw_buffer_cache *cache, tw_value *v, size_t bytes);

#endif
