/* The list of extensions. It only grows while the context lives, so it is read without a lock. */
#include "engine/extension.h"

#include "engine/engine.h"

static tw_extension *first(const twill *tw)
{
    /* acquire pairs with the release in tw_extension_add */
    return atomic_load_explicit(&tw->extensions, memory_order_acquire);
}

tw_extension *tw_extension_find(const twill *tw, const void *key)
{
    tw_extension *x = first(tw);
    while (x && x->key != key)
        x = x->next;
    return x;
}

void tw_extension_add(twill *tw, tw_extension *x)
{
    x->next = first(tw);
    while (!atomic_compare_exchange_weak_explicit(&tw->extensions, &x->next, x,
                                                  memory_order_release, memory_order_relaxed))
        ;
}

void tw_extensions_flush(twill *tw, twill_tile *tile)
{
    for (tw_extension *x = first(tw); x; x = x->next)
        if (x->flush)
            x->flush(x, tile);
}

void tw_extensions_flush_some(twill *tw, tw_tile_test *wanted, void *arg)
{
    for (tw_extension *x = first(tw); x; x = x->next)
        if (x->flush)
            x->flush_some(x, wanted, arg);
}

bool tw_extensions_may_owe(const twill *tw)
{
    const tw_extension *x = first(tw);
    while (x && !x->flush)
        x = x->next;
    return x;
}

void tw_extensions_forget(twill *tw, const twill_array *a)
{
    for (tw_extension *x = first(tw); x; x = x->next)
        if (x->forget)
            x->forget(x, a);
}

void tw_extensions_drain(twill *tw, tw_worker *w)
{
    for (tw_extension *x = first(tw); x; x = x->next)
        if (x->drain)
            x->drain(x, w);
}

void tw_extensions_close(twill *tw)
{
    for (tw_extension *x = first(tw), *next; x; x = next) {
        next = x->next;
        x->close(x);
    }
}
