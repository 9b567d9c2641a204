/* The struct of globals, the tables, and the constructor. */
#include "emit/emit.h"

#include <inttypes.h>
#include <string.h>

bool needs_grid(const ir_file *f)
{
    for (int i = 0; i < f->class_count; i++) {
        const ir_affinity *a = &f->classes[i].affinity;
        if (a->kind == IR_ON_GRID && (a->row || a->column))
            return true;
    }
    return false;
}

bool lacks_bodies(const ir_file *f)
{
    for (int i = 0; i < f->class_count; i++)
        if (f->classes[i].body_count == 0)
            return true;
    return false;
}

static bool has_global(const ir_file *f, const char *name)
{
    for (int i = 0; i < f->global_count; i++)
        if (strcmp(f->globals[i].name, name) == 0)
            return true;
    return false;
}

static const char *const grid_names[] = {"GRIDrows", "GRIDcols"};

void emit_struct(emitter *e, FILE *out)
{
    const ir_file *f = e->file;
    bool any = false;
    fprintf(out, "struct %s_globals {\n", f->name);
    for (int i = 0; i < f->global_count; i++) {
        any = true;
        fprintf(out, "    %s;\n", typed(e, global_type(&f->globals[i]), f->globals[i].name));
    }
    for (int i = 0; i < 2 && needs_grid(f); i++) {
        any = true;
        if (!has_global(f, grid_names[i]))
            fprintf(out, "    int64_t %s;\n", grid_names[i]);
    }
    for (int i = 0; i < f->class_count; i++) {
        if (f->classes[i].body_count)
            continue;
        any = true;
        fprintf(out, "    twill_%s_body *%s_body;\n", f->name, f->classes[i].name);
    }
    fputs(any ? "};\n\n" : "    char none;\n};\n\n", out);
}

void emit_prototype(emitter *e, FILE *out, const char *end)
{
    const ir_file *f = e->file;
    fprintf(out, "twill_status twill_%s_new(twill *tw_", f->name);
    for (int i = 0; i < f->global_count; i++)
        if (f->globals[i].origin == IR_ARGUMENT)
            fprintf(out, ",\n    %s", typed(e, global_type(&f->globals[i]), f->globals[i].name));
    for (int i = 0; i < f->class_count; i++)
        if (f->classes[i].body_count == 0)
            fprintf(out, ",\n    twill_%s_body *%s_body", f->name, f->classes[i].name);
    fprintf(out, ",\n    twill_graph **graph_)%s\n", end);
}

/* ---- Tables --------------------------------------------------------------------------------- */

static void write_names(emitter *e, const ir_class *c)
{
    static const char *const modes[] = {"READ", "WRITE", "READ_WRITE", "CTL"};
    if (c->param_count) {
        fprintf(e->out, "static const char *const %s_parameter[] = {", c->name);
        for (int i = 0; i < c->param_count; i++)
            fprintf(e->out, "%s\"%s\"", i ? ", " : "", c->locals[c->params[i]].name);
        fputs("};\n", e->out);
    }
    if (c->flow_count) {
        fprintf(e->out, "static const twill_ptg_flow %s_flow[] = {", c->name);
        for (int i = 0; i < c->flow_count; i++)
            fprintf(e->out, "%s{.name = \"%s\", .mode = TWILL_FLOW_%s}", i ? ", " : "",
                    c->flows[i].name, modes[c->flows[i].mode]);
        fputs("};\n", e->out);
    }
}

static bool is_sent(const ir_flow *flow)
{
    for (int d = 0; d < flow->dep_count; d++)
        if (flow->deps[d].out)
            return true;
    return false;
}

/* A bit for each flow that ends here, if there are control outputs: who waits for those wants to
 * change what was read. */
static uint32_t flows_that_end(const ir_class *c)
{
    uint32_t ends = 0;
    bool controls = false;
    for (int i = 0; i < c->flow_count; i++) {
        bool sent = is_sent(&c->flows[i]);
        controls |= sent && c->flows[i].mode == IR_CTL;
        ends |= (uint32_t)(!sent && c->flows[i].mode != IR_CTL) << i;
    }
    return controls ? ends : 0;
}

/* A team is preferred, as far as there are workers for one; but where some tasks are critical, the
 * team is the reserved set, and all else is for one worker. */
static void write_chores(emitter *e, const ir_class *c, const bool *has)
{
    if (!has[EMIT_CPU] && !has[EMIT_TEAM])
        return;
    bool both = has[EMIT_CPU] && has[EMIT_TEAM], alone_first = both && has[EMIT_CRITICAL];
    fputs("    .chores = {", e->out);
    if (alone_first)
        fprintf(e->out, "TWILL_CPU(%s_cpu), ", c->name);
    if (has[EMIT_TEAM])
        fprintf(e->out, "TWILL_TEAM(%s_team, 0)%s", c->name, both && !alone_first ? ", " : "");
    if (has[EMIT_CPU] && !alone_first)
        fprintf(e->out, "TWILL_CPU(%s_cpu)", c->name);
    fputs("},\n", e->out);
}

void emit_class_table(emitter *e, const ir_class *c, const bool *has)
{
    static const char *const functions[EMIT_FUNCTIONS] = {
        "inputs", "startup", "bind",      "release", "sources",  [EMIT_PRIORITY] = "priority",
        "flops",  "rank",    "instances", "worker",  "critical", "team_size"};
    uint32_t ends = flows_that_end(c);
    write_names(e, c);
    fprintf(e->out,
            "static const twill_ptg_class %s_class = {\n    .size = sizeof(twill_ptg_class),\n"
            "    .name = \"%s\",\n",
            c->name, c->name);
    fprintf(e->out, "    .parameters = %d,\n    .flows = %d,\n", c->param_count, c->flow_count);
    if (c->param_count)
        fprintf(e->out, "    .parameter = %s_parameter,\n", c->name);
    if (c->flow_count)
        fprintf(e->out, "    .flow = %s_flow,\n", c->name);
    if (single_input(c))
        fputs("    .single = true,\n", e->out);
    if (c->affinity.kind == IR_ON_TILE)
        fputs("    .by_tile = true,\n", e->out);
    if (ends)
        fprintf(e->out, "    .ends = 0x%" PRIx32 ",\n", ends);
    for (int i = 0; i < EMIT_FUNCTIONS; i++)
        if (has[i] && functions[i])
            fprintf(e->out, "    .%s = %s_%s,\n", functions[i], c->name, functions[i]);
    write_chores(e, c, has);
    fputs("};\n\n", e->out);
}

/* How the graph uses the tiles of a collection: 1 read, 2 write, 3 both, 0 for placement only. */
static int access_of(const ir_file *f, int collection)
{
    int access = 0;
    for (int c = 0; c < f->class_count; c++) {
        for (int i = 0; i < f->classes[c].flow_count; i++) {
            const ir_flow *flow = &f->classes[c].flows[i];
            for (int d = 0; d < flow->dep_count; d++) {
                if (flow->deps[d].target != IR_TO_MEMORY || flow->deps[d].collection != collection)
                    continue;
                access |= flow->deps[d].out ? 2 : 1;
                /* A tile that is taken to be changed is changed in place. */
                access |= flow->mode == IR_READ ? 0 : 2;
            }
        }
    }
    return access;
}

void emit_graph_table(emitter *e)
{
    static const char *const accesses[] = {"", "TWILL_READ", "TWILL_WRITE", "TWILL_READ_WRITE"};
    const ir_file *f = e->file;
    int collections = 0;
    fputs("static const twill_ptg_class *const classes_[] = {", e->out);
    for (int i = 0; i < f->class_count; i++)
        fprintf(e->out, "%s&%s_class", i ? ", " : "", f->classes[i].name);
    fputs("};\n\n", e->out);
    for (int i = 0; i < f->global_count; i++) {
        int access = f->globals[i].kind == IR_COLLECTION ? access_of(f, i) : 0;
        if (!access)
            continue;
        fputs(collections++ ? "" : "static const twill_ptg_collection collections_[] = {\n",
              e->out);
        fprintf(e->out,
                "    {.name = \"%s\", .offset = offsetof(struct %s_globals, %s), .access = %s},\n",
                f->globals[i].name, f->name, f->globals[i].name, accesses[access]);
    }
    fputs(collections ? "};\n\n" : "", e->out);
    fprintf(e->out,
            "static const twill_ptg_graph definition_ = {\n    .size = sizeof(twill_ptg_graph),\n"
            "    .name = \"%s\",\n"
            "    .classes = %d,\n    .collections = %d,\n    .cls = classes_,\n",
            f->name, f->class_count, collections);
    fputs(collections ? "    .collection = collections_,\n};\n\n" : "};\n\n", e->out);
}

/* ---- The constructor ------------------------------------------------------------------------ */

static const char *runtime_value(const char *name)
{
    static const char *const names[][2] = {{"GRIDrows", "grid_.rows"},
                                           {"GRIDcols", "grid_.cols"},
                                           {"rowRANK", "grid_.row"},
                                           {"colRANK", "grid_.col"}};
    int i = 0;
    while (i < 3 && strcmp(name, names[i][0]) != 0)
        i++;
    return names[i][1];
}

/* Does the constructor ask the run time how ranks are arranged? */
static bool asks_grid(const ir_file *f)
{
    for (int i = 0; i < f->global_count; i++)
        if (f->globals[i].origin == IR_RUNTIME)
            return true;
    for (int i = 0; i < 2 && needs_grid(f); i++)
        if (!has_global(f, grid_names[i]))
            return true;
    return false;
}

/* Values that the file defines, in their order; each may use those before it by name. */
static void write_values(emitter *e)
{
    const ir_file *f = e->file;
    bool fails = false;
    for (int i = 0; i < f->global_count; i++)
        fails = fails || (f->globals[i].value && may_fail(f->globals[i].value));
    fputs(fails ? "    const char *zero_ = NULL;\n" : "", e->out);
    e->constructor = true;
    for (int i = 0; i < f->global_count; i++) {
        const ir_global *g = &f->globals[i];
        if (g->origin == IR_ARGUMENT || g->origin == IR_RUNTIME)
            continue;
        fprintf(e->out, "    %s = ", typed(e, global_type(g), g->name));
        fprintf(e->out, "%s;\n    globals_.%s = %s;\n",
                g->value ? expr_text(e, g->value, false) : "0", g->name, g->name);
    }
    e->constructor = false;
    if (fails)
        fputs("    if (zero_) {\n        twill_ptg_no_value(NULL, zero_);\n"
              "        return TWILL_ERR_ARGUMENT;\n    }\n",
              e->out);
}

void emit_constructor(emitter *e)
{
    const ir_file *f = e->file;
    bool grid = needs_grid(f);
    e->class = NULL;
    emit_prototype(e, e->out, "");
    fprintf(e->out, "{\n    struct %s_globals globals_ = {0};\n", f->name);
    if (f->inline_count)
        fprintf(e->out, "    const struct %s_globals *const g_ = &globals_;\n    (void)g_;\n",
                f->name);
    if (asks_grid(f))
        fputs("    const twill_ptg_grid grid_ = twill_ptg_grid_of(tw_);\n", e->out);
    for (int i = 0; i < f->global_count; i++) {
        const ir_global *g = &f->globals[i];
        if (g->origin == IR_ARGUMENT)
            fprintf(e->out, "    globals_.%s = %s;\n", g->name, g->name);
        else if (g->origin == IR_RUNTIME)
            fprintf(e->out, "    const int64_t %s = globals_.%s = %s;\n    (void)%s;\n", g->name,
                    g->name, runtime_value(g->name), g->name);
    }
    for (int i = 0; i < 2 && grid; i++)
        if (!has_global(f, grid_names[i]))
            fprintf(e->out, "    globals_.%s = %s;\n", grid_names[i], runtime_value(grid_names[i]));
    write_values(e);
    for (int i = 0; i < f->class_count; i++)
        if (f->classes[i].body_count == 0)
            fprintf(e->out, "    globals_.%s_body = %s_body;\n", f->classes[i].name,
                    f->classes[i].name);
    fputs("    return twill_ptg_new(tw_, &definition_, &globals_, sizeof globals_, graph_);\n}\n",
          e->out);
}
