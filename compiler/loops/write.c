/* The JDF file, class by class. */
#include "loops/write.h"

#include <ctype.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names ------------------------------------------------------------------------------- */

static bool is_taken(const writer *w, const stmt *s, const char *const *flows, int count,
                     const char *name)
{
    const program *p = w->program;
    for (int i = 0; i < count; i++)
        if (strcmp(flows[i], name) == 0)
            return true;
    for (int i = 0; i < s->depth; i++)
        if (strcmp(s->names[i], name) == 0)
            return true;
    for (int i = 0; i < p->param_count; i++)
        if (strcmp(p->params[i].name, name) == 0)
            return true;
    return strcmp(name, control_flow) == 0;
}

/* As the kernel calls its argument, in capital letters. */
static const char *flow_name(const writer *w, const stmt *s, const char *const *flows, int i)
{
    const char *given = s->accesses[i].flow;
    char *name = arena_print(w->memory, "%s", given && *given ? given : "");
    for (char *c = name; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    if (!*name)
        name = arena_print(w->memory, "%c", 'A' + i);
    const char *plain = name;
    for (int number = 2; is_taken(w, s, flows, i, name); number++)
        name = arena_print(w->memory, "%s%d", plain, number);
    return name;
}

static void name_flows(writer *w)
{
    const program *p = w->program;
    w->flows = arena_get(w->memory, sizeof *w->flows * (size_t)p->stmt_count);
    for (int s = 0; s < p->stmt_count; s++) {
        const stmt *x = &p->stmts[s];
        w->flows[s] = arena_get(w->memory, sizeof **w->flows * (size_t)(x->access_count + 1));
        for (int i = 0; i < x->access_count; i++)
            w->flows[s][i] = flow_name(w, x, w->flows[s], i);
    }
}

/* ---- A class ----------------------------------------------------------------------------- */

static void write_head(writer *w, const stmt *s)
{
    fprintf(w->out, "\n/* line %d: %s */\n", (int)s->at.line,
            s->call ? c_text_of(w->memory, s->call) : "a task");
    fprintf(w->out, "%s(", s->name);
    for (int i = 0; i < s->depth; i++)
        fprintf(w->out, "%s%s", i ? ", " : "", s->names[i]);
    fputs(s->depth ? ")\n" : "zero)\n", w->out);
}

/* How far it is to the end of the outermost loop. */
static isl_pw_aff *distance(const stmt *s, const box *b)
{
    const box_range *r = &b->ranges[0];
    isl_space *space = isl_pw_aff_get_domain_space(r->lo);
    int params = isl_space_dim(space, isl_dim_param);
    int at = isl_space_find_dim_by_name(space, isl_dim_param, s->names[0]);
    if (at < 0) {
        space = isl_space_insert_dims(space, isl_dim_param, (unsigned)params, 1);
        space = isl_space_set_dim_name(space, isl_dim_param, (unsigned)params, s->names[0]);
        at = params;
    }
    isl_local_space *local = isl_local_space_from_space(space);
    isl_aff *here = isl_aff_var_on_domain(local, isl_dim_param, (unsigned)at);
    isl_pw_aff *value = isl_pw_aff_from_aff(here);
    return s->down[0] ? isl_pw_aff_sub(value, isl_pw_aff_copy(r->lo))
                      : isl_pw_aff_sub(isl_pw_aff_copy(r->hi), value);
}

static isl_pw_aff *given_priority(const writer *w, const stmt *s)
{
    isl_map *map = isl_map_from_pw_aff(isl_pw_aff_copy(s->priority_value));
    map = isl_map_intersect_domain(map, isl_set_copy(s->domain));
    for (int i = 0; i < s->depth; i++) {
        int params = isl_map_dim(map, isl_dim_param);
        map = isl_map_move_dims(map, isl_dim_param, (unsigned)params, isl_dim_in, 0, 1);
        map = isl_map_set_dim_name(map, isl_dim_param, (unsigned)params, s->names[i]);
    }
    isl_pw_aff *value = isl_set_dim_min(isl_map_range(map), 0);
    return isl_pw_aff_coalesce(isl_pw_aff_gist_params(value, isl_set_copy(w->context)));
}

static void write_priority(writer *w, const stmt *s, const box *b)
{
    isl_pw_aff *value = s->priority_value ? given_priority(w, s) : s->depth ? distance(s, b) : NULL;
    if (!value)
        return;
    const char *text = value_text(w->memory, value, w->context);
    isl_pw_aff_free(value);
    if (strcmp(text, "0") != 0)
        fprintf(w->out, "; %s\n", text);
}

/* Where range `i` is looked at: what is known about the loops around it. */
static isl_set *around(const writer *w, const stmt *s, int i)
{
    isl_set *outer = isl_set_project_out(isl_set_copy(s->domain), isl_dim_set, (unsigned)i,
                                         (unsigned)(s->depth - i));
    outer = isl_set_params(as_params(outer, s->names, i));
    return isl_set_intersect(outer, isl_set_copy(w->program->context));
}

/* One less. */
static const char *before_text(const writer *w, isl_pw_aff *value, isl_set *context)
{
    isl_val *one = isl_val_one(w->program->ctx);
    isl_set *domain = isl_pw_aff_domain(isl_pw_aff_copy(value));
    isl_pw_aff *less =
        isl_pw_aff_sub(isl_pw_aff_copy(value), isl_pw_aff_val_on_domain(domain, one));
    const char *text = value_text(w->memory, less, context);
    isl_pw_aff_free(less);
    return text;
}

/* Conditions on parameters alone, which the ranges do not imply, leave the outermost range empty.
 */
static void write_space(writer *w, const stmt *s, const box *b)
{
    const char *when = condition_text(w->memory, b->guard, b->fills);
    if (!s->depth)
        fprintf(w->out, when ? "  zero = 0..(%s ? 0 : -1)\n" : "  zero = 0..0\n", when);
    for (int i = 0; i < b->count; i++) {
        const box_range *r = &b->ranges[i];
        isl_set *context = around(w, s, i);
        const char *lo = value_text(w->memory, r->lo, context);
        const char *hi = value_text(w->memory, r->hi, context);
        if (i == 0 && when)
            fprintf(w->out, "  %s = %s..(%s ? %s : %s)", s->names[i], lo, when, hi,
                    before_text(w, r->lo, context));
        else
            fprintf(w->out, "  %s = %s..%s", s->names[i], lo, hi);
        if (r->step != 1)
            fprintf(w->out, "..%lld", (long long)r->step);
        fputc('\n', w->out);
        isl_set_free(context);
    }
}

static bool write_class(writer *w, int number)
{
    const stmt *s = &w->program->stmts[number];
    box b;
    isl_set *domain =
        isl_set_intersect_params(isl_set_copy(s->domain), isl_set_copy(w->program->context));
    w->stmt = number;
    if (!box_make(&b, isl_set_copy(s->domain), s->names, w->program->context)) {
        isl_set_free(domain);
        return false;
    }
    w->context = isl_set_params(as_params(domain, s->names, s->depth));
    write_head(w, s);
    write_space(w, s, &b);
    write_place(w);
    for (int i = 0; i < s->access_count && !w->program->in_place; i++)
        if (!w->program->collections[s->accesses[i].collection].waits)
            write_flow(w, i);
    write_control(w);
    write_priority(w, s, &b);
    write_body(w);
    isl_set_free(w->context);
    box_free(&b);
    return true;
}

const char *write_jdf(program *p, dependences *d, const loops_options *o, const char *name)
{
    char *text = NULL;
    size_t size;
    writer w = {.program = p, .deps = d, .memory = p->memory, .options = o, .name = name};
    w.out = open_memstream(&text, &size);
    if (!w.out)
        exit(3);
    name_flows(&w);
    write_prologue(&w);
    write_globals(&w);
    bool fine = true;
    for (int s = 0; s < p->stmt_count && fine; s++)
        fine = write_class(&w, s);
    write_epilogue(&w);
    fclose(w.out);
    if (!fine)
        source_say(p->source, ERROR, p->function->at, "the loops of %s leave no ranges",
                   p->function->name);
    const char *result = fine && !p->source->errors ? arena_text(p->memory, text, size) : NULL;
    free(text);
    return result;
}
