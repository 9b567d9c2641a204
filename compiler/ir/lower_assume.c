/* What --verify may assume about the globals: --assume, and %option assume. */
#include "ir/lower.h"

/* It is computed with and without isl, so C must not be needed for it. */
static void lower_assumption(lowering *l, const ast_assumption *a)
{
    const ir_expr *cause = NULL;
    l->source = a->source;
    int errors = a->source->errors;
    resolve(l, a->value, STRICT);
    if (a->source->errors == errors && ir_shape_of(l->ir, NULL, a->value, &cause) == IR_OPAQUE)
        source_say(a->source, ERROR, cause->at,
                   "an assumption compares integers, and what '%s' is only C knows",
                   ir_text_of(l->memory, cause));
    ARENA_ADD(l->memory, l->ir->assumptions, l->ir->assumption_count, a->value);
}

/* A name that nothing else uses is no argument, not even in a classic file: it is mistyped. */
void lower_assumptions(lowering *l)
{
    source *own = l->source;
    bool classic = l->ir->classic;
    l->ir->classic = false;
    for (int i = 0; i < l->ast->assumption_count; i++)
        lower_assumption(l, &l->ast->assumptions[i]);
    l->ir->classic = classic;
    l->source = own;
}
