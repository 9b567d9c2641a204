/* From the tree of a function to its statements: conditions, calls, regions. */
#include "loops/build.h"

#include <isl/space.h>
#include <string.h>

enum { MOST_INLINED = 8, MOST_STATEMENTS = 60 };

/* ---- Domains ----------------------------------------------------------------------------- */

isl_set *domain_now(build *b)
{
    isl_set *now = isl_set_copy(b->domain);
    if (b->skipped[b->depth])
        now = isl_set_subtract(now, isl_set_copy(b->skipped[b->depth]));
    return now;
}

/* Nothing that follows at this depth runs where the statement that is looked at does. */
static void skip_rest(build *b)
{
    isl_set *now = domain_now(b);
    isl_set **skipped = &b->skipped[b->depth];
    *skipped = *skipped ? isl_set_union(*skipped, now) : now;
}

void open_scope(build *b, scope *s)
{
    *s = (scope){.outer = b->scope};
    b->scope = s;
}

/* ---- Conditions -------------------------------------------------------------------------- */

static void walk_if(build *b, const c_stmt *s)
{
    const char *why = NULL;
    c_expr *cond = resolved(b, s->cond);
    isl_set *truth = cond ? condition(b, cond, &why) : NULL;
    if (!truth) {
        if (cond && !failed(b))
            refuse(b, "the condition '%s' %s", c_text_of(b->memory, cond), why);
        return;
    }
    isl_set *outer = isl_set_copy(b->domain);
    bool conditional = b->conditional;
    b->conditional = true;
    b->domain = isl_set_intersect(b->domain, isl_set_copy(truth));
    walk(b, s->parts[0]);
    isl_set_free(b->domain);
    b->domain = isl_set_subtract(isl_set_copy(outer), truth);
    if (s->part_count > 1)
        walk(b, s->parts[1]);
    isl_set_free(b->domain);
    b->domain = outer;
    b->conditional = conditional;
}

/* ---- Pragmas ----------------------------------------------------------------------------- */

static bool read_pragma(build *b, const c_expr *e)
{
    const char *name = e->op == C_CALL && e->args[0]->op == C_NAME ? e->args[0]->text : "";
    if (e->op == C_BINARY && strcmp(e->text, "+") == 0)
        return read_pragma(b, e->args[0]) && read_pragma(b, e->args[1]);
    if (e->count == 2 && strcmp(name, "__twill_on") == 0) {
        c_expr *tile = resolved(b, e->args[1]);
        b->on = arena_get(b->memory, sizeof *b->on);
        return tile && tile_access(b, tile, READS, ROLE_PLACE, b->on);
    }
    if (e->count == 2 && strcmp(name, "__twill_priority") == 0) {
        b->priority = resolved(b, e->args[1]);
        return b->priority != NULL;
    }
    return false;
}

/* What stands for #pragma twill; other loops of this kind are not understood. */
static void walk_while(build *b, const c_stmt *s)
{
    access *on = b->on;
    c_expr *priority = b->priority;
    if (read_pragma(b, s->cond))
        walk(b, s->parts[0]);
    else
        refuse(b, "how often a while loop runs is not known; write it as a for loop with affine "
                  "bounds");
    b->on = on;
    b->priority = priority;
}

/* ---- Calls ------------------------------------------------------------------------------- */

/* A function of the file that makes tasks, as if its text stood here. */
static void walk_call(build *b, const c_expr *call)
{
    program *p = b->program;
    const c_function *f =
        call->args[0]->op == C_NAME ? c_function_of(p->file, call->args[0]->text) : NULL;
    c_stmt *body = f && f->defined ? c_body(p->file, f) : NULL;
    if (b->inlined == MOST_INLINED || f == p->function) {
        refuse(b, "'%s' calls itself; how deep is not known", call->args[0]->text);
        return;
    }
    if (!body || !has_tasks(body) || f->param_count != call->count - 1) {
        if (!failed(b))
            refuse(b, "a call outside of any task; make it a task with its depend lists, or move "
                      "it out of this function");
        return;
    }
    scope scope = {0}, *caller = b->scope;
    b->scope = &scope;
    for (int i = 0; i < f->param_count; i++) {
        b->scope = caller;
        c_expr *value = resolved(b, call->args[i + 1]);
        b->scope = &scope;
        if (!value)
            return;
        value = converted(b, &f->params[i].type, value);
        if (f->params[i].type.class != TYPE_POINTER && !is_timeless(b, value)) {
            refuse(b, "'%s' is read from memory, which tasks may change",
                   c_text_of(b->memory, value));
            return;
        }
        local *l = add_local(b, (local){.name = f->params[i].name,
                                        .type = f->params[i].type,
                                        .kind = LOCAL_ALIAS,
                                        .value = value});
        l->text = arena_print(b->memory, "%s %s", l->type.text, l->name);
    }
    b->inlined++;
    walk(b, body);
    b->inlined--;
    b->scope = caller;
}

static void walk_expr(build *b, const c_stmt *s)
{
    const c_expr *e = s->cond;
    while (e->op == C_CAST && strcmp(e->text, "void") == 0)
        e = e->args[0];
    if (e->op == C_BINARY && e->text[strlen(e->text) - 1] == '=')
        assign_local(b, e);
    else if (e != s->cond && e->op != C_CALL && resolved(b, e) && !has_call(e))
        return; /* (void)x; */
    else if (e->op != C_CALL)
        refuse(b,
               "'%s' does nothing that is understood; only calls of kernels and assignments to "
               "locals are",
               c_text_of(b->memory, e));
    else if (b->program->tasks)
        walk_call(b, e);
    else
        build_call(b, (c_expr *)e);
}

/* ---- Regions ----------------------------------------------------------------------------- */

static bool is_clause(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* parallel, single, master, taskgroup: how often what is in them runs, and who waits at the end. */
static void walk_around(build *b, const c_stmt *s)
{
    static const char *const harmless[] = {"default",     "shared",    "firstprivate", "private",
                                           "num_threads", "proc_bind", "if",           NULL};
    static const char *const once[] = {"single", "master", "masked", NULL};
    const char *name = s->clauses[0].mode;
    bool parallel = strcmp(name, "parallel") == 0, group = strcmp(name, "taskgroup") == 0;
    bool alone = is_clause(name, once), waits = parallel || group || strcmp(name, "single") == 0;
    bool was_replicated = b->replicated;
    for (int i = 1; i < s->clause_count; i++) {
        const char *word = s->clauses[i].mode;
        if (is_clause(word, once))
            alone = true;
        else if (strcmp(word, "nowait") == 0)
            waits = false;
        else if (!is_clause(word, harmless)) {
            refuse(b, "the clause '%s' of %s is not understood", word, name);
            return;
        }
    }
    b->replicated = !alone && (parallel || b->replicated);
    walk(b, s->parts[0]);
    b->replicated = was_replicated;
    b->at = s->at;
    if (waits && !failed(b))
        build_wait(b);
}

/* ---- All of them ------------------------------------------------------------------------- */

/* Does it name a local whose address some task gets? */
static bool is_exposed(build *b, const c_expr *e)
{
    const local *l = e->op == C_NAME ? find_local(b, e->text) : NULL;
    bool found = l && l->exposed;
    for (int i = 0; i < e->count && !found; i++)
        found = e->args[i] && is_exposed(b, e->args[i]);
    return found;
}

static void walk_return(build *b, const c_stmt *s)
{
    program *p = b->program;
    if (b->depth) {
        refuse(b, "the function returns from inside a loop; how far it gets is then not known");
        return;
    }
    if (b->inlined) {
        refuse(b, "a function that makes tasks returns early; put the rest into an if");
        return;
    }
    c_expr *value = s->cond ? resolved(b, s->cond) : NULL;
    if (s->cond && is_exposed(b, s->cond)) {
        refuse(b, "the function returns '%s', which tasks may have changed: they get its address",
               c_text_of(b->memory, s->cond));
        return;
    }
    if (s->cond && (!value || !is_timeless(b, value) || (p->result && !c_same(p->result, value)))) {
        if (!failed(b))
            refuse(b, "the function returns '%s', which is not the same for all of its ends",
                   c_text_of(b->memory, s->cond));
        return;
    }
    p->result = value ? value : p->result;
    skip_rest(b);
}

static void walk_block(build *b, const c_stmt *s)
{
    scope scope;
    open_scope(b, &scope);
    for (int i = 0; i < s->part_count && !failed(b); i++)
        walk(b, s->parts[i]);
    b->scope = scope.outer;
}

void walk(build *b, const c_stmt *s)
{
    b->at = s->at;
    switch (s->kind) {
    case C_BLOCK:
        walk_block(b, s);
        break;
    case C_FOR:
        walk_for(b, s);
        break;
    case C_IF:
        walk_if(b, s);
        break;
    case C_WHILE:
        walk_while(b, s);
        break;
    case C_DECLARE:
        declare_locals(b, s);
        break;
    case C_DO_EXPR:
        walk_expr(b, s);
        break;
    case C_RETURN:
        walk_return(b, s);
        break;
    case C_CONTINUE:
        if (b->depth)
            skip_rest(b);
        break;
    case C_TASK:
        build_task(b, s);
        break;
    case C_AROUND:
        walk_around(b, s);
        break;
    case C_WAIT:
        build_wait(b);
        break;
    case C_NOTHING:
        break;
    case C_REFUSED:
        refuse(b, "'%s' is not understood", s->text);
        break;
    }
    if (b->program->stmt_count > MOST_STATEMENTS && !failed(b))
        refuse(b, "the function has more than %d statements", MOST_STATEMENTS);
}
