/* The data arguments of a task enter and leave the chains of their tiles. */
#ifndef TW_ENGINE_HAZARD_H
#define TW_ENGINE_HAZARD_H

#include "engine/engine.h"

/* Set up slot `index` of a task for a tile. */
void tw_slot_set_tile(twill_task *t, uint32_t index, twill_arg_kind kind, twill_tile *tile);

/* Make sure that the worker can enter n chains; false when there is no memory. */
static inline bool tw_hazards_reserve(tw_worker *w, int n)
{
    return tw_likely(tw_cache_has(&w->epochs, n)) ||
           tw_pool_reserve(&w->tw->data.epochs, &w->epochs, n);
}

/* Enter all chains, for which there is a reservation, atomically with respect to other insertions,
 * so that two tasks meet in the same order on every tile they share. `wait` must hold the number of
 * data slots with a chain to enter. True when all were granted: nobody else knows the task then.
 * Otherwise the task belongs to whoever grants the last input, and must not be touched any more.
 * `only` is the array of all its tiles, or NULL when there are several. */
bool tw_hazards_enter(tw_worker *w, twill_task *t, twill_array *only);

/* Leave all chains and collect what that enables. */
void tw_hazards_leave(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready);

/* Take the tokens of the COMMUTE arguments of a task whose inputs are all granted; true when it has
 * them all. Otherwise it goes on when a holder gives its token up. */
bool tw_tokens_take(twill_task *t);

#endif
