/* Edit distance over short names. */
#include "base/nearest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 63 };

static int min3(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

static int distance(const char *a, const char *b)
{
    int row[LONGEST + 1];
    int nb = (int)strlen(b);
    for (int j = 0; j <= nb; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            int best = min3(row[j] + 1, row[j - 1] + 1, diagonal + !same);
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[nb];
}

int tw_nearest(const char *word, const char *const *names, int n)
{
    size_t length = strlen(word);
    if (length > LONGEST)
        return -1;
    int best = -1;
    int best_distance = (int)length / 2 + 2;
    for (int i = 0; i < n; i++) {
        if (strlen(names[i]) > LONGEST)
            continue;
        int d = distance(word, names[i]);
        if (d < best_distance) {
            best_distance = d;
            best = i;
        }
    }
    return best;
}
