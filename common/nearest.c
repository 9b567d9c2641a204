/* Edit distance between short words. */
#include "common/nearest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 63 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

static bool same(char a, char b, int how)
{
    return a == b ||
           (how & TW_NEAREST_ANY_CASE && tolower((unsigned char)a) == tolower((unsigned char)b));
}

/* Row by row of the table of distances between beginnings of the two; a swap looks two rows back.
 */
static int distance(const char *a, const char *b, int how)
{
    int rows[3][LONGEST + 1];
    int la = (int)strlen(a), lb = (int)strlen(b);
    if (la > LONGEST || lb > LONGEST)
        return la + lb;
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= lb; j++)
        last[j] = j;
    for (int i = 1; i <= la; i++) {
        row[0] = i;
        for (int j = 1; j <= lb; j++) {
            int cost = last[j - 1] + !same(a[i - 1], b[j - 1], how);
            cost = least(cost, least(last[j], row[j - 1]) + 1);
            if (how & TW_NEAREST_SWAPS && i > 1 && j > 1 && same(a[i - 1], b[j - 2], how) &&
                same(a[i - 2], b[j - 1], how))
                cost = least(cost, before[j - 2] + 1);
            row[j] = cost;
        }
        int *old = before;
        before = last;
        last = row;
        row = old;
    }
    return last[lb];
}

bool tw_nearest_offer(tw_nearest_search *search, const char *name)
{
    int mistakes = distance(search->word, name, search->how);
    if (mistakes > search->limit || (search->best && mistakes >= search->mistakes))
        return false;
    search->best = name;
    search->mistakes = mistakes;
    return true;
}
