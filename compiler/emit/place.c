/* The rank that runs an instance, and the worker that it prefers there. */
#include "emit/emit.h"

/* The owner of a tile. A collection that only places tasks may be missing: all run on rank 0. */
static void write_owner(emitter *e, const ir_affinity *a)
{
    check_dimensions(e, a->at, a->arg_count);
    emit_text(e, "    return ");
    emit_array(e, a->collection);
    emit_text(e, " ? %s(", a->arg_count <= 2 ? "twill_owner_at" : "twill_owner_nd");
    emit_array(e, a->collection);
    emit_text(e, a->arg_count > 2 ? ", (const int64_t[TWILL_DIMS]){" : ", ");
    for (int i = 0; i < a->arg_count; i++)
        emit_text(e, "%s%s", i ? ", " : "", expr_text(e, a->args[i], false));
    for (int i = a->arg_count; i < 2; i++)
        emit_text(e, "%s0", i ? ", " : "");
    emit_text(e, a->arg_count > 2 ? "}) : 0;\n" : ") : 0;\n");
}

/* A place of the grid: columns of ranks one after the other. */
static void write_place(emitter *e, const ir_affinity *a)
{
    e->raw = true;
    emit_text(e, "    const int64_t row_ = %s, column_ = %s;\n",
              a->row ? expr_text(e, a->row, false) : "0",
              a->column ? expr_text(e, a->column, false) : "0");
    emit_text(e, "    if (row_ < 0 || row_ >= g_->GRIDrows || column_ < 0 || "
                 "column_ >= g_->GRIDcols)\n        return -1;\n"
                 "    return row_ + column_ * g_->GRIDrows;\n");
}

bool emit_rank(emitter *e, const ir_class *c)
{
    const ir_affinity *a = &c->affinity;
    if (a->kind == IR_ON_GRID && !a->row && !a->column)
        return false;
    function_begin(e, c);
    a->kind == IR_ON_TILE ? write_owner(e, a) : write_place(e, a);
    function_end(e, "static int64_t %s_rank(const void *globals_, const int64_t *p_)", c->name);
    return true;
}

bool emit_worker(emitter *e, const ir_class *c)
{
    const ir_affinity *a = &c->affinity;
    if (a->kind != IR_ON_TILE)
        return false;
    function_begin(e, c);
    emit_text(e, "    return ");
    emit_array(e, a->collection);
    emit_text(e, " ? twill_worker_nd(");
    emit_array(e, a->collection);
    emit_text(e, ", (const int64_t[TWILL_DIMS]){");
    for (int i = 0; i < a->arg_count; i++)
        emit_text(e, "%s%s", i ? ", " : "", expr_text(e, a->args[i], false));
    emit_text(e, "}) : -1;\n");
    function_end(e, "static int64_t %s_worker(const void *globals_, const int64_t *p_)", c->name);
    return true;
}
