/* --print tasks. */
#include "eval/tasks.h"

#include <inttypes.h>
#include <string.h>

typedef struct printing {
    FILE *out;
    const ir_file *file;
    eval *eval;
    const ir_class *class; /* of the instance at hand */
    const ir_flow *flow;   /* of the dependency at hand */
    const ir_dep *dep;
    const int64_t *locals;
    bool edges; /* second round: print edges, not tasks */
} printing;

static void print_tuple(FILE *out, const char *name, const int64_t *values, int count)
{
    fprintf(out, "%s(", name);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%" PRId64, i ? "," : "", values[i]);
    fputc(')', out);
}

static void print_self(const printing *p)
{
    int64_t params[MOST_LOCALS];
    for (int i = 0; i < p->class->param_count; i++)
        params[i] = p->locals[p->class->params[i]];
    print_tuple(p->out, p->class->name, params, p->class->param_count);
}

static int64_t grid_size(const printing *p, const char *name)
{
    for (int i = 0; i < p->file->global_count; i++)
        if (p->eval->has_global[i] && strcmp(p->file->globals[i].name, name) == 0)
            return p->eval->globals[i] > 0 ? p->eval->globals[i] : 1;
    return 1;
}

static int64_t wrap(int64_t value, int64_t size)
{
    return (value % size + size) % size;
}

/* Where the instance runs, as far as that can be known. */
static bool find_place(printing *p, int64_t *row, int64_t *column)
{
    const ir_affinity *a = &p->class->affinity;
    const ir_expr *r = a->row, *c = a->column;
    if (a->kind == IR_ON_TILE) {
        r = a->arg_count > 0 ? a->args[0] : NULL;
        c = a->arg_count > 1 ? a->args[1] : NULL;
    }
    *row = *column = 0;
    bool known = (!r || eval_expr(p->eval, r, row)) && (!c || eval_expr(p->eval, c, column));
    if (known && a->kind == IR_ON_TILE) {
        *row = wrap(*row, grid_size(p, "GRIDrows"));
        *column = wrap(*column, grid_size(p, "GRIDcols"));
    }
    if (!known && p->eval->steps >= 0)
        p->eval->why = NULL;
    return known;
}

static bool print_edge(void *user, const int64_t *args)
{
    printing *p = user;
    const ir_dep *d = p->dep;
    int64_t locals[MOST_LOCALS] = {0};
    bool inside = true;
    if (d->target == IR_FROM_NEW || d->target == IR_FROM_NULL)
        return true;
    if (d->target == IR_TO_MEMORY) {
        const char *tile = p->file->globals[d->collection].name;
        fputs(d->out ? "out " : "in ", p->out);
        if (!d->out) {
            print_tuple(p->out, tile, args, d->arg_count);
            fputs(" -> ", p->out);
        }
        print_self(p);
        fprintf(p->out, ".%s", p->flow->name);
        if (d->out) {
            fputs(" -> ", p->out);
            print_tuple(p->out, tile, args, d->arg_count);
        }
        fputc('\n', p->out);
        return true;
    }
    if (!d->out)
        return true; /* the other end prints it */
    const ir_class *to = &p->file->classes[d->class];
    if (!eval_locals(p->eval, to, args, locals, &inside))
        return false;
    fputs(inside ? "edge " : "lost ", p->out);
    print_self(p);
    fprintf(p->out, ".%s -> ", p->flow->name);
    print_tuple(p->out, to->name, args, d->arg_count);
    fprintf(p->out, ".%s\n", to->flows[d->flow].name);
    return true;
}

static bool print_edges(printing *p)
{
    for (int f = 0; f < p->class->flow_count; f++) {
        p->flow = &p->class->flows[f];
        for (int i = 0; i < p->flow->dep_count; i++) {
            p->dep = &p->flow->deps[i];
            p->eval->locals = p->locals;
            if (!eval_targets(p->eval, p->dep, print_edge, p))
                return false;
        }
    }
    return true;
}

static bool print_instance(void *user, const int64_t *locals)
{
    printing *p = user;
    int64_t row, column;
    p->locals = locals;
    if (p->edges) {
        bool fine = print_edges(p);
        p->eval->locals = locals;
        return fine;
    }
    fputs("task ", p->out);
    print_self(p);
    if (find_place(p, &row, &column))
        fprintf(p->out, " @%" PRId64 ",%" PRId64, row, column);
    fputc('\n', p->out);
    return p->eval->steps >= 0;
}

bool tasks_print(FILE *out, const ir_file *f, eval *v)
{
    fprintf(out, "graph %s\n", f->name);
    for (int i = 0; i < f->class_count; i++) {
        const ir_class *c = &f->classes[i];
        fprintf(out, "class %s", c->name);
        for (int j = 0; j < c->param_count; j++)
            fprintf(out, " %s", c->locals[c->params[j]].name);
        fputc('\n', out);
    }
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < f->class_count; i++) {
            printing p = {
                .out = out, .file = f, .eval = v, .class = &f->classes[i], .edges = round == 1};
            if (eval_instances(v, p.class, print_instance, &p))
                continue;
            source_say(f->source, ERROR, v->culprit ? v->culprit->at : p.class->at, "%s",
                       v->why ? v->why : "this graph is too large to be enumerated");
            return false;
        }
    }
    return true;
}
