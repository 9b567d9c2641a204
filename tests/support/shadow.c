/* Second memories for tests. */
#include "support/shadow.h"

#include "support/test.h"

#include "base/mix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *shadow_pick(char text[SHADOW_TEXT], uint64_t random)
{
    static const char *const shares[] = {"0.2", "0.5", "0.9", "1"};
    /* bytes: from a task or two of small tiles to as many as there are */
    static const char *const rooms[] = {"24", "64", "300", "1000", "4000", "1e9"};
    const char *wanted = getenv("TW_SHADOW");
    strcpy(text, "off");
    if (!wanted || strcmp(wanted, "random") != 0)
        return NULL;
    uint64_t r = tw_mix(random);
    snprintf(text, SHADOW_TEXT, "%s,room=%s,delay=%u,seed=%u", shares[r % COUNT(shares)],
             rooms[r / 16 % COUNT(rooms)], (unsigned)(r / 256 % 3 * 15), (unsigned)(r >> 40));
    return text;
}
