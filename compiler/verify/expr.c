/* Expressions as isl sees them: piecewise affine values and sets. */
#include "verify/poly.h"

bool poly_constant(isl_pw_aff *value, int64_t *result)
{
    if (isl_pw_aff_isa_aff(value) != isl_bool_true)
        return false;
    isl_aff *aff = isl_pw_aff_as_aff(isl_pw_aff_copy(value));
    bool is = isl_aff_is_cst(aff) == isl_bool_true;
    isl_val *v = is ? isl_aff_get_constant_val(aff) : NULL;
    is = v && isl_val_is_int(v) == isl_bool_true && isl_val_cmp_si(v, INT32_MAX) < 0 &&
         isl_val_cmp_si(v, INT32_MIN) > 0;
    if (is)
        *result = isl_val_get_num_si(v);
    isl_val_free(v);
    isl_aff_free(aff);
    return is;
}

static isl_pw_aff *number(poly_scope *s, int64_t value)
{
    isl_val *v = isl_val_int_from_si(s->poly->ctx, value);
    isl_local_space *where = isl_local_space_from_space(isl_space_copy(s->space));
    return isl_pw_aff_from_aff(isl_aff_val_on_domain(where, v));
}

isl_pw_aff *poly_variable(poly_scope *s, enum isl_dim_type type, int dim)
{
    isl_local_space *where = isl_local_space_from_space(isl_space_copy(s->space));
    return isl_pw_aff_from_aff(isl_aff_var_on_domain(where, type, (unsigned)dim));
}

isl_pw_aff *poly_fail(poly_scope *s, const ir_expr *e)
{
    if (!s->poly->cause)
        s->poly->cause = e;
    return NULL;
}

static isl_pw_aff *leaf(poly_scope *s, const ir_expr *e)
{
    if (e->op == IR_INT)
        return number(s, e->value);
    if (e->op == IR_LOCAL)
        return poly_variable(s, isl_dim_set, e->index);
    if (e->op == IR_ITER)
        return poly_variable(s, isl_dim_set, s->iter_base + e->index);
    if (e->op == IR_GLOBAL && poly_is_given(s->poly, &s->poly->file->globals[e->index])) {
        const ir_expr *value = s->poly->file->globals[e->index].value;
        return value ? poly_value(s, value) : number(s, 0);
    }
    if (e->op == IR_MEMBER && s->poly->file->members[e->index].given)
        return number(s, s->poly->file->members[e->index].value);
    return poly_fail(s, e);
}

/* a / by and a % by, towards zero as C has it. */
static isl_pw_aff *divide(poly_scope *s, ir_op op, isl_pw_aff *a, int64_t by)
{
    isl_pw_aff *divisor = number(s, by < 0 ? -by : by);
    if (op == IR_MOD)
        return isl_pw_aff_tdiv_r(a, divisor);
    a = isl_pw_aff_tdiv_q(a, divisor);
    return by < 0 ? isl_pw_aff_neg(a) : a;
}

static isl_pw_aff *scale(poly_scope *s, isl_pw_aff *a, int64_t by)
{
    return isl_pw_aff_scale_val(a, isl_val_int_from_si(s->poly->ctx, by));
}

static isl_pw_aff *shift_down(poly_scope *s, isl_pw_aff *a, int bits)
{
    isl_val *factor = isl_val_int_from_si(s->poly->ctx, INT64_C(1) << bits);
    return isl_pw_aff_floor(isl_pw_aff_scale_down_val(a, factor));
}

/* Each bit that `with` has turns over: 2^i is added where bit i of a is 0, and taken away where it
 * is 1. Takes a. */
static isl_pw_aff *flip(poly_scope *s, isl_pw_aff *a, int64_t with)
{
    if (with < 0) /* ~(a ^ ~with) */
        return isl_pw_aff_sub(number(s, -1), flip(s, a, ~with));
    isl_pw_aff *result = isl_pw_aff_copy(a);
    for (int i = 0; i < 62 && with >> i; i++) {
        if (!(with >> i & 1))
            continue;
        isl_pw_aff *twice = scale(s, shift_down(s, isl_pw_aff_copy(a), i + 1), 2);
        isl_pw_aff *bit = isl_pw_aff_sub(shift_down(s, isl_pw_aff_copy(a), i), twice);
        isl_pw_aff *sign = isl_pw_aff_sub(number(s, 1), scale(s, bit, 2));
        result = isl_pw_aff_add(result, scale(s, sign, INT64_C(1) << i));
    }
    isl_pw_aff_free(a);
    return result;
}

isl_pw_aff *poly_operate(poly_scope *s, ir_op op, isl_pw_aff *a, int64_t by)
{
    bool shifts = by >= 0 && by < 62;
    if (op == IR_MUL)
        return scale(s, a, by);
    if (op == IR_XOR)
        return flip(s, a, by);
    if ((op == IR_DIV || op == IR_MOD) && by != 0)
        return divide(s, op, a, by);
    if (op == IR_SHL && shifts)
        return scale(s, a, INT64_C(1) << by);
    if (op == IR_SHR && shifts)
        return shift_down(s, a, (int)by);
    isl_pw_aff_free(a);
    return NULL;
}

/* Affine if one of the two is known, in each of a few cases at least. Takes both. */
static isl_pw_aff *combine(poly_scope *s, const ir_expr *e, isl_pw_aff *a, isl_pw_aff *b)
{
    int64_t by;
    isl_pw_aff *result;
    bool commutes = e->op == IR_MUL || e->op == IR_XOR;
    if (commutes && poly_constant(a, &by)) {
        isl_pw_aff *other = a;
        a = b;
        b = other;
    }
    if (poly_constant(b, &by))
        result = poly_operate(s, e->op, isl_pw_aff_copy(a), by);
    else
        result = poly_by_cases(s, e->op, a, b);
    if (!result && commutes)
        result = poly_by_cases(s, e->op, b, a);
    isl_pw_aff_free(a);
    isl_pw_aff_free(b);
    return result ? result : poly_fail(s, e);
}

static isl_pw_aff *arithmetic(poly_scope *s, const ir_expr *e)
{
    isl_pw_aff *a = poly_value(s, e->args[0]);
    isl_pw_aff *b = a && e->count > 1 ? poly_value(s, e->args[1]) : NULL;
    if (!a || (e->count > 1 && !b)) {
        isl_pw_aff_free(a);
        return NULL;
    }
    switch (e->op) {
    case IR_NEG:
        return isl_pw_aff_neg(a);
    case IR_ADD:
        return isl_pw_aff_add(a, b);
    case IR_SUB:
        return isl_pw_aff_sub(a, b);
    default:
        return combine(s, e, a, b);
    }
}

static bool is_truth(const ir_expr *e)
{
    return e->op == IR_NOT || (e->op >= IR_LT && e->op <= IR_OR) ||
           (e->op == IR_INT && (e->value == 0 || e->value == 1)) ||
           (e->op == IR_XOR && is_truth(e->args[0]) && is_truth(e->args[1]));
}

static isl_pw_aff *indicator(poly_scope *s, const ir_expr *e)
{
    bool exact = true;
    isl_set *set = poly_truth(s, e, &exact);
    if (!exact) {
        isl_set_free(set);
        return NULL;
    }
    return isl_set_indicator_function(set);
}

static isl_pw_aff *choice(poly_scope *s, const ir_expr *e)
{
    isl_pw_aff *if_ = indicator(s, e->args[0]);
    isl_pw_aff *then = if_ ? poly_value(s, e->args[1]) : NULL;
    isl_pw_aff *else_ = then ? poly_value(s, e->args[2]) : NULL;
    return isl_pw_aff_cond(if_, then, else_);
}

static isl_pw_aff *computed(poly_scope *s, const ir_expr *e)
{
    if (is_truth(e) && e->op != IR_INT)
        return isl_pw_aff_coalesce(indicator(s, e));
    switch (e->op) {
    case IR_NEG:
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_DIV:
    case IR_MOD:
    case IR_SHL:
    case IR_SHR:
    case IR_XOR:
        return arithmetic(s, e);
    case IR_IF:
        return isl_pw_aff_coalesce(choice(s, e));
    default:
        return leaf(s, e);
    }
}

/* What cannot be computed may still be a constant with a name. */
isl_pw_aff *poly_value(poly_scope *s, const ir_expr *e)
{
    const ir_expr *cause = s->poly->cause;
    isl_pw_aff *value = computed(s, e);
    int param = value ? -1 : poly_param_of(s->poly, e);
    if (param < 0)
        return value;
    s->poly->cause = cause;
    return poly_variable(s, isl_dim_param, param);
}

static isl_set *everywhere(poly_scope *s, bool *exact)
{
    *exact = false;
    return isl_set_universe(isl_space_copy(s->space));
}

static isl_set *compare(poly_scope *s, const ir_expr *e, bool *exact)
{
    isl_pw_aff *a = poly_value(s, e->args[0]);
    isl_pw_aff *b = a ? poly_value(s, e->args[1]) : NULL;
    if (!a || !b) {
        isl_pw_aff_free(a);
        return everywhere(s, exact);
    }
    switch (e->op) {
    case IR_LT:
        return isl_pw_aff_lt_set(a, b);
    case IR_LE:
        return isl_pw_aff_le_set(a, b);
    case IR_GT:
        return isl_pw_aff_gt_set(a, b);
    case IR_GE:
        return isl_pw_aff_ge_set(a, b);
    case IR_EQ:
        return isl_pw_aff_eq_set(a, b);
    default:
        return isl_pw_aff_ne_set(a, b);
    }
}

/* The complement of a set that is too large is too small. */
static isl_set *negate(poly_scope *s, isl_set *set, bool was_exact, bool *exact)
{
    if (was_exact)
        return isl_set_complement(set);
    isl_set_free(set);
    return everywhere(s, exact);
}

static isl_set *differ(poly_scope *s, const ir_expr *e, bool *exact)
{
    bool known = true;
    isl_set *a = poly_truth(s, e->args[0], &known);
    isl_set *b = poly_truth(s, e->args[1], &known);
    isl_set *both = isl_set_intersect(isl_set_copy(a), isl_set_copy(b));
    isl_set *set = isl_set_subtract(isl_set_union(a, b), both);
    if (known)
        return set;
    isl_set_free(set);
    return everywhere(s, exact);
}

static isl_set *nonzero(poly_scope *s, const ir_expr *e, bool *exact)
{
    isl_pw_aff *value = poly_value(s, e);
    return value ? isl_pw_aff_non_zero_set(value) : everywhere(s, exact);
}

isl_set *poly_truth(poly_scope *s, const ir_expr *e, bool *exact)
{
    bool known = true;
    if (!e)
        return isl_set_universe(isl_space_copy(s->space));
    switch (e->op) {
    case IR_NOT: {
        isl_set *set = poly_truth(s, e->args[0], &known);
        return negate(s, set, known, exact);
    }
    case IR_AND:
        return isl_set_intersect(poly_truth(s, e->args[0], exact),
                                 poly_truth(s, e->args[1], exact));
    case IR_OR:
        return isl_set_union(poly_truth(s, e->args[0], exact), poly_truth(s, e->args[1], exact));
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE:
    case IR_EQ:
    case IR_NE:
        return compare(s, e, exact);
    default:
        return is_truth(e) && e->op == IR_XOR ? differ(s, e, exact) : nonzero(s, e, exact);
    }
}
