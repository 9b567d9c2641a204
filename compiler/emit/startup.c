/* The instances that need no other task: one loop nest per piece, which goes on where it stopped.
 */
#include "emit/linear.h"

#include <string.h>

/* ---- The nest ------------------------------------------------------------------------------- */

typedef struct nest {
    emitter *e;
    const pieces *pieces;
    const piece *piece;
    const ir_class *class;
    int depth;
} nest;

static void line(nest *n)
{
    emit_indent(n->e, n->depth);
}

/* for (k = lo; k <= hi; k++) with bounds from the rows. */
static void open_linear(nest *n, int local, int64_t step)
{
    emitter *e = n->e;
    const ir_local *k = &n->class->locals[local];
    const char *low = bounds_text(e, n->pieces, n->piece, local, true);
    const char *high = bounds_text(e, n->pieces, n->piece, local, false);
    line(n);
    if (step == 1) {
        emit_text(e, "for (%s = %s; %s <= %s; %s++) {\n", k->name, low, k->name, high, k->name);
        return;
    }
    /* The first value of the range that the other bounds allow. */
    const char *lo = expr_text(e, k->range.lo, true), *plain = expr_text(e, k->range.lo, false);
    const char *start = plain;
    if (step > 0 && strcmp(low, plain) != 0)
        start = arena_print(e->memory, "%s + ceil_div_(%s - %s, %lld) * %lld", lo, low, lo,
                            (long long)step, (long long)step);
    if (step < 0 && strcmp(high, plain) != 0)
        start =
            arena_print(e->memory, "%s - ceil_div_(%s - %s, %lld) * %lld", lo, lo,
                        arena_print(e->memory, "(%s)", high), (long long)-step, (long long)-step);
    e->helpers[HELPER_CEIL] = e->helpers[HELPER_CEIL] || start != plain;
    emit_text(e, "for (%s = %s; %s %s %s; %s += %lld) {\n", k->name, start, k->name,
              step > 0 ? "<=" : ">=", step > 0 ? high : low, k->name, (long long)step);
}

/* A loop over a range that is not linear, as the file writes it; its variable lives outside. */
static void open_range(nest *n, const char *name, const ir_range *r)
{
    emitter *e = n->e;
    const char *lo = expr_text(e, r->lo, false), *hi = expr_text(e, r->hi ? r->hi : r->lo, true);
    int64_t step = 1;
    line(n);
    if (r->step && !ir_literal(r->step, &step)) {
        const char *by = step_text(e, r);
        emit_text(e, "for (%s = %s; %s > 0 ? %s <= %s : %s >= %s; %s += %s) {\n", name, lo, by,
                  name, hi, name, hi, name, by);
    } else {
        emit_text(e, "for (%s = %s; %s %s %s; %s += %lld) {\n", name, lo, name,
                  step > 0 ? "<=" : ">=", hi, name, (long long)step);
    }
    n->depth++;
}

/* Iterators live as long as the nest, and several sets may use one name: they get the local's. */
static const char *iter_name(emitter *e, const ir_local *k, int i)
{
    return arena_print(e->memory, "%s_%s", k->iters[i].name, k->name);
}

static void open_other(nest *n, int local)
{
    const ir_local *k = &n->class->locals[local];
    n->e->iter_end = arena_print(n->e->memory, "_%s", k->name);
    for (int i = 0; i < k->iter_count; i++)
        open_range(n, iter_name(n->e, k, i), &k->iters[i].range);
    open_range(n, k->name, &k->range);
    n->e->iter_end = "";
    for (int i = 0; i < n->piece->rows.count; i++) {
        const linear *row = &n->piece->rows.rows[i];
        if (linear_last(row) != local)
            continue;
        line(n);
        emit_text(n->e, "if (%s < 0)\n", form_text(n->e, &n->pieces->context, row));
        emit_indent(n->e, n->depth + 1);
        emit_text(n->e, "continue;\n");
    }
}

/* The last local that an expression uses; C text may use any that it sees. */
static int last_local(const ir_file *f, const ir_expr *x)
{
    int last = x->op == IR_LOCAL    ? x->index
               : x->op == IR_INLINE ? f->inlines[x->index].visible - 1
               : x->op == IR_TEXT   ? MOST_LOCALS
                                    : -1;
    for (int i = 0; i < x->count; i++) {
        int part = last_local(f, x->args[i]);
        last = part > last ? part : last;
    }
    return last;
}

/* The innermost loop around the use of a local is that of the last parameter up to it. */
static int filter_level(nest *n, const filter *f)
{
    int level = n->class->local_count - 1;
    if (f->expr) {
        int last = last_local(n->e->file, f->expr);
        level = last < level ? last : level;
    }
    return level;
}

static void write_filters(nest *n, int level, const char *leave)
{
    emitter *e = n->e;
    for (int i = 0; i < n->piece->filter_count; i++) {
        const filter *f = &n->piece->filters[i];
        int at = filter_level(n, f);
        if (at != level)
            continue;
        line(n);
        if (!f->expr)
            emit_text(e, "if (%s_inputs(globals_, p_) != 0)\n", n->class->name);
        else if (f->negated)
            emit_text(e, "if (%s)\n", expr_text(e, f->expr, false));
        else
            emit_text(e, "if (!%s)\n", expr_text(e, f->expr, true));
        emit_indent(e, n->depth + 1);
        emit_text(e, "%s;\n", leave);
    }
}

static bool counts_inputs(const piece *s)
{
    for (int i = 0; i < s->filter_count; i++)
        if (!s->filters[i].expr)
            return true;
    return false;
}

static void write_result(nest *n)
{
    for (int i = 0; i < n->class->param_count; i++) {
        line(n);
        emit_text(n->e, "p_[%d] = %s;\n", i, n->class->locals[n->class->params[i]].name);
    }
}

/* Conditions on the constants alone: without them there is no instance at all. */
static void write_constant_rows(nest *n)
{
    for (int i = 0; i < n->piece->rows.count; i++) {
        const linear *row = &n->piece->rows.rows[i];
        if (linear_last(row) >= 0)
            continue;
        emit_text(n->e, "    if (%s < 0)\n        return false;\n",
                  form_text(n->e, &n->pieces->context, row));
    }
}

static void write_nest(nest *n)
{
    emitter *e = n->e;
    const ir_class *c = n->class;
    bool inside = false;
    n->depth = 1;
    write_constant_rows(n);
    write_filters(n, -1, "return false");
    for (int i = 0; i < c->local_count; i++) {
        int64_t step;
        const ir_local *k = &c->locals[i];
        linear_context context = n->pieces->context;
        if (k->kind == IR_DERIVED) {
            if (e->locals[i]) {
                line(n);
                emit_text(e, "%s = %s;\n", k->name, expr_text(e, k->range.lo, false));
            }
        } else if (k->kind == IR_RANGE && is_linear_range(&context, &k->range, &step)) {
            open_linear(n, i, step);
            n->depth++;
            inside = true;
        } else {
            open_other(n, i);
            inside = true;
        }
        if (i == c->local_count - 1 && counts_inputs(n->piece))
            write_result(n);
        write_filters(n, i, inside ? "continue" : "return false");
    }
    if (!counts_inputs(n->piece))
        write_result(n);
    line(n);
    emit_text(e, "return true;\n");
    emit_indent(e, n->depth - 1);
    emit_text(e, "resume_:;\n");
    while (--n->depth > 0) {
        line(n);
        emit_text(e, "}\n");
    }
}

/* ---- Going on ------------------------------------------------------------------------------- */

/* All values of the iterators, and what is done for those that give the parameter its value. */
static void write_matches(nest *n, const ir_local *k, const char *what)
{
    emitter *e = n->e;
    int depth = n->depth;
    for (int i = 0; i < k->iter_count; i++)
        open_range(n, iter_name(e, k, i), &k->iters[i].range);
    line(n);
    e->helpers[HELPER_IN] = true;
    emit_text(e, "if (in_range_(%s, %s, %s, %s))\n", k->name, expr_text(e, k->range.lo, false),
              expr_text(e, k->range.hi ? k->range.hi : k->range.lo, false),
              step_text(e, &k->range));
    emit_indent(e, n->depth + 1);
    emit_text(e, "%s;\n", what);
    while (n->depth > depth) {
        n->depth--;
        line(n);
        emit_text(e, "}\n");
    }
}

/* Which values of the iterators gave the parameter its value? With two answers this would go round
 * in circles. */
static void write_search(nest *n, const ir_local *k)
{
    emitter *e = n->e;
    const char *count = arena_print(e->memory, "count_%s_", k->name);
    const char *twice = arena_print(e->memory, "%s:%d: '%s' has the same value twice",
                                    e->file->source->path, (int)k->at.line, k->name);
    e->iter_end = arena_print(e->memory, "_%s", k->name);
    line(n);
    emit_text(e, "int64_t %s = 0;\n", count);
    write_matches(n, k, arena_print(e->memory, "%s++", count));
    line(n);
    emit_text(e, "if (%s > 1)\n", count);
    emit_indent(e, n->depth + 1);
    emit_text(e, "return twill_ptg_no_value(globals_, %s);\n", quoted_text(e, twice));
    write_matches(n, k, arena_print(e->memory, "goto found_%s_", k->name));
    line(n);
    emit_text(e, "return false;\n"); /* never: it came from them, but C compilers do not know */
    emit_indent(e, n->depth - 1);
    emit_text(e, "found_%s_:;\n", k->name);
    e->iter_end = "";
}

static void write_resume(nest *n)
{
    emitter *e = n->e;
    const ir_class *c = n->class;
    emit_text(e, "    if (!first_) {\n");
    n->depth = 2;
    for (int i = 0; i < c->local_count; i++) {
        const ir_local *k = &c->locals[i];
        if (k->kind == IR_DERIVED && !e->locals[i])
            continue;
        line(n);
        if (k->kind == IR_DERIVED)
            emit_text(e, "%s = %s;\n", k->name, expr_text(e, k->range.lo, false));
        else
            emit_text(e, "%s = p_[%d];\n", k->name, k->param);
        if (k->kind == IR_SET)
            write_search(n, k);
    }
    emit_text(e, "        goto resume_;\n    }\n");
}

static void write_variables(nest *n)
{
    emitter *e = n->e;
    const ir_class *c = n->class;
    const char *before = "    int64_t ";
    for (int i = 0; i < c->local_count; i++) {
        const ir_local *k = &c->locals[i];
        if (k->kind == IR_DERIVED && !e->locals[i])
            continue;
        emit_text(e, "%s%s", before, k->name);
        before = ", ";
        for (int j = 0; j < k->iter_count; j++)
            emit_text(e, ", %s", iter_name(e, k, j));
    }
    emit_text(e, ";\n");
}

/* Which derived locals do the nest and the definitions of others use? Written once to find out. */
static void mark_derived(nest *n)
{
    capture waste;
    capture_begin(n->e, &waste);
    write_nest(n);
    capture_end(n->e, &waste);
    for (int i = n->class->local_count - 1; i >= 0; i--)
        if (n->class->locals[i].kind == IR_DERIVED && n->e->locals[i])
            expr_text(n->e, n->class->locals[i].range.lo, false);
}

static void emit_piece(emitter *e, const pieces *p, int i, const char *name)
{
    const char *lines[MOST_LOCALS] = {0};
    nest n = {.e = e, .pieces = p, .piece = &p->list[i], .class = p->context.class};
    function_begin(e, n.class);
    if (n.class->param_count == 0) {
        /* One instance. */
        n.depth = 1;
        emit_text(e, "    (void)p_;\n");
        for (int k = -1; k < n.class->local_count; k++)
            write_filters(&n, k, "return false");
        emit_text(e, "    return first_;\n");
        for (int k = n.class->local_count - 1; k >= 0; k--)
            if (e->locals[k])
                lines[k] =
                    arena_print(e->memory, "    const int64_t %s = %s;\n", n.class->locals[k].name,
                                expr_text(e, n.class->locals[k].range.lo, false));
    } else {
        mark_derived(&n);
        write_variables(&n);
        write_resume(&n);
        write_nest(&n);
        emit_text(e, "    return false;\n");
    }
    function_end_with(e, lines, "static bool %s(const void *globals_, int64_t *p_, bool first_)",
                      name);
}

/* Piece by piece; the number of the piece is kept behind the parameters. */
static void emit_all_pieces(emitter *e, const pieces *p)
{
    const ir_class *c = p->context.class;
    int n = c->param_count;
    for (int i = 0; i < p->count; i++)
        emit_piece(e, p, i, arena_print(e->memory, "%s_startup_%d", c->name, i));
    fprintf(e->out,
            "static bool %s_startup(const void *globals_, int64_t *p_, bool first_)\n{\n"
            "    static bool (*const pieces[])(const void *, int64_t *, bool) = {\n",
            c->name);
    for (int i = 0; i < p->count; i++)
        fprintf(e->out, "        %s_startup_%d,\n", c->name, i);
    fprintf(e->out,
            "    };\n    if (first_)\n        p_[%d] = 0;\n"
            "    for (; p_[%d] < %d; p_[%d]++) {\n"
            "        if (pieces[p_[%d]](globals_, p_, first_))\n            return true;\n"
            "        first_ = true;\n    }\n    return false;\n}\n\n",
            n, n, p->count, n, n);
}

bool emit_instances(emitter *e, const ir_class *c)
{
    pieces *p = arena_get(e->memory, sizeof *p);
    bool waits = false;
    for (int f = 0; f < c->flow_count; f++)
        for (int i = 0; i < c->flows[f].dep_count; i++)
            waits |= !c->flows[f].deps[i].out && c->flows[f].deps[i].target == IR_TO_TASK;
    if (!waits)
        return false;
    pieces_of_all(p, e->file, c);
    if (p->count)
        emit_piece(e, p, 0, arena_print(e->memory, "%s_instances", c->name));
    return p->count > 0;
}

bool emit_startup(emitter *e, const ir_class *c)
{
    pieces *p = arena_get(e->memory, sizeof *p);
    if (always_inputs(c) > 0)
        return false;
    pieces_of(p, e->file, c);
    if (p->count == 1)
        emit_piece(e, p, 0, arena_print(e->memory, "%s_startup", c->name));
    else if (p->count > 1)
        emit_all_pieces(e, p);
    return p->count > 0;
}
