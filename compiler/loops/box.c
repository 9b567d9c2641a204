/* Bounds of sets, dimension by dimension. */
#include "loops/box.h"

#include <isl/space.h>
#include <isl/val.h>
#include <string.h>

isl_set *as_params(isl_set *set, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        int params = isl_set_dim(set, isl_dim_param);
        set = isl_set_move_dims(set, isl_dim_param, (unsigned)params, isl_dim_set, 0, 1);
        set = isl_set_set_dim_name(set, isl_dim_param, (unsigned)params, names[i]);
    }
    return set;
}

static void free_range(box_range *r)
{
    isl_pw_aff_free(r->lo);
    isl_pw_aff_free(r->hi);
}

void box_free(box *b)
{
    for (int i = 0; i < b->count; i++)
        free_range(&b->ranges[i]);
    isl_set_free(b->guard);
    isl_set_free(b->fills);
}

/* The values of a set of one dimension that the range has. */
static isl_set *values_of(const box_range *r, isl_space *space)
{
    isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
    isl_pw_aff *x = isl_pw_aff_from_aff(isl_aff_var_on_domain(local, isl_dim_set, 0));
    isl_pw_aff *lo = isl_pw_aff_from_range(isl_pw_aff_copy(r->lo));
    isl_pw_aff *hi = isl_pw_aff_from_range(isl_pw_aff_copy(r->hi));
    lo = isl_pw_aff_add_dims(lo, isl_dim_in, 1);
    hi = isl_pw_aff_add_dims(hi, isl_dim_in, 1);
    isl_space_free(space);
    isl_set *inside = isl_pw_aff_ge_set(isl_pw_aff_copy(x), isl_pw_aff_copy(lo));
    inside = isl_set_intersect(inside, isl_pw_aff_le_set(isl_pw_aff_copy(x), hi));
    isl_val *step = isl_val_int_from_si(isl_pw_aff_get_ctx(x), r->step);
    isl_pw_aff *rest = isl_pw_aff_mod_val(isl_pw_aff_sub(x, lo), step);
    return isl_set_intersect(inside, isl_pw_aff_zero_set(rest));
}

static bool find_range(box_range *r, isl_set *line, isl_set *context)
{
    isl_set *where = isl_set_intersect(isl_set_params(isl_set_copy(line)), isl_set_copy(context));
    isl_stride_info *stride = isl_set_get_stride_info(line, 0);
    isl_val *step = isl_stride_info_get_stride(stride);
    r->step = isl_val_is_int(step) == isl_bool_true ? isl_val_get_num_si(step) : 1;
    r->step = r->step < 1 ? 1 : r->step;
    isl_val_free(step);
    isl_stride_info_free(stride);
    bool bounded = isl_set_dim_has_lower_bound(line, isl_dim_set, 0) == isl_bool_true &&
                   isl_set_dim_has_upper_bound(line, isl_dim_set, 0) == isl_bool_true;
    if (!bounded) {
        isl_set_free(where);
        return false;
    }
    r->lo = isl_pw_aff_coalesce(isl_set_dim_min(isl_set_copy(line), 0));
    r->hi = isl_pw_aff_coalesce(isl_set_dim_max(isl_set_copy(line), 0));
    r->lo = isl_pw_aff_coalesce(isl_pw_aff_gist_params(r->lo, isl_set_copy(where)));
    r->hi = isl_pw_aff_coalesce(isl_pw_aff_gist_params(r->hi, isl_set_copy(where)));
    isl_set *same = isl_pw_aff_eq_set(isl_pw_aff_copy(r->lo), isl_pw_aff_copy(r->hi));
    r->single = isl_set_is_subset(where, same) == isl_bool_true;
    isl_set_free(same);
    isl_set *values = values_of(r, isl_set_get_space(line));
    values = isl_set_intersect_params(values, isl_set_copy(where));
    isl_set *wanted = isl_set_intersect_params(isl_set_copy(line), where);
    bool equal = isl_set_is_equal(values, wanted) == isl_bool_true;
    isl_set_free(wanted);
    isl_set_free(values);
    return equal;
}

static isl_stat has_quotient(isl_set *set, isl_aff *aff, void *user)
{
    bool *found = user;
    *found |= isl_aff_dim(aff, isl_dim_div) > 0;
    isl_set_free(set);
    isl_aff_free(aff);
    return isl_stat_ok;
}

/* Has the value one form, that holds beyond where it was found? Quotients do not: C rounds those of
 * negative numbers otherwise. */
static bool goes_on(isl_pw_aff *value)
{
    bool quotient = false;
    isl_set *domain = isl_pw_aff_domain(isl_pw_aff_copy(value));
    bool all = isl_pw_aff_n_piece(value) == 1 && isl_set_plain_is_universe(domain) == isl_bool_true;
    isl_set_free(domain);
    isl_pw_aff_foreach_piece(value, has_quotient, &quotient);
    return all && !quotient;
}

/* Where no condition need say that the first range has values: it says so itself. */
static isl_set *find_fills(const box *b, isl_set *context)
{
    isl_set *all = isl_set_copy(context);
    for (int i = 0; i < b->count; i++) {
        const box_range *r = &b->ranges[i];
        if (r->single)
            continue;
        if (goes_on(r->lo) && goes_on(r->hi) && isl_pw_aff_dim(r->lo, isl_dim_in) == 0) {
            isl_set *some = isl_pw_aff_le_set(isl_pw_aff_copy(r->lo), isl_pw_aff_copy(r->hi));
            some = isl_set_params(some);
            /* the dimensions before it are no parameters of the whole */
            for (int k = 0; k < i; k++) {
                int at = isl_set_find_dim_by_name(some, isl_dim_param, b->ranges[k].name);
                if (at >= 0 &&
                    isl_set_involves_dims(some, isl_dim_param, (unsigned)at, 1) == isl_bool_true) {
                    isl_set_free(some);
                    return all;
                }
                if (at >= 0)
                    some = isl_set_project_out(some, isl_dim_param, (unsigned)at, 1);
            }
            all = isl_set_intersect(all, some);
        }
        break;
    }
    return all;
}

bool box_make(box *b, isl_set *set, const char *const *names, isl_set *context)
{
    int n = isl_set_dim(set, isl_dim_set);
    *b = (box){.guard = isl_set_params(isl_set_copy(set))};
    bool fine = true;
    for (int i = 0; i < n && fine; i++) {
        isl_set *line = isl_set_project_out(isl_set_copy(set), isl_dim_set, (unsigned)i + 1,
                                            (unsigned)(n - i - 1));
        line = as_params(line, names, i);
        b->ranges[i].name = names[i];
        b->count = i + 1;
        fine = find_range(&b->ranges[i], line, context);
        isl_set_free(line);
    }
    isl_set_free(set);
    if (fine)
        b->fills = find_fills(b, context);
    else
        box_free(b);
    return fine;
}

/* ---- Several ----------------------------------------------------------------------------- */

typedef struct splitter {
    const char *const *names;
    isl_set *context;
    box *boxes;
    int count, room;
    bool fine;
} splitter;

enum { MOST_BOXES = 60 };

/* Are all of its bounds plain sums? */
static bool is_simple(const box *b)
{
    for (int i = 0; i < b->count; i++)
        if (isl_pw_aff_n_piece(b->ranges[i].lo) > 1 || isl_pw_aff_n_piece(b->ranges[i].hi) > 1)
            return false;
    return true;
}

static isl_stat split_basic(isl_basic_set *basic, void *user)
{
    splitter *s = user;
    isl_set *set = isl_set_from_basic_set(basic);
    if (!s->fine || s->count == MOST_BOXES) {
        s->fine = false;
        isl_set_free(set);
    } else if (box_make(&s->boxes[s->count], set, s->names, s->context))
        s->count++;
    else
        s->fine = false;
    return isl_stat_ok;
}

/* All of its parts as boxes; takes the set. */
static void split(splitter *s, isl_set *set)
{
    s->fine = true;
    s->count = 0;
    set = isl_set_make_disjoint(isl_set_compute_divs(set));
    isl_set_foreach_basic_set(set, split_basic, s);
    isl_set_free(set);
}

static bool all_simple(const splitter *s)
{
    bool simple = s->fine;
    for (int i = 0; i < s->count && simple; i++)
        simple = is_simple(&s->boxes[i]);
    return simple;
}

static void forget(splitter *s)
{
    for (int i = 0; i < s->count; i++)
        box_free(&s->boxes[i]);
    s->count = 0;
}

bool boxes_of(isl_set *set, const char *const *names, isl_set *context, box_visit *visit,
              void *user)
{
    box boxes[MOST_BOXES], whole;
    splitter s = {.names = names, .context = context, .boxes = boxes};
    isl_set *joined = isl_set_coalesce(isl_set_copy(set));
    bool fine = true;
    bool empty = isl_set_is_empty(joined) == isl_bool_true;
    bool is_box = !empty && box_make(&whole, isl_set_copy(joined), names, context);
    /* one box with bounds that depend on cases reads worse than several without */
    if (!empty && !(is_box && is_simple(&whole))) {
        split(&s, isl_set_copy(set));
        if (!all_simple(&s)) {
            forget(&s);
            split(&s, isl_set_copy(joined));
        }
        if (is_box && !all_simple(&s))
            forget(&s);
        else if (is_box) {
            box_free(&whole);
            is_box = false;
        }
    }
    if (is_box) {
        fine = visit(user, &whole);
        box_free(&whole);
    } else
        fine = empty || s.fine;
    for (int i = 0; i < s.count && fine; i++)
        fine = visit(user, &boxes[i]);
    forget(&s);
    isl_set_free(joined);
    isl_set_free(set);
    return fine;
}
