/* What the parser of printed functions shares. */
#ifndef LOOPS_PARSER_H
#define LOOPS_PARSER_H

#include "loops/c/lex.h"
#include "loops/c/tree.h"

typedef struct c_parser {
    source *source;
    arena *memory;
    const c_word *word; /* the next one */
    const c_places *places;
    const c_names *types;
    int seen[C_WHERES];
    place at; /* of the statement */
    bool failed;
} c_parser;

/* parse_expr.c. NULL after c_stuck. */
c_expr *c_parse_expr(c_parser *p);       /* with commas */
c_expr *c_parse_assignment(c_parser *p); /* without */
c_expr *c_parse_item(c_parser *p);       /* of a depend clause: sections, too */

/* Does a type begin here? */
bool c_is_type(const c_parser *p, const c_word *word);
/* Skip the words of a type in parentheses, up to but without the closing one. */
const char *c_skip_type(c_parser *p);

bool c_next_is(const c_parser *p, const char *text);
bool c_take(c_parser *p, const char *text);
bool c_want(c_parser *p, const char *text);
/* Say that this cannot be read, once. */
void c_stuck(c_parser *p);
/* Where the next construct of that kind is. */
place c_place_of(c_parser *p, c_where kind);
/* Skip words up to the one that closes what has just been opened, and that. */
void c_skip_closed(c_parser *p, const char *close);

#endif
