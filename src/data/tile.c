/* Tiles: records made on first use, and tiles that belong to nobody. */
#include "data/array.h"

#include <stdlib.h>
#include <string.h>

void tw_array_block(const twill_array *a, int64_t number, int64_t *block)
{
    for (int d = 0; d < TWILL_DIMS; d++) {
        block[d] = number % a->blocks[d];
        number /= a->blocks[d];
    }
}

void tw_tile_block(const twill_tile *tile, int64_t *block)
{
    tw_array_block(tile->array, tile - tile->array->tiles, block);
}

/* A tile of another rank has no bytes here, and the leading dimension of a packed copy. */
static void describe_tile(twill_tile *tile, const twill_array *a, int64_t number)
{
    const twill_pattern *p = &a->pattern;
    tw_value *v = &tile->value;
    int64_t block[TWILL_DIMS];
    tw_array_block(a, number, block);
    v->owner = (int32_t)twill_pattern_owner(p, block);
    bool local = v->owner == a->shared->rank;
    tw_pattern_tile(p, block, &v->rows, &v->cols);
    v->valid = local ? 1u << TW_SPACE_HOST : 0;
    v->region = TW_FULL;
    v->element = a->element;
    v->host = local ? tw_local_bytes(a, block) : (tw_host_bytes){NULL, v->rows};
}

void tw_array_make_tile(twill_array *a, int64_t number)
{
    twill_tile *tile = &a->tiles[number];
    tw_lock_take(&a->make_lock);
    if (!tile->array) {
        describe_tile(tile, a, number);
        tile->made = a->made;
        /* release: who goes along the records finds them complete */
        __atomic_store_n(&a->made, tile, __ATOMIC_RELEASE);
        /* release pairs with the acquire in tw_array_tile */
        __atomic_store_n(&tile->array, a, __ATOMIC_RELEASE);
    }
    tw_unlock(&a->make_lock);
}

/* Of a submatrix, or of a matrix that does not store all of its tiles. */
static twill_tile *find_tile(twill_array *a, int64_t i, int64_t j)
{
    if (!tw_array_stores(a, i, j))
        return NULL;
    if (a->root != a)
        return twill_tile_at(a->root, i + a->origin[0], j + a->origin[1]);
    return tw_array_tile(a, i + j * a->blocks[0]);
}

/* The same of any dimensions. */
static twill_tile *find_nd(twill_array *a, const int64_t *block)
{
    int64_t at[TWILL_DIMS];
    if (a->pattern.ndim <= 2)
        return find_tile(a, block[0], block[1]);
    for (int d = 0; d < a->pattern.ndim; d++)
        at[d] = block[d] + a->origin[d];
    return twill_tile_nd(a->root, at);
}

twill_tile *twill_tile_at(twill_array *a, int64_t i, int64_t j)
{
    /* dimensions beyond the array's have one block */
    bool inside = i >= 0 && j >= 0 && i < a->blocks[0] && j < a->blocks[1];
    if (tw_unlikely(!inside || a->pattern.ndim > 2))
        return NULL;
    return tw_likely(a->plain) ? tw_array_tile(a, i + j * a->blocks[0]) : find_tile(a, i, j);
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
    return tw_array_nth(a, number);
}

int64_t twill_owner_nd(const twill_array *a, const int64_t *block)
{
    for (int d = 0; d < a->pattern.ndim; d++)
        if (block[d] < 0 || block[d] >= a->blocks[d])
            return -1;
    return twill_pattern_owner(&a->pattern, block);
}

int64_t twill_owner_at(const twill_array *a, int64_t i, int64_t j)
{
    if (tw_unlikely(a->pattern.ndim > 2 || (a->pattern.ndim == 1 && j != 0)))
        return -1;
    return twill_owner_nd(a, (int64_t[]){i, j});
}

twill_tile *tw_array_nth(twill_array *a, int64_t number)
{
    if (tw_likely(a->plain))
        return tw_array_tile(a, number);
    int64_t block[TWILL_DIMS];
    tw_array_block(a, number, block);
    return find_nd(a, block);
}

bool tw_array_has(const twill_array *a, const twill_tile *tile)
{
    if (a->root != tile->array || a->root == a)
        return a->root == tile->array;
    int64_t block[TWILL_DIMS];
    tw_tile_block(tile, block);
    bool inside = true;
    for (int d = 0; d < a->pattern.ndim; d++)
        inside = inside && block[d] >= a->origin[d] && block[d] < a->origin[d] + a->blocks[d];
    return inside;
}

static size_t bytes_of(const tw_value *v)
{
    return (size_t)v->rows * (size_t)v->cols * v->element;
}

static void set_bytes(twill_tile *tile, void *bytes)
{
    tw_value *v = &tile->value;
    v->host.data = bytes;
    atomic_store_explicit(&v->valid, 1u << TW_SPACE_HOST, memory_order_relaxed);
    atomic_fetch_add_explicit(&tile->array->shared->bytes, (int64_t)bytes_of(v),
                              memory_order_relaxed);
}

bool tw_tile_take_bytes(twill_tile *tile, bool zeroed)
{
    const tw_value *v = &tile->value;
    if (v->host.data)
        return true;
    void *bytes = zeroed ? tw_host.alloc(&tw_host, bytes_of(v)) : tw_host_new(bytes_of(v));
    if (bytes)
        set_bytes(tile, bytes);
    return bytes;
}

bool tw_tile_adopt_bytes(twill_tile *tile, void *bytes)
{
    /* private ones first: who inserts changes their owner */
    if (tw_tile_is_private(tile) || tw_tile_is_local(tile) || tw_value_is_replicated(&tile->value))
        return false;
    tw_tile_drop_bytes(tile);
    set_bytes(tile, bytes);
    return true;
}

static void forget_bytes(twill_tile *tile)
{
    tw_value *v = &tile->value;
    v->host.data = NULL;
    atomic_store_explicit(&v->valid, 0, memory_order_relaxed);
    atomic_fetch_sub_explicit(&tile->array->shared->bytes, (int64_t)bytes_of(v),
                              memory_order_relaxed);
}

void tw_tile_drop_bytes(twill_tile *tile)
{
    tw_value *v = &tile->value;
    if (!v->host.data)
        return;
    tw_host.free(&tw_host, v->host.data, bytes_of(v));
    forget_bytes(tile);
}

void tw_tile_lose_bytes(twill_tile *tile)
{
    if (!tw_tile_is_private(tile) && !tw_tile_is_local(tile) && tile->value.host.data &&
        !tw_value_is_replicated(&tile->value))
        forget_bytes(tile);
}

/* The array of one tile that a private tile pretends to belong to. */
typedef struct private_tile {
    twill_tile tile;
    twill_array array;
} private_tile;

twill_tile *tw_tile_private(twill_array *like, int64_t rows, int64_t cols, int owner)
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
    bool local = owner == like->shared->rank;
    p->array.slab_size = local ? (size_t)(rows * cols) * like->element : 0;
    p->array.slab = local ? tw_host.alloc(&tw_host, p->array.slab_size) : NULL;
    if (local && !p->array.slab) {
        free(p);
        return NULL;
    }
    p->array.tiles = NULL; /* how one tells it from a tile of the program's */
    p->tile.array = &p->array;
    p->tile.value = (tw_value){.host = {p->array.slab, rows},
                               .rows = rows,
                               .cols = cols,
                               .element = like->element,
                               .valid = local ? 1u << TW_SPACE_HOST : 0,
                               .region = TW_FULL,
                               .owner = owner};
    return &p->tile;
}

void tw_tile_private_free(twill_tile *tile, tw_cache *epochs)
{
    private_tile *p = (private_tile *)tile;
    tw_chain_close(&tile->chain, &p->array.shared->epochs, epochs);
    if (tw_value_is_replicated(&tile->value))
        tw_replicas_drop(&p->array.shared->replicas, &tile->value);
    if (p->array.slab)
        tw_host.free(&tw_host, p->array.slab, p->array.slab_size);
    else
        tw_tile_drop_bytes(tile);
    free(p);
}
