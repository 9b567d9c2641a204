/* Bodies and their properties. */
#include "ir/lower.h"

#include <string.h>

static ir_device device_of(lowering *l, const ast_prop *prop)
{
    static const struct {
        const char *name;
        ir_device device;
    } devices[] = {{"CPU", IR_CPU},
                   {"TEAM", IR_TEAM},
                   {"CUDA", IR_CUDA},
                   {"OPENCL", IR_OPENCL},
                   {"HIP", IR_UNSUPPORTED},
                   {"LEVEL_ZERO", IR_UNSUPPORTED},
                   {"RECURSIVE", IR_UNSUPPORTED}};
    if (!prop)
        return IR_CPU;
    const ir_expr *e = prop->value;
    const char *name = e->op == IR_NAME || e->op == IR_STRING ? e->text : "";
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        if (strcmp(devices[i].name, name) != 0)
            continue;
        if (devices[i].device == IR_UNSUPPORTED)
            source_say(l->source, WARNING, e->at, "bodies of type %s are not supported yet", name);
        else if (devices[i].device == IR_CUDA || devices[i].device == IR_OPENCL)
            source_say(l->source, WARNING, e->at,
                       "bodies of type %s are checked and left out: tasks run on CPUs only so far",
                       name);
        return devices[i].device;
    }
    source_say(l->source, ERROR, e->at,
               "the type of a body is CPU, TEAM, CUDA, OPENCL, HIP, LEVEL_ZERO or RECURSIVE");
    return IR_CPU;
}

static bool has_flow(const ir_class *c, const char *name)
{
    for (int i = 0; i < c->flow_count; i++)
        if (strcmp(c->flows[i].name, name) == 0)
            return true;
    return false;
}

void lower_body(lowering *l, const ast_body *from, ir_class *c)
{
    ir_body body = {.at = from->at, .text = {from->text, from->text_at}};
    check_props(l, &from->props, NAMES_BODY);
    body.device = device_of(l, find_prop(&from->props, "type"));
    for (int i = 0; i < from->props.count; i++) {
        ast_prop *prop = &from->props.list[i];
        if (!prop->name || (!prop->flow && strcmp(prop->name, "type") == 0))
            continue;
        if (prop->flow && !has_flow(c, prop->flow))
            source_say(l->source, ERROR, prop->at, "the class '%s' has no flow '%s'", c->name,
                       prop->flow);
        if (!prop->flow && strcmp(prop->name, "evaluate") == 0) {
            resolve(l, prop->value, C_NAME);
            body.evaluate = prop->value;
        } else {
            keep_prop(l, prop, &body.props, &body.prop_count);
        }
    }
    ARENA_ADD(l->memory, c->bodies, c->body_count, body);
}
