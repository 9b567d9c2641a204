/* The course of --from-c. */
#include "loops/loops.h"

#include "loops/write.h"

#include <isl/options.h>
#include <string.h>

/* Does its text have a loop, and in it a call or a task? */
static bool has_loop(const c_stmt *s, bool inside)
{
    if (inside && (s->kind == C_TASK || (s->kind == C_DO_EXPR && s->cond->op == C_CALL)))
        return true;
    for (int i = 0; i < s->part_count; i++)
        if (has_loop(s->parts[i], inside || s->kind == C_FOR || s->kind == C_WHILE))
            return true;
    return false;
}

/* Does it have a call, or a task, that nobody would take for loops over tiles? */
static bool calls(const c_expr *e)
{
    bool found = e->op == C_CALL;
    for (int i = 0; i < e->count && !found; i++)
        found = e->args[i] && calls(e->args[i]);
    return found;
}

static bool has_call_in_loop(const c_stmt *s, bool inside)
{
    bool found = s->kind == C_TASK || (inside && s->cond && calls(s->cond));
    for (int i = 0; i < s->declared_count && !found; i++)
        found = inside && s->declared[i].value && calls(s->declared[i].value);
    for (int i = 0; i < s->part_count && !found; i++)
        found = has_call_in_loop(s->parts[i], inside || s->kind == C_FOR);
    return found;
}

/* The only one that comes near: what is wrong with it can be said with a line. */
static const c_function *nearest(c_file *f)
{
    const c_function *found = NULL;
    int count = 0;
    for (int i = 0; i < f->function_count; i++) {
        const c_function *x = &f->functions[i];
        c_stmt *body = x->here && x->defined ? c_body(f, x) : NULL;
        if (body && has_call_in_loop(body, false)) {
            found = x;
            count++;
        }
    }
    return count == 1 ? found : NULL;
}

static void no_function(c_file *f, const loops_options *o)
{
    const char *near = "";
    for (int i = 0; o->function && i < f->function_count; i++)
        if (f->functions[i].here && f->functions[i].defined)
            near = arena_print(f->source->memory, "%s%s %s", near, *near ? "," : "; there is",
                               f->functions[i].name);
    if (o->function)
        source_say(f->source, ERROR, (place){0, 0}, "no function '%s' is defined here%s",
                   o->function, near);
    else
        source_say(f->source, ERROR, (place){0, 0}, "no function here has loops that call kernels");
}

/* The function to read: the one that is named, or the only one. */
static const c_function *choose(c_file *f, const loops_options *o)
{
    const c_function *found = NULL;
    int errors = f->source->errors, said = f->source->diagnostic_count;
    for (int i = 0; i < f->function_count; i++) {
        const c_function *x = &f->functions[i];
        if (!x->here || !x->defined || (o->function && strcmp(x->name, o->function) != 0))
            continue;
        if (o->function)
            return x;
        c_stmt *body = c_body(f, x);
        bool looped = body && has_loop(body, false);
        if (looped && found) {
            source_say(f->source, ERROR, x->at,
                       "both %s and %s have loops that call functions; "
                       "say which with --function",
                       found->name, x->name);
            return NULL;
        }
        found = looped ? x : found;
    }
    if (found) { /* what is wrong with other functions is of no concern */
        f->source->errors = errors;
        f->source->diagnostic_count = said;
    } else if (f->source->errors == errors) {
        found = o->function ? NULL : nearest(f);
        if (!found && f->source->errors == errors)
            no_function(f, o);
    }
    return found;
}

/* What was said when isl gave up is about what it had not found out yet. */
static void say_if_spent(const program *p, int errors, int said, loops_result *result)
{
    source *s = p->source;
    if (isl_ctx_last_error(p->ctx) != isl_error_quota)
        return;
    result->jdf = NULL;
    s->errors = errors;
    s->diagnostic_count = said;
    source_say(s, ERROR, p->function->at,
               "the dependences of %s take too long to find; make its conditions and indices "
               "simpler, or give parts of it functions of their own",
               p->function->name);
}

static void read_function(c_file *f, const c_function *function, const loops_options *o,
                          loops_result *result)
{
    program p;
    dependences d;
    int errors = f->source->errors, said = f->source->diagnostic_count;
    isl_ctx *ctx = isl_ctx_alloc();
    isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
    limit_operations(ctx);
    bool read = program_read(&p, f, function, ctx, o->distribute);
    p.in_place |= o->in_place;
    if (read && o->print)
        program_print(o->print, &p);
    read = read && (!o->distribute || sizes_find(&p, o)) && split_statements(&p);
    if (read) {
        result->name = o->name ? o->name : function->name;
        bool found = dependences_find(&d, &p, o->explain != NULL);
        if (found && o->explain)
            dependences_explain(&d, o->explain);
        if (found)
            result->jdf = write_jdf(&p, &d, o, result->name);
        dependences_free(&d);
    }
    say_if_spent(&p, errors, said, result);
    program_free(&p);
    isl_ctx_free(ctx);
}

bool loops_read(source *s, const loops_options *o, loops_result *result, const char **why)
{
    c_file f;
    *result = (loops_result){0};
    bool there = c_open(&f, s, o->args, o->arg_count, why);
    const c_function *function = there && !s->errors ? choose(&f, o) : NULL;
    if (function)
        read_function(&f, function, o, result);
    c_close(&f);
    return there;
}
