/* Values and replicas: one version of some bytes, and where copies of it are. */
#ifndef TW_DATA_VALUE_H
#define TW_DATA_VALUE_H

#include "data/area.h"
#include "data/packed.h"

enum {
    TW_SPACE_HOST = 0,
    TW_REPLICATED = 1 << 15 /* in `valid`: there are records of replicas, see replica.h */
};

/* A value's bytes on the host. */
typedef struct tw_host_bytes {
    void *data;
    int64_t ld; /* elements */
} tw_host_bytes;

struct tw_buffer_cache; /* buffers.h: where a worker keeps free memory for values */

/* Where the bytes are on the host is part of the value; replicas in other spaces hang off it.
 * `valid` has a bit per space, so "are the inputs here?" is one test. Most values live and die on
 * the first line of this, which workers that share them exchange. */
typedef struct tw_value {
    tw_host_bytes host;
    int64_t rows, cols;     /* elements */
    size_t element;         /* bytes */
    struct tw_value *whole; /* of a region: the value whose bytes these are, which it holds */
    /* Of a tile: what its bytes become when the last flow lets them go. Of a free buffer: the next
     * one. */
    _Atomic(struct tw_value *) newer;
    atomic_int refs; /* who holds it: flows, regions, packed replicas; of a tile also TW_KEPT */
    _Atomic uint16_t valid;
    uint8_t region; /* tw_region: which of its elements are valid */
    bool buffered;  /* it goes to a cache when nobody holds it; else it is a tile's own */

    tw_mask *mask;      /* of TW_MASKED; of a tile, which has all of it, that of `replaced` */
    tw_region replaced; /* of a tile: what of its bytes `newer` replaces; under its store lock */
    int32_t owner;      /* of a tile: its rank; on others it has a shape and no bytes */
    struct tw_replica *replicas; /* with TW_REPLICATED, under the lock of the replicas */
} tw_value;

_Static_assert(offsetof(tw_value, mask) == TW_LINE, "what most values need is one line");

/* Times a region, in `refs` of a tile: memory is to keep what its bytes have there, so whoever got
 * them from another task writes elsewhere. It ends when nobody holds the bytes. */
enum { TW_KEPT = 1 << 28 };

_Static_assert((int)TW_UNPACKING < (int)TW_KEPT, "bits of the same count");

/* A value of that shape, held once, content unspecified; NULL when there is no memory. */
tw_value *tw_value_new(struct tw_buffer_cache *cache, int64_t rows, int64_t cols, size_t element);

/* The last holder is gone: called by tw_value_drop. */
void tw_value_retire(struct tw_buffer_cache *cache, tw_value *v);

/* An area of a value as a value of its own, on the same bytes. It takes over one hold of `v`,
 * except when there is no memory: NULL. */
tw_value *tw_value_region(struct tw_buffer_cache *cache, tw_value *v, tw_area area);

/* What the tile with these bytes holds now in that area, held once more; NULL when there is no
 * memory. */
tw_value *tw_value_current(tw_value *home, tw_area area, struct tw_buffer_cache *cache);

/* Copy an area, as far as both are so large. */
void tw_value_copy(tw_value *to, const tw_value *from, tw_area area);

/* The tile with these bytes becomes `from` in that area, as far as `from` has it: at once, or
 * when nobody holds the bytes any more. False when there is no memory. */
bool tw_value_store(tw_value *home, const tw_value *from, tw_area area,
                    struct tw_buffer_cache *cache);

/* The value, which the caller holds, is passed on or held by others, but memory is to keep what it
 * has in that region: no effect unless the bytes are a tile's. */
void tw_value_keep(tw_value *v, tw_region region);

/* May the caller, who holds the value, write it where it is? Then it has no packed replicas. */
bool tw_value_writable(tw_value *v, struct tw_buffer_cache *cache);

/* Called by tw_value_drop: there are packed replicas, and perhaps no other holders. */
void tw_value_unpack(struct tw_buffer_cache *cache, tw_value *v, int refs);

/* Which of its elements are valid; the value holds that. */
static inline tw_area tw_value_area(const tw_value *v)
{
    return (tw_area){v->region, v->region == TW_MASKED ? v->mask : NULL};
}

/* No more of it is valid than this; the value, which is new, takes over the area. */
static inline void tw_value_limit(tw_value *v, tw_area area)
{
    v->region = area.region;
    v->mask = area.mask;
}

/* Bytes that it stands for. */
static inline double tw_value_bytes(const tw_value *v)
{
    double all = (double)v->rows * (double)v->cols * (double)v->element;
    if (v->region == TW_MASKED)
        return (double)v->mask->count * (double)v->element;
    return v->region == TW_FULL ? all : all / 2;
}

static inline bool tw_value_shared(const tw_value *v)
{
    /* acquire: pairs with tw_value_drop, so that the readers before us are done */
    return atomic_load_explicit(&v->refs, memory_order_acquire) > 1;
}

/* Nobody but the caller, who holds the value, sees its bytes. */
static inline bool tw_value_alone(const tw_value *v)
{
    return !tw_value_shared(v) && (!v->whole || !tw_value_shared(v->whole));
}

/* The caller, who holds the value, exchanges its hold for n of them. */
static inline void tw_value_pass(tw_value *v, int n)
{
    if (n == 1)
        return;
    if (v->buffered && !tw_value_shared(v)) /* nobody else can see it; a tile can be found */
        atomic_store_explicit(&v->refs, n, memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&v->refs, n - 1, memory_order_relaxed);
}

static inline void tw_value_drop(struct tw_buffer_cache *cache, tw_value *v)
{
    if (!tw_value_shared(v) && v->buffered) {
        tw_value_retire(cache, v);
        return;
    }
    /* release: who finds a tile's bytes free and overwrites them does so after we read them */
    int refs = atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) - 1;
    if (tw_unlikely(refs & TW_PACKED))
        tw_value_unpack(cache, v, refs);
    else if (tw_readers(refs) == 0)
        tw_value_retire(cache, v);
}

#endif
