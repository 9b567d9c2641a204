/* Task classes are boxes: nested ranges without conditions. */
#include "loops/write.h"

#include <string.h>

static bool taken(const program *p, const char *name)
{
    static const char *const words[] = {"READ", "WRITE", "RW",  "RO",   "WO",      "CTL",
                                        "NEW",  "NULL",  "END", "BODY", "SIMCOST", "this_task"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    for (int i = 0; i < p->param_count; i++)
        if (strcmp(p->params[i].name, name) == 0)
            return true;
    for (int i = 0; i < p->collection_count; i++)
        if (strcmp(p->collections[i].name, name) == 0)
            return true;
    return false;
}

static bool used_before(const stmt *s, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(s->names[k], s->names[i]) == 0)
            return true;
    return false;
}

/* Names of loops hide nothing. */
static void rename_loops(program *p, stmt *s)
{
    for (int i = 0; i < s->depth; i++)
        for (int number = 2; taken(p, s->names[i]) || used_before(s, i); number++)
            s->names[i] = arena_print(p->memory, "%s_%d", s->loops[i]->name, number);
}

static bool is_box(const program *p, const stmt *s, isl_set *domain)
{
    box b;
    bool fine = box_make(&b, isl_set_copy(domain), s->names, p->context);
    if (fine)
        box_free(&b);
    return fine;
}

typedef struct parts {
    arena *memory;
    isl_set **list;
    int count;
} parts;

static isl_stat keep_part(isl_basic_set *basic, void *user)
{
    parts *x = user;
    ARENA_ADD(x->memory, x->list, x->count, isl_set_from_basic_set(basic));
    return isl_stat_ok;
}

/* A copy of the statement for other instances. */
static stmt copy_of(const program *p, const stmt *s, isl_set *domain, int number)
{
    stmt copy = *s;
    copy.domain = domain;
    copy.name = arena_print(p->memory, "%s_part%d", s->name, number);
    copy.accesses = arena_get(p->memory, sizeof *copy.accesses * (size_t)s->access_count);
    for (int i = 0; i < s->access_count; i++) {
        copy.accesses[i] = s->accesses[i];
        copy.accesses[i].map = isl_map_copy(s->accesses[i].map);
    }
    if (s->on) {
        copy.on = arena_get(p->memory, sizeof *copy.on);
        *copy.on = *s->on;
        copy.on->map = isl_map_copy(s->on->map);
    }
    copy.priority_value = isl_pw_aff_copy(s->priority_value);
    return copy;
}

static bool split(program *p, int i)
{
    stmt *s = &p->stmts[i];
    isl_set *apart = isl_set_make_disjoint(isl_set_compute_divs(isl_set_copy(s->domain)));
    parts x = {.memory = p->memory};
    isl_set_foreach_basic_set(apart, keep_part, &x);
    isl_set_free(apart);
    bool fine = true;
    for (int k = 0; k < x.count && fine; k++)
        fine = is_box(p, s, x.list[k]);
    if (!fine) {
        for (int k = 0; k < x.count; k++)
            isl_set_free(x.list[k]);
        source_say(p->source, ERROR, s->at,
                   "the conditions around %s leave no ranges of loops; "
                   "make them simpler",
                   s->kernel);
        return false;
    }
    isl_set_free(s->domain);
    s->domain = x.list[0];
    for (int k = 1; k < x.count; k++) {
        stmt copy = copy_of(p, &p->stmts[i], x.list[k], k + 1);
        ARENA_ADD(p->memory, p->stmts, p->stmt_count, copy);
    }
    return true;
}

static void drop(program *p, int i)
{
    stmt *s = &p->stmts[i];
    isl_set_free(s->domain);
    isl_pw_aff_free(s->priority_value);
    for (int k = 0; k < s->access_count; k++)
        isl_map_free(s->accesses[k].map);
    memmove(s, s + 1, sizeof *s * (size_t)(p->stmt_count - i - 1));
    p->stmt_count--;
}

bool split_statements(program *p)
{
    int count = p->stmt_count;
    for (int i = 0; i < count; i++) {
        stmt *s = &p->stmts[i];
        s->domain = isl_set_coalesce(isl_set_remove_redundancies(s->domain));
        isl_set *here = isl_set_intersect_params(isl_set_copy(s->domain), isl_set_copy(p->context));
        bool never = isl_set_is_empty(here) == isl_bool_true;
        isl_set_free(here);
        if (never && p->stmt_count == 1) {
            source_say(p->source, ERROR, s->at, "%s never runs here, and nothing else is called",
                       s->kernel);
            return false;
        }
        if (never) {
            source_say(p->source, WARNING, s->at, "%s never runs here", s->kernel);
            drop(p, i--);
            count--;
            continue;
        }
        rename_loops(p, s);
        if (!is_box(p, s, s->domain) && !split(p, i))
            return false;
    }
    return true;
}
