/* Expressions of C as text, and compared. */
#include "loops/c/tree.h"

#include <stdlib.h>
#include <string.h>

static void write_args(FILE *out, const c_expr *e, c_write_name *write, void *user)
{
    for (int i = 1; i < e->count; i++) {
        fputs(i > 1 ? ", " : "", out);
        c_write(out, e->args[i], write, user);
    }
}

static bool is_plain(const c_expr *e)
{
    return e->op == C_INT || e->op == C_NAME || e->op == C_LEAF || e->op == C_CALL ||
           e->op == C_INDEX || e->op == C_MEMBER || e->op == C_OPAQUE;
}

static void write_in(FILE *out, const c_expr *e, c_write_name *write, void *user)
{
    bool plain = is_plain(e);
    fputs(plain ? "" : "(", out);
    c_write(out, e, write, user);
    fputs(plain ? "" : ")", out);
}

void c_write(FILE *out, const c_expr *e, c_write_name *write, void *user)
{
    if (write && write(user, out, e))
        return;
    switch (e->op) {
    case C_NAME:
    case C_INT:
    case C_LEAF:
    case C_OPAQUE:
        fputs(e->text, out);
        return;
    case C_CALL:
        write_in(out, e->args[0], write, user);
        fputc('(', out);
        write_args(out, e, write, user);
        fputc(')', out);
        return;
    case C_INDEX:
        write_in(out, e->args[0], write, user);
        fputc('[', out);
        c_write(out, e->args[1], write, user);
        fputc(']', out);
        return;
    case C_SECTION:
        write_in(out, e->args[0], write, user);
        fputs("[...]", out);
        return;
    case C_MEMBER:
        write_in(out, e->args[0], write, user);
        fprintf(out, "%s%s", e->arrow ? "->" : ".", e->text);
        return;
    case C_CAST:
        fprintf(out, "(%s)", e->text);
        write_in(out, e->args[0], write, user);
        return;
    case C_UNARY:
        fputs(e->text, out);
        write_in(out, e->args[0], write, user);
        return;
    case C_POSTFIX:
        write_in(out, e->args[0], write, user);
        fputs(e->text, out);
        return;
    case C_BINARY:
        write_in(out, e->args[0], write, user);
        fprintf(out, " %s ", e->text);
        write_in(out, e->args[1], write, user);
        return;
    case C_COND:
        write_in(out, e->args[0], write, user);
        fputs(" ? ", out);
        write_in(out, e->args[1], write, user);
        fputs(" : ", out);
        write_in(out, e->args[2], write, user);
        return;
    }
}

const char *c_text_of(arena *a, const c_expr *e)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        exit(3);
    c_write(out, e, NULL, NULL);
    fclose(out);
    const char *result = arena_text(a, text, size);
    free(text);
    return result;
}

bool c_same(const c_expr *a, const c_expr *b)
{
    if (!a || !b)
        return a == b;
    if (a->op != b->op || a->count != b->count || a->arrow != b->arrow || a->value != b->value ||
        a->local != b->local || strcmp(a->text, b->text) != 0)
        return false;
    for (int i = 0; i < a->count; i++)
        if (!c_same(a->args[i], b->args[i]))
            return false;
    return true;
}

/* Is the word among those of the text? */
static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

c_type c_type_of(const c_names *types, const char *text)
{
    static const char *const narrow[] = {"char", "short", "_Bool", "bool"};
    static const char *const wide[] = {"int", "long", "signed"};
    static const char *const floats[] = {"float", "double", "_Complex"};
    c_type t = {.class = TYPE_OTHER, .text = text};
    if (strchr(text, '*'))
        t.class = TYPE_POINTER;
    else if (has_word(text, "struct") || has_word(text, "union"))
        t.class = TYPE_VALUE;
    else {
        for (int i = types->count - 1; i >= 0; i--)
            if (has_word(text, types->list[i])) {
                t = types->types[i];
                t.text = text;
                return t;
            }
        for (int i = 0; i < 3; i++)
            if (has_word(text, wide[i]) || has_word(text, "enum"))
                t.class = TYPE_INT;
        for (int i = 0; i < 4; i++)
            if (has_word(text, narrow[i])) {
                t.class = TYPE_INT;
                t.narrow = true;
            }
        if (has_word(text, "unsigned") && !t.narrow)
            t.class = TYPE_UNSIGNED;
        for (int i = 0; i < 3; i++)
            if (has_word(text, floats[i]))
                t.class = TYPE_FLOAT;
    }
    return t;
}

const c_expr *c_bare(const c_expr *e)
{
    while (e->op == C_CAST && strchr(e->text, '*') && !strchr(e->text, '['))
        e = e->args[0];
    return e;
}
