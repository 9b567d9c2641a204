/* The words of a printed function. */
#ifndef LOOPS_LEX_H
#define LOOPS_LEX_H

#include "arena.h"

#include <stdbool.h>

typedef enum c_word_kind {
    W_NAME,
    W_NUMBER,
    W_TEXT,
    W_SIGN,
    W_DIRECTIVE,
    W_LINE_END,
    W_END
} c_word_kind;

typedef struct c_word {
    c_word_kind kind;
    const char *text; /* of the arena */
    const char *from, *to;
} c_word;

/* All words, ended by W_END. A directive is `#pragma` and the words of its line, then W_LINE_END.
 * NULL if there is something that no word begins with. */
c_word *c_lex(arena *a, const char *text, int *count);

#endif
