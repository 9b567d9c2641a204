/* Globals, options, and which dialect a file is written in. */
#include "ir/lower.h"

#include <string.h>

/* ---- By name ----------------------------------------------------------------------------- */

/* The slot of the name, or the empty one where it belongs; their number is a power of two. */
static int *slot_of(const ir_file *ir, const char *name, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    for (uint32_t i = hash;; i++) {
        int *slot = &ir->global_slots[i & (uint32_t)(ir->slot_count - 1)];
        const char *other = *slot ? ir->globals[*slot - 1].name : NULL;
        if (!other || (strncmp(other, name, length) == 0 && other[length] == '\0'))
            return slot;
    }
}

int ir_global_named(const ir_file *f, const char *name, size_t length)
{
    return f->slot_count ? *slot_of(f, name, length) - 1 : -1;
}

int find_global(const ir_file *ir, const char *name)
{
    return ir_global_named(ir, name, strlen(name));
}

/* Room for one more: at least half of the slots stay empty. */
static void grow_slots(lowering *l)
{
    ir_file *ir = l->ir;
    if (2 * ir->global_count < ir->slot_count)
        return;
    ir->slot_count = ir->slot_count ? 2 * ir->slot_count : 64;
    ir->global_slots = arena_get(l->memory, sizeof *ir->global_slots * (size_t)ir->slot_count);
    for (int i = 0; i < ir->global_count; i++)
        *slot_of(ir, ir->globals[i].name, strlen(ir->globals[i].name)) = i + 1;
}

int add_global(lowering *l, ir_global global)
{
    ir_file *ir = l->ir;
    ARENA_ADD(l->memory, ir->globals, ir->global_count, global);
    grow_slots(l);
    *slot_of(ir, global.name, strlen(global.name)) = ir->global_count;
    return ir->global_count - 1;
}

/* ---- Declarations ------------------------------------------------------------------------ */

static bool flow_is_classic(const ast_flow *flow)
{
    if (flow->mode == AST_NO_MODE)
        return true;
    for (int i = 0; i < flow->dep_count; i++)
        for (int j = 0; j < flow->deps[i].props.count; j++)
            if (!flow->deps[i].props.list[j].name)
                return true;
    return false;
}

/* One construct that only the classic dialect has makes the file classic: (high_priority), a
 * predicate, a flow without a mode, a type alone in brackets. */
bool is_classic(const ast_file *ast)
{
    for (int i = 0; i < ast->class_count; i++) {
        const ast_class *c = &ast->classes[i];
        if (c->high_priority)
            return true;
        for (int j = 0; j < c->affinity_count; j++)
            if (c->affinities[j].predicate)
                return true;
        for (int j = 0; j < c->flow_count; j++)
            if (flow_is_classic(&c->flows[j]))
                return true;
    }
    return false;
}

static bool has_word(const char *text, const char *word)
{
    return strstr(text, word) != NULL;
}

/* Types that are not known to be anything else count as integers: programs like to name theirs. */
static bool is_integer_type(const char *type)
{
    return !type ||
           (!strchr(type, '*') && !has_word(type, "float") && !has_word(type, "double") &&
            !has_word(type, "struct") && !has_word(type, "union") && !has_word(type, "datatype"));
}

static const char *type_of(lowering *l, const ast_prop *prop)
{
    if (!prop)
        return NULL;
    if (prop->value->op == IR_STRING || prop->value->op == IR_NAME)
        return prop->value->text;
    source_say(l->source, ERROR, prop->value->at, "the type of a global is the name of a C type");
    return NULL;
}

static void declare(lowering *l, const ast_global *from)
{
    int before = find_global(l->ir, from->name);
    check_name(l, from->name, from->at);
    check_props(l, &from->props, NAMES_GLOBAL);
    if (before >= 0) {
        source_say(l->source, ERROR, from->at, "'%s' is declared twice, first in line %d",
                   from->name, l->ir->globals[before].at.line);
        return;
    }
    ir_global g = {.name = from->name, .at = from->at, .declared = true};
    g.type = type_of(l, find_prop(&from->props, "type"));
    g.integer = is_integer_type(g.type);
    if (from->value)
        g.origin = IR_DEFINED;
    else if (prop_is_on(l, find_prop(&from->props, "hidden")))
        g.origin = IR_HIDDEN;
    add_global(l, g);
}

/* A value may use what stands before it. */
static void check_order(lowering *l, const ir_expr *e, int self)
{
    if (e->op == IR_GLOBAL && e->index >= self && l->ir->globals[e->index].declared)
        source_say(l->source, ERROR, e->at, "'%s' is used before its definition", e->text);
    for (int i = 0; i < e->count; i++)
        check_order(l, e->args[i], self);
}

static void lower_value(lowering *l, const ast_global *from)
{
    int i = find_global(l->ir, from->name);
    const ast_prop *standard = find_prop(&from->props, "default");
    ir_expr *value = from->value ? from->value : standard ? standard->value : NULL;
    if (!value || l->ir->globals[i].value)
        return;
    resolve(l, value, from->value ? STRICT : C_NAME);
    check_order(l, value, i);
    l->ir->globals[i].value = value;
}

void lower_globals(lowering *l)
{
    ast_file *ast = l->ast;
    for (int i = 0; i < ast->option_count; i++) {
        const ast_option *o = &ast->options[i];
        if (names_look(NAMES_OPTION, o->name) == NAME_UNKNOWN)
            source_say(l->source, WARNING, o->at, "the option '%s' is unknown and has no effect",
                       o->name);
        ir_option kept = {o->name, o->value, o->at};
        ARENA_ADD(l->memory, l->ir->options, l->ir->option_count, kept);
    }
    for (int i = 0; i < ast->global_count; i++)
        declare(l, &ast->globals[i]);
    for (int i = 0; i < ast->global_count; i++)
        lower_value(l, &ast->globals[i]);
}
