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

typedef enum tw_entered {
    TW_ENTERED_WAITS,
    TW_ENTERED_GRANTED,
    TW_ENTERED_NONE /* there is no memory */
} tw_entered;

/* Enter all chains, for which there is a reservation, atomically with respect to other insertions,
 * so that two tasks meet in the same order on every tile they share. `wait` must hold the number of
 * data slots with a chain to enter. When all were granted nobody else knows the task. When some
 * were not, it belongs to whoever grants the last input, and must not be touched any more. Where
 * uses of whole arrays have to enter the chains first there may be no memory for that, and then
 * nothing is entered. `only` is the array of all its tiles, or NULL when there are several. */
tw_entered tw_hazards_enter(tw_worker *w, twill_task *t, twill_array *only);

/* The same by whoever has locked the arrays and met their uses: how many were granted. */
int tw_hazards_enter_locked(tw_worker *w, twill_task *t);

/* The value of an argument that a task, which has been granted it, only reads; counted in its
 * epoch. NULL for others. */
tw_value *tw_hazards_reads(const twill_task *t, int arg, atomic_int **readers);

/* Leave all chains and collect what that enables. */
void tw_hazards_leave(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready);

/* Does the epoch of the access carry the mark of a failure that is still to be reported? If not,
 * the mark is forgotten. */
bool tw_access_poisoned(twill *tw, tw_access *access);

/* Take the tokens of the COMMUTE arguments of a task whose inputs are all granted; true when it has
 * them all. Otherwise it goes on when a holder gives its token up. */
bool tw_tokens_take(twill_task *t);

#endif
