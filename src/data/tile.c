/* Tiles: records made on first use, and tiles that belong to nobody. */
#include "data/array.h"

#include <stdlib.h>
#include <string.h>

void tw_tile_block(const twill_tile *tile, int64_t *block)
{
    const twill_pattern *p = &tile->array->pattern;
    int64_t number = tile->number;
    for (int d = 0; d < p->ndim; d++) {
        int64_t blocks = twill_pattern_blocks(p, d);
        block[d] = number % blocks;
        number /= blocks;
    }
}

static void describe_value(twill_tile *tile, const twill_array *a, const int64_t *block)
{
    const twill_pattern *p = &a->pattern;
    tw_value *v = &tile->value;
    v->rows = twill_pattern_block_extent(p, 0, block[0]);
    v->cols = 1;
    for (int d = 1; d < p->ndim; d++)
        v->cols *= twill_pattern_block_extent(p, d, block[d]);
    v->valid = 1u << TW_SPACE_HOST;
    v->region = TW_FULL;
    if (a->ld) {
        int64_t column = p->ndim > 1 ? block[1] * p->block[1] : 0;
        v->host.data =
            a->slab + (size_t)(block[0] * p->block[0] + column * a->ld) * a->element;
        v->host.ld = a->ld;
    } else {
        v->host.data = a->slab + (size_t)tile->number * a->stride;
        v->host.ld = tw_array_stored(a, 0);
    }
}

static void make_record(twill_array *a, twill_tile *tile, int64_t number)
{
    tw_lock_take(&a->make_lock);
    if (!tile->array) {
        int64_t block[TWILL_DIMS] = {0};
        int64_t rest = number;
        for (int d = 0; d < a->pattern.ndim; d++) {
            int64_t blocks = twill_pattern_blocks(&a->pattern, d);
            block[d] = rest % blocks;
            rest /= blocks;
        }
        tile->number = number;
        describe_value(tile, a, block);
        /* release pairs with the acquire in tw_array_tile */
        __atomic_store_n(&tile->array, a, __ATOMIC_RELEASE);
    }
    tw_unlock(&a->make_lock);
}

twill_tile *tw_array_tile(twill_array *a, int64_t number)
{
    twill_tile *tile = &a->tiles[number];
    if (tw_unlikely(!__atomic_load_n(&tile->array, __ATOMIC_ACQUIRE)))
        make_record(a, tile, number);
    return tile;
}

twill_tile *twill_tile_nd(twill_array *a, const int64_t *block)
{
    int64_t number = 0, blocks = 1;
    for (int d = 0; d < a->pattern.ndim; d++) {
        int64_t along = twill_pattern_blocks(&a->pattern, d);
        if (block[d] < 0 || block[d] >= along)
            return NULL;
        number += block[d] * blocks;
        blocks *= along;
    }
    return tw_array_tile(a, number);
}

twill_tile *twill_tile_at(twill_array *a, int64_t i, int64_t j)
{
    if (a->pattern.ndim > 2 || (a->pattern.ndim == 1 && j != 0))
        return NULL;
    return twill_tile_nd(a, (int64_t[]){i, j});
}

/* The array of one tile that a private tile pretends to belong to. */
typedef struct private_tile {
    twill_tile tile;
    twill_array array;
} private_tile;

twill_tile *tw_tile_private(twill_array *like, int64_t rows, int64_t cols)
{
    private_tile *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->array = (twill_array){.pattern = twill_tiled(rows, cols, rows, cols),
                             .type = like->type,
                             .element = like->element,
                             .shared = like->shared,
                             .context = like->context,
                             .ntiles = 1};
    p->array.slab_size = (size_t)(rows * cols) * like->element;
    p->array.slab = tw_host.alloc(&tw_host, p->array.slab_size);
    if (!p->array.slab) {
        free(p);
        return NULL;
    }
    p->tile.array = &p->array;
    p->tile.value = (tw_value){{p->array.slab, rows}, rows, cols, 1u << TW_SPACE_HOST, TW_FULL};
    return &p->tile;
}

void tw_tile_private_free(twill_tile *tile, tw_cache *epochs)
{
    private_tile *p = (private_tile *)tile;
    tw_chain_close(&tile->chain, &p->array.shared->epochs, epochs);
    tw_host.free(&tw_host, p->array.slab, p->array.slab_size);
    free(p);
}
