/* Uses: whoever touches tiles without being a task: the program between map and unmap, a wait for a
 * tile, a run of an explicit graph. A use stands in the chains like a task, and is told when it has
 * all it asked for. */
#ifndef TW_ENGINE_USE_H
#define TW_ENGINE_USE_H

#include "engine/engine.h"

typedef struct tw_use {
    struct tw_use *next, **link; /* uses under way in the context */
    const char *what;            /* for reports */
    twill *tw;
    pthread_t holder;
    twill_task *task;    /* its graph is the one that runs, if it is a run */
    tw_magazine *epochs; /* reserved for it: see tw_use_reserve */
    void (*granted)(struct tw_use *use, tw_worker *w); /* optional */
    atomic_int state;                                  /* WAITING, READY, ABANDONED */
    bool poisoned;                                     /* this and the next are valid when ready */
    twill_status status;                               /* its data could be brought to the host */
    tw_staging *staging;                               /* what brings it; NULL without devices */
    /* of a host access */
    twill_view view;
    twill_access mode;
    bool held;  /* by the program; under the context's use_lock */
    void *data; /* what it got */
    bool copied;
    size_t size; /* of the copy */
} tw_use;

/* Make a use with room for n tiles; set them with tw_use_tile, then enter. */
tw_use *tw_use_make(twill *tw, const char *what, uint32_t n);
void tw_use_tile(tw_use *use, twill_tile *tile, twill_access mode);

/* Free a use that has not entered, or NULL. */
void tw_use_discard(tw_use *use);

/* Take the memory that entering needs now; false when there is none. */
bool tw_use_reserve(tw_use *use);

/* Enter the chains. When all tiles are there, `granted` is called, or else the use is ready. False
 * when there is no memory: nothing has been entered. */
bool tw_use_enter(tw_use *use);
void tw_use_granted(tw_worker *w, twill_task *t);

/* Leave the chains; the use may enter again, which costs little as long as nobody else has been
 * there. `w` is who does it. */
void tw_use_withdraw(tw_use *use, tw_worker *w, uint32_t poison);

/* Leave the chains and free the use. */
void tw_use_leave(tw_use *use, tw_worker *w, uint32_t poison);

/* Let workers ask the graph for its startup tasks: when the use, which has what it needs reserved,
 * has all it asked for, or at once when it is NULL. The graph fails first if what it would read is
 * not there. */
void tw_use_start(tw_use *use, twill_graph *g);

/* Wait until the use is ready. On TWILL_ERR_STUCK the use is not the caller's any more. */
twill_status tw_use_wait(tw_use *use);

/* True when the calling thread has mapped part of the array. */
bool tw_use_maps(twill_array *a);

/* End all host accesses without writing copies back: the context stops. */
void tw_use_end_all(twill *tw);

/* TWILL_ERR_STUCK if a task of the graph, or the other use, waits behind a host access that the
 * calling thread itself holds: it would be waiting for itself. */
twill_status tw_use_blocks(twill *tw, const twill_graph *g, const tw_use *other);

#endif
