/* What the files of the parser share. */
#ifndef PARSE_H
#define PARSE_H

#include "syntax/ast.h"
#include "syntax/lex.h"

#include <string.h>

typedef struct parser {
    source *source;
    arena *memory;
    token *tokens;
    int count, at;
    int depth;  /* of nested expressions */
    bool panic; /* something was wrong, and parsing has not found its way again */
} parser;

/* How deeply parentheses and the like may nest. */
enum { MOST_DEPTH = 200 };

static inline const token *look(const parser *p, int ahead)
{
    int i = p->at + ahead;
    return &p->tokens[i < p->count ? i : p->count - 1];
}

static inline bool is(const parser *p, int ahead, token_kind kind)
{
    return look(p, ahead)->kind == kind;
}

static inline bool is_word(const parser *p, int ahead, const char *word)
{
    return is(p, ahead, TOKEN_NAME) && strcmp(look(p, ahead)->text, word) == 0;
}

/* The current word; the next one becomes current. */
const token *take(parser *p);

/* Take a word of this kind if it is the current one. */
bool accept(parser *p, token_kind kind);

/* Say that `what` was expected at the current word, unless something was wrong already. */
void expected(parser *p, const char *what);

/* Take a word of this kind, or say that `what` was expected. */
bool expect(parser *p, token_kind kind, const char *what);
const token *expect_name(parser *p, const char *what);

/* After an error: go on to a word that is the first of its line, and forget the error. */
void recover(parser *p);

/* parse_expr.c. These return an expression whatever happens. */
ir_expr *parse_expr(parser *p);
ir_expr *parse_guard(parser *p); /* no ?: at the top */
ir_range parse_range(parser *p);
ir_range *parse_args(parser *p, int *count); /* from ( to ) */
ir_iter *parse_iters(parser *p, int *count); /* from [ to ], if there is a [ */
ast_props parse_props(parser *p);            /* the same */

/* Is the word at `ahead` one that continues an expression? */
bool continues(const parser *p, int ahead);

/* Where the ) is that closes the ( at `ahead`; -1 if nowhere. */
int matching(const parser *p, int ahead);

/* parse_dep.c */
bool at_flow(const parser *p);
void parse_flow(parser *p, ast_class *c);

/* parse_class.c */
void parse_class(parser *p, ast_file *f);

#endif
