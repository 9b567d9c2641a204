/* Inside of twill array. */
#ifndef ARRAY_H
#define ARRAY_H

#include "command/command.h"

#include <stdbool.h>

enum { ARRAY_WEIGHTS = 1024, ARRAY_CUTS = 4096 };

/* The pattern that is shown, and the cuts that it may point to. */
typedef struct array_shown {
    twill_pattern pattern;
    int64_t cuts[ARRAY_CUTS];
} array_shown;

/* Draw its first two dimensions: blocks with their owners, in a colour for each, and elements by
 * thin lines if there are few. False when the file could not be written; errno says why. */
bool array_draw(const twill_pattern *pattern, const char *path);

#endif
