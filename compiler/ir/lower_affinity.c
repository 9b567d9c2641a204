/* Where a task runs: on the owner of a tile, or at a place of the grid. */
#include "ir/lower.h"

#include <string.h>

static bool is_rank(const ir_expr *e)
{
    return e->op == IR_GLOBAL &&
           (strcmp(e->text, "rowRANK") == 0 || strcmp(e->text, "colRANK") == 0);
}

static bool mentions_rank(const ir_expr *e)
{
    if (is_rank(e))
        return true;
    for (int i = 0; i < e->count; i++)
        if (mentions_rank(e->args[i]))
            return true;
    return false;
}

/* expr == rowRANK, expr == colRANK, or the other way round. */
static void lower_predicate(lowering *l, const ast_affinity *from, ir_affinity *to)
{
    ir_expr *e = from->predicate;
    resolve(l, e, STRICT);
    int rank = e->op != IR_EQ ? -1 : is_rank(e->args[1]) ? 1 : is_rank(e->args[0]) ? 0 : -1;
    if (rank < 0 || mentions_rank(e->args[!rank])) {
        source_say(l->source, ERROR, from->at,
                   "a predicate has the form 'expression == rowRANK' or 'expression == colRANK'");
        return;
    }
    bool row = strcmp(e->args[rank]->text, "rowRANK") == 0;
    ir_expr **coordinate = row ? &to->row : &to->column;
    if (*coordinate)
        source_say(l->source, ERROR, from->at, "a second predicate for the %s of the grid",
                   row ? "rows" : "columns");
    *coordinate = e->args[!rank];
}

static void lower_tile(lowering *l, const ast_affinity *from, ir_affinity *to)
{
    to->kind = IR_ON_TILE;
    to->collection = resolve_collection(l, from->name, from->name_at, from->arg_count);
    for (int i = 0; i < from->arg_count; i++) {
        resolve_range(l, &from->args[i]);
        if (from->args[i].hi)
            source_say(l->source, ERROR, from->args[i].lo->at,
                       "a task runs in one place, not in a "
                       "range of them");
        ARENA_ADD(l->memory, to->args, to->arg_count, from->args[i].lo);
    }
}

void lower_affinity(lowering *l, const ast_class *from, ir_class *c)
{
    c->affinity = (ir_affinity){.kind = IR_ON_GRID, .at = from->at, .collection = -1};
    if (from->affinity_count == 0 && !l->ir->classic)
        source_say(l->source, ERROR, from->at,
                   "the class '%s' does not say where its tasks run: ': A(...)'", from->name);
    for (int i = 0; i < from->affinity_count; i++) {
        const ast_affinity *a = &from->affinities[i];
        if (i && (a->name || from->affinities[0].name)) {
            source_say(l->source, ERROR, a->at, "the class '%s' says twice where its tasks run",
                       from->name);
            return;
        }
        if (i == 0)
            c->affinity.at = a->at;
        if (a->name)
            lower_tile(l, a, &c->affinity);
        else
            lower_predicate(l, a, &c->affinity);
    }
}
