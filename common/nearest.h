/* The known name that is nearest to a mistyped word. */
#ifndef TW_COMMON_NEAREST_H
#define TW_COMMON_NEAREST_H

#include <stdbool.h>

/* What counts as a mistake: insertions, deletions and replacements do. */
enum {
    TW_NEAREST_ANY_CASE = 1, /* upper for lower case does not */
    TW_NEAREST_SWAPS = 2     /* neighbours that are swapped count as one */
};

/* Start with a word, a limit and what counts; offer all names; `best` stays NULL if none is within
 * the limit. Of those that are equally near it is the first. */
typedef struct tw_nearest_search {
    const char *word;
    int limit; /* of mistakes: a name with more of them is not what was meant */
    int how;   /* an or of TW_NEAREST_ */
    const char *best;
    int mistakes; /* in it */
} tw_nearest_search;

/* Returns whether it is the best so far. */
bool tw_nearest_offer(tw_nearest_search *search, const char *name);

#endif
