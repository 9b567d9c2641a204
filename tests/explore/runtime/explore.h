/* What an explored program may ask of the runtime. The functions are weak here, so that the same
 * program also links and runs without it. */
#ifndef EXPLORE_H
#define EXPLORE_H

#include <stdbool.h>

/* A number below n that belongs to the seed. */
__attribute__((weak)) unsigned explore_random(unsigned n);
/* Something was achieved: the budget of steps without progress begins anew. */
__attribute__((weak)) void explore_progress(void);
/* The program found a wrong result: ends the run with a report. */
__attribute__((weak)) void explore_wrong(const char *what);
/* The same unless `right`. */
__attribute__((weak)) void explore_check(bool right, const char *what);

#endif
