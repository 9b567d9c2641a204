/* The life of values: buffers from free lists, copies, and stores that wait for readers. */
#include "data/value.h"

#include "data/space.h"

#include <stdlib.h>
#include <string.h>

/* ---- buffers ----------------------------------------------------------------------------- */

/* Few sizes are in use at a time: those of full and of last tiles. */
typedef struct tw_buffer_size {
    struct tw_buffer_size *next;
    size_t bytes;
    tw_value *free;
} buffer_size;

/* A value and its bytes in one piece. */
typedef struct buffer {
    _Alignas(TW_LINE) tw_value value;
    buffer_size *size;
    _Alignas(TW_LINE) char bytes[];
} buffer;

static buffer_size *find_size(tw_buffers *buffers, size_t bytes)
{
    buffer_size *size = buffers->sizes;
    while (size && size->bytes != bytes)
        size = size->next;
    if (!size && (size = calloc(1, sizeof *size))) {
        size->bytes = bytes;
        size->next = buffers->sizes;
        buffers->sizes = size;
    }
    return size;
}

static buffer *get_buffer(tw_buffers *buffers, size_t bytes)
{
    bytes = (bytes + TW_LINE - 1) / TW_LINE * TW_LINE;
    tw_lock_take(&buffers->lock);
    buffer_size *size = find_size(buffers, bytes);
    buffer *b = size ? (buffer *)size->free : NULL;
    if (b)
        size->free = atomic_load_explicit(&b->value.newer, memory_order_relaxed);
    tw_unlock(&buffers->lock);
    if (!b && size && (b = aligned_alloc(TW_LINE, sizeof *b + bytes)))
        b->size = size;
    return b;
}

tw_value *tw_value_new(tw_buffers *buffers, int64_t rows, int64_t cols, size_t element)
{
    buffer *b = get_buffer(buffers, (size_t)rows * (size_t)cols * element);
    if (!b)
        return NULL;
    b->value = (tw_value){.host = {b->bytes, rows > 0 ? rows : 1},
                          .rows = rows,
                          .cols = cols,
                          .element = element,
                          .valid = 1u << TW_SPACE_HOST,
                          .buffers = buffers,
                          .refs = 1};
    return &b->value;
}

void tw_buffers_close(tw_buffers *buffers)
{
    while (buffers->sizes) {
        buffer_size *size = buffers->sizes;
        buffers->sizes = size->next;
        while (size->free) {
            tw_value *v = size->free;
            size->free = atomic_load_explicit(&v->newer, memory_order_relaxed);
            free(v);
        }
        free(size);
    }
}

/* ---- copies ------------------------------------------------------------------------------ */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void tw_value_copy(tw_value *to, const tw_value *from, tw_region region)
{
    int64_t rows = smaller(to->rows, from->rows), cols = smaller(to->cols, from->cols);
    size_t element = to->element;
    size_t ld_to = (size_t)to->host.ld * element, ld_from = (size_t)from->host.ld * element;
    if (region == TW_FULL) {
        tw_host.copy_2d(&tw_host, to->host.data, ld_to, from->host.data, ld_from,
                        (size_t)rows * element, (size_t)cols);
        return;
    }
    for (int64_t j = 0; j < cols; j++) {
        int64_t first = region == TW_LOWER_PART ? smaller(j, rows) : 0;
        int64_t end = region == TW_LOWER_PART ? rows : smaller(j + 1, rows);
        memcpy((char *)to->host.data + (size_t)j * ld_to + (size_t)first * element,
               (const char *)from->host.data + (size_t)j * ld_from + (size_t)first * element,
               (size_t)(end - first) * element);
    }
}

/* ---- stores ------------------------------------------------------------------------------ */

/* The last holder of a tile's bytes has gone: what was to replace them does so now. Under the lock,
 * so that whoever finds nothing newer finds the bytes in place. */
static void settle(tw_value *home)
{
    tw_value *newer = atomic_load_explicit(&home->newer, memory_order_acquire);
    if (!newer)
        return;
    tw_lock *lock = &newer->buffers->lock;
    tw_lock_take(lock);
    bool mine = atomic_load_explicit(&home->newer, memory_order_relaxed) == newer;
    if (mine) {
        tw_value_copy(home, newer, TW_FULL);
        atomic_store_explicit(&home->newer, NULL, memory_order_release);
    }
    tw_unlock(lock);
    if (mine)
        tw_value_drop(newer);
}

void tw_value_retire(tw_value *v)
{
    if (!v->buffers) {
        tw_fence(); /* pairs with the one in postpone: let go, then look */
        settle(v);
        return;
    }
    buffer *b = (buffer *)v;
    tw_lock_take(&v->buffers->lock);
    atomic_store_explicit(&v->newer, b->size->free, memory_order_relaxed);
    b->size->free = v;
    tw_unlock(&v->buffers->lock);
}

static void hold(tw_value *v)
{
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
}

tw_value *tw_value_current(tw_value *home)
{
    tw_value *newer = atomic_load_explicit(&home->newer, memory_order_acquire);
    bool held = false;
    if (tw_unlikely(newer != NULL)) {
        tw_lock_take(&newer->buffers->lock);
        held = atomic_load_explicit(&home->newer, memory_order_relaxed) == newer;
        if (held)
            hold(newer);
        tw_unlock(&newer->buffers->lock);
    }
    if (held)
        return newer;
    hold(home);
    return home;
}

/* Others still read the bytes: keep what they become aside, as a whole. Under the lock. Returns
 * what that replaces. */
static tw_value *postpone(tw_value *home, tw_value *aside, const tw_value *from, tw_region region)
{
    tw_value *before = atomic_load_explicit(&home->newer, memory_order_relaxed);
    if (region != TW_FULL)
        tw_value_copy(aside, before ? before : home, TW_FULL);
    tw_value_copy(aside, from, region);
    atomic_store_explicit(&home->newer, aside, memory_order_release);
    return before;
}

static bool in_use(const tw_value *home)
{
    return atomic_load_explicit(&home->refs, memory_order_acquire) > 0 ||
           atomic_load_explicit(&home->newer, memory_order_acquire);
}

bool tw_value_store(tw_value *home, const tw_value *from, tw_region region, tw_buffers *buffers)
{
    if (from == home)
        return true;
    if (region == TW_FULL && !in_use(home)) {
        tw_value_copy(home, from, TW_FULL);
        return true;
    }
    /* Several tasks may store different parts of a tile at the same time: one after the other. */
    tw_value *aside = tw_value_new(buffers, home->rows, home->cols, home->element);
    tw_value *over = aside;
    if (!aside)
        return false;
    tw_lock_take(&buffers->lock);
    if (in_use(home))
        over = postpone(home, aside, from, region);
    else
        tw_value_copy(home, from, region);
    tw_unlock(&buffers->lock);
    if (over)
        tw_value_drop(over);
    tw_fence();
    if (atomic_load_explicit(&home->refs, memory_order_relaxed) == 0)
        settle(home);
    return true;
}
