/* Edges from accesses: who must wait for whom because of the tiles that both use. */
#ifndef HAZARDS_H
#define HAZARDS_H

#include <twill/twill.h>

enum { HAZARD_SLOTS = 1024 };

/* What happened to one tile so far. */
typedef struct hazard {
    const twill_tile *tile;
    int64_t writer;   /* last task that wrote it, or -1 */
    int64_t *readers; /* tasks that read it since */
    int64_t count, room;
} hazard;

/* A hash table by tile; it holds fewer tiles than slots. */
typedef struct hazards {
    hazard slots[HAZARD_SLOTS];
} hazards;

void hazards_open(hazards *h);
void hazards_close(hazards *h);

/* Where edges go. */
typedef struct hazard_sink {
    twill_status (*edge)(void *arg, int64_t from, int64_t to);
    void *arg;
} hazard_sink;

/* Task `node` uses a tile: hand out the edges that follow from that. */
twill_status hazards_use(hazards *h, const hazard_sink *sink, const twill_tile *tile,
                         bool reads_only, int64_t node);

#endif
