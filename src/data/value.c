/* The life of values: copies, and stores that wait for readers. */
#include "data/buffers.h"

#include "data/space.h"

#include <stdlib.h>
#include <string.h>

/* ---- new ones ---------------------------------------------------------------------------- */

tw_value *tw_value_new(tw_shelf *shelf, int64_t rows, int64_t cols, size_t element)
{
    void *data;
    tw_value *v = tw_buffer_get(shelf, (size_t)rows * (size_t)cols * element, &data);
    if (v)
        *v = (tw_value){.host = {data, rows > 0 ? rows : 1},
                        .rows = rows,
                        .cols = cols,
                        .element = element,
                        .valid = 1u << TW_SPACE_HOST,
                        .region = TW_FULL,
                        .buffered = true,
                        .refs = 1};
    return v;
}

static void hold(tw_value *v)
{
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
}

tw_value *tw_value_part(tw_shelf *shelf, tw_value *v, tw_region region)
{
    void *none;
    tw_value *part = tw_buffer_get(shelf, 0, &none);
    if (!part)
        return NULL;
    *part = (tw_value){.host = v->host,
                       .rows = v->rows,
                       .cols = v->cols,
                       .element = v->element,
                       .valid = v->valid,
                       .region = v->region & region,
                       .whole = v->whole ? v->whole : v,
                       .buffered = true,
                       .refs = 1};
    if (v->whole) {
        hold(v->whole);
        tw_value_drop(shelf, v);
    }
    return part;
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
    static const tw_region parts[] = {TW_ABOVE, TW_DIAGONAL, TW_BELOW};
    for (int64_t j = 0; j < cols; j++) {
        const int64_t cut[] = {0, smaller(j, rows), smaller(j + 1, rows), rows};
        char *column_to = (char *)to->host.data + (size_t)j * ld_to;
        const char *column_from = (const char *)from->host.data + (size_t)j * ld_from;
        for (int i = 0; i < 3; i++)
            if (region & parts[i])
                memcpy(column_to + (size_t)cut[i] * element, column_from + (size_t)cut[i] * element,
                       (size_t)(cut[i + 1] - cut[i]) * element);
    }
}

/* ---- stores ------------------------------------------------------------------------------ */

/* The last holder of a tile's bytes has gone: what was to replace them does so now. Under the lock,
 * so that whoever finds nothing newer finds the bytes in place. */
static void settle(tw_shelf *shelf, tw_value *home)
{
    tw_value *newer = atomic_load_explicit(&home->newer, memory_order_acquire);
    if (!newer)
        return;
    tw_lock *lock = &shelf->depot->lock;
    tw_lock_take(lock);
    bool mine = atomic_load_explicit(&home->newer, memory_order_relaxed) == newer;
    if (mine) {
        tw_value_copy(home, newer, home->replaced);
        atomic_store_explicit(&home->newer, NULL, memory_order_release);
    }
    tw_unlock(lock);
    if (mine)
        tw_value_drop(shelf, newer);
}

void tw_value_retire(tw_shelf *shelf, tw_value *v)
{
    if (!v->buffered) {
        tw_fence(); /* pairs with the one in postpone: let go, then look */
        settle(shelf, v);
        return;
    }
    tw_value *whole = v->whole;
    tw_buffer_put(shelf, v);
    if (whole)
        tw_value_drop(shelf, whole);
}

/* A region of which `newer` has some and the tile itself the rest, as a value of its own. Both are
 * held, and let go. */
static tw_value *compose(tw_value *home, tw_value *newer, tw_region replaced, tw_region region,
                         tw_shelf *shelf)
{
    tw_value *v = tw_value_new(shelf, home->rows, home->cols, home->element);
    if (v) {
        tw_value_copy(v, home, region & ~replaced);
        tw_value_copy(v, newer, region & replaced);
        v->region = region;
    }
    tw_value_drop(shelf, newer);
    tw_value_drop(shelf, home);
    return v;
}

tw_value *tw_value_current(tw_value *home, tw_region region, tw_shelf *shelf)
{
    if (tw_likely(!atomic_load_explicit(&home->newer, memory_order_acquire))) {
        hold(home);
        return home;
    }
    tw_lock_take(&shelf->depot->lock);
    tw_value *newer = atomic_load_explicit(&home->newer, memory_order_relaxed);
    tw_region replaced = newer ? home->replaced : 0;
    if (region & replaced)
        hold(newer);
    if (region & ~replaced)
        hold(home);
    tw_unlock(&shelf->depot->lock);
    if (region & replaced && region & ~replaced)
        return compose(home, newer, replaced, region, shelf);
    return region & replaced ? newer : home;
}

/* Others still use the bytes, perhaps to change another region: keep what they become aside. Under
 * the lock. Returns what that replaces. */
static tw_value *postpone(tw_value *home, tw_value *aside, const tw_value *from, tw_region region)
{
    tw_value *before = atomic_load_explicit(&home->newer, memory_order_relaxed);
    if (!before)
        home->replaced = 0;
    else if (home->replaced & ~region)
        tw_value_copy(aside, before, home->replaced & ~region);
    tw_value_copy(aside, from, region);
    aside->region = home->replaced |= region;
    atomic_store_explicit(&home->newer, aside, memory_order_release);
    return before;
}

/* What is to replace the bytes of the tile does not do so in that region: there they are newer. */
static void keep(tw_value *home, tw_region region, tw_shelf *shelf)
{
    if (tw_likely(!atomic_load_explicit(&home->newer, memory_order_acquire)))
        return;
    tw_lock_take(&shelf->depot->lock);
    tw_value *newer = atomic_load_explicit(&home->newer, memory_order_relaxed);
    bool over = newer && !(home->replaced &= ~region);
    if (over)
        atomic_store_explicit(&home->newer, NULL, memory_order_release);
    tw_unlock(&shelf->depot->lock);
    if (over)
        tw_value_drop(shelf, newer);
}

static bool in_use(const tw_value *home)
{
    return atomic_load_explicit(&home->refs, memory_order_acquire) > 0 ||
           atomic_load_explicit(&home->newer, memory_order_acquire);
}

bool tw_value_store(tw_value *home, const tw_value *from, tw_region region, tw_shelf *shelf)
{
    region &= from->region;
    if (from == home || from->whole == home) {
        keep(home, region, shelf);
        return true;
    }
    if (region == TW_FULL && !in_use(home)) {
        tw_value_copy(home, from, TW_FULL);
        return true;
    }
    /* Several tasks may store different parts of a tile at the same time: one after the other. */
    tw_value *aside = tw_value_new(shelf, home->rows, home->cols, home->element);
    tw_value *over = aside;
    if (!aside)
        return false;
    tw_lock_take(&shelf->depot->lock);
    if (in_use(home))
        over = postpone(home, aside, from, region);
    else
        tw_value_copy(home, from, region);
    tw_unlock(&shelf->depot->lock);
    if (over)
        tw_value_drop(shelf, over);
    tw_fence();
    if (atomic_load_explicit(&home->refs, memory_order_relaxed) == 0)
        settle(shelf, home);
    return true;
}
