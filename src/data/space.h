/* Spaces: memories that hold replicas of values. The host is space 0; devices add theirs. */
#ifndef TW_DATA_SPACE_H
#define TW_DATA_SPACE_H

#include <stddef.h>
#include <stdint.h>

typedef struct tw_space {
    const char *name;
    /* At least `bytes`, zeroed, on a 64-byte boundary; NULL when there is none. */
    void *(*alloc)(const struct tw_space *space, size_t bytes);
    void (*free)(const struct tw_space *space, void *memory, size_t bytes);
    /* Copy `cols` columns of `rows` bytes between two places this space can reach. */
    void (*copy_2d)(const struct tw_space *space, void *to, size_t ld_to, const void *from,
                    size_t ld_from, size_t rows, size_t cols);
} tw_space;

/* Main memory: zero pages on first touch, huge ones where the system gives them. */
extern const tw_space tw_host;

#endif
