/* The words of a JDF file. All of them are found before parsing starts, so that the parser may look
 * ahead as far as it likes. */
#ifndef LEX_H
#define LEX_H

#include "source.h"

typedef enum token_kind {
    TOKEN_EOF,
    TOKEN_NAME,
    TOKEN_INT,
    TOKEN_REAL,
    TOKEN_STRING, /* text without the quotes, escapes as written */
    TOKEN_INLINE, /* %{ text %} */
    TOKEN_OPTION, /* %option */
    TOKEN_BODY,   /* the word BODY */
    TOKEN_TEXT,   /* what stands between BODY [...] and END */
    TOKEN_IN,     /* <- */
    TOKEN_OUT,    /* -> */
    TOKEN_DOTS,   /* .. */
    TOKEN_POINT,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_OPEN_SQUARE,
    TOKEN_CLOSE_SQUARE,
    TOKEN_COMMA,
    TOKEN_SEMICOLON,
    TOKEN_COLON,
    TOKEN_QUESTION,
    TOKEN_ASSIGN,
    TOKEN_NOT,
    /* Binary operators, the last ones of the list. */
    TOKEN_OR,      /* || */
    TOKEN_AND,     /* && */
    TOKEN_BIT_OR,  /* | */
    TOKEN_XOR,     /* ^ */
    TOKEN_BIT_AND, /* & */
    TOKEN_EQ,
    TOKEN_NE,
    TOKEN_LT,
    TOKEN_LE,
    TOKEN_GT,
    TOKEN_GE,
    TOKEN_SHL,
    TOKEN_SHR,
    TOKEN_ADD,
    TOKEN_SUB,
    TOKEN_MUL,
    TOKEN_DIV,
    TOKEN_MOD
} token_kind;

typedef struct token {
    token_kind kind;
    bool first; /* on its line */
    place at;
    place text_at;      /* of the first byte of `text`, which differs for quoted kinds */
    size_t start, stop; /* bytes of the source */
    const char *text;   /* of NAME, REAL, STRING, INLINE, TEXT */
    int64_t value;      /* of INT */
} token;

/* The words of `s`, the last one TOKEN_EOF. What is wrong is said to the source and left out. */
token *lex(source *s, int *count);

#endif
