/* Copies that reach elements of other ranks: one-sided, so nobody there calls anything.
 *
 * The rank that wants a copy asks the owners, and each of them enters a use of its tiles, as if its
 * own program had asked at that moment: it waits for those tasks and uses that are in line there,
 * and later ones wait for it. What it asks for is a *part* of a view: elements of one tile, or all
 * small ones that an owner has in a range of tiles, which travel together. Requests of a rank are
 * sent in the order of its calls, and messages between two ranks stay in order, so that its copies
 * do as well.
 *
 *   layout.c   which tiles a part has, and packing them
 *   ask.c      a view is cut into parts; these are sent as memory allows, and answered
 *   serve.c    at the owner: uses, and what is done when they are granted
 *   reach.c    messages; ranks that stop
 *   meet.c     barriers
 *
 * See decision 0048. */
#ifndef TW_ENGINE_REACH_H
#define TW_ENGINE_REACH_H

#include "comm/comm.h"
#include "engine/engine.h"

typedef enum tw_reach_what { TW_REACH_GET, TW_REACH_PUT, TW_REACH_ADD } tw_reach_what;

/* Memory for the elements of a view: where its first one is, and bytes from one to the next along
 * each dimension of the array. */
typedef struct tw_reach_memory {
    char *at;
    int64_t step[TWILL_DIMS];
} tw_reach_memory;

/* Copies that are waited for together. Zeroed at first; it stays where it is until it is over. */
typedef struct tw_reach {
    twill *tw;
    atomic_int left; /* requests that are not answered, and one while some are being made */
    tw_lock lock;    /* of what follows */
    twill_status status;
    char text[TW_MESSAGE]; /* of the first failure */
} tw_reach;

void tw_reach_open(tw_reach *r, twill *tw);

/* Begin a copy of those elements of the view, which is one of a root, that other ranks own. More
 * may be added until tw_reach_begun has been called. Without memory the reach fails. In the engine.
 */
void tw_reach_begin(tw_reach *r, tw_worker *w, tw_reach_what what, const twill_view *v,
                    const tw_reach_memory *memory);
void tw_reach_begun(tw_reach *r);

/* Are all requests answered? Then `tw_reach_status` says how it went, with the sentence. */
bool tw_reach_is_over(const tw_reach *r);
twill_status tw_reach_status(tw_reach *r);

/* So many ticks of a thread of the program went by in waiting. */
void tw_reaches_waited(twill *tw, uint64_t ticks);

/* What this rank has copied, and how long that took. */
void tw_reaches_count(const twill *tw, twill_counters *c);

/* ---- the context ------------------------------------------------------------------------- */

/* With an endpoint, before it sends. False: no memory. */
bool tw_reaches_open(twill *tw, tw_comm *comm);

/* This rank stops: whoever waits for it is told. And after the endpoint is closed: the rest. */
void tw_reaches_leave(twill *tw);
void tw_reaches_close(twill *tw);

/* What came too early is looked at again; the transport has failed. By who polls. */
void tw_reaches_poll(twill *tw, tw_worker *w);
void tw_reaches_cut_off(twill *tw, tw_worker *w);

/* Nobody reaches the array any more, which is about to be freed: true when nobody is on the way. */
bool tw_reaches_end(twill_array *root);

#endif
