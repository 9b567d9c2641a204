/* What folders above the engine keep with a context: made when first needed, closed with it. */
#ifndef TW_ENGINE_EXTENSION_H
#define TW_ENGINE_EXTENSION_H

#include "data/array.h"

typedef struct tw_worker tw_worker;
typedef bool tw_tile_test(const twill_tile *tile, void *arg);

/* The first member of what is kept. */
typedef struct tw_extension {
    struct tw_extension *next;
    const void *key; /* an address that only its folder has */
    /* Optional: a tile is about to be used: insert what is still owed to it. */
    void (*flush)(struct tw_extension *x, twill_tile *tile);
    /* The same for all tiles for which `wanted` is true; there if `flush` is. */
    void (*flush_some)(struct tw_extension *x, tw_tile_test *wanted, void *arg);
    /* Optional: an array, which nobody uses any more, is about to be freed. */
    void (*forget)(struct tw_extension *x, const twill_array *a);
    /* Optional: every task is done, and arrays are about to be freed. */
    void (*drain)(struct tw_extension *x, tw_worker *w);
    /* The workers are gone: free it. */
    void (*close)(struct tw_extension *x);
} tw_extension;

/* The extension with this key, or NULL; what was done to it before it was added is visible. */
tw_extension *tw_extension_find(const twill *tw, const void *key);

/* Add one that is not there yet; the caller sees to it that nobody else adds the same. */
void tw_extension_add(twill *tw, tw_extension *x);

/* Insert what extensions owe to a tile. Is there one that may owe something? */
void tw_extensions_flush(twill *tw, twill_tile *tile);
void tw_extensions_flush_some(twill *tw, tw_tile_test *wanted, void *arg);
bool tw_extensions_may_owe(const twill *tw);

/* An array is about to be freed. */
void tw_extensions_forget(twill *tw, const twill_array *a);

/* The context ends: see the members. */
void tw_extensions_drain(twill *tw, tw_worker *w);
void tw_extensions_close(twill *tw);

#endif
