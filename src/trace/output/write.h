/* Files for people and their programs: each takes a trace and a stream, whose errors show in the
 * stream. */
#ifndef TW_TRACE_WRITE_H
#define TW_TRACE_WRITE_H

#include "trace/analysis/analysis.h"

#include <stdio.h>

void tw_write_chrome(FILE *out, const twill_trace *t);
void tw_write_tikz(FILE *out, const twill_trace *t);
void tw_write_dot(FILE *out, const twill_trace *t);
void tw_write_html(FILE *out, const twill_trace *t);

/* Whether the path has an ending that says what to write; twill_trace_check_path also looks for its
 * folder. */
twill_status tw_trace_check_ending(const char *path);

/* The colours of all classes, to be freed; NULL: no memory. */
struct tw_rgb *tw_class_colours(const twill_trace *t);

#endif
