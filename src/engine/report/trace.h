/* The context's part in tracing. */
#ifndef TW_ENGINE_TRACE_H
#define TW_ENGINE_TRACE_H

#include "engine/engine.h"

/* Begin to record if an option says so; and end that with what it says. */
twill_status tw_trace_open(twill *tw);
void tw_trace_close(twill *tw);

/* The arrays have become more or fewer. */
void tw_emit_memory(twill *tw);

#endif
