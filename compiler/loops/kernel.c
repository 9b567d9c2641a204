/* Statements: calls of kernels on tiles, and OpenMP tasks. */
#include "loops/build.h"

#include <isl/space.h>
#include <string.h>

/* ---- What all statements have ------------------------------------------------------------ */

static const char *class_name(build *b, const char *name)
{
    const program *p = b->program;
    const char *plain = name;
    for (int i = 0, number = 2; i < p->stmt_count; i++)
        if (strcmp(p->stmts[i].name, name) == 0) {
            name = arena_print(b->memory, "%s_%d", plain, number++);
            i = -1;
        }
    return name;
}

/* Loops that hide one another get names of their own. */
static const char *param_name(const build *b, const stmt *s, const char *name)
{
    const char *plain = name;
    for (int i = 0, number = 2; i < s->depth; i++)
        if (s->names[i] && strcmp(s->names[i], name) == 0) {
            name = arena_print(b->memory, "%s_%d", plain, number++);
            i = -1;
        }
    return name;
}

static stmt new_stmt(build *b, const char *kernel)
{
    if (b->replicated)
        refuse(b,
               "every thread of the parallel region comes here; put it into '#pragma omp single'");
    stmt s = {.kernel = kernel,
              .name = class_name(b, kernel),
              .at = b->at,
              .depth = b->depth,
              .priority = b->priority,
              .on = b->on};
    b->order[b->depth]++;
    memcpy(s.order, b->order, sizeof s.order);
    memcpy(s.loops, b->loops, sizeof s.loops);
    memcpy(s.down, b->down, sizeof s.down);
    for (int i = 0; i < s.depth; i++)
        s.names[i] = param_name(b, &s, s.loops[i]->name);
    s.domain = domain_now(b);
    return s;
}

static void add_stmt(build *b, stmt s)
{
    program *p = b->program;
    ARENA_ADD(b->memory, p->stmts, p->stmt_count, s);
}

static bool same_tile(const access *a, const access *b)
{
    bool same = a->collection == b->collection && a->index_count == b->index_count;
    for (int i = 0; same && i < a->index_count; i++)
        same = c_same(a->index[i], b->index[i]);
    return same;
}

/* ---- Annotated calls --------------------------------------------------------------------- */

/* INPUT(x), OUTPUT(x) and INOUT(x) of <twill/loops.h>. */
static access_mode marked_mode(c_expr **arg)
{
    static const struct {
        const char *name;
        access_mode mode;
    } marks[] = {{"\"input\"", READS}, {"\"output\"", WRITES}, {"\"inout\"", READS_WRITES}};
    c_expr *e = *arg;
    if (e->op != C_BINARY || strcmp(e->text, ",") != 0)
        return 0;
    const c_expr *mark = e->args[0];
    while (mark->op == C_CAST)
        mark = mark->args[0];
    for (int i = 0; i < 3; i++)
        if (strcmp(mark->text, marks[i].name) == 0) {
            *arg = e->args[1];
            return marks[i].mode;
        }
    return 0;
}

/* An argument that is declared as an array is a pointer. */
bool points(const c_param *param)
{
    return param->type.class == TYPE_POINTER || param->type.class == TYPE_ARRAY;
}

/* A pointer that is no tile: what it points to must be of no concern to other tasks. */
bool is_harmless(const build *b, const c_expr *e)
{
    e = c_bare(e);
    if (e->op == C_LEAF || (e->op == C_INT && e->value == 0) || e->op == C_OPAQUE)
        return true;
    if (e->op == C_UNARY && *e->text == '&')
        e = e->args[0];
    if (e->op != C_NAME || e->local)
        return e->op == C_NAME && e->local->kind == LOCAL_PARAM &&
               (e->local->type.class == TYPE_VALUE || e->local->type.class == TYPE_FLOAT);
    const c_variable *v = c_variable_of(b->program->file, e->text);
    return !v || v->type.itself;
}

static bool scalar_arg(build *b, c_expr *arg, int number, const char *kernel)
{
    if (is_timeless(b, arg))
        return true;
    refuse(b,
           "argument %d of %s, '%s', is read from memory when the call is made, and tasks may "
           "change it; copy it into a local before the loops",
           number, kernel, c_text_of(b->memory, arg));
    return false;
}

/* Constness says what a kernel does with a tile, unless the call does. */
static bool pointer_arg(build *b, stmt *s, c_expr *arg, const c_param *param, int i,
                        access_mode mode)
{
    tile t = {0};
    access a;
    const char *why = NULL;
    bool reads = param && points(param) && param->type.fixed;
    bool is_tile = tile_of(b, arg, &t, &why);
    if (!is_tile && !mode && reads && is_harmless(b, arg))
        return true;
    if (!is_tile) {
        refuse(b, "argument %d of %s, '%s', %s%s", i + 1, s->kernel, c_text_of(b->memory, arg), why,
               reads ? "" : "; the kernel may write there");
        return false;
    }
    if (!tile_access(b, arg, mode ? mode : reads ? READS : READS_WRITES, ROLE_ARGUMENT, &a))
        return false;
    if (s->access_count == MOST_ACCESSES) {
        refuse(b, "%s has more than %d tiles", s->kernel, MOST_ACCESSES);
        return false;
    }
    a.arg = i;
    a.flow = param ? param->name : "";
    ARENA_ADD(b->memory, s->accesses, s->access_count, a);
    return true;
}

static bool call_arg(build *b, stmt *s, const c_function *f, c_expr **arg, int i)
{
    const c_param *param = i < f->param_count ? &f->params[i] : NULL;
    access_mode mode = marked_mode(arg);
    bool pointer = mode || !param || points(param);
    if (!param && !mode) {
        refuse(b, "%s is declared without argument %d, so what it does with it is not known",
               s->kernel, i + 1);
        return false;
    }
    return pointer ? pointer_arg(b, s, *arg, param, i, mode)
                   : scalar_arg(b, *arg, i + 1, s->kernel);
}

static const c_function *kernel_of(build *b, const c_expr *call)
{
    const c_expr *name = call->args[0];
    program *p = b->program;
    const c_function *f = name->op == C_NAME ? c_function_of(p->file, name->text) : NULL;
    if (!f)
        refuse(b, "a kernel is called by its name, and '%s' is no function that is declared",
               c_text_of(b->memory, name));
    else if (f == p->function)
        refuse(b, "'%s' calls itself; how deep is not known", f->name);
    else if (f->variadic)
        refuse(b, "%s takes any number of arguments, so what it does with them is not known",
               f->name);
    else
        return f;
    return NULL;
}

void build_call(build *b, c_expr *written)
{
    const c_function *f = kernel_of(b, written);
    c_expr *call = f ? resolved(b, written) : NULL;
    if (!call)
        return;
    stmt s = new_stmt(b, f->name);
    s.call = call;
    for (int i = 1; i < call->count; i++)
        if (!call_arg(b, &s, f, &call->args[i], i - 1)) {
            isl_set_free(s.domain);
            return;
        }
    if (s.access_count)
        add_stmt(b, s);
    else {
        refuse(b, "%s gets no tile, so nothing says when it may run", f->name);
        isl_set_free(s.domain);
    }
}

/* ---- OpenMP tasks ------------------------------------------------------------------------ */

static bool clause_mode(const char *word, access_mode *mode)
{
    static const struct {
        const char *name;
        access_mode mode;
    } modes[] = {{"in", READS},
                 {"out", READS_WRITES}, /* nobody says that all is written */
                 {"inout", READS_WRITES},
                 {"mutexinoutset", READS_WRITES},
                 {"inoutset", READS_WRITES}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(word, modes[i].name) == 0) {
            *mode = modes[i].mode;
            return true;
        }
    return false;
}

static bool is_free_clause(const char *word)
{
    static const char *const words[] = {"firstprivate", "shared",    "default",
                                        "untied",       "mergeable", "final"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static bool add_item(build *b, stmt *s, const c_clause *c, access_mode mode)
{
    access a;
    c_expr *item = c->expr ? resolved(b, c->expr) : NULL;
    if (!item || !tile_access(b, item, mode, ROLE_ITEM, &a))
        return false;
    for (int i = 0; i < s->access_count; i++)
        if (same_tile(&s->accesses[i], &a)) {
            s->accesses[i].mode |= mode;
            return true;
        }
    if (s->access_count < MOST_ACCESSES) {
        ARENA_ADD(b->memory, s->accesses, s->access_count, a);
        return true;
    }
    refuse(b, "the task has more than %d tiles", MOST_ACCESSES);
    return false;
}

static bool add_clause(build *b, stmt *s, const c_clause *c)
{
    access_mode mode;
    if (clause_mode(c->mode, &mode))
        return add_item(b, s, c, mode);
    if (strcmp(c->mode, "priority") == 0)
        return (s->priority = c->expr ? resolved(b, c->expr) : NULL) != NULL;
    if (is_free_clause(c->mode))
        return true;
    refuse(b, "the clause '%s' of a task is not understood", c->mode);
    return false;
}

/* Every local that the body may name, outermost first, so that each may use those before it. */
static bool capture(build *b, const scope *scope, stmt *s)
{
    if (!scope)
        return true;
    if (!capture(b, scope->outer, s))
        return false;
    for (int i = 0; i < scope->count; i++) {
        local *l = scope->locals[i];
        if (l->kind == LOCAL_LOOP || l->kind == LOCAL_ALIAS)
            ARENA_ADD(b->memory, s->captured, s->captured_count, l);
    }
    return true;
}

static const c_expr *only_call(const c_stmt *body)
{
    while (body->kind == C_BLOCK && body->part_count == 1)
        body = body->parts[0];
    return body->kind == C_DO_EXPR && body->cond->op == C_CALL ? body->cond : NULL;
}

/* The tile that an argument names, among those of the task; -1 if none. */
int named_tile(build *b, const stmt *s, c_expr *arg)
{
    access a = {0};
    tile t = {0};
    const char *why = NULL;
    if (!tile_of(b, arg, &t, &why))
        return -1;
    for (int i = 0; i < s->access_count; i++) {
        const access *other = &s->accesses[i];
        const collection *c = &b->program->collections[other->collection];
        bool same = c_same(c->base, t.base) && other->index_count == (t.count ? t.count : 1);
        for (int k = 0; same && k < t.count; k++)
            same = c_same(other->index[k], t.index[k]);
        if (same)
            return i;
    }
    (void)a;
    return -1;
}

/* Is the pointer to the tile made as other tasks make it? */
bool is_passed_alike(build *b, const stmt *s, int k, const c_expr *arg)
{
    collection *c = &b->program->collections[s->accesses[k].collection];
    tile_shape shape = pointer_shape(arg);
    if (c->passed == SHAPE_UNKNOWN)
        c->passed = shape;
    return c->passed == shape || !b->program->distribute;
}

/* Does the call get each tile of the task once, and nothing else that points anywhere? Then it
 * works on whatever memory the tiles are in. */
static bool takes_its_tiles(build *b, stmt *s, const c_function *f, const c_expr *call)
{
    int left = s->access_count;
    if (!f || f->variadic || f->param_count != call->count - 1)
        return false;
    for (int i = 1; i < call->count; i++) {
        const c_param *param = &f->params[i - 1];
        if (!points(param)) {
            if (!is_timeless(b, call->args[i]))
                return false;
            continue;
        }
        int k = named_tile(b, s, call->args[i]);
        if (k < 0 && param->type.fixed && is_harmless(b, call->args[i]))
            continue;
        if (k < 0 || s->accesses[k].arg >= 0 || !is_passed_alike(b, s, k, call->args[i]))
            return false;
        s->accesses[k].arg = i - 1;
        s->accesses[k].flow = param->name;
        left--;
    }
    return left == 0;
}

/* ---- What tasks do to variables ---------------------------------------------------------- */

typedef struct names {
    const struct names *outer;
    const char *name;
} names;

static bool is_inner(const names *inner, const char *name)
{
    for (; inner; inner = inner->outer)
        if (strcmp(inner->name, name) == 0)
            return true;
    return false;
}

static bool takes_address(const c_expr *e, const char *name)
{
    bool found = e->op == C_UNARY && strcmp(e->text, "&") == 0 && e->args[0]->op == C_NAME &&
                 strcmp(e->args[0]->text, name) == 0;
    for (int i = 0; i < e->count && !found; i++)
        found = e->args[i] && takes_address(e->args[i], name);
    return found;
}

/* A change that each task sees alone, as of a copy, is none that the sequential program has. */
static void look_at_use(build *b, const c_expr *e, const names *inner)
{
    for (const scope *o = b->scope; o; o = o->outer)
        for (int i = 0; i < o->count && e; i++) {
            local *l = o->locals[i];
            if (is_inner(inner, l->name) || find_local(b, l->name) != l)
                continue;
            l->exposed |= takes_address(e, l->name);
            if (assigned_in(e, l->name) && !failed(b))
                refuse(b,
                       "the task changes '%s', a variable of the function around it; let it change "
                       "one of its own, or memory that is in its lists",
                       l->name);
        }
}

/* Tasks change what is in their lists, and what is their own. */
static void look_at_body(build *b, const c_stmt *s, const names **inner)
{
    const names *outside = *inner;
    if (s->kind == C_AROUND && !failed(b))
        refuse(b, "there is a '%s' region inside of a task; what runs it is not known",
               s->clauses[0].mode);
    if (s->init)
        look_at_body(b, s->init, inner);
    look_at_use(b, s->cond, *inner);
    look_at_use(b, s->step, *inner);
    for (int i = 0; i < s->declared_count; i++) {
        names *own = arena_get(b->memory, sizeof *own);
        look_at_use(b, s->declared[i].value, *inner);
        *own = (names){*inner, s->declared[i].name};
        *inner = own;
    }
    for (int i = 0; i < s->part_count; i++)
        look_at_body(b, s->parts[i], inner);
    if (s->kind != C_DECLARE)
        *inner = outside;
}

/* ---- Waits ------------------------------------------------------------------------------- */

void build_wait(build *b)
{
    program *p = b->program;
    bool replicated = b->replicated;
    if (!p->tasks)
        return;
    b->replicated = false;
    stmt s = new_stmt(b, "taskwait");
    b->replicated = replicated;
    s.waits = true;
    s.body = "";
    add_stmt(b, s);
}

static void remove_stmt(program *p, int i)
{
    isl_set_free(p->stmts[i].domain);
    memmove(&p->stmts[i], &p->stmts[i + 1], sizeof *p->stmts * (size_t)(p->stmt_count - i - 1));
    p->stmt_count--;
}

/* Those before the first task and after the last one. */
static void remove_idle_waits(program *p)
{
    int first = 0, last = p->stmt_count - 1;
    while (first < p->stmt_count && p->stmts[first].waits)
        first++;
    while (last >= 0 && p->stmts[last].waits)
        last--;
    for (int i = p->stmt_count - 1; i >= 0; i--)
        if (p->stmts[i].waits && !p->stmts[i].depth && (i < first || i > last))
            remove_stmt(p, i);
}

void waits_settle(build *b)
{
    program *p = b->program;
    bool found = false;
    remove_idle_waits(p);
    for (int i = 0; i < p->stmt_count; i++)
        found |= p->stmts[i].waits;
    if (!found)
        return;
    c_expr *all = arena_get(b->memory, sizeof *all), *zero = arena_get(b->memory, sizeof *zero);
    *all = (c_expr){.op = C_NAME, .text = "taskwait", .height = 1};
    *zero = (c_expr){.op = C_INT, .text = "0", .height = 1};
    collection c = {.name = "taskwait", .base = all, .dims = 1, .waits = true};
    ARENA_ADD(b->memory, p->collections, p->collection_count, c);
    for (int i = 0; i < p->stmt_count; i++) {
        stmt *s = &p->stmts[i];
        access a = {.collection = p->collection_count - 1,
                    .mode = s->waits ? READS_WRITES : READS,
                    .index_count = 1,
                    .arg = -1,
                    .at = s->at};
        a.index = arena_get(b->memory, sizeof *a.index);
        a.index[0] = zero;
        ARENA_ADD(b->memory, s->accesses, s->access_count, a);
    }
    /* what tasks do beyond their lists, waits have an order for */
    p->in_place |= !p->distribute;
}

/* ---- A task ------------------------------------------------------------------------------ */

void build_task(build *b, const c_stmt *t)
{
    const names *none = NULL;
    const c_stmt *body = t->parts[0];
    const c_expr *written = only_call(body);
    const char *name = written && written->args[0]->op == C_NAME ? written->args[0]->text : "task";
    program *p = b->program;
    stmt s = new_stmt(b, name);
    bool fine = true;
    for (int i = 0; i < t->clause_count && fine; i++)
        fine = add_clause(b, &s, &t->clauses[i]);
    if (fine && !s.access_count)
        refuse(b, "the task has no depend list, so nothing says when it may run");
    if (fine && !failed(b))
        look_at_body(b, body, &none);
    fine = fine && !failed(b) && capture(b, b->scope, &s);
    s.body = body->text;
    const c_function *f = written ? c_function_of(p->file, name) : NULL;
    if (fine && f && !f->variadic && f->param_count == written->count - 1)
        s.call = resolved(b, written);
    if (s.call && takes_its_tiles(b, &s, f, s.call))
        ;
    else if (fine && !failed(b) && p->distribute && (s.tree = relocated(b, &s, body)))
        s.call = NULL;
    else {
        p->in_place = true;
        p->kept = s.at;
    }
    if (fine && !failed(b))
        add_stmt(b, s);
    else
        isl_set_free(s.domain);
}
