/* Ranges and iterators as isl sees them. */
#include "verify/poly.h"

/* lo .. hi .. step, counting up or down. */
static isl_set *in_steps(isl_set *set, isl_pw_aff *value, isl_pw_aff *lo, isl_pw_aff *hi,
                         int64_t step, isl_ctx *ctx)
{
    isl_pw_aff *far = isl_pw_aff_sub(isl_pw_aff_copy(value), isl_pw_aff_copy(lo));
    isl_set *first = step > 0 ? isl_pw_aff_le_set(lo, isl_pw_aff_copy(value))
                              : isl_pw_aff_ge_set(lo, isl_pw_aff_copy(value));
    isl_set *last = step > 0 ? isl_pw_aff_le_set(value, hi) : isl_pw_aff_ge_set(value, hi);
    set = isl_set_intersect(set, isl_set_intersect(first, last));
    int64_t size = step > 0 ? step : -step;
    far = isl_pw_aff_mod_val(far, isl_val_int_from_si(ctx, size));
    if (size == 1) {
        isl_pw_aff_free(far);
        return set;
    }
    return isl_set_intersect(set, isl_pw_aff_zero_set(far));
}

static bool step_of(poly_scope *s, const ir_range *r, int64_t *step)
{
    *step = 1;
    if (!r->step)
        return true;
    isl_pw_aff *value = poly_value(s, r->step);
    bool known = value && poly_constant(value, step) && *step != 0;
    if (!known)
        poly_fail(s, r->step);
    isl_pw_aff_free(value);
    return known;
}

isl_set *poly_in_range(poly_scope *s, isl_set *set, int dim, const ir_range *r, bool *exact)
{
    int64_t step;
    s->domain = set;
    isl_pw_aff *lo = poly_value(s, r->lo);
    isl_pw_aff *hi = r->hi ? poly_value(s, r->hi) : isl_pw_aff_copy(lo);
    bool known = lo && hi && step_of(s, r, &step);
    s->domain = NULL;
    if (known)
        return in_steps(set, poly_variable(s, isl_dim_set, dim), lo, hi, step, s->poly->ctx);
    isl_pw_aff_free(lo);
    isl_pw_aff_free(hi);
    *exact = false;
    return set;
}

isl_set *poly_in_iters(poly_scope *s, isl_set *set, const ir_iter *iters, int count, bool *exact)
{
    for (int i = 0; i < count; i++)
        set = poly_in_range(s, set, s->iter_base + i, &iters[i].range, exact);
    return set;
}
