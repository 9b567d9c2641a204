/* How --verify names things. */
#include "verify/facts.h"

#include <inttypes.h>

const char *text_task(const world *w, const task *t, bool names)
{
    const ir_class *class = &w->file->classes[t->class];
    const char *text = class->name, *before = "(";
    for (int i = 0; i < class->param_count; i++, before = ",") {
        const char *name = names ? class->locals[class->params[i]].name : "";
        text = arena_print(w->memory, "%s%s%s%s%" PRId64, text, before, name, names ? "=" : "",
                           t->args[i]);
    }
    return arena_print(w->memory, "%s%s", text, class->param_count ? ")" : "()");
}

static const char *text_tile(const world *w, const ir_dep *d, const task *tile)
{
    const char *text = w->file->globals[d->collection].name, *before = "(";
    for (int i = 0; i < d->arg_count; i++, before = ",")
        text = arena_print(w->memory, "%s%s%" PRId64, text, before, tile->args[i]);
    return arena_print(w->memory, "%s%s", text, d->arg_count ? ")" : "()");
}

const char *text_target(const world *w, const ir_dep *d, const task *target)
{
    switch (d->target) {
    case IR_TO_TASK:
        return arena_print(w->memory, "%s %s", w->file->classes[d->class].flows[d->flow].name,
                           text_task(w, target, false));
    case IR_TO_MEMORY:
        return text_tile(w, d, target);
    case IR_FROM_NEW:
        return "NEW";
    default:
        return "NULL";
    }
}

const char *text_range(const world *w, const ir_range *r)
{
    const ir_expr *parts[] = {r->lo, r->hi, r->step};
    const char *text = "";
    for (int i = 0; i < 3; i++)
        if (parts[i])
            text = arena_print(w->memory, "%s%s%s", text, i ? " .. " : "",
                               ir_text_of(w->memory, parts[i]));
    return text;
}

const char *text_place(const world *w, place at)
{
    return arena_print(w->memory, "%s:%d", w->file->source->path, (int)at.line);
}

const char *text_globals(const world *w)
{
    const char *text = "", *before = ", with ";
    for (int i = 0; i < w->file->global_count; i++) {
        const ir_global *g = &w->file->globals[i];
        if (!w->chose_global[i])
            continue;
        text = arena_print(w->memory, "%s%s%s=%" PRId64, text, before, g->name, w->eval.globals[i]);
        before = ", ";
    }
    for (int i = 0; i < w->file->member_count; i++) {
        if (!w->chose_member[i])
            continue;
        text = arena_print(w->memory, "%s%s%s=%" PRId64, text, before, w->file->members[i].text,
                           w->eval.members[i]);
        before = ", ";
    }
    return text;
}
