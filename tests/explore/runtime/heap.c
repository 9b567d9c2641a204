/* malloc and its relatives for explored code: blocks one after the other in an address range of
 * their own. Freed blocks are never used again, so that every later use is noticed. What the C
 * library or hwloc allocates is left to the C library. */
#include "heap.h"

#include "race.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct block { /* in front of the bytes */
    struct block *before;
    size_t bytes;
    void *made_at, *freed_at;
    uint64_t made_step, freed_step;
    int16_t made_by, freed_by;
    bool freed;
} block;

enum { HEAD = 64, FILLED = 4096 };

static char *next;
static block *last;

void ex_heap_open(void)
{
    next = (char *)EX_HEAP;
    if (mmap(next, EX_HEAP_END - EX_HEAP, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != next) {
        perror("explore: cannot reserve a heap");
        exit(2);
    }
    madvise(next, EX_HEAP_END - EX_HEAP, MADV_NOHUGEPAGE);
}

static block *block_of(const void *bytes)
{
    return (block *)((uintptr_t)bytes - HEAD);
}

static void *bytes_of(const block *b)
{
    return (char *)(uintptr_t)b + HEAD;
}

static bool ours(const void *p)
{
    return (uintptr_t)p >= EX_HEAP && (uintptr_t)p < EX_HEAP_END;
}

static void mark(const void *p, size_t bytes, int state)
{
    memset((uint8_t *)EX_STATES + ((uintptr_t)p >> 4), state, (bytes + 15) >> 4);
}

/* Zero bytes, or NULL when this allocation is the one that fails. */
static void *allocate(size_t alignment, size_t bytes, void *pc)
{
    if (++ex.allocations == ex.oom_at && ex.self) {
        errno = ENOMEM;
        return NULL;
    }
    if (alignment < HEAD)
        alignment = HEAD;
    uintptr_t at = ((uintptr_t)next + HEAD + alignment - 1) / alignment * alignment;
    if (bytes > EX_HEAP_END - at) {
        errno = ENOMEM;
        return NULL;
    }
    block *b = block_of((void *)at);
    mark(b, HEAD, EX_OUTSIDE);
    *b = (block){.before = last,
                 .bytes = bytes,
                 .made_at = pc,
                 .made_step = ex.steps,
                 .made_by = (int16_t)(ex.self ? ex.self->id : -1)};
    last = b;
    next = (char *)((at + bytes + 15) & ~(uintptr_t)15);
    return (void *)at;
}

/* The bytes of malloc are not zero in a real heap. */
static void *fill(void *p, size_t bytes)
{
    if (p)
        memset(p, 0xa5, bytes < FILLED ? bytes : FILLED);
    return p;
}

/* ---- what is wrong ------------------------------------------------------------------------ */

static const block *block_around(uintptr_t a)
{
    const block *b = last;
    while (b && (uintptr_t)b > a)
        b = b->before;
    return b;
}

_Noreturn void ex_bad_memory(uintptr_t a, unsigned state, void *pc)
{
    static char text[96];
    const block *b = block_around(a);
    ex_note(ex.self, state == EX_GONE ? "FREED" : "OUTSIDE", (void *)a, pc);
    if (b && state == EX_GONE)
        snprintf(text, sizeof text, "freed memory is used: %p, freed by thread %d at step %llu",
                 (void *)a, b->freed_by, (unsigned long long)b->freed_step);
    else
        snprintf(text, sizeof text, "memory outside of a block is used: %p", (void *)a);
    ex_report_at(EX_FREED, text, pc, b && state == EX_GONE ? b->freed_at : NULL);
}

void ex_heap_close(void)
{
    static char text[96];
    size_t blocks = 0, bytes = 0;
    const block *first = NULL;
    for (const block *b = last; b; b = b->before)
        if (!b->freed) {
            first = b;
            blocks++;
            bytes += b->bytes;
            if (ex_the_plan.verbose)
                fprintf(stderr, "left over: %zu bytes\n", b->bytes);
            if (ex_the_plan.verbose)
                ex_print_places((void *const[]){b->made_at}, NULL, 1);
        }
    int threads = 0;
    for (int i = 1; i < ex.threads; i++)
        threads += ex_threads[i].state != EX_UNUSED && !ex_threads[i].detached;
    if (!blocks && !threads)
        return;
    snprintf(text, sizeof text, "left over: %zu blocks, %zu bytes, %d threads not joined", blocks,
             bytes, threads);
    ex_report_at(EX_LEAK, text, first ? first->made_at : NULL, NULL);
}

/* ---- the functions ------------------------------------------------------------------------ */

static void release_block(block *b, void *pc)
{
    if (b->freed) {
        static char text[96];
        snprintf(text, sizeof text, "freed twice: %p, first by thread %d at step %llu", bytes_of(b),
                 b->freed_by, (unsigned long long)b->freed_step);
        ex_report_at(EX_FREED, text, pc, b->freed_at);
    }
    if (ex.self)
        ex_access_last(bytes_of(b), b->bytes, pc);
    b->freed = true;
    b->freed_at = pc;
    b->freed_by = (int16_t)(ex.self ? ex.self->id : -1);
    b->freed_step = ex.steps;
    mark(bytes_of(b), b->bytes, EX_GONE);
}

void explore_free(void *p)
{
    if (!p)
        return;
    if (ours(p)) {
        release_block(block_of(p), EX_HERE);
        return;
    }
    ex_access_forget(p, malloc_usable_size(p));
    free(p);
}

void *explore_malloc(size_t bytes)
{
    return fill(allocate(1, bytes, EX_HERE), bytes);
}

void *explore_calloc(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return allocate(1, bytes, EX_HERE);
}

void *explore_realloc(void *p, size_t bytes)
{
    if (p && !ours(p)) { /* from the C library: stays there */
        ex_access_forget(p, malloc_usable_size(p));
        return realloc(p, bytes);
    }
    void *to = fill(allocate(1, bytes, EX_HERE), bytes);
    if (!to || !p)
        return to;
    size_t old = block_of(p)->bytes;
    memcpy(to, p, old < bytes ? old : bytes);
    release_block(block_of(p), EX_HERE);
    return to;
}

void *explore_aligned_alloc(size_t alignment, size_t bytes)
{
    return fill(allocate(alignment, bytes, EX_HERE), bytes);
}

int explore_posix_memalign(void **p, size_t alignment, size_t bytes)
{
    void *got = fill(allocate(alignment, bytes, EX_HERE), bytes);
    if (got)
        *p = got;
    return got ? 0 : ENOMEM;
}

static char *copy_text(const char *text, size_t n, void *pc)
{
    char *copy = allocate(1, n + 1, pc);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}

char *explore_strdup(const char *text)
{
    return copy_text(text, strlen(text), EX_HERE);
}

char *explore_strndup(const char *text, size_t n)
{
    return copy_text(text, strnlen(text, n), EX_HERE);
}

/* Anonymous memory is a block; files are the system's. */
void *explore_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    if (!(flags & MAP_ANONYMOUS) || at)
        return mmap(at, bytes, protection, flags, file, offset);
    void *p = allocate(4096, bytes, EX_HERE);
    return p ? p : MAP_FAILED;
}

int explore_munmap(void *p, size_t bytes)
{
    if (!ours(p))
        return munmap(p, bytes);
    if (block_of(p)->bytes == bytes)
        release_block(block_of(p), EX_HERE);
    else /* a part of it, or several: only unusable */
        mark(p, bytes, EX_GONE);
    return 0;
}

int explore_madvise(void *p, size_t bytes, int advice)
{
    return advice == MADV_DONTNEED ? madvise(p, bytes, advice) : 0;
}

/* ---- copies and fills: the compiler has no hooks for them ------------------------------------ */

/* A block that its thread has just made and fills with zeros is one of calloc, which is no access.
 */
static bool fresh(const void *to, size_t n)
{
    return last && to == bytes_of(last) && n == last->bytes && ex.self &&
           last->made_by == ex.self->id && last->made_step == ex.steps;
}

void *explore_memset(void *to, int byte, size_t n)
{
    if (!fresh(to, n))
        ex_access_range(to, n, EX_WRITE, EX_HERE);
    return memset(to, byte, n);
}

void *explore_memcpy(void *to, const void *from, size_t n)
{
    ex_access_range(from, n, 0, EX_HERE);
    ex_access_range(to, n, EX_WRITE, EX_HERE);
    return memcpy(to, from, n);
}

void *explore_memmove(void *to, const void *from, size_t n)
{
    ex_access_range(from, n, 0, EX_HERE);
    ex_access_range(to, n, EX_WRITE, EX_HERE);
    return memmove(to, from, n);
}
