/* twillc: compiles JDF files. */
#include "emit/emit.h"
#include "eval/tasks.h"
#include "ir/lower.h"
#include "loops/loops.h"
#include "options.h"
#include "verify/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The name of the graph: the file's, made a C identifier. */
static const char *graph_name(arena *a, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *point = strrchr(base, '.');
    char *name = arena_text(a, base, point && point > base ? (size_t)(point - base) : strlen(base));
    for (char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c))
            *c = '_';
    return *name >= '0' && *name <= '9' ? arena_print(a, "_%s", name) : name;
}

/* FILE of FILE.c and FILE.h. */
static const char *output_base(arena *a, const options *o)
{
    const char *path = o->output ? o->output : o->input;
    size_t length = strlen(path);
    const char *end = o->output || o->from_c ? ".c" : ".jdf";
    size_t size = strlen(end);
    bool ends = length > size && strcmp(path + length - size, end) == 0;
    const char *base = arena_text(a, path, ends ? length - size : length);
    /* never the input */
    return o->from_c && !o->output ? arena_print(a, "%s_ptg", base) : base;
}

static bool print_tasks(const ir_file *ir, const options *o)
{
    eval v;
    eval_start(&v, ir, ir->source->memory, TASKS_STEPS);
    for (int i = 0; i < o->setting_count; i++) {
        if (eval_set(&v, o->settings[i].name, o->settings[i].value))
            continue;
        source_say(ir->source, ERROR, (place){0, 0}, "there is no global '%s' to give a value to",
                   o->settings[i].name);
        return false;
    }
    eval_settle(&v);
    return tasks_print(stdout, ir, &v);
}

/* For --verify a global with a value is one that the file defines so, whatever C text it had. */
static bool give_value(ir_file *ir, const char *name, int64_t value)
{
    int index = find_global(ir, name);
    if (index >= 0 && ir->globals[index].integer) {
        ir_global *g = &ir->globals[index];
        g->value = expr_leaf(ir->source->memory, IR_INT, g->at, NULL);
        g->value->value = value;
        g->origin = IR_DEFINED;
        return true;
    }
    for (int i = 0; i < ir->member_count; i++) {
        if (strcmp(ir->members[i].text, name) == 0) {
            ir->members[i].given = true;
            ir->members[i].value = value;
            return true;
        }
    }
    source_say(ir->source, ERROR, (place){0, 0}, "there is no global '%s' to give a value to",
               name);
    return false;
}

static bool give_values(ir_file *ir, const options *o)
{
    bool good = true;
    for (int i = 0; i < o->setting_count; i++)
        good &= give_value(ir, o->settings[i].name, o->settings[i].value);
    return good;
}

/* What the command line says is assumed: each text is a source of its own. */
static source *read_assumptions(const options *o, ast_file *ast)
{
    arena *memory = ast->source->memory;
    source *s = arena_get(memory, sizeof *s * (size_t)(o->assumption_count + 1));
    for (int i = 0; i < o->assumption_count; i++) {
        source_set(&s[i], memory, "--assume", o->assumptions[i], strlen(o->assumptions[i]));
        parse_assumption(ast, &s[i]);
    }
    return s;
}

/* Returns the exit status, if the file has no mistakes; *why says why something failed. */
static int act(const options *o, ast_file *ast, const char **why)
{
    source *s = ast->source;
    if (o->action == PRINT_AST && s->errors == 0)
        ast_print(stdout, ast);
    /* Other mistakes of syntax do not keep the rest from being checked. */
    if (o->action == PRINT_AST || ast->damaged)
        return STATUS_OK;
    source *assumptions = read_assumptions(o, ast);
    ir_file *ir = lower(ast, o->name ? o->name : graph_name(s->memory, o->input), o->parsec);
    for (int i = 0; i < o->assumption_count; i++) {
        source_report(&assumptions[i], stderr);
        s->errors += assumptions[i].errors;
    }
    if (s->errors)
        return STATUS_OK;
    if (o->action == PRINT_IR)
        ir_print(stdout, ir);
    else if (o->action == PRINT_TASKS)
        print_tasks(ir, o);
    else if (o->action == VERIFY)
        return give_values(ir, o) ? verify(ir, o->seconds, stdout, why) : STATUS_OK;
    else if (o->action == EMIT && !emit(ir, output_base(s->memory, o), !o->no_line, why))
        return STATUS_SYSTEM;
    return STATUS_OK;
}

/* ---- Sequential C ------------------------------------------------------------------------ */

static int write_file(arena *memory, const char *path, const char *text, const char **why)
{
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    *why = arena_print(memory, "%s: %s", path, strerror(errno));
    bool fine = out && fputs(text, out) != EOF;
    if (out && out != stdout)
        fine = fclose(out) == 0 && fine;
    return fine ? STATUS_OK : STATUS_SYSTEM;
}

/* FILE.jdf beside FILE.c. */
static const char *jdf_path(const options *o, arena *memory)
{
    size_t length = strlen(o->input);
    bool ends = length > 2 && strcmp(o->input + length - 2, ".c") == 0;
    return o->output ? o->output
                     : arena_print(memory, "%.*s.jdf", (int)(ends ? length - 2 : length), o->input);
}

/* Make a graph of the C in `s`, and go on with that as if somebody had written it. */
static int run_c(const options *o, arena *memory, source *s, const char **why)
{
    loops_options lo = {.function = o->function,
                        .name = o->name,
                        .base = output_base(memory, o),
                        .args = o->c_args,
                        .arg_count = o->c_arg_count,
                        .in_place = o->in_place,
                        .distribute = o->distribute,
                        .tiles = o->tiles,
                        .tile_count = o->tile_count,
                        .print = o->action == PRINT_LOOPS ? stdout : NULL,
                        .explain = o->explain ? stdout : NULL};
    loops_result made;
    if (!loops_read(s, &lo, &made, why))
        return STATUS_SYSTEM;
    source_report(s, stderr);
    if (!made.jdf || s->errors)
        return STATUS_ERRORS;
    if (o->action == PRINT_LOOPS || o->explain)
        return STATUS_OK;
    if (o->emit_jdf)
        return write_file(memory, jdf_path(o, memory), made.jdf, why);
    source jdf;
    options rest = *o;
    rest.name = made.name;
    rest.no_line = true;
    source_set(&jdf, memory, s->path, made.jdf, strlen(made.jdf));
    int status = act(&rest, parse(&jdf), why);
    source_report(&jdf, stderr);
    return jdf.errors ? STATUS_ERRORS : status;
}

static int run(const options *o, arena *memory)
{
    source s;
    const char *why;
    if (o->action == PRINT_DEPS) {
        const char *base = output_base(memory, o);
        printf("%s.c %s.h: %s\n", base, base, o->input);
        return STATUS_OK;
    }
    if (!source_read(&s, memory, o->input, &why)) {
        complain("%s: %s", o->input, why);
        return STATUS_USAGE;
    }
    int status = o->from_c ? run_c(o, memory, &s, &why) : act(o, parse(&s), &why);
    if (!o->from_c)
        source_report(&s, stderr);
    if (status == STATUS_SYSTEM)
        complain("%s", why);
    return s.errors ? STATUS_ERRORS : status;
}

int main(int argc, char **argv)
{
    options o;
    arena memory = {0};
    int status;
    if (options_read(&o, argc, argv, &status))
        status = run(&o, &memory);
    free(o.settings);
    free(o.assumptions);
    free(o.c_args);
    free(o.tiles);
    arena_free(&memory);
    /* A full disk must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("standard output could not be written");
        return STATUS_SYSTEM;
    }
    return status;
}
