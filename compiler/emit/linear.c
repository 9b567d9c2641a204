/* Linear forms as C. */
#include "emit/linear.h"

static const char *column_name(emitter *e, const linear_context *x, int column)
{
    if (column < MOST_LOCALS) {
        e->locals[column] = true;
        return x->class->locals[column].name;
    }
    return expr_text(e, x->symbols[column - MOST_LOCALS], true);
}

const char *form_text(emitter *e, const linear_context *x, const linear *form)
{
    const char *text = "";
    for (int i = 0; i < LINEAR_COLUMNS; i++) {
        int64_t factor = form->column[i];
        if (factor == 0)
            continue;
        bool minus = factor < 0;
        const char *sign = *text ? (minus ? " - " : " + ") : minus ? "-" : "";
        unsigned long long size =
            minus ? 0 - (unsigned long long)factor : (unsigned long long)factor;
        const char *name = column_name(e, x, i);
        text = size == 1 ? arena_print(e->memory, "%s%s%s", text, sign, name)
                         : arena_print(e->memory, "%s%s%llu * %s", text, sign, size, name);
    }
    if (!*text)
        return arena_print(e->memory, "%lld", (long long)form->constant);
    if (form->constant == 0)
        return text;
    bool minus = form->constant < 0;
    unsigned long long size =
        minus ? 0 - (unsigned long long)form->constant : (unsigned long long)form->constant;
    return arena_print(e->memory, "%s %c %llu", text, minus ? '-' : '+', size);
}

/* What the row says about a local: at least (`low`) or at most this. */
static const char *bound_text(emitter *e, const linear_context *x, const linear *row, int local,
                              bool low)
{
    linear rest = *row, zero = {0};
    int64_t factor = row->column[local];
    rest.column[local] = 0;
    if (low)
        linear_sum(-1, &rest, 0, &zero, &rest);
    const char *text = form_text(e, x, &rest);
    if (factor == 1 || factor == -1)
        return text;
    e->helpers[low ? HELPER_CEIL : HELPER_FLOOR] = true;
    return arena_print(e->memory, "%s(%s, %lld)", low ? "ceil_div_" : "floor_div_", text,
                       (long long)(low ? factor : -factor));
}

const char *bounds_text(emitter *e, const pieces *p, const piece *s, int local, bool low)
{
    const char *all = NULL;
    for (int i = 0; i < s->rows.count; i++) {
        const linear *row = &s->rows.rows[i];
        if (linear_last(row) != local || (row->column[local] > 0) != low)
            continue;
        const char *one = bound_text(e, &p->context, row, local, low);
        if (all)
            e->helpers[low ? HELPER_MAX : HELPER_MIN] = true;
        all = all ? arena_print(e->memory, "%s(%s, %s)", low ? "max_" : "min_", all, one) : one;
    }
    return all;
}
