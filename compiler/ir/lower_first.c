/* Which input counts: of the `<-` of a data flow the first that applies. */
#include "ir/lower.h"
#include "ir/pieces.h"

/* Lines with iterators may apply several times or not at all, which no single condition says: they
 * do not keep later ones from applying. */
static bool is_before(const ir_dep *earlier, const ir_dep *d)
{
    return !earlier->out && earlier->iter_count == 0 && earlier->line != d->line;
}

/* Always applies, alone or as one of the two sides of a ternary. */
static bool is_last(const ir_flow *flow, int i)
{
    const ir_dep *d = &flow->deps[i];
    bool both = i + 1 < flow->dep_count && d[1].line == d->line && d[1].iter_count == 0;
    return !d->written || both;
}

static ir_expr *opposite(arena *a, ir_expr *e)
{
    if (e->op >= IR_LT && e->op <= IR_NE)
        return expr_node(a, ir_opposite(e->op), e->at, e->args[0], e->args[1], NULL);
    return e->op == IR_NOT ? e->args[0] : expr_node(a, IR_NOT, e->at, e, NULL, NULL);
}

/* Both of two conditions; NULL stands for one that always holds, or for one that is too long. */
static ir_expr *both(arena *a, ir_expr *x, ir_expr *y)
{
    return x && y ? expr_node(a, IR_AND, y->at, x, y, NULL) : x ? x : y;
}

static void say_never(ir_file *ir, const ir_flow *flow, ir_dep *d, const ir_dep *earlier)
{
    source_say(ir->source, WARNING, d->at,
               "this '<-' of '%s' never applies: the one in line %d always does", flow->name,
               earlier->at.line);
    d->guard = expr_leaf(ir->source->memory, IR_INT, d->at, "0");
}

/* The condition that no earlier line applies, as far as this one's does not say so itself; NULL: it
 * always holds. Earlier conditions come first, as in the text: a later one may have no value where
 * they hold. */
static ir_expr *no_earlier(ir_file *ir, const ir_class *c, const ir_flow *flow, const ir_dep *d)
{
    arena *a = ir->source->memory;
    ir_expr *none = NULL;
    for (const ir_dep *earlier = flow->deps; earlier < d; earlier++) {
        if (!is_before(earlier, d) ||
            (d->written && !pieces_meet(ir, c, earlier->written, d->written)))
            continue;
        ir_expr *no = opposite(a, earlier->written);
        none = no ? both(a, none, no) : NULL;
        if (!none) {
            source_say(ir->source, ERROR, d->at, "the conditions before this '<-' are too long");
            break;
        }
    }
    return none;
}

static void narrow(ir_file *ir, const ir_class *c, const ir_flow *flow, ir_dep *d)
{
    for (int i = 0; &flow->deps[i] < d; i++) {
        if (is_before(&flow->deps[i], d) && is_last(flow, i)) {
            say_never(ir, flow, d, &flow->deps[i]);
            return;
        }
    }
    ir_expr *none = no_earlier(ir, c, flow, d);
    ir_expr *guard = none ? both(ir->source->memory, none, d->written) : d->written;
    if (none && !guard)
        source_say(ir->source, ERROR, d->at, "this condition is too long");
    else
        d->guard = guard;
}

void narrow_inputs(ir_file *ir)
{
    for (int c = 0; c < ir->class_count; c++) {
        const ir_class *class = &ir->classes[c];
        for (int f = 0; f < class->flow_count; f++) {
            ir_flow *flow = &class->flows[f];
            for (int i = 0; i < flow->dep_count && flow->mode != IR_CTL; i++)
                if (!flow->deps[i].out)
                    narrow(ir, class, flow, &flow->deps[i]);
        }
    }
}
