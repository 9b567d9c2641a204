/* Spaces: memories that hold replicas of values. The host is space 0; devices add theirs. */
#ifndef TW_DATA_SPACE_H
#define TW_DATA_SPACE_H

#include <twill/status.h>

typedef struct tw_space tw_space;

/* A copy between two places, column by column. Who starts it fills it in; it lives until `done`. */
typedef struct tw_copy {
    struct tw_copy *next; /* this and the next are the space's, while it is under way */
    uint64_t word;
    void *to;
    const void *from;
    size_t ld_to, ld_from;   /* bytes from column to column */
    size_t rows, cols;       /* bytes of a column, columns */
    tw_space *into, *out_of; /* whose memory that is; NULL: the host's */
    double begun;            /* when, if somebody measures */
    /* Called once, by whoever polls the space: the bytes are there, or they will not come. */
    void (*done)(struct tw_copy *copy, twill_status status, void *poller);
} tw_copy;

struct tw_space {
    const char *name;
    /* At least `bytes`, zeroed, on a 64-byte boundary; NULL when there is none. */
    void *(*alloc)(const tw_space *space, size_t bytes);
    void (*free)(const tw_space *space, void *memory, size_t bytes);
    /* Copy `cols` columns of `rows` bytes between two places this space can reach. */
    void (*copy_2d)(const tw_space *space, void *to, size_t ld_to, const void *from, size_t ld_from,
                    size_t rows, size_t cols);

    /* Of all spaces but the host: bytes that replicas may take. */
    size_t room;
    /* Work here may itself wait for other work: so nobody waits for the room that it has. */
    bool no_queue;
    /* Begin a copy between this space and the host or one that it reaches, or inside it. It does
     * not wait, and `done` is not called before it returns. */
    void (*start)(tw_space *space, tw_copy *copy);
    /* Optional: can it copy from that space, without the host in between? */
    bool (*reaches)(const tw_space *space, const tw_space *from);
    /* End copies that are there; true when there were some. By one thread at a time, which `done`
     * gets as `poller`. NULL: the executor's does. */
    bool (*poll)(tw_space *space, void *poller);
};

/* Main memory: zero pages on first touch, huge ones where the system gives them. */
extern const tw_space tw_host;

/* As its `alloc` and `free`, but not zeroed. */
void *tw_host_new(size_t bytes);
void tw_host_free(void *memory, size_t bytes);

#endif
