/* Loops whose step is a size, `for (i = 0; i < n; i += nb)`: what is counted are blocks, and the
 * variable is where a block begins. */
#include "loops/build.h"

#include <string.h>

/* A place as blocks beyond an origin. */
typedef struct place_in_blocks {
    c_expr *blocks; /* names, not resolved yet; NULL: none */
    c_expr *origin; /* resolved, the same throughout the run */
} place_in_blocks;

static c_expr *new_expr(build *b, c_op op, const char *text, c_expr *x, c_expr *y)
{
    c_expr *e = arena_get(b->memory, sizeof *e);
    *e = (c_expr){.op = op, .text = text, .count = (x != NULL) + (y != NULL), .height = 1};
    e->args = arena_get(b->memory, 2 * sizeof *e->args);
    e->args[0] = x;
    e->args[1] = y;
    for (int i = 0; i < e->count; i++)
        if (e->args[i]->height >= e->height)
            e->height = e->args[i]->height + 1;
    return e;
}

static c_expr *binary(build *b, const char *sign, c_expr *x, c_expr *y)
{
    return new_expr(b, C_BINARY, sign, x, y);
}

static c_expr *number(build *b, int64_t value)
{
    c_expr *e = new_expr(b, C_INT, arena_print(b->memory, "%lld", (long long)value), NULL, NULL);
    e->value = value;
    return e;
}

/* i, i + nb, i - nb of another loop over blocks of that size; or what does not change. */
static bool in_blocks(build *b, const c_expr *e, const c_expr *size, place_in_blocks *p)
{
    const local *l = e->op == C_NAME ? find_local(b, e->text) : NULL;
    bool sum = e->op == C_BINARY && (!strcmp(e->text, "+") || !strcmp(e->text, "-"));
    if (l && l->block && c_same(l->size, size)) {
        *p = (place_in_blocks){new_expr(b, C_NAME, l->block->name, NULL, NULL), l->origin};
        return true;
    }
    const c_expr *more = sum ? resolved(b, e->args[1]) : NULL;
    if (more && c_same(more, size) && in_blocks(b, e->args[0], size, p) && p->blocks) {
        p->blocks = binary(b, e->text, p->blocks, number(b, 1));
        return true;
    }
    *p = (place_in_blocks){NULL, resolved(b, e)};
    return p->origin && is_invariant(b, p->origin);
}

/* What the function computes at its beginning must be there where the number is computed. */
static void need_names(build *b, const c_expr *e)
{
    if (e->op == C_NAME || e->op == C_MEMBER) {
        int number = param_of(b, e, NULL);
        b->program->params[number].used = true;
    }
    for (int i = 0; i < e->count && e->op != C_MEMBER; i++)
        need_names(b, e->args[i]);
}

/* Unsigned numbers would wrap around. */
static c_expr *whole(build *b, c_expr *e)
{
    return new_expr(b, C_CAST, "int64_t", e, NULL);
}

/* The same number as before has the same name. */
static local *find_count(const build *b, const c_expr *value)
{
    for (int i = 0; i < b->count_count; i++)
        if (c_same(b->counts[i]->value, value))
            return b->counts[i];
    return NULL;
}

static bool is_taken(build *b, const char *name)
{
    for (int i = 0; i < b->count_count; i++)
        if (strcmp(b->counts[i]->name, name) == 0)
            return true;
    return find_local(b, name) || c_variable_of(b->program->file, name);
}

static const char *free_name(build *b, const char *name, const char *ending)
{
    const char *made = arena_print(b->memory, "%s_%s", name, ending);
    for (int i = 2; is_taken(b, made); i++)
        made = arena_print(b->memory, "%s_%s%d", name, ending, i);
    return made;
}

/* How many blocks there are from the origin to the end: a constant of the run. */
static c_expr *count_blocks(build *b, const char *name, c_expr *origin, c_expr *size, c_expr *end,
                            bool inclusive)
{
    size = whole(b, size);
    c_expr *length = binary(b, "-", whole(b, end), whole(b, origin));
    if (inclusive)
        length = binary(b, "+", length, number(b, 1));
    c_expr *some =
        binary(b, "&&", binary(b, ">", length, number(b, 0)), binary(b, ">", size, number(b, 0)));
    c_expr *count =
        binary(b, "+", binary(b, "/", binary(b, "-", length, number(b, 1)), size), number(b, 1));
    c_expr *value = new_expr(b, C_COND, "?", some, count);
    c_expr **args = arena_get(b->memory, 3 * sizeof *args);
    args[0] = some;
    args[1] = count;
    args[2] = number(b, 0);
    value->args = args;
    value->count = 3;
    local *l = find_count(b, value);
    if (!l) {
        c_type type = {.class = TYPE_INT, .text = "int64_t"};
        need_names(b, value);
        l = add_local(b, (local){.name = free_name(b, name, "blocks"),
                                 .kind = LOCAL_PARAM,
                                 .type = type,
                                 .value = value});
        ARENA_ADD(b->memory, b->counts, b->count_count, l);
    } else
        ARENA_ADD(b->memory, b->scope->locals, b->scope->count, l);
    return new_expr(b, C_NAME, l->name, NULL, NULL);
}

bool blocks_of(build *b, const c_expr *first, const c_expr *cond, const c_expr *step, block_loop *l)
{
    place_in_blocks from, to;
    bool less = cond && cond->op == C_BINARY && strcmp(cond->text, "<") == 0;
    bool most = cond && cond->op == C_BINARY && strcmp(cond->text, "<=") == 0;
    if (!(less || most) || cond->args[0]->op != C_NAME || strcmp(cond->args[0]->text, l->name) ||
        !step || !is_invariant(b, step))
        return false;
    l->size = (c_expr *)step;
    if (!in_blocks(b, first, step, &from) || !in_blocks(b, cond->args[1], step, &to))
        return false;
    l->block = free_name(b, l->name, "block");
    l->origin = from.origin;
    l->first = from.blocks ? resolved(b, from.blocks) : number(b, 0);
    if (to.blocks && !c_same(to.origin, from.origin))
        return false;
    c_expr *end = to.blocks;
    if (!end) {
        end = count_blocks(b, l->name, from.origin, l->size, to.origin, !less);
    }
    l->cond =
        binary(b, most && to.blocks ? "<=" : "<", new_expr(b, C_NAME, l->block, NULL, NULL), end);
    return true;
}

void name_block(build *b, const block_loop *l, local *block, const c_type *type)
{
    c_expr *name = new_expr(b, C_NAME, l->block, NULL, NULL);
    name->local = block;
    block->counts_blocks = true;
    c_expr *value = binary(b, "*", name, l->size);
    if (l->origin->op != C_INT || l->origin->value)
        value = binary(b, "+", l->origin, value);
    add_local(b, (local){.name = l->name,
                         .kind = LOCAL_ALIAS,
                         .type = *type,
                         .value = converted(b, type, value),
                         .block = block,
                         .size = l->size,
                         .origin = l->origin});
}
