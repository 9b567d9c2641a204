/* Names of options and schedulers, where half of the letters may be wrong. */
#include "base/nearest.h"

#include "common/nearest.h"

#include <string.h>

int tw_nearest(const char *word, const char *const *names, int n)
{
    tw_nearest_search search = {
        .word = word, .limit = (int)strlen(word) / 2 + 1, .how = TW_NEAREST_ANY_CASE};
    int best = -1;
    for (int i = 0; i < n; i++)
        if (tw_nearest_offer(&search, names[i]))
            best = i;
    return best;
}
