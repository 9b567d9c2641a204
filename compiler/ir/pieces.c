/* Guards to pieces: a disjunctive normal form whose parts exclude each other. */
#include "ir/pieces.h"

#include <string.h>

enum { MOST_PIECES = 24, MOST_LOOKS = 2000 };

typedef struct splitter {
    linear_context *context;
    arena *memory;
    bool overflow; /* too many pieces, or too much work to find them */
    int budget;    /* conditions that may still be looked at */
} splitter;

typedef struct cases {
    piece *list;
    int count;
} cases;

static cases nothing(void)
{
    return (cases){0};
}

static cases everything(splitter *s)
{
    cases all = {0};
    piece whole = {0};
    ARENA_ADD(s->memory, all.list, all.count, whole);
    return all;
}

static cases one_filter(splitter *s, const ir_expr *e, bool positive)
{
    cases all = everything(s);
    piece *p = &all.list[0];
    filter f = {e, !positive};
    ARENA_ADD(s->memory, p->filters, p->filter_count, f);
    return all;
}

/* row >= 0 */
static cases one_row(splitter *s, const linear *row)
{
    cases all = everything(s);
    return linear_add(s->memory, &all.list[0].rows, row) ? all : nothing();
}

/* Both of two pieces at once; false if that is impossible. */
static bool join(splitter *s, const piece *a, const piece *b, piece *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < a->rows.count; i++)
        linear_add(s->memory, &out->rows, &a->rows.rows[i]);
    for (int i = 0; i < b->rows.count; i++)
        if (!linear_add(s->memory, &out->rows, &b->rows.rows[i]))
            return false;
    for (int i = 0; i < a->filter_count; i++)
        ARENA_ADD(s->memory, out->filters, out->filter_count, a->filters[i]);
    for (int i = 0; i < b->filter_count; i++) {
        bool known = false;
        for (int j = 0; j < a->filter_count; j++) {
            bool same = a->filters[j].expr == b->filters[i].expr;
            if (same && a->filters[j].negated != b->filters[i].negated)
                return false;
            known = known || same;
        }
        if (!known)
            ARENA_ADD(s->memory, out->filters, out->filter_count, b->filters[i]);
    }
    return true;
}

static cases both(splitter *s, cases a, cases b)
{
    cases all = {0};
    for (int i = 0; i < a.count; i++) {
        for (int j = 0; j < b.count && !s->overflow; j++) {
            piece p;
            if (!join(s, &a.list[i], &b.list[j], &p))
                continue;
            ARENA_ADD(s->memory, all.list, all.count, p);
            s->overflow = all.count > MOST_PIECES;
        }
    }
    return all;
}

static cases either(splitter *s, cases a, cases b)
{
    cases all = {0};
    for (int i = 0; i < a.count; i++)
        ARENA_ADD(s->memory, all.list, all.count, a.list[i]);
    for (int i = 0; i < b.count; i++)
        ARENA_ADD(s->memory, all.list, all.count, b.list[i]);
    s->overflow = s->overflow || all.count > MOST_PIECES;
    return all;
}

/* a OP b as rows: with d = a - b, each operator says where d lies. */
static cases split_compare(splitter *s, ir_op op, const linear *d)
{
    static const linear one = {.constant = 1};
    linear above, below, up, down;
    if (!linear_sum(1, d, -1, &one, &above) || !linear_sum(-1, d, -1, &one, &below) ||
        !linear_sum(-1, d, 0, d, &down)) {
        s->overflow = true;
        return nothing();
    }
    up = *d;
    switch (op) {
    case IR_LT:
        return one_row(s, &below);
    case IR_LE:
        return one_row(s, &down);
    case IR_GT:
        return one_row(s, &above);
    case IR_GE:
        return one_row(s, &up);
    case IR_EQ:
        return both(s, one_row(s, &up), one_row(s, &down));
    default:
        return either(s, one_row(s, &below), one_row(s, &above));
    }
}

static cases split(splitter *s, const ir_expr *e, bool positive);

/* a && b, or with both of them turned round !(a || b). What falls outside is cut in two parts that
 * exclude each other: not a; a but not b. */
static cases split_and(splitter *s, const ir_expr *a, const ir_expr *b, bool each, bool positive)
{
    if (positive)
        return both(s, split(s, a, each), split(s, b, each));
    return either(s, split(s, a, !each), both(s, split(s, a, each), split(s, b, !each)));
}

/* Exactly one of two truths. */
static cases split_xor(splitter *s, const ir_expr *e, bool positive)
{
    return either(s, both(s, split(s, e->args[0], true), split(s, e->args[1], !positive)),
                  both(s, split(s, e->args[0], false), split(s, e->args[1], positive)));
}

static cases split_if(splitter *s, const ir_expr *e, bool positive)
{
    return either(s, both(s, split(s, e->args[0], true), split(s, e->args[1], positive)),
                  both(s, split(s, e->args[0], false), split(s, e->args[2], positive)));
}

/* A number as a condition: not 0. */
static cases split_number(splitter *s, const ir_expr *e, bool positive)
{
    linear form;
    if (!linear_of(s->context, e, &form))
        return one_filter(s, e, positive);
    return split_compare(s, positive ? IR_NE : IR_EQ, &form);
}

/* The cases in which `e` is true (or false). */
static cases split(splitter *s, const ir_expr *e, bool positive)
{
    linear left, right, difference;
    s->overflow = s->overflow || --s->budget < 0;
    if (s->overflow)
        return nothing();
    switch (e->op) {
    case IR_NOT:
        return split(s, e->args[0], !positive);
    case IR_AND:
        return split_and(s, e->args[0], e->args[1], true, positive);
    case IR_OR:
        return split_and(s, e->args[0], e->args[1], false, !positive);
    case IR_IF:
        return split_if(s, e, positive);
    case IR_XOR:
        if (!ir_is_truth(e->args[0]) || !ir_is_truth(e->args[1]))
            return one_filter(s, e, positive);
        return split_xor(s, e, positive);
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE:
    case IR_EQ:
    case IR_NE:
        if (!linear_of(s->context, e->args[0], &left) ||
            !linear_of(s->context, e->args[1], &right) ||
            !linear_sum(1, &left, -1, &right, &difference))
            return one_filter(s, e, positive);
        return split_compare(s, positive ? e->op : ir_opposite(e->op), &difference);
    default:
        return split_number(s, e, positive);
    }
}

/* ---- The pieces of a class ------------------------------------------------------------------ */

/* When does an input apply? NULL: always; *unknown: that cannot be said in one expression. */
static const ir_expr *applies(arena *a, const ir_dep *d, bool *unknown)
{
    ir_expr *e = d->guard;
    int64_t step = 1;
    *unknown = d->iter_count > 0;
    for (int i = 0; i < d->arg_count && !*unknown; i++) {
        const ir_range *r = &d->args[i];
        if (!r->hi)
            continue;
        *unknown = r->step && !ir_literal(r->step, &step);
        ir_expr *some = expr_node(a, step > 0 ? IR_LE : IR_GE, r->lo->at, r->lo, r->hi, NULL);
        e = e && some ? expr_node(a, IR_AND, r->lo->at, e, some, NULL) : some;
        *unknown = *unknown || !e;
    }
    return e;
}

/* The cases in which no input from a task applies. */
static cases without_inputs(splitter *s, const ir_class *c)
{
    cases all = everything(s);
    for (int f = 0; f < c->flow_count; f++) {
        for (int i = 0; i < c->flows[f].dep_count; i++) {
            const ir_dep *d = &c->flows[f].deps[i];
            bool unknown;
            if (d->out || d->target != IR_TO_TASK)
                continue;
            const ir_expr *when = applies(s->memory, d, &unknown);
            if (unknown)
                all = both(s, all, one_filter(s, NULL, true));
            else
                all = when ? both(s, all, split(s, when, false)) : nothing();
        }
    }
    return s->overflow ? one_filter(s, NULL, true) : all;
}

bool is_linear_range(linear_context *x, const ir_range *r, int64_t *step)
{
    linear form;
    *step = 1;
    return linear_of(x, r->lo, &form) && (!r->hi || linear_of(x, r->hi, &form)) &&
           (!r->step || ir_literal(r->step, step)) && *step != INT64_MIN;
}

/* Rows for lo <= parameter <= hi, as far as they are linear. */
static bool add_range(pieces *p, arena *a, piece *to, int local)
{
    const ir_range *r = &p->context.class->locals[local].range;
    linear self = {0}, lo, hi, row;
    int64_t step;
    if (p->context.class->locals[local].kind != IR_RANGE || !is_linear_range(&p->context, r, &step))
        return true;
    self.column[local] = 1;
    linear_of(&p->context, step > 0 || !r->hi ? r->lo : r->hi, &lo);
    linear_of(&p->context, step > 0 && r->hi ? r->hi : r->lo, &hi);
    return linear_sum(1, &self, -1, &lo, &row) && linear_add(a, &to->rows, &row) &&
           linear_sum(1, &hi, -1, &self, &row) && linear_add(a, &to->rows, &row);
}

/* Add the ranges of the parameters to a piece, and what follows for the outer ones; false: it has
 * no instance. */
static bool close_piece(pieces *p, arena *a, piece *candidate)
{
    const ir_class *c = p->context.class;
    for (int k = 0; k < c->local_count; k++)
        if (c->locals[k].kind != IR_DERIVED && !add_range(p, a, candidate, k))
            return false;
    for (int k = c->local_count - 1; k >= 0; k--)
        if (!linear_eliminate(a, &candidate->rows, k))
            return false;
    return true;
}

static void close_pieces(pieces *p, arena *a, cases all)
{
    for (int i = 0; i < all.count; i++)
        if (close_piece(p, a, &all.list[i]))
            ARENA_ADD(a, p->list, p->count, all.list[i]);
}

void pieces_of(pieces *p, const ir_file *f, const ir_class *c)
{
    arena *a = f->source->memory;
    *p = (pieces){0};
    linear_start(&p->context, f, c);
    splitter s = {.context = &p->context, .memory = a, .budget = MOST_LOOKS};
    close_pieces(p, a, without_inputs(&s, c));
}

void pieces_of_all(pieces *p, const ir_file *f, const ir_class *c)
{
    arena *a = f->source->memory;
    *p = (pieces){0};
    linear_start(&p->context, f, c);
    close_pieces(p, a, everything(&(splitter){.memory = a}));
}

bool pieces_meet(const ir_file *f, const ir_class *c, const ir_expr *a, const ir_expr *b)
{
    arena memory = {0};
    pieces p = {0};
    linear_start(&p.context, f, c);
    splitter s = {.context = &p.context, .memory = &memory, .budget = MOST_LOOKS};
    cases all = both(&s, split(&s, a, true), split(&s, b, true));
    bool meet = s.overflow;
    for (int i = 0; i < all.count && !meet; i++)
        meet = close_piece(&p, &memory, &all.list[i]);
    arena_free(&memory);
    return meet;
}
