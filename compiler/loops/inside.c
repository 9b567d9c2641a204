/* Graphs whose bodies find their tiles themselves: the program's own text, its arguments, and
 * bodies that see what they saw there. */
#include "loops/write.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- The program ------------------------------------------------------------------------- */

/* How the output names the input: by its place, unless both are in one folder. */
static const char *include_path(const writer *w)
{
    const char *path = w->program->source->path, *slash = strrchr(path, '/');
    const char *base = w->options->base, *out = base ? strrchr(base, '/') : NULL;
    size_t folder = slash ? (size_t)(slash - path) : 0;
    size_t other = out ? (size_t)(out - base) : 0;
    if (base && folder == other && strncmp(path, base, folder) == 0)
        return slash ? slash + 1 : path;
    char *real = realpath(path, NULL);
    const char *copy = arena_text(w->memory, real ? real : path, strlen(real ? real : path));
    free(real);
    return copy;
}

/* The text with the function's definition under another name; who calls it calls the graph. */
static void write_renamed(writer *w)
{
    const program *p = w->program;
    const char *text = p->source->text, *name = p->function->name;
    size_t begin, at, body;
    if (!c_extent(p->file, p->function, &begin, &at, &body) || strstr(text, "%}")) {
        source_say(p->source, ERROR, p->function->at,
                   "%s is called in this file, and its "
                   "definition cannot be given another name; move the calls to another file",
                   name);
        return;
    }
    fprintf(w->out, "%.*s", (int)begin, text);
    for (size_t i = begin; i < body; i++)
        fputc(text[i] == '\n' ? ' ' : text[i], w->out);
    fprintf(w->out, ";%.*s%s_sequential%s", (int)(at - begin), text + begin, name,
            text + at + strlen(name));
}

void write_program(writer *w)
{
    const program *p = w->program;
    const char *name = p->function->name;
    fprintf(w->out, "/* Made by twillc from %s of %s, which stays as it is. */\n", name,
            p->source->path);
    fputs("extern \"C\" %{\n#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
          "#include <twill/loops.h>\n#include <twill/twill.h>\n",
          w->out);
    if (p->function->called)
        write_renamed(w);
    else
        fprintf(w->out, "#define %s %s_sequential\n#include \"%s\"\n#undef %s\n", name, name,
                include_path(w), name);
    fputs("\n%}\n\n", w->out);
}

/* ---- Arguments --------------------------------------------------------------------------- */

static bool is_pointer(const local *l)
{
    return l->type.class == TYPE_POINTER || l->type.class == TYPE_ARRAY;
}

static bool is_argument(const program *p, const c_expr *e)
{
    for (int i = 0; i < p->function->param_count; i++)
        if (e->op == C_NAME && e->local == p->arguments[i])
            return true;
    return false;
}

void write_arguments(writer *w)
{
    const program *p = w->program;
    for (int i = 0; i < p->function->param_count; i++) {
        const local *l = p->arguments[i];
        if (is_pointer(l))
            fprintf(w->out, "%s_ [type=\"void *\"]\n", l->name);
        else
            fprintf(w->out, "%s [type=\"%s\"]\n", l->name, l->type.text);
    }
    for (int i = 0; i < p->param_count; i++)
        if (p->params[i].used && !is_argument(p, p->params[i].value))
            fprintf(w->out, "%s [type=\"%s\"]\n", p->params[i].name, p->params[i].type.text);
}

/* ---- Bodies ------------------------------------------------------------------------------ */

/* TYPE NAME, where the type may have a place for the name. */
static const char *declaration(const writer *w, const char *type, const char *name)
{
    const char *hole = strstr(type, "(*)");
    if (hole)
        return arena_print(w->memory, "%.*s(*%s)%s", (int)(hole - type), type, name, hole + 3);
    /* an array as an argument is a pointer to its first row */
    const char *open = strchr(type, '['), *close = open;
    for (int depth = 0; close && *close; close++) {
        depth += (*close == '[') - (*close == ']');
        if (!depth)
            break;
    }
    if (!open || !*close)
        return arena_print(w->memory, "%s %s", type, name);
    return arena_print(w->memory, close[1] ? "%.*s (*%s)%s" : "%.*s *%s%s", (int)(open - type),
                       type, name, close + 1);
}

static const char *text_of(writer *w, const c_expr *e, bool typed)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        exit(3);
    w->typed = typed;
    c_write(out, e, write_name, w);
    w->typed = false;
    fclose(out);
    const char *copy = arena_text(w->memory, text, size);
    free(text);
    return copy;
}

/* What a body that is taken as it is names: values first, under names of their own, as an inner
 * name may hide what its value needs. */
static const char *body_text(writer *w, const stmt *s)
{
    const char *outer = "", *inner = "";
    for (int i = 0; i < s->captured_count; i++) {
        const local *l = s->captured[i];
        bool hidden = false;
        for (int k = i + 1; k < s->captured_count; k++)
            hidden = hidden || strcmp(s->captured[k]->name, l->name) == 0;
        if (hidden || !has_word(s->body, l->name))
            continue;
        c_expr name = {.op = C_NAME, .text = l->name, .local = (local *)l};
        const char *value = text_of(w, l->kind == LOCAL_LOOP ? &name : l->value, true);
        const char *typed = l->text ? l->text : declaration(w, l->type.text, l->name);
        outer =
            arena_print(w->memory, "%s    __auto_type %s_%d_ = %s;\n", outer, l->name, i, value);
        inner = arena_print(w->memory, "%s        %s = %s_%d_;\n        (void)%s;\n", inner, typed,
                            l->name, i, l->name);
    }
    return arena_print(w->memory, "%s    {\n%s        %s\n    }\n", outer, inner, s->body);
}

void write_task(writer *w)
{
    const program *p = w->program;
    const stmt *s = &p->stmts[w->stmt];
    const char *text =
        s->call ? arena_print(w->memory, "    %s;\n", text_of(w, s->call, true)) : body_text(w, s);
    fputs("BODY\n{\n", w->out);
    for (int i = 0; i < p->function->param_count; i++) {
        const local *l = p->arguments[i];
        if (is_pointer(l) && has_word(text, l->name))
            fprintf(w->out, "    %s = %s_;\n", declaration(w, l->type.text, l->name), l->name);
    }
    fprintf(w->out, "%s}\nEND\n", text);
}
