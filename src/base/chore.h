/* Which body of a task class runs. */
#ifndef TW_BASE_CHORE_H
#define TW_BASE_CHORE_H

#include "base/abi.h"

#include <twill/task.h>

/* The usual class: its size is one that there has been, and its first body runs on one worker. What
 * such a class has of the first version may be read in place. */
static inline bool tw_class_is_plain(const twill_class *cls)
{
    return cls->size >= TW_ABI_END(twill_class, describe) &&
           cls->chores[0].kind == TWILL_CHORE_CPU && cls->chores[0].body.cpu;
}

/* The same for any other: TWILL_ERR_ARGUMENT for one without a size, or without a body that can run
 * here; NULL included. */
twill_status tw_class_check(const char *who, const twill_class *cls);

/* Is there a body for workers, and is none NULL that may run? */
bool tw_class_has_body(const twill_class *cls);

/* The body that so many workers run; NULL when there is none. */
const twill_chore *tw_chore_of(const twill_class *cls, int workers);

#endif
