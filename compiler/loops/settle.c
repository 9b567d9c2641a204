/* When all accesses are known: tiles as points. An index such as i*lda + j, of which no integer set
 * knows the product, is taken apart into one index per thing that it multiplies: lda and 1. That
 * two different tiles are then two different places is checked when the program runs. */
#include "loops/build.h"

#include <isl/space.h>
#include <isl/val.h>
#include <string.h>

enum { MOST_FACTORS = 6, MOST_TERMS = 40 };

/* A product of a number, at most one loop variable or parameter that an index may have, and what
 * it is multiplied with. */
typedef struct term {
    int64_t value;
    const c_expr *factors[MOST_FACTORS];
    int count;
} term;

typedef struct sum {
    term terms[MOST_TERMS];
    int count;
} sum;

static bool expand(const build *b, const c_expr *e, sum *s);

static bool add_term(sum *s, const term *t)
{
    if (s->count == MOST_TERMS)
        return false;
    s->terms[s->count++] = *t;
    return true;
}

static bool multiply(const sum *x, const sum *y, sum *s)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < y->count; k++) {
            term t = x->terms[i];
            t.value *= y->terms[k].value;
            if (t.count + y->terms[k].count > MOST_FACTORS)
                return false;
            for (int m = 0; m < y->terms[k].count; m++)
                t.factors[t.count++] = y->terms[k].factors[m];
            if (!add_term(s, &t))
                return false;
        }
    return true;
}

static bool expand_binary(const build *b, const c_expr *e, sum *s)
{
    sum x = {0}, y = {0};
    if (!strchr("+-*", *e->text) || !expand(b, e->args[0], &x) || !expand(b, e->args[1], &y))
        return false;
    if (*e->text == '*')
        return multiply(&x, &y, s);
    for (int i = 0; i < x.count; i++)
        if (!add_term(s, &x.terms[i]))
            return false;
    for (int i = 0; i < y.count; i++) {
        y.terms[i].value *= *e->text == '-' ? -1 : 1;
        if (!add_term(s, &y.terms[i]))
            return false;
    }
    return true;
}

static bool expand(const build *b, const c_expr *e, sum *s)
{
    term t = {.value = 1};
    if (e->op == C_CAST && !strchr(e->text, '*'))
        return expand(b, e->args[0], s);
    if (e->op == C_BINARY)
        return expand_binary(b, e, s);
    if (e->op == C_INT)
        t.value = e->value;
    else if ((e->op == C_NAME && e->local && e->local->kind == LOCAL_LOOP) || is_invariant(b, e))
        t.factors[t.count++] = e;
    else
        return false;
    return add_term(s, &t);
}

static bool is_loop(const c_expr *e)
{
    return e->op == C_NAME && e->local && e->local->kind == LOCAL_LOOP;
}

static int compare_text(build *b, const c_expr *x, const c_expr *y)
{
    return strcmp(c_text_of(b->memory, x), c_text_of(b->memory, y));
}

/* The parameters of a term in a fixed order, without factor `skip`. */
static const char *stride_of(build *b, const term *t, int skip)
{
    const c_expr *rest[MOST_FACTORS];
    int n = 0;
    for (int i = 0; i < t->count; i++) {
        if (i == skip)
            continue;
        int k = n++;
        for (; k > 0 && compare_text(b, t->factors[i], rest[k - 1]) < 0; k--)
            rest[k] = rest[k - 1];
        rest[k] = t->factors[i];
    }
    const char *text = "";
    for (int i = 0; i < n; i++)
        text = arena_print(b->memory, "%s%s*", text, c_text_of(b->memory, rest[i]));
    return text;
}

static int find_stride(const collection *c, const char *text)
{
    for (int i = 0; i < c->dims; i++)
        if (strcmp(c->strides[i], text) == 0)
            return i;
    return -1;
}

static bool has_two_loops(const term *t)
{
    int loops = 0;
    for (int k = 0; k < t->count; k++)
        loops += is_loop(t->factors[k]);
    return loops > 1;
}

/* What loop variables are multiplied with become the strides. */
static void find_strides(build *b, collection *c, const sum *s)
{
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->terms[i].count; k++) {
            if (!is_loop(s->terms[i].factors[k]) || has_two_loops(&s->terms[i]))
                continue;
            const char *text = stride_of(b, &s->terms[i], k);
            if (find_stride(c, text) < 0)
                ARENA_ADD(b->memory, c->strides, c->dims, text);
        }
}

/* Does a loop over blocks stand in the index, with this stride? */
static bool has_stride(build *b, const sum *s, const char *stride, bool *blocks)
{
    bool found = false;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->terms[i].count; k++) {
            const c_expr *factor = s->terms[i].factors[k];
            if (!is_loop(factor) || strcmp(stride_of(b, &s->terms[i], k), stride) != 0)
                continue;
            found = true;
            *blocks |= factor->local->counts_blocks;
        }
    return found;
}

static access *nth(stmt *s, int i);
static int count_of(const stmt *s);

/* Rows and columns of blocks stand in one index somewhere. Blocks of two sizes, or blocks and
 * elements, never do: they are the same memory, cut in two ways. */
static bool is_cut_twice(build *b, int number, int x, int y)
{
    const program *p = b->program;
    const collection *c = &p->collections[number];
    bool together = false, blocks = false;
    for (int i = 0; i < p->stmt_count; i++)
        for (int k = 0; k < count_of(&p->stmts[i]); k++) {
            const access *a = nth(&p->stmts[i], k);
            sum s = {0};
            if (a->collection != number || !expand(b, a->index[0], &s))
                continue;
            bool has_x = has_stride(b, &s, c->strides[x], &blocks);
            bool has_y = has_stride(b, &s, c->strides[y], &blocks);
            together |= has_x && has_y;
        }
    return blocks && !together;
}

static bool check_cuts(build *b)
{
    const program *p = b->program;
    for (int i = 0; i < p->collection_count; i++)
        for (int x = 0; p->collections[i].linear && x < p->collections[i].dims; x++)
            for (int y = 0; y < x; y++)
                if (is_cut_twice(b, i, x, y)) {
                    b->at = p->function->at;
                    refuse(b,
                           "'%s' is used in blocks of one size, and in others or by elements, "
                           "which are the same memory; use one size",
                           p->collections[i].name);
                    return false;
                }
    return true;
}

static isl_pw_aff *constant(build *b, int64_t value)
{
    c_expr e = {.op = C_INT, .value = value};
    const char *why = NULL;
    return affine(b, &e, &why);
}

/* Which index the term is part of, and with which factor; -1: none. */
static int place_term(build *b, const collection *c, const term *t, const c_expr **factor)
{
    *factor = NULL;
    if (has_two_loops(t))
        return -1;
    for (int k = 0; k < t->count; k++)
        if (is_loop(t->factors[k])) {
            *factor = t->factors[k];
            return find_stride(c, stride_of(b, t, k));
        }
    int dim = find_stride(c, stride_of(b, t, -1));
    for (int k = 0; k < t->count && dim < 0; k++) {
        dim = find_stride(c, stride_of(b, t, k));
        *factor = t->factors[k];
    }
    return dim;
}

static bool take_apart(build *b, const collection *c, const c_expr *e, isl_pw_aff **values)
{
    sum s = {0};
    const char *why = NULL;
    if (!expand(b, e, &s))
        return false;
    for (int i = 0; i < c->dims; i++)
        values[i] = constant(b, 0);
    for (int i = 0; i < s.count; i++) {
        const c_expr *factor;
        if (!s.terms[i].value) /* the first of all */
            continue;
        int dim = place_term(b, c, &s.terms[i], &factor);
        if (dim < 0)
            return false;
        isl_pw_aff *value = factor ? affine(b, factor, &why) : constant(b, 1);
        value = isl_pw_aff_mul(value, constant(b, s.terms[i].value));
        values[dim] = isl_pw_aff_add(values[dim], value);
    }
    return true;
}

/* ---- Accesses ---------------------------------------------------------------------------- */

/* The statement as it was walked, so that indices can be looked at again. */
static void stand_in(build *b, const stmt *s, const access *a)
{
    b->depth = s->depth;
    isl_set_free(b->domain);
    b->domain = isl_set_copy(s->domain);
    b->at = a->at;
}

static isl_map *map_of(build *b, isl_pw_aff **values, int count)
{
    isl_space *space = isl_space_set_alloc(b->ctx, 0, (unsigned)b->depth);
    isl_map *map = isl_map_universe(
        isl_space_map_from_domain_and_range(space, isl_space_set_alloc(b->ctx, 0, 0)));
    for (int i = 0; i < count; i++)
        map = isl_map_flat_range_product(map, isl_map_from_pw_aff(values[i]));
    return map;
}

static bool settle(build *b, const stmt *s, access *a)
{
    const collection *c = &b->program->collections[a->collection];
    isl_pw_aff *values[MOST_LOOPS + MOST_TERMS];
    const char *why = NULL;
    int count = c->dims;
    stand_in(b, s, a);
    if (c->linear) {
        if (!take_apart(b, c, a->index[0], values)) {
            isl_pw_aff_free(affine(b, a->index[0], &why));
            refuse(b, "the index '%s' of '%s' %s", c_text_of(b->memory, a->index[0]), c->name,
                   why ? why : "has no rows and columns of tiles, as i*ld + j has");
            return false;
        }
    } else
        for (int i = 0; i < count; i++) {
            values[i] = affine(b, a->index[i], &why);
            if (!values[i]) {
                refuse(b, "the index '%s' of '%s' %s", c_text_of(b->memory, a->index[i]), c->name,
                       why);
                return false;
            }
        }
    a->map = map_of(b, values, count);
    return true;
}

static access *nth(stmt *s, int i)
{
    return i < s->access_count ? &s->accesses[i] : s->on;
}

static int count_of(const stmt *s)
{
    return s->access_count + (s->on != NULL);
}

/* Is there an index that is not affine as it stands? */
static void find_linear(build *b, const stmt *s, const access *a)
{
    collection *c = &b->program->collections[a->collection];
    const char *why = NULL;
    if (c->linear)
        return;
    c->dims = a->index_count;
    if (a->index_count != 1)
        return;
    stand_in(b, s, a);
    isl_pw_aff *value = affine(b, a->index[0], &why);
    c->linear = !value;
    if (c->linear)
        c->dims = 0;
    isl_pw_aff_free(value);
}

static bool settle_priority(build *b, stmt *s)
{
    const char *why = NULL;
    if (!s->priority)
        return true;
    b->depth = s->depth;
    isl_set_free(b->domain);
    b->domain = isl_set_copy(s->domain);
    b->at = s->at;
    s->priority_value = affine(b, s->priority, &why);
    if (!s->priority_value && !failed(b))
        refuse(b, "the priority '%s' %s", c_text_of(b->memory, s->priority), why);
    return s->priority_value != NULL;
}

bool tiles_settle(build *b)
{
    program *p = b->program;
    for (int i = 0; i < p->stmt_count; i++)
        for (int k = 0; k < count_of(&p->stmts[i]); k++)
            find_linear(b, &p->stmts[i], nth(&p->stmts[i], k));
    for (int i = 0; i < p->stmt_count; i++)
        for (int k = 0; k < count_of(&p->stmts[i]); k++) {
            const access *a = nth(&p->stmts[i], k);
            collection *c = &p->collections[a->collection];
            sum s = {0};
            if (c->linear && expand(b, a->index[0], &s))
                find_strides(b, c, &s);
        }
    for (int i = 0; i < p->collection_count; i++)
        if (p->collections[i].linear && p->collections[i].dims > 6)
            p->collections[i].dims = 0;
    if (!check_cuts(b))
        return false;
    for (int i = 0; i < p->stmt_count; i++)
        if (!settle_priority(b, &p->stmts[i]))
            return false;
    for (int i = 0; i < p->stmt_count; i++)
        for (int k = 0; k < count_of(&p->stmts[i]); k++)
            if (!settle(b, &p->stmts[i], nth(&p->stmts[i], k)))
                return false;
    return true;
}
