/* Bodies, inline C, and the small functions beside them. */
#include "emit/emit.h"

#include <string.h>

/* The text of the file, with #line around it. */
static void write_text(emitter *e, const ir_text *text)
{
    size_t length = strlen(text->text);
    line_of(e, e->out, text->at);
    fputs(text->text, e->out);
    if (length == 0 || text->text[length - 1] != '\n')
        fputc('\n', e->out);
    line_back(e, e->out);
}

static void declare_locals(emitter *e, const ir_class *c)
{
    for (int i = 0; i < c->local_count; i++) {
        const ir_local *k = &c->locals[i];
        if (k->kind == IR_DERIVED)
            fprintf(e->out, "    const int64_t %s = %s;\n", k->name,
                    expr_text(e, k->range.lo, false));
        else
            fprintf(e->out, "    const int64_t %s = p_[%d];\n", k->name, k->param);
        fprintf(e->out, "    (void)%s;\n", k->name);
    }
    if (c->local_count == 0)
        fputs("    (void)p_;\n", e->out);
}

static void declare_flows(emitter *e, const ir_class *c)
{
    bool any = false;
    for (int i = 0; i < c->flow_count; i++) {
        const char *name = c->flows[i].name;
        if (c->flows[i].mode == IR_CTL)
            continue;
        any = true;
        fprintf(e->out,
                "    void *%s = flow_[%d].data;\n    const int64_t %s_ld = flow_[%d].ld;\n"
                "    const twill_flow *const %s_tile = &flow_[%d];\n"
                "    (void)%s;\n    (void)%s_ld;\n    (void)%s_tile;\n",
                name, i, name, i, name, i, name, name, name);
    }
    if (!any)
        fputs("    (void)flow_;\n", e->out);
}

static int bodies_for(const ir_class *c, ir_device device)
{
    int count = 0;
    for (int i = 0; i < c->body_count; i++)
        count += c->bodies[i].device == device;
    return count;
}

/* The bodies for a device in their order; the first one that applies runs. */
static void write_bodies(emitter *e, const ir_class *c, ir_device device)
{
    bool always = false;
    fputs("    (void)this_task;\n", e->out);
    declare_all(e, c, true);
    declare_locals(e, c);
    declare_flows(e, c);
    for (int i = 0; i < c->body_count && !always; i++) {
        const ir_body *b = &c->bodies[i];
        if (b->device != device)
            continue;
        always = !b->evaluate;
        if (b->evaluate)
            fprintf(e->out, "    if (%s)\n", expr_text(e, b->evaluate, false));
        fputs("    {\n", e->out);
        write_text(e, &b->text);
        fputs(b->evaluate ? "        return TWILL_DONE;\n    }\n" : "    }\n", e->out);
    }
    if (always)
        fputs("    return TWILL_DONE;\n}\n\n", e->out);
    else
        fprintf(e->out, "    return twill_task_fail(this_task, \"no body of %s applies\");\n}\n\n",
                c->name);
}

/* The driver gave the body to the constructor. */
static void write_supplied(emitter *e, const ir_class *c)
{
    fprintf(e->out,
            "    const struct %s_globals *const g_ = globals_;\n"
            "    return g_->%s_body(this_task, globals_, p_, flow_);\n}\n\n",
            e->file->name, c->name);
}

/* All bodies are for devices that tasks do not run on. The class may have no instance, or none that
 * is reached. */
static void write_missing(emitter *e, const ir_class *c)
{
    fprintf(
        e->out,
        "    (void)globals_;\n    (void)p_;\n    (void)flow_;\n"
        "    return twill_task_fail(this_task, \"%s has no body for CPUs, and others do not run "
        "yet\");\n}\n\n",
        c->name);
}

bool emit_cpu(emitter *e, const ir_class *c)
{
    int own = bodies_for(c, IR_CPU);
    if (c->body_count && !own && bodies_for(c, IR_TEAM))
        return false;
    fprintf(e->out,
            "static twill_outcome %s_cpu(twill_task *this_task, const void *globals_, "
            "const int64_t *p_,\n    const twill_flow *flow_)\n{\n",
            c->name);
    if (own)
        write_bodies(e, c, IR_CPU);
    else if (c->body_count)
        write_missing(e, c);
    else
        write_supplied(e, c);
    return true;
}

bool emit_team(emitter *e, const ir_class *c)
{
    if (!bodies_for(c, IR_TEAM))
        return false;
    fprintf(e->out,
            "static twill_outcome %s_team(twill_task *this_task, twill_team *team, "
            "const void *globals_,\n    const int64_t *p_, const twill_flow *flow_)\n{\n"
            "    (void)team;\n",
            c->name);
    write_bodies(e, c, IR_TEAM);
    return true;
}

void emit_inlines(emitter *e)
{
    const ir_file *f = e->file;
    for (int i = 0; i < f->inline_count; i++) {
        const ir_inline *in = &f->inlines[i];
        const ir_class *c = in->class >= 0 ? &f->classes[in->class] : NULL;
        ir_text text = {in->expr->text, in->expr->at};
        fprintf(e->out, "static inline int64_t inline_%d(const struct %s_globals *globals_", i,
                f->name);
        for (int k = 0; k < in->visible; k++)
            fprintf(e->out, ", int64_t %s", c->locals[k].name);
        for (int k = 0; k < in->iter_count; k++)
            fprintf(e->out, ", int64_t %s", in->iters[k].name);
        fputs(")\n{\n", e->out);
        declare_all(e, c, false);
        for (int k = 0; k < in->visible; k++)
            fprintf(e->out, "    (void)%s;\n", c->locals[k].name);
        for (int k = 0; k < in->iter_count; k++)
            fprintf(e->out, "    (void)%s;\n", in->iters[k].name);
        write_text(e, &text);
        fputs("}\n\n", e->out);
    }
}

/* ---- Priority, flops, who runs it
 * ------------------------------------------------------------------ */

bool emit_priority(emitter *e, const ir_class *c)
{
    if (!c->priority && !c->high_priority)
        return false;
    function_begin(e, c);
    if (c->priority)
        emit_text(e, "    return %s;\n", expr_text(e, c->priority, false));
    else
        emit_text(e, "    return 1 << 20;\n");
    function_end(e, "static int64_t %s_priority(const void *globals_, const int64_t *p_)", c->name);
    return true;
}

bool emit_critical(emitter *e, const ir_class *c)
{
    int64_t value;
    if (!c->critical || (ir_literal(c->critical, &value) && value == 0))
        return false;
    function_begin(e, c);
    emit_text(e, "    return %s != 0;\n", expr_text(e, c->critical, true));
    function_end(e, "static bool %s_critical(const void *globals_, const int64_t *p_)", c->name);
    return true;
}

bool emit_team_size(emitter *e, const ir_class *c)
{
    if (!c->team)
        return false;
    function_begin(e, c);
    emit_text(e, "    return %s;\n", expr_text(e, c->team, false));
    function_end(e, "static int64_t %s_team_size(const void *globals_, const int64_t *p_)",
                 c->name);
    return true;
}

bool emit_flops(emitter *e, const ir_class *c)
{
    const ir_expr *flops = NULL;
    for (int i = 0; i < c->prop_count; i++)
        if (!c->props[i].flow && strcmp(c->props[i].name, "flops") == 0)
            flops = c->props[i].value;
    if (!flops)
        return false;
    function_begin(e, c);
    emit_text(e, "    return (double)%s;\n", expr_text(e, flops, true));
    function_end(e, "static double %s_flops(const void *globals_, const int64_t *p_)", c->name);
    return true;
}
