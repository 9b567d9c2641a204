/* Words of C, as clang prints it: no comments, one directive per line. */
#include "loops/c/lex.h"

#include <ctype.h>
#include <string.h>

static size_t name_length(const char *p)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_')
        n++;
    return n;
}

static size_t number_length(const char *p)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '.' ||
           ((p[n] == '+' || p[n] == '-') && n && strchr("eEpP", p[n - 1]) && !strchr("xX", p[1])))
        n++;
    return n;
}

/* 0 if it does not end. */
static size_t text_length(const char *p)
{
    size_t n = 1;
    while (p[n] && p[n] != *p)
        n += p[n] == '\\' && p[n + 1] ? 2 : 1;
    return p[n] ? n + 1 : 0;
}

static size_t sign_length(const char *p)
{
    static const char *const signs[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                        "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
                                        "*=",  "/=",  "%=",  "&=", "|=", "^="};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(p, signs[i], strlen(signs[i])) == 0)
            return strlen(signs[i]);
    return strchr("()[]{};,.?:+-*/%<>=!&|^~", *p) ? 1 : 0;
}

static size_t measure(const char *p, c_word_kind *kind)
{
    if (isalpha((unsigned char)*p) || *p == '_') {
        *kind = W_NAME;
        return name_length(p);
    }
    if (isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]))) {
        *kind = W_NUMBER;
        return number_length(p);
    }
    if (*p == '"' || *p == '\'') {
        *kind = W_TEXT;
        return text_length(p);
    }
    if (strncmp(p, "#pragma", 7) == 0) {
        *kind = W_DIRECTIVE;
        return 7;
    }
    *kind = W_SIGN;
    return sign_length(p);
}

c_word *c_lex(arena *a, const char *text, int *count)
{
    c_word *words = NULL;
    int n = 0;
    bool directive = false;
    for (const char *p = text; *p;) {
        if (*p == '\n' && directive) {
            ARENA_ADD(a, words, n, (c_word){W_LINE_END, "", p, p});
            directive = false;
        }
        if (isspace((unsigned char)*p)) {
            p++;
            continue;
        }
        c_word_kind kind;
        size_t length = measure(p, &kind);
        if (!length)
            return NULL;
        directive |= kind == W_DIRECTIVE;
        ARENA_ADD(a, words, n, (c_word){kind, arena_text(a, p, length), p, p + length});
        p += length;
    }
    /* several, so that the parser may take a word or two without looking */
    for (int i = 0; i < 8; i++)
        ARENA_ADD(a, words, n, (c_word){W_END, "", text + strlen(text), text + strlen(text)});
    *count = n;
    return words;
}
