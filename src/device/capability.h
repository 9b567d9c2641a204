/* Capabilities: how long tasks of a class and a size take on each kind of executor, as learned
 * while running, and stored between runs. The rate, 1 / seconds, is the weight of an executor.
 *
 * A size is bytes of data, in quarters of octaves. An estimate is the median of the last
 * measurements, so that some odd ones, fewer than half, move it little, and a change that stays is
 * believed after as many. Where nothing was measured, it follows from the nearest sizes.
 *
 * Whoever chooses always the fastest never learns that another has become faster. So a measurement
 * is wanted again (tw_rating_explore) when a class has spent a hundred times what it would cost.
 *
 * Copies between memories are classes, too: their seconds are those of links.
 *
 * Threads: any, but for opening, closing, loading and saving. */
#ifndef TW_DEVICE_CAPABILITY_H
#define TW_DEVICE_CAPABILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <twill/status.h>

enum { TW_KINDS = 16 };

typedef struct tw_capability tw_capability;
typedef struct tw_rated tw_rated;   /* a class */
typedef struct tw_rating tw_rating; /* a class at one size */

/* NULL: no memory. */
tw_capability *tw_capability_open(void);
void tw_capability_close(tw_capability *c);

/* The number of a kind of executors, a new one if need be; -1 when there are too many. The name
 * says what hardware, and what libraries work there: if one of them changes it is another kind. */
int tw_capability_kind(tw_capability *c, const char *name);

/* A class; NULL: no memory. Its seconds grow with bytes to the power of `exponent`: 1.5 for
 * products of matrices, 1 for copies. That is used only where one size alone has been measured. */
tw_rated *tw_capability_class(tw_capability *c, const char *name, double exponent);
tw_rating *tw_rated_at(tw_rated *cls, double bytes); /* NULL: no memory */

/* A task took so long. */
void tw_rating_note(tw_rating *r, int kind, double seconds);

/* How long the next one will take; 0: nothing is known. */
double tw_rating_seconds(const tw_rating *r, int kind);

/* Ought one to run on this kind, just to learn? Says so once for each that ought to. */
bool tw_rating_explore(tw_rating *r, int kind);

/* Read what was saved of the kinds that there are; false when nothing was. What the file says of
 * other kinds is kept, and saved with the rest. */
bool tw_capability_load(tw_capability *c, const char *file);
twill_status tw_capability_save(tw_capability *c, const char *file);

/* ---- for capability_file.c ------------------------------------------------------------------- */

int tw_capability_kinds(const tw_capability *c);
const char *tw_capability_kind_name(const tw_capability *c, int kind);
struct tw_stored *tw_capability_others(tw_capability *c);

/* Call `visit` for each estimate of a kind that was measured. */
void tw_capability_each(tw_capability *c, int kind,
                        void (*visit)(void *arg, const char *cls, double exponent, int size,
                                      double seconds),
                        void *arg);

/* An estimate of an earlier run; false: it is not valid, or there is no memory. */
bool tw_capability_recall(tw_capability *c, int kind, const char *cls, double exponent, int size,
                          double seconds);

#endif
