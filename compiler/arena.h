/* Memory of one run of the compiler: taken piece by piece, given back all at once. */
#ifndef ARENA_H
#define ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct arena {
    struct arena_block *blocks; /* newest first */
} arena;

/* `size` zeroed bytes, aligned for every type; lives until arena_free. Ends the program with
 * status 3 when there is no memory: nobody above could do better. */
void *arena_get(arena *a, size_t size);

/* `length` bytes of `text` as a string. */
char *arena_text(arena *a, const char *text, size_t length);

/* printf into the arena. */
char *arena_print(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Make room for one more in an array of `count` elements of `size` bytes, and return the array,
 * moved if need be. The room doubles at powers of two, so `count` alone says how much there is. */
void *arena_grow(arena *a, void *array, size_t count, size_t size);

/* Append to `list`, an array of the arena with its length in `count`. */
#define ARENA_ADD(a, list, count, ...)                                  \
    ((list) = arena_grow((a), (list), (size_t)(count), sizeof *(list)), \
     (list)[(count)++] = (__VA_ARGS__))

void arena_free(arena *a);

#endif
