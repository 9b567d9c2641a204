/* Programs that must survive when memory runs out, wherever that is. */
#ifndef TEST_SUPPORT_SHORTAGE_H
#define TEST_SUPPORT_SHORTAGE_H

#include "support/test.h"

typedef struct shortage {
    const char *name;
    twill_options options; /* workers are chosen by the sweep, the scheduler too if there is none */
    /* Do it all in a context. What it returns is the first error, with its message; after one, it
     * cleans up, or, if `leave` says so, leaves that to twill_stop. `*wrong` counts what should
     * have been otherwise, whatever it returns. */
    twill_status (*body)(twill *tw, bool leave, atomic_int *wrong);
    int setups;        /* try no more than that many: the scheduler does not matter; 0: all */
    twill_status also; /* another error than a lack of memory that its own bodies make of one */
} shortage;

/* For every k, once with one and once with several workers: run the program while request number k
 * for memory is refused, and again while all from number k on are. It ends with what it should have
 * computed or with an error, all calls return, and twill_stop gives everything back. Where only one
 * request was refused, the context is as good as new: the program runs a second time in it. */
void shortage_sweep(const shortage *program);

/* In bodies: go to `done` with the first error. */
#define TRY(call)               \
    do {                        \
        status = (call);        \
        if (status != TWILL_OK) \
            goto done;          \
    } while (0)

/* An array of `tiles` integers, as test_integers makes it. */
twill_status shortage_integers(twill *tw, int64_t tiles, twill_array **a);

/* The integer of a tile. */
twill_status shortage_get(twill_array *integers, int64_t tile, int64_t *value);

#endif
