/* The lines of flows: where data come from, and where they go. */
#include "loops/write.h"

#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

const char control_flow[] = "ORDER";

/* One target and where it applies. */
typedef struct line {
    isl_set *guard; /* where it applies */
    isl_set *fills; /* where it need not say so */
    const char *target;
    const char *when; /* what it says; NULL: nothing */
} line;

typedef struct lines {
    writer *w;
    line *list;
    int count;
    const char *flow, *name; /* of the target; no flow: memory */
} lines;

static const stmt *stmt_of(const writer *w)
{
    return &w->program->stmts[w->stmt];
}

/* ---- Targets ----------------------------------------------------------------------------- */

static bool mentions(isl_pw_aff *value, const char *name)
{
    int at = isl_pw_aff_find_dim_by_name(value, isl_dim_param, name);
    return at >= 0 &&
           isl_pw_aff_involves_dims(value, isl_dim_param, (unsigned)at, 1) == isl_bool_true;
}

static bool needed_later(const box *b, int i)
{
    for (int k = i + 1; k < b->count; k++)
        if (mentions(b->ranges[k].lo, b->ranges[i].name) ||
            mentions(b->ranges[k].hi, b->ranges[i].name))
            return true;
    return false;
}

static void write_range(const writer *w, FILE *out, const box_range *r, isl_set *context)
{
    fputs(value_text(w->memory, r->lo, context), out);
    if (r->single)
        return;
    fprintf(out, "..%s", value_text(w->memory, r->hi, context));
    if (r->step != 1)
        fprintf(out, "..%lld", (long long)r->step);
}

/* [i = lo..hi] FLOW NAME(i, ...) */
static const char *target_text(lines *l, const box *b)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    isl_set *context = isl_set_intersect(isl_set_copy(l->w->context), isl_set_copy(b->guard));
    const char *between = "[";
    bool iterates[MOST_LOOPS];
    if (!out)
        exit(3);
    for (int i = 0; i < b->count; i++) {
        /* a single value that later ranges name is easier to read as an iterator, too */
        iterates[i] = needed_later(b, i);
        if (!iterates[i])
            continue;
        fprintf(out, "%s%s = ", between, b->ranges[i].name);
        write_range(l->w, out, &b->ranges[i], context);
        if (b->ranges[i].single)
            fprintf(out, "..%s", value_text(l->w->memory, b->ranges[i].lo, context));
        between = ", ";
    }
    fputs(*between == ',' ? "] " : "", out);
    if (l->flow)
        fprintf(out, "%s ", l->flow);
    fprintf(out, "%s(", l->name);
    for (int i = 0; i < b->count; i++) {
        fputs(i ? ", " : "", out);
        if (iterates[i])
            fputs(b->ranges[i].name, out);
        else
            write_range(l->w, out, &b->ranges[i], context);
    }
    if (!b->count)
        fputc('0', out);
    fputc(')', out);
    fclose(out);
    isl_set_free(context);
    const char *result = arena_text(l->w->memory, text, size);
    free(text);
    return result;
}

static bool add_line(void *user, const box *b)
{
    lines *l = user;
    line new = {.target = target_text(l, b)};
    new.guard = isl_set_intersect(isl_set_copy(b->guard), isl_set_copy(l->w->context));
    new.fills = isl_set_intersect(isl_set_copy(b->fills), isl_set_copy(l->w->context));
    ARENA_ADD(l->w->memory, l->list, l->count, new);
    return true;
}

/* Names for the dimensions of a target that nothing here has. */
static void iterator_names(const writer *w, const char **names, const char *const *wanted, int n)
{
    const stmt *s = stmt_of(w);
    for (int i = 0; i < n; i++) {
        names[i] = wanted[i];
        for (int k = 0; k < s->depth + i; k++) {
            const char *other = k < s->depth ? s->names[k] : names[k - s->depth];
            if (strcmp(other, names[i]) == 0) {
                names[i] = arena_print(w->memory, "%s_", names[i]);
                k = -1;
            }
        }
    }
}

/* The dimensions of the instance become parameters. */
static isl_map *inner_params(const writer *w, isl_map *map)
{
    const stmt *s = stmt_of(w);
    for (int i = 0; i < s->depth; i++) {
        int params = isl_map_dim(map, isl_dim_param);
        map = isl_map_move_dims(map, isl_dim_param, (unsigned)params, isl_dim_in, 0, 1);
        map = isl_map_set_dim_name(map, isl_dim_param, (unsigned)params, s->names[i]);
    }
    return map;
}

static void refuse_lines(const lines *l)
{
    const stmt *s = stmt_of(l->w);
    source_say(l->w->program->source, ERROR, s->at,
               "what %s and %s have to do with each other is no list of ranges; make the "
               "conditions or indices simpler",
               s->name, l->name);
}

/* Lines for a relation from instances here to targets. */
static void add_targets(lines *l, isl_map *map, const char *const *wanted)
{
    writer *w = l->w;
    const char *names[MOST_LOOPS + 1];
    int n = isl_map_dim(map, isl_dim_out);
    int before = l->count;
    iterator_names(w, names, wanted, n);
    map = isl_map_intersect_params(map, isl_set_copy(w->program->context));
    isl_set *set = isl_map_range(inner_params(w, map));
    if (boxes_of(set, names, w->context, add_line, l))
        return;
    l->count = before;
    refuse_lines(l);
}

typedef struct tile_line {
    lines *lines;
    isl_set *where;
} tile_line;

static bool add_tile_line(void *user, const box *b)
{
    tile_line *t = user;
    lines *l = t->lines;
    line new = {.target = target_text(l, b)};
    new.guard = isl_set_intersect_params(isl_set_copy(t->where), isl_set_copy(l->w->context));
    new.fills = isl_set_copy(l->w->context);
    ARENA_ADD(l->w->memory, l->list, l->count, new);
    return true;
}

/* A tile by its indices as the text has them, even where they could be said shorter. */
static void add_tile(lines *l, const access *a, isl_set *where)
{
    static const char *const names[MOST_LOOPS + 1] = {"t0", "t1", "t2", "t3", "t4", "t5",
                                                      "t6", "t7", "t8", "t9", "t10"};
    writer *w = l->w;
    const stmt *s = stmt_of(w);
    isl_set *here =
        isl_set_intersect_params(isl_set_copy(where), isl_set_copy(w->program->context));
    if (isl_set_is_empty(here) == isl_bool_true) {
        isl_set_free(here);
        return;
    }
    tile_line t = {l, isl_set_coalesce(isl_set_params(as_params(here, s->names, s->depth)))};
    box b;
    l->flow = NULL;
    l->name = w->program->collections[a->collection].name;
    isl_set *tiles = isl_map_range(inner_params(w, isl_map_copy(a->map)));
    tiles = isl_set_intersect_params(tiles, isl_set_copy(w->context));
    if (box_make(&b, tiles, names, w->context)) {
        add_tile_line(&t, &b);
        box_free(&b);
    } else
        refuse_lines(l);
    isl_set_free(t.where);
}

static void add_tasks(lines *l, const edge *e, bool back)
{
    const program *p = l->w->program;
    int other = back ? e->from : e->to, number = back ? e->from_access : e->to_access;
    l->flow = number < 0 ? control_flow : l->w->flows[other][number];
    l->name = p->stmts[other].name;
    isl_map *map = isl_map_copy(e->map);
    add_targets(l, back ? isl_map_reverse(map) : map, p->stmts[other].names);
}

/* ---- Text -------------------------------------------------------------------------------- */

static void free_lines(lines *l)
{
    for (int i = 0; i < l->count; i++) {
        isl_set_free(l->list[i].guard);
        isl_set_free(l->list[i].fills);
    }
}

static void find_guards(const lines *l)
{
    for (int i = 0; i < l->count; i++)
        l->list[i].when = condition_text(l->w->memory, l->list[i].guard, l->list[i].fills);
}

/* Does one of the two always apply, and never both? */
static bool are_opposite(const lines *l, const line *x, const line *y)
{
    isl_set *all = isl_set_union(isl_set_copy(x->guard), isl_set_copy(y->guard));
    bool opposite = isl_set_is_subset(l->w->context, all) == isl_bool_true &&
                    isl_set_is_disjoint(x->guard, y->guard) == isl_bool_true;
    isl_set_free(all);
    return opposite;
}

/* The shorter condition is the one to read. */
static void write_pair(const lines *l, const line *x, const line *y)
{
    const char *a = condition_text(l->w->memory, x->guard, l->w->context);
    const char *b = condition_text(l->w->memory, y->guard, l->w->context);
    bool first = strlen(a ? a : "") <= strlen(b ? b : "");
    fprintf(l->w->out, "(%s) ? %s : %s\n", first ? a : b, first ? x->target : y->target,
            first ? y->target : x->target);
}

/* The first line of a flow stands behind its name. */
static void write_lines(const lines *l, const char *arrow, const char **before)
{
    static const char indent[] = "          ";
    bool *done = arena_get(l->w->memory, (size_t)l->count + 1);
    find_guards(l);
    for (int i = 0; i < l->count; i++) {
        const line *x = &l->list[i];
        if (done[i])
            continue;
        fprintf(l->w->out, "%s%s ", *before, arrow);
        *before = indent;
        const char *guard = x->when;
        int other = i + 1;
        while (guard && other < l->count &&
               (done[other] || !l->list[other].when || !are_opposite(l, x, &l->list[other])))
            other++;
        if (guard && other < l->count) {
            done[other] = true;
            write_pair(l, x, &l->list[other]);
        } else if (guard)
            fprintf(l->w->out, "(%s) ? %s\n", guard, x->target);
        else
            fprintf(l->w->out, "%s\n", x->target);
    }
}

/* ---- Flows ------------------------------------------------------------------------------- */

static void write_inputs(writer *w, int number, const char **before)
{
    const dependences *d = w->deps;
    const access *a = &stmt_of(w)->accesses[number];
    lines l = {.w = w};
    if (a->mode == WRITES) {
        fprintf(w->out, "%s<- NEW\n", *before);
        *before = "          ";
        return;
    }
    add_tile(&l, a, d->loads[d->first[w->stmt] + number]);
    for (int i = 0; i < d->data_count; i++)
        if (d->data[i].to == w->stmt && d->data[i].to_access == number)
            add_tasks(&l, &d->data[i], true);
    write_lines(&l, "<-", before);
    free_lines(&l);
}

static void write_outputs(writer *w, int number, const char **before)
{
    const dependences *d = w->deps;
    const access *a = &stmt_of(w)->accesses[number];
    lines l = {.w = w};
    for (int i = 0; i < d->data_count; i++)
        if (d->data[i].from == w->stmt && d->data[i].from_access == number)
            add_tasks(&l, &d->data[i], false);
    if (a->mode & WRITES)
        add_tile(&l, a, d->stores[d->first[w->stmt] + number]);
    write_lines(&l, "->", before);
    free_lines(&l);
}

void write_flow(writer *w, int number)
{
    static const char *const modes[] = {"", "READ ", "WRITE", "RW   "};
    const stmt *s = stmt_of(w);
    const char *before = " ";
    fprintf(w->out, "  %s %s", modes[s->accesses[number].mode], w->flows[w->stmt][number]);
    write_inputs(w, number, &before);
    write_outputs(w, number, &before);
    if (*before == ' ' && !before[1])
        fputc('\n', w->out);
}

bool has_control(const writer *w, int s)
{
    for (int i = 0; i < w->deps->control_count; i++)
        if (w->deps->control[i].from == s || w->deps->control[i].to == s)
            return true;
    return false;
}

void write_control(writer *w)
{
    const dependences *d = w->deps;
    if (!has_control(w, w->stmt))
        return;
    const char *before = " ";
    fprintf(w->out, "  CTL   %s", control_flow);
    for (int back = 1; back >= 0; back--) {
        lines l = {.w = w};
        for (int i = 0; i < d->control_count; i++)
            if ((back ? d->control[i].to : d->control[i].from) == w->stmt)
                add_tasks(&l, &d->control[i], back);
        write_lines(&l, back ? "<-" : "->", &before);
        free_lines(&l);
    }
}

void write_place(writer *w)
{
    const stmt *s = stmt_of(w);
    const access *place = s->on;
    if (w->program->in_place || s->waits) {
        fputs(": 0 == rowRANK\n", w->out);
        return;
    }
    for (int i = 0; i < s->access_count && !place; i++)
        if (s->accesses[i].mode & WRITES)
            place = &s->accesses[i];
    place = place ? place : &s->accesses[0];
    fprintf(w->out, ": %s(", w->program->collections[place->collection].name);
    isl_pw_multi_aff *tile = isl_pw_multi_aff_from_map(inner_params(w, isl_map_copy(place->map)));
    int dims = isl_map_dim(place->map, isl_dim_out);
    for (int i = 0; i < dims; i++) {
        isl_pw_aff *value = isl_pw_multi_aff_get_pw_aff(tile, i);
        value = isl_pw_aff_gist_params(isl_pw_aff_project_domain_on_params(value),
                                       isl_set_copy(w->context));
        fprintf(w->out, "%s%s", i ? ", " : "",
                value_text(w->memory, isl_pw_aff_coalesce(value), w->context));
        isl_pw_aff_free(value);
    }
    isl_pw_multi_aff_free(tile);
    fputs(")\n", w->out);
}
