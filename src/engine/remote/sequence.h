/* What a rank has inserted into a shared graph since the last wait, as hashes of what came so far.
 *
 * Two ranks that have inserted the same have the same hash after each insertion, and after the
 * first difference none is the same. Each insertion is kept until there are TW_STEPS of them; from
 * then on every second, every fourth and so on, so that a difference is still found, if less
 * exactly. Adding needs no memory: without, fewer are kept. */
#ifndef TW_ENGINE_SEQUENCE_H
#define TW_ENGINE_SEQUENCE_H

#include "base/lock.h"

#include <stddef.h>
#include <stdint.h>

enum { TW_STEPS_FEW = 32, TW_STEPS = 1 << 15, TW_STEP_TEXT = 160 };

/* What is kept of an insertion. */
typedef struct tw_step {
    uint64_t hash;    /* of it alone; as it is kept, of it and all before it */
    const char *name; /* of its class, which outlives the graph */
    int64_t tile;     /* number of its first tile, first dimension fastest */
    int32_t rows;     /* tiles along that dimension; 0: it has no tile */
    uint32_t array;   /* which array, in the order of their first use */
} tw_step;

typedef struct tw_sequence {
    tw_lock lock; /* of all that follows */
    int64_t n;    /* insertions */
    uint64_t hash;
    int64_t every; /* every so many one is kept: a power of 2 */
    int64_t kept, room;
    tw_step *step; /* insertion (i + 1) * every is number i; they are counted from 1 */
    tw_step few[TW_STEPS_FEW];
} tw_sequence;

/* Begin an empty one, anew or for the first time (zeroed); and give back its memory. */
void tw_sequence_begin(tw_sequence *s);
void tw_sequence_end(tw_sequence *s);

/* The next insertion. */
void tw_sequence_add(tw_sequence *s, tw_step step);

/* The last insertion up to number k whose hash is known; its number, or 0. */
int64_t tw_sequence_find(tw_sequence *s, int64_t k, uint64_t *hash);

/* So many so far, and their hash. Every how many one is kept. */
int64_t tw_sequence_length(tw_sequence *s, uint64_t *hash);
int64_t tw_sequence_grain(tw_sequence *s);

/* What was insertion k? Something to go on with after "is". */
void tw_sequence_describe(tw_sequence *s, int64_t k, char text[TW_STEP_TEXT]);

#endif
