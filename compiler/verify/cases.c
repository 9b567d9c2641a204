/* What is not affine, case by case: 1 << k is 1, 2, 4 or 8 for k from 0 to 3. */
#include "verify/poly.h"

#include <isl/ilp.h>
#include <isl/local_space.h>

/* More cases make sets that isl does not get done with. */
enum { MOST_CASES = 64 };

/* Where a value is which number. */
typedef struct one_case {
    isl_set *where;
    int64_t value;
} one_case;

typedef struct cases {
    one_case list[MOST_CASES];
    int count;
} cases;

static void forget(cases *c)
{
    while (c->count)
        isl_set_free(c->list[--c->count].where);
}

/* The values that it has in the tasks at hand, as a set of numbers. */
static isl_set *values_of(const poly_scope *s, isl_pw_aff *value)
{
    isl_map *map = isl_map_from_pw_aff(isl_pw_aff_copy(value));
    map = isl_map_intersect_domain(map, isl_set_copy(s->domain));
    return isl_set_project_out(isl_map_range(map), isl_dim_param, 0,
                               (unsigned)s->poly->param_count);
}

/* Takes the value. */
static bool small(isl_val *v, int64_t *number)
{
    bool is = v && isl_val_is_int(v) == isl_bool_true && isl_val_cmp_si(v, INT32_MAX) < 0 &&
              isl_val_cmp_si(v, INT32_MIN) > 0;
    *number = is ? isl_val_get_num_si(v) : 0;
    isl_val_free(v);
    return is;
}

static bool bounds_of(const poly_scope *s, isl_pw_aff *value, int64_t *lo, int64_t *hi)
{
    isl_set *values = values_of(s, value);
    isl_local_space *line = isl_local_space_from_space(isl_set_get_space(values));
    isl_aff *number = isl_aff_var_on_domain(line, isl_dim_set, 0);
    bool known = small(isl_set_min_val(values, number), lo);
    known = small(isl_set_max_val(values, number), hi) && known;
    isl_aff_free(number);
    isl_set_free(values);
    return known;
}

/* It is each number between its bounds somewhere. */
static void split_by_bounds(const poly_scope *s, isl_pw_aff *value, cases *c)
{
    int64_t lo, hi;
    if (!bounds_of(s, value, &lo, &hi) || hi - lo >= MOST_CASES)
        return;
    for (int64_t v = lo; v <= hi; v++) {
        isl_val *number = isl_val_int_from_si(s->poly->ctx, v);
        isl_space *space = isl_pw_aff_get_domain_space(value);
        isl_pw_aff *literal = isl_pw_aff_val_on_domain(isl_set_universe(space), number);
        c->list[c->count++] = (one_case){isl_pw_aff_eq_set(isl_pw_aff_copy(value), literal), v};
    }
}

/* One of its pieces; all of them must be numbers. */
static isl_stat add_piece(isl_set *where, isl_aff *aff, void *user)
{
    cases *c = user;
    int64_t value;
    bool is = isl_aff_is_cst(aff) == isl_bool_true &&
              small(isl_aff_get_constant_val(aff), &value) && c->count < MOST_CASES;
    isl_aff_free(aff);
    if (is)
        c->list[c->count++] = (one_case){where, value};
    else
        isl_set_free(where);
    return is ? isl_stat_ok : isl_stat_error;
}

static void split(const poly_scope *s, isl_pw_aff *value, cases *c)
{
    c->count = 0;
    if (isl_pw_aff_foreach_piece(value, add_piece, c) == isl_stat_ok)
        return;
    forget(c);
    split_by_bounds(s, value, c);
}

/* A quotient by 0 has no value, and is left out; whatever else has none makes the whole unknown. */
isl_pw_aff *poly_by_cases(poly_scope *s, ir_op op, isl_pw_aff *a, isl_pw_aff *b)
{
    cases c;
    isl_pw_aff *result = NULL;
    bool known = s->domain;
    if (!known)
        return NULL;
    split(s, b, &c);
    for (int i = 0; i < c.count && known; i++) {
        bool nothing = c.list[i].value == 0 && (op == IR_DIV || op == IR_MOD);
        if (nothing)
            continue;
        isl_pw_aff *value = poly_operate(s, op, isl_pw_aff_copy(a), c.list[i].value);
        known = value;
        value = isl_pw_aff_intersect_domain(value, isl_set_copy(c.list[i].where));
        result = result ? isl_pw_aff_union_add(result, value) : value;
    }
    forget(&c);
    if (!known)
        result = isl_pw_aff_free(result);
    return result;
}
