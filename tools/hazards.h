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

/* Task `node` of an explicit graph uses a tile: add the edges that follow from that. */
twill_status hazards_use(hazards *h, twill_graph *graph, const twill_tile *tile, bool reads_only,
                         int64_t node);

#endif
