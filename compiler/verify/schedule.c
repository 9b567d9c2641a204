/* Schedules, found by isl and checked here once more.
 *
 * isl gives all tasks of a class one formula for their time. Where tasks of one class play several
 * parts (in step k of Floyd and Warshall's algorithm the tile (k,k) comes first, then its row and
 * its column, then the rest) there is none, unless each part may have its own. What the parts are
 * the dependencies tell: whatever lies in the same ones of their domains and ranges is a part. */
#include "verify/schedule.h"

#include "verify/proof.h"

#include <isl/schedule.h>

/* Does the schedule put every receiver after its sender? Takes the schedule. */
static bool respects(isl_union_map *waits, isl_union_map *schedule)
{
    isl_union_map *times =
        isl_union_map_apply_range(isl_union_map_copy(waits), isl_union_map_copy(schedule));
    times = isl_union_map_apply_domain(times, schedule);
    if (isl_union_map_n_map(times) != 1) {
        isl_union_map_free(times);
        return false;
    }
    isl_map *map = isl_map_from_union_map(times);
    isl_map *later = isl_map_lex_lt(isl_space_range(isl_map_get_space(map)));
    bool good = isl_map_is_subset(map, later) == isl_bool_true;
    isl_map_free(map);
    isl_map_free(later);
    return good;
}

/* Every task and every wait must be in the schedule, or the check above would miss some. */
static bool covers(isl_union_set *tasks, isl_union_map *schedule)
{
    isl_union_set *scheduled = isl_union_map_domain(isl_union_map_copy(schedule));
    bool all = isl_union_set_is_subset(tasks, scheduled) == isl_bool_true;
    isl_union_set_free(scheduled);
    return all;
}

static bool with_one_formula(poly *p, isl_union_set *tasks, isl_union_map *waits)
{
    poly_fresh_budget(p);
    isl_schedule_constraints *c = isl_schedule_constraints_on_domain(isl_union_set_copy(tasks));
    c = isl_schedule_constraints_set_validity(c, isl_union_map_copy(waits));
    isl_schedule *schedule = isl_schedule_constraints_compute_schedule(c);
    isl_union_map *map = schedule ? isl_schedule_get_map(schedule) : NULL;
    isl_schedule_free(schedule);
    if (map && covers(tasks, map))
        return respects(waits, map);
    isl_union_map_free(map);
    return false;
}

/* ---- Parts of classes -------------------------------------------------------------------- */

enum { MOST_PARTS = 32 };

typedef struct parts {
    poly *poly;
    isl_set *list[MOST_PARTS];
    int count;
    bool too_many;
} parts;

/* Takes the set. */
static void add_part(parts *s, isl_set *part)
{
    bool empty = isl_set_is_empty(part) == isl_bool_true;
    if (!empty && s->count < MOST_PARTS) {
        s->list[s->count++] = isl_set_coalesce(part);
        return;
    }
    s->too_many |= !empty;
    isl_set_free(part);
}

static bool of_one_class(isl_set *a, isl_set *b)
{
    isl_space *x = isl_set_get_space(a), *y = isl_set_get_space(b);
    bool are = isl_space_is_equal(x, y) == isl_bool_true;
    isl_space_free(x);
    isl_space_free(y);
    return are;
}

/* Whatever lies in some of the set only is two parts from now on. Takes the set. */
static void cut(parts *s, isl_set *by)
{
    for (int i = 0, count = s->count; i < count; i++) {
        isl_set *part = s->list[i];
        if (!of_one_class(part, by))
            continue;
        isl_set *inside = isl_set_intersect(isl_set_copy(part), isl_set_copy(by));
        if (isl_set_is_empty(inside) != isl_bool_false) {
            isl_set_free(inside);
            continue;
        }
        add_part(s, isl_set_subtract(part, isl_set_copy(by)));
        s->list[i] = isl_set_coalesce(inside);
    }
    isl_set_free(by);
}

static isl_stat add_class(isl_set *tasks, void *user)
{
    add_part(user, tasks);
    return isl_stat_ok;
}

static void cut_by_ends(parts *s, const poly_dep *d)
{
    poly_fresh_budget(s->poly);
    isl_map *wait = waiting(s->poly, d);
    if (!wait)
        return;
    cut(s, isl_map_domain(isl_map_copy(wait)));
    cut(s, isl_map_range(wait));
}

/* The part on its own: a tuple with another name. */
static isl_set *named(const parts *s, int part)
{
    isl_id *id = isl_id_alloc(s->poly->ctx, arena_print(s->poly->memory, "part %d", part), NULL);
    return isl_set_set_tuple_id(isl_set_copy(s->list[part]), id);
}

/* Part -> the same tasks with the name of the part. */
static isl_union_map *renaming(const parts *s)
{
    isl_union_map *all = isl_union_map_empty(isl_space_copy(s->poly->space));
    for (int i = 0; i < s->count; i++) {
        isl_set *to = named(s, i);
        isl_map *map = isl_map_identity(isl_space_map_from_set(isl_set_get_space(s->list[i])));
        map = isl_map_set_tuple_id(map, isl_dim_out, isl_set_get_tuple_id(to));
        map = isl_map_intersect_domain(map, isl_set_copy(s->list[i]));
        all = isl_union_map_add_map(all, map);
        isl_set_free(to);
    }
    return all;
}

static bool with_parts(poly *p, isl_union_set *tasks, isl_union_map *waits)
{
    parts s = {.poly = p};
    bool found = false;
    poly_fresh_budget(p);
    isl_union_set_foreach_set(tasks, add_class, &s);
    int classes = s.count;
    for (int i = 0; i < p->dep_count; i++)
        cut_by_ends(&s, &p->deps[i]);
    if (!s.too_many && s.count > classes) {
        poly_fresh_budget(p);
        isl_union_map *names = renaming(&s);
        isl_union_set *split =
            isl_union_set_apply(isl_union_set_copy(tasks), isl_union_map_copy(names));
        isl_union_map *apart =
            isl_union_map_apply_domain(isl_union_map_copy(waits), isl_union_map_copy(names));
        apart = isl_union_map_apply_range(apart, names);
        found = with_one_formula(p, split, apart);
        isl_union_set_free(split);
        isl_union_map_free(apart);
    }
    while (s.count)
        isl_set_free(s.list[--s.count]);
    return found;
}

bool schedule_exists(poly *p, isl_union_set *tasks, isl_union_map *waits)
{
    return with_one_formula(p, tasks, waits) || with_parts(p, tasks, waits);
}
