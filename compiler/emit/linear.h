/* Linear forms, and the bounds of loops that follow from them, as C. */
#ifndef EMIT_LINEAR_H
#define EMIT_LINEAR_H

#include "emit/emit.h"
#include "ir/pieces.h"

const char *form_text(emitter *e, const linear_context *x, const linear *form);

/* All that the rows of a piece say about a local: it is at least (`low`) or at most this. NULL if
 * they say nothing. */
const char *bounds_text(emitter *e, const pieces *p, const piece *s, int local, bool low);

#endif
