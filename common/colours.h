/* Colours of classes of tasks, the same in every trace and drawing; viewer/palette.js has them too.
 */
#ifndef TW_COMMON_COLOURS_H
#define TW_COMMON_COLOURS_H

typedef struct tw_rgb {
    unsigned char red, green, blue;
} tw_rgb;

enum { TW_COLOURS = 24 };

/* Colours of n classes by their names. A class has its own colour, whatever other classes there
 * are, unless one whose name comes first in the alphabet has it already; then it has the next free
 * one. With more classes than colours, colours come again. */
void tw_colours(const char *const *names, int n, tw_rgb *colours);

#endif
