/* A reader that has left an epoch looks for packed replicas late: its record is an epoch of another
 * tile by then, and the reader may end the replicas of that one. */
#include "_common.h"

#include "data/array.h"
#include "engine/engine.h"

static twill_array *a;
static tw_packed_table *table;

static void enter(twill_tile *tile, tw_access *x, tw_cache *cache)
{
    tw_lock_take(&tile->array->lock);
    must(tw_chain_enter(&tile->chain, x, TW_READ, tile, &a->shared->epochs, cache) ==
             TW_ENTRY_GRANTED,
         "readers only");
    tw_unlock(&tile->array->lock);
}

static void pack(twill_tile *tile, tw_access *x)
{
    tw_packed *p = tw_packed_get(table, &tile->value, &x->epoch->pending, 0, 8, 100);
    if (p)
        tw_packed_put(table, p);
}

static void *first(void *arg)
{
    must(!tw_chain_leave(arg, 0), "it is the tail");
    return NULL;
}

int main(void)
{
    twill *tw = start_with((twill_options){.workers = 1});
    a = integers(tw, 2);
    table = &tw->data.replicas.packed;
    tw_cache cache = {0};
    must(tw_cache_open(&cache), "memory");
    twill_tile *x = twill_tile_at(a, 0, 0), *y = twill_tile_at(a, 1, 0);
    tw_access one, two;
    enter(x, &one, &cache);
    pack(x, &one);
    pthread_t other = thread(first, &one);
    enter(x, &two, &cache);
    tw_chain_leave(&two, 0);
    if (tw_chain_idle(&x->chain)) { /* as when a writer had come and gone */
        tw_chain_close(&x->chain, &a->shared->epochs, &cache);
        enter(y, &two, &cache);
        pack(y, &two);
        tw_chain_leave(&two, 0);
    }
    pthread_join(other, NULL);
    must(table->used == 0, "a packed replica was left behind");
    must(tw_chain_idle(&x->chain) && tw_chain_idle(&y->chain), "not idle");
    twill_array_free(a);
    tw_cache_close(&cache);
    twill_stop(tw);
    return 0;
}
