/* A chunk has blocks of one size. It is found by the address of a block, and when it is empty it
 * may become one of another size. */
#include "data/blocks.h"

#include "base/lock.h"

#include <stdint.h>
#include <sys/mman.h>

enum { CHUNK = 16 << 20, KEPT = 4 /* empty ones */ };

typedef struct chunk {
    struct chunk *next, **link;
    size_t size;            /* of a block */
    int room, carved, used; /* blocks that fit, that have been used, and that are */
    void *free;             /* of those that have been, each with a pointer to the next one */
} chunk;

_Static_assert(sizeof(chunk) <= TW_LINE, "blocks begin behind it");

/* All of the process, like malloc's. */
static struct {
    tw_lock lock;
    chunk *first;
    int empty;
} all;

/* Aligned to its size. */
static chunk *map_chunk(void)
{
    char *base = mmap(NULL, 2 * CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    char *start = (char *)(((uintptr_t)base + CHUNK - 1) / CHUNK * CHUNK);
    if (start > base)
        munmap(base, (size_t)(start - base));
    munmap(start + CHUNK, (size_t)(base + CHUNK - start));
#ifdef MADV_HUGEPAGE
    (void)madvise(start, CHUNK, MADV_HUGEPAGE);
#endif
    return (chunk *)(void *)start;
}

static void enlist(chunk *c)
{
    c->next = all.first;
    c->link = &all.first;
    if (c->next)
        c->next->link = &c->next;
    all.first = c;
    all.empty++;
}

static void delist(chunk *c)
{
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    all.empty--;
}

/* One with room for such a block, else an empty one. */
static chunk *find(size_t size)
{
    chunk *empty = NULL;
    for (chunk *c = all.first; c; c = c->next) {
        if (c->used && c->size == size && c->used < c->room)
            return c;
        if (!c->used)
            empty = c;
    }
    return empty;
}

static void *take(chunk *c, size_t size)
{
    if (c->used++ == 0) {
        all.empty--;
        c->size = size;
        c->room = (int)((CHUNK - TW_LINE) / size);
        c->carved = 0;
        c->free = NULL;
    }
    void *block = c->free;
    if (block)
        c->free = *(void **)block;
    else
        block = (char *)c + TW_LINE + (size_t)c->carved++ * size;
    return block;
}

void *tw_block_new(size_t bytes)
{
    size_t size = (bytes + TW_LINE - 1) / TW_LINE * TW_LINE;
    tw_lock_take(&all.lock);
    chunk *c = find(size);
    void *block = c ? take(c, size) : NULL;
    tw_unlock(&all.lock);
    if (block || !(c = map_chunk()))
        return block;
    tw_lock_take(&all.lock);
    enlist(c);
    block = take(c, size);
    tw_unlock(&all.lock);
    return block;
}

void tw_block_free(void *block)
{
    chunk *c = (chunk *)(void *)((uintptr_t)block / CHUNK * CHUNK);
    tw_lock_take(&all.lock);
    *(void **)block = c->free;
    c->free = block;
    bool over = --c->used == 0 && ++all.empty > KEPT;
    if (over)
        delist(c);
    tw_unlock(&all.lock);
    if (over)
        munmap(c, CHUNK);
}
