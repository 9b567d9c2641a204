/* Main memory as a space. */
#include "data/blocks.h"
#include "data/space.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MIDDLE = 128 << 10, LARGE = TW_BLOCK_MOST, HUGE_PAGE = 2 << 20 };

static size_t rounded(size_t bytes)
{
    return (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

/* Large blocks come from the system: zero already, placed by whoever touches them first. */
static void *map_large(size_t bytes)
{
    size_t wanted = rounded(bytes) + HUGE_PAGE;
    char *base = mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    char *start = (char *)(((uintptr_t)base + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    if (start > base)
        munmap(base, (size_t)(start - base));
    munmap(start + rounded(bytes), (size_t)(base + wanted - (start + rounded(bytes))));
#ifdef MADV_HUGEPAGE
    (void)madvise(start, rounded(bytes), MADV_HUGEPAGE);
#endif
    return start;
}

void *tw_host_new(size_t bytes)
{
    return bytes >= LARGE    ? map_large(bytes)
           : bytes >= MIDDLE ? tw_block_new(bytes)
                             : aligned_alloc(64, (bytes / 64 + 1) * 64);
}

void tw_host_free(void *memory, size_t bytes)
{
    if (memory && bytes >= LARGE)
        munmap(memory, rounded(bytes));
    else if (memory && bytes >= MIDDLE)
        tw_block_free(memory);
    else
        free(memory);
}

static void *host_alloc(const tw_space *space, size_t bytes)
{
    (void)space;
    void *memory = tw_host_new(bytes);
    return memory && bytes < LARGE ? memset(memory, 0, bytes) : memory;
}

static void host_free(const tw_space *space, void *memory, size_t bytes)
{
    (void)space;
    tw_host_free(memory, bytes);
}

static void host_copy(const tw_space *space, void *to, size_t ld_to, const void *from,
                      size_t ld_from, size_t rows, size_t cols)
{
    (void)space;
    for (size_t j = 0; j < cols; j++)
        memcpy((char *)to + j * ld_to, (const char *)from + j * ld_from, rows);
}

const tw_space tw_host = {
    .name = "host",
    .alloc = host_alloc,
    .free = host_free,
    .copy_2d = host_copy,
};
