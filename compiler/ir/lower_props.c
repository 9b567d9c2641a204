/* Properties: [name = value ...] */
#include "ir/lower.h"

#include <string.h>

ast_prop *find_prop(const ast_props *props, const char *name)
{
    for (int i = 0; i < props->count; i++)
        if (props->list[i].name && !props->list[i].flow && strcmp(props->list[i].name, name) == 0)
            return &props->list[i];
    return NULL;
}

static bool same(const ast_prop *a, const ast_prop *b)
{
    return a->name && b->name && strcmp(a->name, b->name) == 0 && !a->flow == !b->flow &&
           (!a->flow || strcmp(a->flow, b->flow) == 0);
}

static void check_prop(lowering *l, const ast_prop *prop, names_of what)
{
    if (!prop->name) {
        if (what != NAMES_DEP)
            source_say(l->source, ERROR, prop->at, "the property '%s' needs a value: %s = ...",
                       prop->value->text, prop->value->text);
        return;
    }
    if (prop->flow && what == NAMES_BODY)
        what = NAMES_BODY_FLOW;
    switch (names_look(what, prop->name)) {
    case NAME_UNKNOWN:
        source_say(l->source, WARNING, prop->at, "the property '%s' is unknown and has no effect",
                   prop->name);
        break;
    case NAME_UNSUPPORTED:
        source_say(l->source, WARNING, prop->at, "the property '%s' is not supported yet",
                   prop->name);
        break;
    case NAME_KNOWN:
        break;
    }
}

void check_props(lowering *l, const ast_props *props, names_of what)
{
    for (int i = 0; i < props->count; i++) {
        check_prop(l, &props->list[i], what);
        for (int j = 0; j < i; j++)
            if (same(&props->list[i], &props->list[j]))
                source_say(l->source, ERROR, props->list[i].at, "the property '%s' is given twice",
                           props->list[i].name);
    }
}

bool prop_is_on(lowering *l, const ast_prop *prop)
{
    if (!prop)
        return false;
    resolve(l, prop->value, C_NAME);
    if (prop->value->op != IR_INT)
        source_say(l->source, ERROR, prop->value->at, "the property '%s' is on or off", prop->name);
    return prop->value->op == IR_INT && prop->value->value != 0;
}

ir_expr *prop_number(lowering *l, const ast_prop *prop)
{
    if (prop)
        resolve(l, prop->value, SWITCH);
    return prop ? prop->value : NULL;
}

void keep_prop(lowering *l, ast_prop *prop, ir_prop **list, int *count)
{
    resolve(l, prop->value, C_NAME);
    ir_prop kept = {prop->flow, prop->name, prop->at, prop->value};
    ARENA_ADD(l->memory, *list, *count, kept);
}
