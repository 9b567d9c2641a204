/* Reading and writing a location under the memory model. */
#ifndef EX_HISTORY_H
#define EX_HISTORY_H

#include "location.h"

/* What a load of `order` returns when memory holds `held`; an older value only if `stale`. The
 * thread then knows what the store carried. */
uint64_t ex_history_read(ex_thread *me, ex_location *l, uint64_t held, int order, bool stale);

/* A store, or the store of a read-modify-write (`update`). Whether memory gets its value: not when
 * it is older than others in the modification order. */
bool ex_history_write(ex_thread *me, ex_location *l, uint64_t held, uint64_t value, int order,
                      bool update);

#endif
