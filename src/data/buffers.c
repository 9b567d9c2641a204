/* Caches of free buffers, and the depot. */
#include "data/buffers.h"

#include "data/space.h"

#include <stdlib.h>

/* Few sizes are in use at a time: those of full and of last tiles. */
typedef struct tw_buffer_size {
    struct tw_buffer_size *next;
    size_t bytes;
    tw_value *free; /* linked by `newer` */
    int n;
} buffer_size;

/* A value and its bytes in one piece. */
typedef struct buffer {
    _Alignas(TW_LINE) tw_value value;
    _Alignas(TW_LINE) char bytes[];
} buffer;

_Static_assert(offsetof(buffer, bytes) == TW_BUFFER_HEAD, "where they are asked for");

/* What a cache keeps: enough that the depot is rarely asked for small ones, and little memory. */
static int most_kept(size_t bytes)
{
    return bytes <= 4096 ? 64 : 2;
}

static size_t rounded(size_t bytes)
{
    return (bytes + TW_LINE - 1) / TW_LINE * TW_LINE;
}

static buffer_size *find_size(buffer_size **sizes, size_t bytes)
{
    buffer_size *size = *sizes;
    while (size && size->bytes != bytes)
        size = size->next;
    if (!size && (size = calloc(1, sizeof *size))) {
        size->bytes = bytes;
        size->next = *sizes;
        *sizes = size;
    }
    return size;
}

static void free_buffer(tw_value *v, size_t bytes)
{
    tw_host_free(v, sizeof(buffer) + bytes);
}

static void push(buffer_size *size, tw_value *v)
{
    atomic_store_explicit(&v->newer, size->free, memory_order_relaxed);
    size->free = v;
    size->n++;
}

static tw_value *pop(buffer_size *size)
{
    tw_value *v = size->free;
    if (v) {
        size->free = atomic_load_explicit(&v->newer, memory_order_relaxed);
        size->n--;
    }
    return v;
}

static void move(buffer_size *from, buffer_size *to, int n)
{
    for (tw_value *v; n > 0 && (v = pop(from)); n--)
        push(to, v);
}

/* Half of what a cache may keep goes to the depot or comes from there. Without memory for the
 * depot's list the cache keeps it all. */
static void exchange(tw_buffer_cache *cache, buffer_size *own, bool out)
{
    int n = most_kept(own->bytes) / 2;
    tw_lock_take(&cache->depot->lock);
    buffer_size *common = find_size(&cache->depot->sizes, own->bytes);
    if (common)
        move(out ? own : common, out ? common : own, n);
    tw_unlock(&cache->depot->lock);
}

tw_value *tw_buffer_get(tw_buffer_cache *cache, size_t bytes, void **data)
{
    bytes = rounded(bytes);
    buffer_size *size = find_size(&cache->sizes, bytes);
    if (!size)
        return NULL;
    if (!size->free)
        exchange(cache, size, false);
    buffer *b = (buffer *)pop(size);
    if (b) /* others may have read what they were, and now they are written */
        tw_prefetch_write(b->bytes);
    else
        b = tw_host_new(sizeof *b + bytes);
    if (b)
        *data = b->bytes;
    return (tw_value *)b;
}

void tw_buffer_put(tw_buffer_cache *cache, tw_value *v, size_t bytes)
{
    buffer_size *size = find_size(&cache->sizes, rounded(bytes));
    if (!size) {
        free_buffer(v, rounded(bytes));
        return;
    }
    push(size, v);
    if (size->n > most_kept(size->bytes))
        exchange(cache, size, true);
}

static void free_all(buffer_size **sizes)
{
    while (*sizes) {
        buffer_size *size = *sizes;
        *sizes = size->next;
        for (tw_value *v; (v = pop(size));)
            free_buffer(v, size->bytes);
        free(size);
    }
}

void tw_buffer_cache_close(tw_buffer_cache *cache)
{
    free_all(&cache->sizes);
}

void tw_depot_close(tw_depot *depot)
{
    free_all(&depot->sizes);
}
