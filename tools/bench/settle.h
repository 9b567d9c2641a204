/* Clocks rise when there is work, and fall when all cores have some: before measuring, work until
 * they have settled. */
#ifndef SETTLE_H
#define SETTLE_H

#include <stdbool.h>

/* Run `plain` (iterations per microsecond of a kernel on all cores, for a few milliseconds) until
 * its rate is the same several times in a row, or for a few seconds: somebody else on the machine
 * may keep it from ever being so. *best is the highest rate. False when `plain` fails. */
bool settle(bool (*plain)(void *arg, long iterations, double *rate), void *arg, double *best);

#endif
