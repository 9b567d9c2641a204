/* Statistics as text. */
#ifndef TW_TRACE_REPORT_H
#define TW_TRACE_REPORT_H

#include "trace/analysis/analysis.h"

#include <stdio.h>

/* The object that --stats --json prints: on one line, without its end. */
void tw_write_stats_json(FILE *out, const twill_trace *t);

/* Tables for people. */
void tw_write_stats(FILE *out, const twill_trace *t);
void tw_write_idle(FILE *out, const twill_trace *t);

/* A time with a unit that suits it, into `text`; returns it. */
const char *tw_seconds_text(double seconds, char text[16]);

#endif
