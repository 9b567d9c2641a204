/* Memory of one run: blocks that grow, freed together. */
#include "arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 64 * 1024, ALIGNMENT = 16 };

typedef struct arena_block {
    struct arena_block *next;
    size_t used, size;
    _Alignas(ALIGNMENT) char bytes[];
} arena_block;

static arena_block *add_block(arena *a, size_t size)
{
    arena_block *block = size < SIZE_MAX - sizeof *block ? calloc(1, sizeof *block + size) : NULL;
    if (!block) {
        fprintf(stderr, "twillc: %zu bytes of memory were wanted, and there are none left\n", size);
        exit(3);
    }
    block->size = size;
    block->next = a->blocks;
    a->blocks = block;
    return block;
}

void *arena_get(arena *a, size_t size)
{
    size_t rounded = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    arena_block *block = a->blocks;
    if (!block || block->size - block->used < rounded)
        block = add_block(a, rounded > BLOCK_SIZE ? rounded : BLOCK_SIZE);
    void *piece = block->bytes + block->used;
    block->used += rounded;
    return piece;
}

char *arena_text(arena *a, const char *text, size_t length)
{
    char *copy = arena_get(a, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_print(arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = arena_get(a, length > 0 ? (size_t)length + 1 : 1);
    if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void *arena_grow(arena *a, void *array, size_t count, size_t size)
{
    if (count && (count & (count - 1)))
        return array;
    void *larger = arena_get(a, (count ? 2 * count : 1) * size);
    if (count)
        memcpy(larger, array, count * size);
    return larger;
}

void arena_free(arena *a)
{
    while (a->blocks) {
        arena_block *block = a->blocks;
        a->blocks = block->next;
        free(block);
    }
}
