/* Sections of depend lists: what is known of tiles when their lengths are. */
#include "loops/build.h"

#include <isl/space.h>
#include <string.h>

/* Where tiles of the array begin, all together. */
static isl_set *beginnings(const program *p, int number)
{
    isl_set *all = NULL;
    for (int i = 0; i < p->stmt_count; i++)
        for (int k = 0; k < p->stmts[i].access_count; k++) {
            const access *a = &p->stmts[i].accesses[k];
            if (a->collection != number)
                continue;
            isl_set *domain = isl_set_copy(p->stmts[i].domain);
            isl_set *some = isl_map_range(isl_map_intersect_domain(isl_map_copy(a->map), domain));
            all = all ? isl_set_union(all, some) : some;
        }
    return isl_set_intersect_params(all, isl_set_copy(p->context));
}

/* Does one begin inside of another? */
static bool overlap(const program *p, int number, int64_t length)
{
    isl_set *all = beginnings(p, number);
    isl_map *inside = isl_map_lex_lt(isl_set_get_space(all)); /* x -> y: x < y */
    inside = isl_map_intersect_domain(inside, isl_set_copy(all));
    inside = isl_map_intersect_range(inside, all);
    isl_set *distances = isl_map_deltas(inside);
    distances = isl_set_upper_bound_si(distances, isl_dim_set, 0, (int)length - 1);
    bool found = isl_set_is_empty(distances) == isl_bool_false;
    isl_set_free(distances);
    return found;
}

/* OpenMP compares where sections begin. If they overlap otherwise, neither it nor a graph knows. */
void sections_check(build *b)
{
    const program *p = b->program;
    for (int i = 0; i < p->collection_count && !failed(b); i++) {
        const collection *c = &p->collections[i];
        bool number = c->length && c->length->op == C_INT && c->dims == 1 && !c->linear;
        b->at = c->sections;
        if (c->unlike)
            source_say(b->source, WARNING, b->at,
                       "sections of '%s' have different lengths; tasks wait for those that begin "
                       "where theirs do, and for no others",
                       c->name);
        else if (number && c->length->value > 1 && overlap(p, i, c->length->value))
            refuse(b,
                   "sections of '%s' overlap without being the same; tasks wait for those that "
                   "begin where theirs do, and for no others",
                   c->name);
    }
}
