/* Collections: arrays whose tiles are where functions of the program say. */
#include "base/abi.h"
#include "base/status.h"
#include "data/array.h"

#include <stdlib.h>

struct tw_items {
    twill_collection is;
    tw_host_bytes bytes[]; /* of the tiles of this rank, by their number */
};

tw_host_bytes tw_items_bytes(const struct tw_items *items, int64_t slot)
{
    return items->bytes[slot];
}

void tw_items_free(struct tw_items *items)
{
    free(items);
}

static twill_status ask(const twill_array *a, const int64_t *block)
{
    int64_t rows, cols;
    tw_pattern_tile(&a->pattern, block, &rows, &cols);
    tw_host_bytes *to = &a->items->bytes[tw_local_slot(a, block)];
    to->ld = tw_pattern_tile_ld(&a->pattern);
    to->data = a->items->is.data_of(block, &to->ld, a->items->is.arg);
    if (to->data && to->ld >= (rows > 1 ? rows : 1))
        return TWILL_OK;
    return tw_fail(TWILL_ERR_ARGUMENT, "data_of of the collection has %s for tile (%lld, %lld)",
                   to->data ? "a leading dimension below the rows" : "no memory",
                   (long long)block[0], (long long)block[1]);
}

/* Ask for every tile of this rank. */
static twill_status ask_all(const twill_array *a)
{
    int64_t block[TWILL_DIMS] = {0};
    twill_status status = TWILL_OK;
    if (a->ntiles == 0)
        return TWILL_OK;
    do
        if (twill_pattern_owner(&a->pattern, block) == a->shared->rank)
            status = ask(a, block);
    while (status == TWILL_OK && tw_pattern_next(&a->pattern, block));
    return status;
}

static twill_status take(twill_array *a, const twill_collection *collection)
{
    size_t tiles = (size_t)tw_local_tiles(a);
    a->items = calloc(1, sizeof *a->items + tiles * sizeof *a->items->bytes);
    if (!a->items)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the places of %zu tiles", tiles);
    a->items->is = *collection;
    return ask_all(a);
}

twill_status tw_array_collection(tw_data *data, twill *context, const twill_pattern *pattern,
                                 twill_type type, size_t element,
                                 const twill_collection *collection, twill_array **out)
{
    twill_array *a;
    twill_collection own;
    twill_pattern placed = *pattern;
    tw_array_kind kind = {type, element, TW_FULL, NULL};
    twill_status status = TW_ABI_IN(twill_collection, arg, &own, collection);
    if (status != TWILL_OK)
        return status;
    if (!own.data_of)
        return tw_fail(TWILL_ERR_ARGUMENT, "the collection has no data_of");
    if (own.rank_of) {
        placed.owner = own.rank_of;
        placed.mapping = NULL;
        placed.arg = own.arg;
    }
    status = tw_array_make(data, context, &placed, &kind, &a);
    if (status != TWILL_OK)
        return status;
    status = take(a, &own);
    if (status != TWILL_OK) {
        tw_array_discard(a);
        tw_array_skip(data);
        return status;
    }
    if (own.worker_of)
        atomic_store_explicit(&data->hinted, true, memory_order_relaxed);
    tw_array_enlist(a);
    *out = a;
    return TWILL_OK;
}

int64_t twill_worker_nd(const twill_array *a, const int64_t *block)
{
    const struct tw_items *items = a->root->items;
    int64_t at[TWILL_DIMS] = {0};
    if (!items || !items->is.worker_of)
        return -1;
    for (int d = 0; d < a->pattern.ndim; d++) {
        if (block[d] < 0 || block[d] >= a->blocks[d])
            return -1;
        at[d] = block[d] + a->origin[d];
    }
    return items->is.worker_of(at, items->is.arg);
}
