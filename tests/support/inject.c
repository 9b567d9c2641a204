/* Wrapped allocation functions. */
#include "support/inject.h"

#include "base/lock.h"

#include <errno.h>
#include <hwloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCKS = 1 << 17 }; /* that one run asks for, at most */

/* Open addressing; a freed block leaves its place taken until the next inject_begin. */
typedef struct block {
    void *memory;
    uintptr_t place;
    bool live;
} block;

static block blocks[BLOCKS];
static tw_lock lock; /* of all here */
static int64_t requests, refused, first_refused, last_refused, taken, live, mapped;
static uintptr_t last_place;
static bool counting;

extern char __executable_start;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *memory, size_t size);
hwloc_bitmap_t __real_hwloc_bitmap_alloc(void);
void __real_hwloc_bitmap_free(hwloc_bitmap_t bitmap);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *arg);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *memory, size_t size);
hwloc_bitmap_t __wrap_hwloc_bitmap_alloc(void);
void __wrap_hwloc_bitmap_free(hwloc_bitmap_t bitmap);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *arg);

#define PLACE ((uintptr_t)__builtin_return_address(0) - (uintptr_t)&__executable_start)

/* Under the lock. */
static void count_anew(int64_t first, int64_t n)
{
    requests = refused = 0;
    first_refused = first;
    last_refused = n > INT64_MAX - first ? INT64_MAX : first + n - 1;
    counting = true;
}

void inject_begin(int64_t first, int64_t n)
{
    tw_lock_take(&lock);
    memset(blocks, 0, sizeof blocks);
    taken = live = mapped = 0;
    count_anew(first, n);
    tw_unlock(&lock);
}

void inject_again(int64_t first, int64_t n)
{
    tw_lock_take(&lock);
    count_anew(first, n);
    tw_unlock(&lock);
}

void inject_end(void)
{
    tw_lock_take(&lock);
    counting = false;
    tw_unlock(&lock);
}

static int64_t look(const int64_t *number)
{
    tw_lock_take(&lock);
    int64_t n = *number;
    tw_unlock(&lock);
    return n;
}

int64_t inject_requests(void)
{
    return look(&requests);
}

int64_t inject_refused(void)
{
    return look(&refused);
}

uintptr_t inject_place(void)
{
    return last_place;
}

int64_t inject_left(void)
{
    tw_lock_take(&lock);
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].live)
            fprintf(stderr, "not given back: a block from +0x%jx\n", (uintmax_t)blocks[i].place);
    int64_t left = live + mapped;
    tw_unlock(&lock);
    return left;
}

static bool is_refused(uintptr_t place)
{
    tw_lock_take(&lock);
    bool refuse = counting && ++requests >= first_refused && requests <= last_refused;
    if (refuse) {
        refused++;
        last_place = place;
        errno = ENOMEM;
    }
    tw_unlock(&lock);
    return refuse;
}

/* Where the block is, or could be. Under the lock. */
static block *find(const void *memory)
{
    size_t i = ((uintptr_t)memory >> 4) * 0x9E3779B97F4A7C15u >> 47;
    while (blocks[i].memory && blocks[i].memory != memory)
        i = (i + 1) % BLOCKS;
    return &blocks[i];
}

static void *note(void *memory, uintptr_t place)
{
    if (!memory)
        return NULL;
    tw_lock_take(&lock);
    block *b = find(memory);
    taken += !b->memory;
    if (taken > BLOCKS / 2) {
        fputs("inject: more blocks than there is room for\n", stderr);
        abort();
    }
    *b = (block){memory, place, true};
    live++;
    tw_unlock(&lock);
    return memory;
}

static void forget(const void *memory)
{
    if (!memory)
        return;
    tw_lock_take(&lock);
    block *b = find(memory);
    live -= b->live;
    b->live = false;
    tw_unlock(&lock);
}

/* ---- what the library calls ----------------------------------------------------------------- */

void *__wrap_malloc(size_t size)
{
    return is_refused(PLACE) ? NULL : note(__real_malloc(size), PLACE);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return is_refused(PLACE) ? NULL : note(__real_calloc(n, size), PLACE);
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (is_refused(PLACE))
        return NULL;
    forget(memory); /* before another thread can get the same address */
    void *moved = __real_realloc(memory, size);
    return note(moved ? moved : memory, PLACE) == moved ? moved : NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return is_refused(PLACE) ? NULL : note(__real_aligned_alloc(alignment, size), PLACE);
}

char *__wrap_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = is_refused(PLACE) ? NULL : note(__real_malloc(size), PLACE);
    return copy ? memcpy(copy, text, size) : NULL;
}

void __wrap_free(void *memory)
{
    forget(memory);
    __real_free(memory);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (is_refused(PLACE))
        return MAP_FAILED;
    void *memory = __real_mmap(at, size, protection, flags, fd, offset);
    tw_lock_take(&lock);
    mapped += memory != MAP_FAILED ? (int64_t)size : 0;
    tw_unlock(&lock);
    return memory;
}

int __wrap_munmap(void *memory, size_t size)
{
    tw_lock_take(&lock);
    mapped -= (int64_t)size;
    tw_unlock(&lock);
    return __real_munmap(memory, size);
}

hwloc_bitmap_t __wrap_hwloc_bitmap_alloc(void)
{
    return is_refused(PLACE) ? NULL : note(__real_hwloc_bitmap_alloc(), PLACE);
}

void __wrap_hwloc_bitmap_free(hwloc_bitmap_t bitmap)
{
    forget(bitmap);
    __real_hwloc_bitmap_free(bitmap);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *arg)
{
    return is_refused(PLACE) ? EAGAIN : __real_pthread_create(thread, attributes, body, arg);
}
