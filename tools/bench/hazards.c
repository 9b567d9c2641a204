/* The same rules by which insertion makes its edges: read after write, write after read, write
 * after write. */
#include "bench/hazards.h"

#include <stdlib.h>
#include <string.h>

void hazards_open(hazards *h)
{
    memset(h, 0, sizeof *h);
}

void hazards_close(hazards *h)
{
    for (int s = 0; s < HAZARD_SLOTS; s++)
        free(h->slots[s].readers);
}

static hazard *find(hazards *h, const twill_tile *tile)
{
    uint64_t s = ((uintptr_t)tile * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
    while (h->slots[s % HAZARD_SLOTS].tile && h->slots[s % HAZARD_SLOTS].tile != tile)
        s++;
    hazard *found = &h->slots[s % HAZARD_SLOTS];
    if (!found->tile)
        *found = (hazard){.tile = tile, .writer = -1};
    return found;
}

static twill_status remember_reader(hazard *t, int64_t node)
{
    if (t->count == t->room) {
        int64_t room = t->room ? 2 * t->room : 64;
        int64_t *readers = realloc(t->readers, (size_t)room * sizeof *readers);
        if (!readers)
            return TWILL_ERR_MEMORY;
        t->readers = readers;
        t->room = room;
    }
    t->readers[t->count++] = node;
    return TWILL_OK;
}

twill_status hazards_use(hazards *h, const hazard_sink *sink, const twill_tile *tile,
                         bool reads_only, int64_t node)
{
    hazard *t = find(h, tile);
    twill_status status = TWILL_OK;
    if (t->writer >= 0 && (reads_only || t->count == 0))
        status = sink->edge(sink->arg, t->writer, node);
    if (reads_only)
        return status == TWILL_OK ? remember_reader(t, node) : status;
    /* The readers wait for the last writer themselves, so waiting for them is enough. */
    for (int64_t r = 0; r < t->count && status == TWILL_OK; r++)
        if (t->readers[r] != node)
            status = sink->edge(sink->arg, t->readers[r], node);
    t->writer = node;
    t->count = 0;
    return status;
}
