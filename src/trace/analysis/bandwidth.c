/* Copying more than a cache holds, and looking at the clock. */
#include "trace/analysis/bandwidth.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

/* Sliced, because the best slice tells more than the whole on a machine that others use too. */
enum { BYTES = 32 << 20, SLICE = 2 << 20, ROUNDS = 2 };

double tw_bandwidth(void)
{
    char *from = malloc(BYTES), *to = malloc(BYTES);
    double best = 0;
    if (from && to) {
        memset(from, 1, BYTES);
        memset(to, 2, BYTES);
        for (int i = 0; i < ROUNDS * (BYTES / SLICE); i++) {
            size_t at = (size_t)(i % (BYTES / SLICE)) * SLICE;
            double start = tw_seconds();
            memcpy(to + at, from + at, SLICE);
            /* the copy is not for nothing, as far as the compiler can tell */
            __asm__ volatile("" : : "r"(to) : "memory");
            double rate = 2e-9 * SLICE / (tw_seconds() - start);
            best = rate > best ? rate : best;
        }
    }
    free(from);
    free(to);
    return best;
}
