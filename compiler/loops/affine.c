/* Expressions as affine functions of the loops and the parameters, and conditions as sets. */
#include "loops/build.h"

#include <isl/space.h>
#include <isl/val.h>
#include <string.h>

static isl_space *space_of(const build *b)
{
    return isl_space_set_alloc(b->ctx, 0, (unsigned)b->depth);
}

static isl_pw_aff *number(const build *b, int64_t value)
{
    isl_local_space *space = isl_local_space_from_space(space_of(b));
    isl_val *v = isl_val_int_from_si(b->ctx, value);
    return isl_pw_aff_from_aff(isl_aff_val_on_domain(space, v));
}

static isl_pw_aff *loop_value(const build *b, const local *l)
{
    isl_local_space *space = isl_local_space_from_space(space_of(b));
    return isl_pw_aff_from_aff(isl_aff_var_on_domain(space, isl_dim_set, (unsigned)l->dim));
}

static isl_pw_aff *param_value(build *b, const c_expr *e)
{
    int number = param_of(b, e, NULL);
    const param *p = &b->program->params[number];
    isl_space *space = isl_space_insert_dims(space_of(b), isl_dim_param, 0, 1);
    space = isl_space_set_dim_name(space, isl_dim_param, 0, p->name);
    isl_local_space *local_space = isl_local_space_from_space(space);
    return isl_pw_aff_from_aff(isl_aff_var_on_domain(local_space, isl_dim_param, 0));
}

bool constant_of(isl_pw_aff *value, int64_t *result)
{
    isl_set *values = isl_map_range(isl_map_from_pw_aff(isl_pw_aff_copy(value)));
    values = isl_set_coalesce(values);
    isl_val *v = isl_set_plain_get_val_if_fixed(values, isl_dim_set, 0);
    isl_set_free(values);
    bool fixed = isl_val_is_int(v) == isl_bool_true;
    *result = fixed ? isl_val_get_num_si(v) : 0;
    isl_val_free(v);
    return fixed;
}

/* ---- Unsigned numbers: only those that never wrap around --------------------------------- */

static bool is_truth(const c_expr *e);

bool is_unsigned(const c_file *f, const c_expr *e)
{
    switch (e->op) {
    case C_INT:
        return e->is_unsigned;
    case C_NAME: {
        const c_variable *v = e->local ? NULL : c_variable_of(f, e->text);
        return e->local ? e->local->type.class == TYPE_UNSIGNED
                        : v && v->type.class == TYPE_UNSIGNED;
    }
    case C_MEMBER:
        return c_member_of(f, e->text).class == TYPE_UNSIGNED;
    case C_CAST:
        return c_type_of(&f->types, e->text).class == TYPE_UNSIGNED;
    case C_OPAQUE:
        return true; /* sizeof */
    case C_UNARY:
        return *e->text != '!' && is_unsigned(f, e->args[0]);
    case C_BINARY:
        return !is_truth(e) && (is_unsigned(f, e->args[0]) || is_unsigned(f, e->args[1]));
    case C_COND:
        return is_unsigned(f, e->args[1]) || is_unsigned(f, e->args[2]);
    default:
        return false;
    }
}

static bool has_unsigned(const build *b, const c_expr *e)
{
    return is_unsigned(b->program->file, e);
}

/* Is it never negative where the statement runs? */
static bool never_negative(build *b, isl_pw_aff *value)
{
    isl_set *negative = isl_pw_aff_lt_set(isl_pw_aff_copy(value), number(b, 0));
    isl_set *here = isl_set_intersect_params(domain_now(b), isl_set_copy(b->program->context));
    bool never = isl_set_is_disjoint(negative, here) == isl_bool_true;
    isl_set_free(negative);
    isl_set_free(here);
    return never;
}

static isl_pw_aff *checked(build *b, const c_expr *e, isl_pw_aff *value, const char **why)
{
    if (!value || !has_unsigned(b, e) || never_negative(b, value))
        return value;
    *why = "is unsigned and may fall below 0, where it wraps around; use int";
    isl_pw_aff_free(value);
    return NULL;
}

/* ---- Values ------------------------------------------------------------------------------ */

static isl_pw_aff *fail(const char **why, const char *reason)
{
    if (!*why)
        *why = reason;
    return NULL;
}

static isl_pw_aff *product(isl_pw_aff *x, isl_pw_aff *y, const char **why)
{
    int64_t value;
    if (x && y && (constant_of(x, &value) || constant_of(y, &value)))
        return isl_pw_aff_mul(x, y);
    isl_pw_aff_free(x);
    isl_pw_aff_free(y);
    return fail(why, "is not linear: it multiplies two things that vary");
}

static isl_pw_aff *quotient(isl_pw_aff *x, isl_pw_aff *y, bool remainder, const char **why)
{
    int64_t by = 0;
    if (x && y && constant_of(y, &by) && by > 0)
        return remainder ? isl_pw_aff_tdiv_r(x, y) : isl_pw_aff_tdiv_q(x, y);
    isl_pw_aff_free(x);
    isl_pw_aff_free(y);
    return fail(why, "is not linear: it divides by something that is no positive number");
}

/* x << 2 and x >> 2; the latter rounds down, negative numbers too. */
static isl_pw_aff *shifted(isl_pw_aff *x, isl_pw_aff *y, bool left, const char **why)
{
    int64_t by = -1;
    if (!constant_of(y, &by) || by < 0 || by > 30) {
        isl_pw_aff_free(x);
        isl_pw_aff_free(y);
        return fail(why, "is not linear: it shifts by something that is no number below 31");
    }
    isl_val *factor = isl_val_int_from_si(isl_pw_aff_get_ctx(x), (int64_t)1 << by);
    isl_pw_aff_free(y);
    return left ? isl_pw_aff_scale_val(x, factor)
                : isl_pw_aff_floor(isl_pw_aff_scale_down_val(x, factor));
}

static isl_pw_aff *binary(build *b, const c_expr *e, const char **why)
{
    char sign = *e->text;
    bool shifts = strcmp(e->text, "<<") == 0 || strcmp(e->text, ">>") == 0;
    if (is_truth(e)) {
        isl_set *truth = condition(b, e, why);
        return truth ? isl_set_indicator_function(truth) : NULL;
    }
    if (!shifts && (e->text[1] || !strchr("+-*/%", sign)))
        return fail(why, "is not linear");
    /* what an unsigned number is divided from, or multiplied with, becomes unsigned first */
    bool divides = shifts || strchr("*/%", sign);
    isl_pw_aff *x = affine(b, e->args[0], why);
    x = x && divides ? checked(b, e, x, why) : x;
    isl_pw_aff *y = x ? affine(b, e->args[1], why) : NULL;
    y = y && divides ? checked(b, e, y, why) : y;
    if (!y) {
        isl_pw_aff_free(x);
        return NULL;
    }
    if (sign == '+')
        return checked(b, e, isl_pw_aff_add(x, y), why);
    if (sign == '-')
        return checked(b, e, isl_pw_aff_sub(x, y), why);
    if (sign == '*')
        return product(x, y, why);
    if (shifts)
        return shifted(x, y, sign == '<', why);
    return quotient(x, y, sign == '%', why);
}

static isl_pw_aff *choice(build *b, const c_expr *e, const char **why)
{
    isl_set *truth = condition(b, e->args[0], why);
    isl_pw_aff *yes = truth ? affine(b, e->args[1], why) : NULL;
    isl_pw_aff *no = yes ? affine(b, e->args[2], why) : NULL;
    if (no)
        return checked(b, e, isl_pw_aff_cond(isl_set_indicator_function(truth), yes, no), why);
    isl_set_free(truth);
    isl_pw_aff_free(yes);
    return NULL;
}

/* (int)x and the like: as wide as what is counted, or wider; (bool)x is a condition. */
static isl_pw_aff *cast(build *b, const c_expr *e, const char **why)
{
    c_type t = c_type_of(&b->program->file->types, e->text);
    if (strstr(e->text, "ool")) {
        isl_set *truth = t.narrow ? condition(b, e->args[0], why) : NULL;
        return truth ? isl_set_indicator_function(truth) : NULL;
    }
    if (t.narrow || (t.class != TYPE_INT && t.class != TYPE_UNSIGNED))
        return fail(why, "is converted to a type that may not hold it");
    return checked(b, e, affine(b, e->args[0], why), why);
}

static bool character(const c_expr *e, int64_t *value)
{
    size_t n = strlen(e->text);
    *value = n == 3 ? (unsigned char)e->text[1] : 0;
    return n == 3 && *e->text == '\'' && *value < 128;
}

/* Of integers that are the same throughout the run; what they are is of no concern. */
static bool is_opaque(const build *b, const c_expr *e)
{
    bool divides = e->op == C_BINARY && strchr("/%*<>&|^", *e->text) && e->text[1] != '=' &&
                   strcmp(e->text, "&&") != 0 && strcmp(e->text, "||") != 0 &&
                   strcmp(e->text, "<") != 0 && strcmp(e->text, ">") != 0;
    return divides && is_invariant(b, e);
}

static bool is_integer(c_type t)
{
    return t.class == TYPE_INT || t.class == TYPE_UNSIGNED;
}

isl_pw_aff *affine(build *b, const c_expr *e, const char **why)
{
    int64_t value;
    switch (e->op) {
    case C_INT:
        return number(b, e->value);
    case C_NAME:
        if (e->local && e->local->kind == LOCAL_LOOP)
            return loop_value(b, e->local);
        if (e->local && e->local->kind == LOCAL_PARAM && !is_integer(e->local->type))
            return fail(why, "is no integer");
        return is_invariant(b, e) ? param_value(b, e)
                                  : fail(why, "may change while the function runs; copy it into a "
                                              "const local before the loops");
    case C_MEMBER:
        if (!is_integer(c_member_of(b->program->file, e->text)))
            return fail(why, "is no integer, or not the same in all structs that have it; copy it "
                             "into a const int before the loops");
        return is_invariant(b, e)
                   ? param_value(b, e)
                   : fail(why, "may change while the function runs; make it a member "
                               "of something const, or copy it into a local");
    case C_LEAF:
        return character(e, &value) ? number(b, value) : fail(why, "is no integer");
    case C_CAST:
        return cast(b, e, why);
    case C_UNARY: {
        if (*e->text == '!') {
            isl_set *truth = condition(b, e, why);
            return truth ? isl_set_indicator_function(truth) : NULL;
        }
        isl_pw_aff *x =
            strchr("+-", *e->text) ? affine(b, e->args[0], why) : fail(why, "is not linear");
        return x && *e->text == '-' ? checked(b, e, isl_pw_aff_neg(x), why) : x;
    }
    case C_BINARY: {
        const char *reason = NULL;
        isl_pw_aff *x = binary(b, e, &reason);
        if (!x && is_opaque(b, e))
            return param_value(b, e);
        return x ? x : fail(why, reason);
    }
    case C_COND:
        return choice(b, e, why);
    case C_INDEX:
    case C_SECTION:
        return fail(why, "is read from memory, which tasks may change");
    case C_CALL:
        return fail(why, "calls a function, whose value is not known");
    default:
        return fail(why, "is not linear");
    }
}

/* ---- Conditions -------------------------------------------------------------------------- */

static isl_set *compare(build *b, const c_expr *e, const char **why)
{
    const char *sign = e->text;
    isl_pw_aff *x = affine(b, e->args[0], why);
    isl_pw_aff *y = x ? affine(b, e->args[1], why) : NULL;
    bool converts = has_unsigned(b, e->args[0]) || has_unsigned(b, e->args[1]);
    bool wraps = y && converts && !(never_negative(b, x) && never_negative(b, y));
    if (wraps)
        *why = "compares an unsigned number with one that may be negative; use int";
    if (!y || wraps) {
        isl_pw_aff_free(x);
        isl_pw_aff_free(y);
        return NULL;
    }
    if (*sign == '=')
        return isl_pw_aff_eq_set(x, y);
    if (*sign == '!')
        return isl_pw_aff_ne_set(x, y);
    if (*sign == '<')
        return sign[1] ? isl_pw_aff_le_set(x, y) : isl_pw_aff_lt_set(x, y);
    return sign[1] ? isl_pw_aff_ge_set(x, y) : isl_pw_aff_gt_set(x, y);
}

static bool is_comparison(const c_expr *e)
{
    static const char *const signs[] = {"<", ">", "<=", ">=", "==", "!="};
    for (int i = 0; i < 6; i++)
        if (e->op == C_BINARY && strcmp(e->text, signs[i]) == 0)
            return true;
    return false;
}

static bool is_truth(const c_expr *e)
{
    return is_comparison(e) ||
           (e->op == C_BINARY && (strcmp(e->text, "&&") == 0 || strcmp(e->text, "||") == 0));
}

isl_set *condition(build *b, const c_expr *e, const char **why)
{
    if (is_comparison(e))
        return compare(b, e, why);
    if (e->op == C_UNARY && *e->text == '!') {
        isl_set *truth = condition(b, e->args[0], why);
        return truth ? isl_set_complement(truth) : NULL;
    }
    bool both = e->op == C_BINARY && strcmp(e->text, "&&") == 0;
    if (both || (e->op == C_BINARY && strcmp(e->text, "||") == 0)) {
        isl_set *x = condition(b, e->args[0], why);
        isl_set *y = x ? condition(b, e->args[1], why) : NULL;
        if (y)
            return both ? isl_set_intersect(x, y) : isl_set_union(x, y);
        isl_set_free(x);
        return NULL;
    }
    isl_pw_aff *value = affine(b, e, why);
    return value ? isl_pw_aff_ne_set(value, number(b, 0)) : NULL;
}
