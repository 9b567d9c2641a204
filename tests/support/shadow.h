/* Second memories for tests: option shadow, drawn at random. */
#ifndef TEST_SUPPORT_SHADOW_H
#define TEST_SUPPORT_SHADOW_H

#include <stdint.h>

enum { SHADOW_TEXT = 80 };

/* What the option is to say, for that number: another share, room, delay and order of copies, no
 * failures. NULL, and "off" in `text`, unless TW_SHADOW is "random". */
const char *shadow_pick(char text[SHADOW_TEXT], uint64_t random);

#endif
