/* Names that the language and C know, and the nearest one to a mistyped word. */
#ifndef NAMES_H
#define NAMES_H

#include "common/nearest.h"

#include <stdbool.h>

typedef enum names_of {
    NAMES_OPTION,
    NAMES_GLOBAL,    /* properties of globals */
    NAMES_LOCAL,     /* ... of definitions */
    NAMES_CLASS,     /* ... of classes */
    NAMES_DEP,       /* ... of dependencies */
    NAMES_BODY,      /* ... of bodies */
    NAMES_BODY_FLOW, /* ... of a flow in a body: FLOW.size */
} names_of;

typedef enum names_answer { NAME_UNKNOWN, NAME_KNOWN, NAME_UNSUPPORTED } names_answer;

/* Is this an option, or a property of such a thing? Unsupported ones belong to the language, but
 * nothing comes of them yet. */
names_answer names_look(names_of what, const char *name);

/* Words of C and of generated code, which cannot be names of values. */
bool names_is_keyword(const char *name);

/* A search for the name that a mistyped word was meant to be; see common/nearest.h. */
tw_nearest_search names_near(const char *word);

#endif
