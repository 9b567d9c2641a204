/* How large tiles are, where they travel between ranks: as an option or a pragma says, as sections
 * of depend lists say, or as the type of the array does. */
#include "loops/write.h"

#include <ctype.h>
#include <isl/space.h>
#include <string.h>

static const char *given_by_option(const program *p, const loops_options *o, const char *name)
{
    size_t n = strlen(name);
    for (int i = 0; i < o->tile_count; i++)
        if (strncmp(o->tiles[i], name, n) == 0 && o->tiles[i][n] == '=')
            return arena_print(p->memory, "%s", o->tiles[i] + n + 1);
    return NULL;
}

static const char *given_by_pragma(const program *p, const char *name)
{
    for (int i = 0; i < p->file->tile_count; i++)
        if (strcmp(p->file->tiles[i].array, name) == 0)
            return p->file->tiles[i].size;
    return NULL;
}

/* Does the text of an expression name nothing but arguments and what the file knows? */
static bool is_of_arguments(const program *p, const c_expr *e)
{
    bool fine = true;
    if (e->op == C_NAME && e->local) {
        fine = false;
        for (int i = 0; i < p->function->param_count; i++)
            fine |= e->local == p->arguments[i];
    }
    for (int i = 0; i < e->count && fine; i++)
        fine = !e->args[i] || is_of_arguments(p, e->args[i]);
    return fine;
}

/* ---- Types ------------------------------------------------------------------------------- */

static const c_type *type_of(const program *p, const c_expr *base)
{
    base = c_bare(base);
    if (base->op != C_NAME)
        return NULL;
    const c_variable *v = base->local ? NULL : c_variable_of(p->file, base->text);
    return base->local ? &base->local->type : v ? &v->type : NULL;
}

/* In how many steps one gets from the array to an element that is none: of double (*)[n][b], 3. */
static int levels(const char *type)
{
    int count = strstr(type, "(*)") != NULL, depth = 0;
    for (; *type; type++) {
        count += *type == '[' && !depth;
        depth += (*type == '[') - (*type == ']');
    }
    return count;
}

/* What remains of the type without all of its steps. */
static const char *element_of(arena *a, const char *type)
{
    size_t n = strcspn(type, "([");
    bool plain = !type[n];
    while (n && (type[n - 1] == ' ' || (plain && type[n - 1] == '*'))) {
        plain = plain && type[n - 1] != '*';
        n--;
    }
    const char *start = strncmp(type, "const ", 6) == 0 && n > 6 ? type + 6 : type;
    return arena_text(a, start, n - (size_t)(start - type));
}

/* An array of arrays has whole tiles as elements, and so has one of structs. */
static const char *given_by_type(const program *p, const collection *c, const char *pointer)
{
    const c_type *type = c->linear || c->element ? NULL : type_of(p, c->base);
    tile_shape shape = c->passed ? c->passed : c->shape;
    if (!type || !type->text)
        return NULL;
    if (shape == SHAPE_VALUE && levels(type->text) > c->dims)
        return arena_print(p->memory, "sizeof(%s)", pointer);
    c_type element = c_type_of(&p->file->types, element_of(p->memory, type->text));
    if (shape == SHAPE_ADDRESS && element.class == TYPE_VALUE)
        return arena_print(p->memory, "sizeof(*(%s))", pointer);
    return NULL;
}

/* ---- All of them ------------------------------------------------------------------------- */

static const char *bytes_of(const program *p, const loops_options *o, const collection *c)
{
    const writer w = {.program = (program *)p, .memory = p->memory};
    const char *pointer = pointer_text(&w, c), *elements = given_by_option(p, o, c->name);
    if (!elements)
        elements = given_by_pragma(p, c->name);
    if (!elements && c->length && !c->unlike && is_of_arguments(p, c->length))
        elements = c_text_of(p->memory, c->length);
    if (elements)
        return arena_print(p->memory, "sizeof(*(%s)) * (size_t)(%s)", pointer, elements);
    return given_by_type(p, c, pointer);
}

static bool check_name(const program *p, const char *name, place at)
{
    for (int i = 0; i < p->collection_count; i++)
        if (has_accesses(p, i) && strcmp(p->collections[i].name, name) == 0)
            return true;
    source_say(p->source, ERROR, at, "%s has no tiles of an array '%s' to give a size",
               p->function->name, name);
    return false;
}

static bool check_names(const program *p, const loops_options *o)
{
    bool fine = true;
    for (int i = 0; i < o->tile_count && fine; i++) {
        size_t n = strcspn(o->tiles[i], "=");
        fine = check_name(p, arena_text(p->memory, o->tiles[i], n), (place){0, 0});
    }
    return fine;
}

/* Arrays that only say where tasks run have no tiles that the ranks could share. */
static bool check_places(const program *p)
{
    for (int i = 0; i < p->stmt_count; i++) {
        const access *on = p->stmts[i].on;
        if (!on || has_accesses(p, on->collection))
            continue;
        source_say(p->source, ERROR, p->stmts[i].at,
                   "no task uses a tile of '%s', so its tiles are on no ranks where this could run",
                   p->collections[on->collection].name);
        return false;
    }
    return true;
}

bool sizes_find(program *p, const loops_options *o)
{
    if (p->in_place) {
        source_say(
            p->source, ERROR, p->kept.line ? p->kept : p->function->at,
            "the task may touch more than the tiles of its lists, which are all that other "
            "ranks get; name each of them once as there, as the argument of a call or as the "
            "value of a pointer of the task's own");
        return false;
    }
    if (!check_names(p, o) || !check_places(p))
        return false;
    for (int i = 0; i < p->collection_count; i++) {
        collection *c = &p->collections[i];
        if (c->waits || !has_accesses(p, i))
            continue;
        if (c->dims > MOST_DIMS) {
            source_say(p->source, ERROR, p->function->at,
                       "'%s' has %d indices, and tiles that go to other ranks have %d at most",
                       c->name, c->dims, MOST_DIMS);
            return false;
        }
        c->bytes = bytes_of(p, o, c);
        if (c->bytes)
            continue;
        source_say(p->source, ERROR, p->function->at,
                   "nothing says how large the tiles of '%s' are; write '#pragma twill tile(%s, "
                   "ELEMENTS)' or --tile '%s=ELEMENTS', with arguments of %s",
                   c->name, c->name, c->name, p->function->name);
        return false;
    }
    return true;
}
