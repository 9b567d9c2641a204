/* Two traces side by side in one page. */
#ifndef PAIR_H
#define PAIR_H

#include <twill/twill.h>

/* Write the page: both runs, as they are shown alone, with one window of time. Returns the exit
 * status, after a complaint when it is not STATUS_OK. */
int pair_write(const twill_trace *before, const twill_trace *after, const char *path);

#endif
