/* #pragma twill: what the text of a function says to twillc alone. */
#ifndef LOOPS_PRAGMA_H
#define LOOPS_PRAGMA_H

#include "source.h"

/* #pragma twill tile(A, EXPR): how many elements a tile of A has. */
typedef struct pragma_tile {
    const char *array, *size; /* as the text has them */
    place at;
} pragma_tile;

/* clang forgets pragmas that it does not know. So that they keep their place and what they name is
 * C, `#pragma twill on(X) priority(P)` becomes `while (__twill_on(X) + __twill_priority(P))` in the
 * text that clang gets: it holds what follows, as the pragma does. Lines stay where they are.
 * So do regions of OpenMP around tasks, whose bodies libclang does not look into:
 * `#pragma omp parallel if(x)` becomes `while (__twill_region("parallel if(x)"))`.
 * Sizes of tiles are about all of the file, and become a list. */
const char *pragma_rewrite(source *s, pragma_tile **tiles, int *count);

/* What declares these, to be included before the text. */
#define PRAGMA_PRELUDE \
    "int " PRAGMA_ON "();\nint " PRAGMA_PRIORITY "();\nint " PRAGMA_REGION "();\n"

#define PRAGMA_ON "__twill_on"
#define PRAGMA_PRIORITY "__twill_priority"
#define PRAGMA_REGION "__twill_region"

#endif
