/* Tiles: records made on first use, and tiles that belong to nobody. */
#include "data/array.h"

#include <stdlib.h>
#include <string.h>

static void block_of(const twill_array *a, int64_t number, int64_t *block)
{
    for (int d = 0; d < TWILL_DIMS; d++) {
        block[d] = number % a->blocks[d];
        number /= a->blocks[d];
    }
}

void tw_tile_block(const twill_tile *tile, int64_t *block)
{
    block_of(tile->array, tile - tile->array->tiles, block);
}

static void describe_value(tw_value *v, const twill_array *a, int64_t number)
{
    const twill_pattern *p = &a->pattern;
    int64_t block[TWILL_DIMS];
    block_of(a, number, block);
    v->rows = twill_pattern_block_extent(p, 0, block[0]);
    v->cols = 1;
    for (int d = 1; d < p->ndim; d++)
        v->cols *= twill_pattern_block_extent(p, d, block[d]);
    v->valid = 1u << TW_SPACE_HOST;
    v->region = TW_FULL;
    v->element = a->element;
    if (a->ld) {
        int64_t column = p->ndim > 1 ? block[1] * p->block[1] : 0;
        v->host.data = a->slab + (size_t)(block[0] * p->block[0] + column * a->ld) * a->element;
        v->host.ld = a->ld;
    } else {
        v->host.data = a->slab + (size_t)number * a->stride;
        v->host.ld = tw_array_stored(a, 0);
    }
}

void tw_array_make_tile(twill_array *a, int64_t number)
{
    twill_tile *tile = &a->tiles[number];
    tw_lock_take(&a->make_lock);
    if (!tile->array) {
        describe_value(&tile->value, a, number);
        /* release pairs with the acquire in tw_array_tile */
        __atomic_store_n(&tile->array, a, __ATOMIC_RELEASE);
    }
    tw_unlock(&a->make_lock);
}

twill_tile *twill_tile_nd(twill_array *a, const int64_t *block)
{
    int64_t number = 0, blocks = 1;
    for (int d = 0; d < a->pattern.ndim; d++) {
        if (block[d] < 0 || block[d] >= a->blocks[d])
            return NULL;
        number += block[d] * blocks;
        blocks *= a->blocks[d];
    }
    return tw_array_tile(a, number);
}

twill_tile *twill_tile_at(twill_array *a, int64_t i, int64_t j)
{
    /* dimensions beyond the array's have one block */
    bool inside = i >= 0 && j >= 0 && i < a->blocks[0] && j < a->blocks[1];
    return inside && a->pattern.ndim <= 2 ? tw_array_tile(a, i + j * a->blocks[0]) : NULL;
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
    p->array.tiles = NULL; /* how one tells it from a tile of the program's */
    p->tile.array = &p->array;
    p->tile.value = (tw_value){.host = {p->array.slab, rows},
                               .rows = rows,
                               .cols = cols,
                               .element = like->element,
                               .valid = 1u << TW_SPACE_HOST,
                               .region = TW_FULL};
    return &p->tile;
}

void tw_tile_private_free(twill_tile *tile, tw_cache *epochs)
{
    private_tile *p = (private_tile *)tile;
    tw_chain_close(&tile->chain, &p->array.shared->epochs, epochs);
    tw_host.free(&tw_host, p->array.slab, p->array.slab_size);
    free(p);
}
