/* Uses: whoever touches tiles without being a task: the program between map and unmap, a wait for a
 * tile, a run of an explicit or parameterised graph. A use stands in the chains like a task, and is
 * told when it has all it asked for. */
#ifndef TW_ENGINE_USE_H
#define TW_ENGINE_USE_H

#include "data/whole.h"
#include "engine/engine.h"

/* Tiles of a root that a use is to have. */
typedef struct tw_use_box {
    twill_array *root;
    tw_box box;
} tw_use_box;

typedef struct tw_fetch tw_fetch;

typedef struct tw_use {
    struct tw_use *next, **link; /* uses under way in the context */
    const char *what;            /* for reports */
    twill *tw;
    pthread_t holder;
    twill_task *task;    /* its graph is the one that runs, if it is a run */
    tw_magazine *epochs; /* reserved for it: see tw_use_reserve */
    void (*granted)(struct tw_use *use, tw_worker *w); /* optional */
    void *told;                                        /* whom that is for */
    atomic_int state;                                  /* WAITING, READY, ABANDONED */
    bool poisoned;                                     /* this and the next are valid when ready */
    twill_status status;                               /* its data could be brought to the host */
    tw_fetch *fetch;                                   /* what brings it; NULL without devices */
    bool entered;
    /* of a use of whole arrays */
    tw_use_box *boxes; /* in the order of the addresses of roots */
    int nboxes;
    tw_whole **wholes;    /* a record for each root, or NULL until it is needed again */
    int nwholes;          /* those of this time */
    tw_magazine *proxies; /* reserved for it, as epochs are */
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

/* Make a use with room for n arrays, of which it has all tiles; set them with tw_use_array, then
 * enter. It costs little however many tiles there are: see data/whole.h. */
tw_use *tw_use_make_arrays(twill *tw, const char *what, int n);
void tw_use_array(tw_use *use, const twill_array *a, twill_access access);

/* The kind of an argument with that access. */
static inline twill_arg_kind tw_use_kind(twill_access access)
{
    return access == TWILL_READ    ? TWILL_ARG_READ
           : access == TWILL_WRITE ? TWILL_ARG_WRITE
                                   : TWILL_ARG_READ_WRITE;
}

/* Free a use that has not entered, or NULL. */
void tw_use_discard(tw_use *use);

/* Take the memory that entering needs now; false when there is none. */
bool tw_use_reserve(tw_use *use);

/* Enter the chains. When all tiles are there, `granted` is called, or else the use is ready. False
 * when there is no memory: nothing has been entered. */
bool tw_use_enter(tw_use *use);
/* The same by a thread that is in the engine as this worker. Contributions that are not combined
 * yet do not count as part of the tiles. */
bool tw_use_enter_as(tw_use *use, tw_worker *w);
void tw_use_granted(tw_worker *w, twill_task *t);

/* Its data is on the host: it is ready, or `granted` is called. */
void tw_use_give(tw_use *use, tw_worker *w);

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

/* ---- data in other memories (fetch.c) ------------------------------------------------------ */

/* Take the memory that it needs, if there are other memories; false when there is none. */
bool tw_fetch_open(tw_use *use);

/* Bring what the use works on to the host. True when it is there; else tw_use_give is called. */
bool tw_fetch_begin(tw_use *use, tw_worker *w);

/* ---- of whole arrays (whole.c); see data/whole.h ------------------------------------------- */

/* Take the memory that entering its arrays takes now; false when there is none. */
bool tw_wholes_reserve(tw_use *use);

/* Enter the arrays, and the chains of those of their tiles that are in use, at once with respect to
 * other insertions. `wait` of the use's task is then the number of those that it waits for, and one
 * more. False when there is no memory: nothing has been entered. */
bool tw_wholes_enter(tw_worker *w, tw_use *use);

/* Give back what is reserved for a use that has not entered. */
void tw_wholes_discard(tw_use *use);

/* Leave them, and collect what that enables. */
void tw_wholes_leave(tw_worker *w, tw_use *use, uint32_t poison, tw_ready *ready);

/* A chain that the use has entered lets it in. */
void tw_whole_granted(tw_worker *w, twill_task *proxy);

/* Does the use, which waits for nothing any more, read what a failed use was to write? */
bool tw_wholes_poisoned(tw_use *use);

/* The task is about to enter chains of arrays that are `coarse`, all of them locked: let uses of
 * these arrays that come before it enter the same chains first. False when there is no memory. */
TW_NOINLINE bool tw_wholes_meet(tw_worker *w, twill_task *t);

/* ---- runs of graphs that are made once and run again and again (rerun.c) ------------------ */

/* Begin to prepare a run. TWILL_ERR_STATE when one is under way; the failure of an earlier one that
 * nobody has waited for. On success, tw_graph_expect_end or tw_graph_give_up follows. */
twill_status tw_rerun_prepare(twill_graph *g);

/* All tasks of the run are done: leave the chains of its tiles, and let the graph run again. */
void tw_rerun_end(twill_graph *g, tw_use *use, tw_worker *w);

#endif
