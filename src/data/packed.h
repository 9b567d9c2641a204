/* Packed replicas: the elements of a value once more on the host, in the layout that products read.
 *
 * The first product that wants a value packed packs it, and those after it find it packed. Nobody
 * waits for anybody: who needs a value while another packs it, or when there are enough packed
 * ones, packs for itself.
 *
 * Whoever reads a value is counted, in the epoch of its chain or among its holders. Its packed
 * replicas count there as one more reader, marked by TW_PACKED in the same count, so nobody writes
 * the value as long as there are some. Who leaves them alone with the count claims them
 * (TW_UNPACKING), ends them, and leaves once more for them. */
#ifndef TW_DATA_PACKED_H
#define TW_DATA_PACKED_H

#include "base/lock.h"

#include <stddef.h>
#include <stdint.h>

struct tw_value;

/* In a count of readers. Its owner may use the bits above. */
enum {
    TW_READERS = (1 << 26) - 1, /* how many there are, and can be */
    TW_PACKED = 1 << 26,        /* one of them is the packed replicas */
    TW_UNPACKING = 1 << 27      /* somebody is about to end these: no further ones */
};

static inline int tw_readers(int count)
{
    return count & TW_READERS;
}

typedef struct tw_packed {
    struct tw_packed *next; /* in its bucket, or of those that are free */
    const struct tw_value *value;
    int layout;
    atomic_int users; /* the bucket, and who packs or reads it */
    atomic_bool ready;
    size_t size; /* of the bytes */
    _Alignas(TW_LINE) char bytes[];
} tw_packed;

typedef struct tw_packed_bucket {
    tw_lock lock;
    tw_packed *first;
    char rest[TW_LINE - 2 * sizeof(void *)];
} tw_packed_bucket;

enum { TW_PACKED_BUCKETS = 64 };

/* All of a context, found by the addresses of their values. */
typedef struct tw_packed_table {
    tw_packed_bucket bucket[TW_PACKED_BUCKETS];
    tw_lock lock; /* of what follows */
    int64_t used; /* packed replicas that are not free */
    tw_packed *free;
} tw_packed_table;

/* Nobody reads any value. */
void tw_packed_close(tw_packed_table *all);

/* The value in a layout, which always takes so many bytes of it, to be given back with
 * tw_packed_put; if it is not `ready`, the caller is to pack it, and to tell the others. The caller
 * is one of the readers. NULL: there are `most` of them, somebody else packs it, or there is no
 * memory. */
tw_packed *tw_packed_get(tw_packed_table *all, const struct tw_value *v, atomic_int *readers,
                         int layout, size_t bytes, int64_t most);
void tw_packed_put(tw_packed_table *all, tw_packed *p);

static inline bool tw_packed_is_ready(const tw_packed *p)
{
    /* acquire pairs with the release below: whoever sees this sees the elements */
    return atomic_load_explicit(&p->ready, memory_order_acquire);
}

static inline void tw_packed_tell(tw_packed *p)
{
    atomic_store_explicit(&p->ready, true, memory_order_release);
}

/* Are there packed replicas beside at most `others` readers? Then the caller is to end them. `now`
 * is what the count was when the caller left, or looked. */
bool tw_packed_claim(atomic_int *readers, int now, int others);

/* After a claim: end the packed replicas of a value. Returns what the count is then. */
int tw_packed_end(tw_packed_table *all, const struct tw_value *v, atomic_int *readers);

#endif
