/* Sets as nested ranges: what a JDF file can say about them. */
#ifndef LOOPS_BOX_H
#define LOOPS_BOX_H

#include "loops/program.h"

#include <isl/ast_build.h>

/* One dimension, given those before it, which are parameters by their names. */
typedef struct box_range {
    const char *name;
    isl_pw_aff *lo, *hi;
    int64_t step;
    bool single;
} box_range;

typedef struct box {
    isl_set *guard; /* of the parameters: where the ranges are what they are */
    isl_set *fills; /* of the parameters: where the outermost range is not empty anyway */
    box_range ranges[MOST_LOOPS];
    int count;
} box;

/* Make a box of a set whose dimensions get these names. False if it is none; takes the set. */
bool box_make(box *b, isl_set *set, const char *const *names, isl_set *context);
void box_free(box *b);

/* Call `visit` for boxes that are disjoint and make up the set, as few as come easily. False if
 * there are none such; takes the set. */
typedef bool box_visit(void *user, const box *b);
bool boxes_of(isl_set *set, const char *const *names, isl_set *context, box_visit *visit,
              void *user);

/* The dimensions of the set as parameters of these names, before its own; leaves no dimension. */
isl_set *as_params(isl_set *set, const char *const *names, int count);

/* text.c: a value, and a condition, as JDF; in a context in which they need hold. */
const char *value_text(arena *a, isl_pw_aff *value, isl_set *context);
const char *condition_text(arena *a, isl_set *set, isl_set *context); /* NULL: always true */

#endif
