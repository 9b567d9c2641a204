/* Which tiles expressions name. */
#include "loops/build.h"

#include <string.h>

/* A pointer or an array that is the same throughout the run. */
static bool is_base(const build *b, const c_expr *e)
{
    if (e->op == C_MEMBER)
        return e->args[0]->op == C_MEMBER || e->args[0]->op == C_NAME ? is_invariant(b, e) : false;
    if (e->op == C_CAST)
        return strchr(e->text, '*') && is_base(b, e->args[0]);
    if (e->op != C_NAME)
        return false;
    if (e->local)
        return e->local->kind == LOCAL_PARAM &&
               (e->local->type.class == TYPE_POINTER || e->local->type.class == TYPE_ARRAY);
    const c_variable *v = c_variable_of(b->program->file, e->text);
    return v && (v->type.class == TYPE_ARRAY || (v->type.class == TYPE_POINTER && v->type.itself));
}

static c_expr *zero(build *b)
{
    c_expr *e = arena_get(b->memory, sizeof *e);
    *e = (c_expr){.op = C_INT, .text = "0", .height = 1};
    return e;
}

static bool add_index(tile *t, c_expr *e, const char **why)
{
    if (t->count == MOST_LOOPS) {
        *why = "has too many indices";
        return false;
    }
    t->index[t->count++] = e;
    return true;
}

/* Does it only compute, without calls and assignments? */
static bool is_pure(const c_expr *e)
{
    if (!e)
        return true;
    if (e->op == C_CALL || assigns(e) || (e->op == C_OPAQUE && strncmp(e->text, "sizeof", 6) != 0))
        return false;
    for (int i = 0; i < e->count; i++)
        if (!is_pure(e->args[i]))
            return false;
    return true;
}

/* A sum of products: indices that differ give places that differ, if the program is sane. */
static bool is_plain(const c_expr *e)
{
    bool looks = e->op == C_INDEX || e->op == C_COND ||
                 (e->op == C_UNARY && !strchr("&+-", *e->text)) ||
                 (e->op == C_BINARY && !strchr("+-*", *e->text));
    bool place = e->op == C_UNARY && *e->text == '&' && e->args[0]->op == C_INDEX;
    if (place)
        return is_plain(e->args[0]->args[0]) && is_plain(e->args[0]->args[1]);
    for (int i = 0; i < e->count && !looks; i++)
        looks = !is_plain(e->args[i]);
    return !looks;
}

/* A function of the file that does nothing but compute a pointer: only declarations of values and
 * a return, no calls, no assignments. What it computes in other ways than by sums is checked when
 * the program runs. */
static bool is_accessor(build *b, const c_function *f)
{
    if (!f || !f->defined || f->result.class != TYPE_POINTER)
        return false;
    c_stmt *s = c_body(b->program->file, f);
    bool plain = true;
    for (int i = 0; s && i < s->part_count; i++) {
        const c_stmt *part = s->parts[i];
        bool last = i == s->part_count - 1;
        if (last ? part->kind != C_RETURN || !part->cond : part->kind != C_DECLARE)
            return false;
        for (int k = 0; k < part->declared_count; k++) {
            const c_declared *d = &part->declared[k];
            if (d->opaque || d->type.class == TYPE_OTHER || !is_pure(d->value))
                return false;
            plain = plain && d->value && is_plain(d->value);
        }
        if (last && !is_pure(part->cond))
            return false;
        plain = plain && (!last || is_plain(part->cond));
    }
    b->program->in_place |= !plain && !b->program->distribute;
    return s && s->part_count > 0;
}

/* f(a, i, j): what varies are the indices, the rest belongs to the name of the array. */
static bool call_tile(build *b, c_expr *e, tile *t, const char **why)
{
    const c_function *f =
        e->args[0]->op == C_NAME ? c_function_of(b->program->file, e->args[0]->text) : NULL;
    if (!is_accessor(b, f)) {
        *why = "comes from a function that may do more than compute where a tile is; define it in "
               "this file as one return of an expression";
        return false;
    }
    c_expr *base = arena_get(b->memory, sizeof *base);
    *base = *e;
    base->args = arena_get(b->memory, sizeof *base->args * (size_t)e->count);
    base->args[0] = e->args[0];
    for (int i = 1; i < e->count; i++) {
        c_class class = i <= f->param_count ? f->params[i - 1].type.class : TYPE_OTHER;
        if (class == TYPE_INT || class == TYPE_UNSIGNED) {
            if (!add_index(t, e->args[i], why))
                return false;
        } else if (is_base(b, e->args[i]) || (e->args[i]->op == C_NAME && e->args[i]->local &&
                                              e->args[i]->local->kind == LOCAL_PARAM))
            base->args[i] = e->args[i];
        else {
            *why = "gets an argument that is neither an index nor the same throughout the run";
            return false;
        }
    }
    t->base = base;
    return true;
}

static c_expr *sum(build *b, c_expr *x, const char *sign, c_expr *y)
{
    c_expr *e = arena_get(b->memory, sizeof *e);
    *e = (c_expr){.op = C_BINARY, .text = sign, .count = 2};
    e->height = (x->height > y->height ? x->height : y->height) + 1;
    e->args = arena_get(b->memory, 2 * sizeof *e->args);
    e->args[0] = x;
    e->args[1] = y;
    return e;
}

static bool inner_tile(build *b, c_expr *e, tile *t, const char **why);

/* The type through which a pointer is counted on, if it is not its own. */
static void note_type(build *b, const c_expr *e, tile *t)
{
    const char *text = "";
    if (e->op != C_CAST || strchr(e->text, '[') || t->element)
        return;
    for (const char *at = e->text; *at; at += strncmp(at, "const ", 6) == 0 ? 6 : 1)
        if (strncmp(at, "const ", 6) != 0)
            text = arena_print(b->memory, "%s%c", text, *at);
    t->element = text;
}

static bool is_zero(const c_expr *e)
{
    return !e || (e->op == C_INT && e->value == 0);
}

/* f(i, j)[0]: what the pointer points to */
static bool is_first_of_call(const c_expr *e)
{
    return e->op == C_INDEX && c_bare(e->args[0])->op == C_CALL && is_zero(e->args[1]);
}

static bool is_address(const c_expr *e)
{
    return e->op == C_UNARY && *e->text == '&' && !e->text[1];
}

static bool is_sum(const c_expr *e)
{
    return e->op == C_BINARY && strcmp(e->text, "+") == 0;
}

/* The last index and this one are one sum. */
static bool add_to_index(build *b, tile *t, c_expr *e, const char **why)
{
    if (!t->count)
        return add_index(t, e, why);
    if (!is_zero(e))
        t->index[t->count - 1] = sum(b, t->index[t->count - 1], "+", e);
    return true;
}

/* p[i]; behind an address, or a sum, it goes on from there. */
static bool array_tile(build *b, c_expr *e, tile *t, const char **why)
{
    c_expr *base = (c_expr *)c_bare(e->args[0]);
    note_type(b, e->args[0], t);
    if (is_address(base))
        return inner_tile(b, base->args[0], t, why) && add_to_index(b, t, e->args[1], why);
    if (is_sum(base))
        return inner_tile(b, base, t, why) && add_to_index(b, t, e->args[1], why);
    return inner_tile(b, e->args[0], t, why) && add_index(t, e->args[1], why);
}

/* X[first : length]; of a tile that is named already, the beginning. */
static bool section_tile(build *b, c_expr *e, tile *t, const char **why)
{
    const c_expr *base = c_bare(e->args[0]);
    bool address = is_address(base);
    note_type(b, e->args[0], t);
    if (!inner_tile(b, address ? base->args[0] : e->args[0], t, why))
        return false;
    if (is_zero(e->args[1]) && (address || t->count || !e->args[1]))
        return true;
    if (!address)
        return add_index(t, e->args[1], why);
    *why = "begins inside a tile; name the tile by its indices";
    return false;
}

/* base + offset, or &base[i] + offset: what the pointer points to, not what is there. */
static bool offset_tile(build *b, c_expr *e, tile *t, const char **why)
{
    c_expr *base = (c_expr *)c_bare(e->args[0]);
    bool address = is_address(base);
    note_type(b, e->args[0], t);
    if (!address && !is_sum(base) && !is_base(b, base)) {
        *why = "moves a pointer to a tile; name the tile by its indices";
        return false;
    }
    return inner_tile(b, address ? base->args[0] : base, t, why) &&
           add_to_index(b, t, e->args[1], why);
}

static bool inner_tile(build *b, c_expr *e, tile *t, const char **why)
{
    e = (c_expr *)c_bare(e);
    if (e->op == C_INDEX)
        return array_tile(b, e, t, why);
    if (e->op == C_UNARY && strcmp(e->text, "*") == 0)
        return inner_tile(b, e->args[0], t, why) && add_index(t, zero(b), why);
    if (e->op == C_SECTION)
        return section_tile(b, e, t, why);
    if (e->op == C_BINARY && strcmp(e->text, "+") == 0)
        return offset_tile(b, e, t, why);
    if (e->op == C_CALL)
        return call_tile(b, e, t, why);
    if (is_base(b, e)) {
        t->base = e;
        return true;
    }
    *why = "is no tile of an array that stays where it is";
    return false;
}

/* A tile is named by its address, by its first element, or by what is behind a pointer to it. */
bool tile_of(build *b, c_expr *e, tile *t, const char **why)
{
    e = (c_expr *)c_bare(e);
    bool points = e->op == C_UNARY && strcmp(e->text, "*") == 0;
    const c_expr *target = points ? c_bare(e->args[0]) : e;
    if (points && is_address(target)) /* *&A[i] */
        return inner_tile(b, target->args[0], t, why);
    bool around = points || is_address(e) || is_first_of_call(e);
    return inner_tile(b, around ? e->args[0] : e, t, why);
}

/* ---- Collections ------------------------------------------------------------------------- */

static const char *base_name(build *b, const c_expr *base)
{
    const char *name = base->text;
    const program *p = b->program;
    if (base->op == C_CALL)
        name = base->args[0]->text;
    const char *plain = name;
    for (int i = 0, number = 2; i < p->collection_count; i++)
        if (strcmp(p->collections[i].name, name) == 0) {
            name = arena_print(b->memory, "%s_%d", plain, number++);
            i = -1;
        }
    return name;
}

static int collection_of(build *b, const tile *t)
{
    program *p = b->program;
    for (int i = 0; i < p->collection_count; i++)
        if (c_same(p->collections[i].base, t->base))
            return i;
    collection c = {
        .name = base_name(b, t->base), .base = t->base, .dims = t->count, .element = t->element};
    ARENA_ADD(b->memory, p->collections, p->collection_count, c);
    return p->collection_count - 1;
}

tile_shape pointer_shape(const c_expr *e)
{
    e = c_bare(e);
    if (e->op == C_INDEX || e->op == C_CALL)
        return SHAPE_VALUE;
    return e->op == C_UNARY || e->op == C_BINARY ? SHAPE_ADDRESS : SHAPE_BASE;
}

/* An item of a depend list stands for what it is, not for what it points to. */
static tile_shape item_shape(const c_expr *e)
{
    e = c_bare(e);
    if ((e->op == C_UNARY && *e->text == '*') || is_first_of_call(e))
        return pointer_shape(e->args[0]);
    if (e->op == C_SECTION) {
        const c_expr *base = c_bare(e->args[0]);
        bool named = base->op == C_INDEX || base->op == C_CALL || is_address(base);
        return named && is_zero(e->args[1]) ? pointer_shape(base) : SHAPE_ADDRESS;
    }
    return e->op == C_INDEX ? SHAPE_ADDRESS : pointer_shape(e);
}

static bool same_element(const collection *c, const tile *t)
{
    const c_type *own = c->base->local ? &c->base->local->type : NULL;
    const char *declared = own ? own->text : "";
    const char *x = c->element ? c->element : declared, *y = t->element ? t->element : declared;
    x += strncmp(x, "const ", 6) == 0 ? 6 : 0;
    y += strncmp(y, "const ", 6) == 0 ? 6 : 0;
    return strcmp(x, y) == 0;
}

/* A[i][j][0 : n], or A[i*n : n] */
static void note_length(build *b, collection *c, const c_expr *e)
{
    e = c_bare(e);
    c_expr *length = e->op == C_SECTION && e->count > 2 ? e->args[2] : NULL;
    if (!length || !is_invariant(b, length))
        return;
    if (!c->unlike)
        c->sections = b->at;
    c->unlike |= c->length && !c_same(c->length, length);
    c->length = length;
}

bool tile_access(build *b, c_expr *e, access_mode mode, tile_role role, access *a)
{
    tile t = {0};
    const char *why = NULL;
    if (!tile_of(b, e, &t, &why)) {
        refuse(b, "'%s' %s", c_text_of(b->memory, e), why);
        return false;
    }
    if (!t.count)
        t.index[t.count++] = zero(b);
    *a = (access){.mode = mode, .index_count = t.count, .arg = -1, .at = b->at};
    a->collection = collection_of(b, &t);
    a->index = arena_get(b->memory, sizeof *a->index * (size_t)t.count);
    memcpy(a->index, t.index, sizeof *a->index * (size_t)t.count);
    collection *c = &b->program->collections[a->collection];
    tile_shape shape = role == ROLE_ITEM ? item_shape(e) : pointer_shape(e);
    if (!same_element(c, &t)) {
        refuse(b, "'%s' is once an array of one type and once, by a cast, of another; use one",
               c->name);
        return false;
    }
    if (c->shape == SHAPE_UNKNOWN && role != ROLE_PLACE)
        c->shape = shape;
    if (c->shape != shape && role != ROLE_PLACE) {
        refuse(b, "'%s' is once an array of tiles and once one of pointers to tiles", c->name);
        return false;
    }
    note_length(b, c, e);
    if (c->dims == t.count || (c->dims == 0 && t.count == 1))
        return true;
    refuse(b, "'%s' has %d indices here and %d elsewhere", c->name, t.count, c->dims);
    return false;
}
