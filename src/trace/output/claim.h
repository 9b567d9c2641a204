/* Names of the files that contexts write their traces to. */
#ifndef TW_TRACE_CLAIM_H
#define TW_TRACE_CLAIM_H

/* The file for one more context of this process whose option says `path`, which has an ending:
 * run.html for the first one, then run-2.html, run-3.html. To be freed; NULL: no memory. */
char *tw_trace_claim(const char *path);

#endif
