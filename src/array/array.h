/* What algorithms over arrays share: graphs of this rank alone. */
#ifndef TW_ARRAY_ARRAY_H
#define TW_ARRAY_ARRAY_H

#include "engine/use.h"
#include "front/stf/stf.h"

#include <twill/copy.h>

/* TWILL_OK, or a sentence: the view is none, not all of it is stored, or the caller is a task, or
 * is about to wait for elements of which it has mapped some. */
twill_status tw_array_check_elements(const char *who, const twill_view *v, bool wait);

#endif
