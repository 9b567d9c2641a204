/* Checking arguments, one after the other. */
#include "la/check.h"

#include "data/array.h"
#include "la/fit.h"

#include <limits.h>

static void check_letter(tw_check *c, int number, bool good, const char *sentence)
{
    if (c->status == TWILL_OK && !good)
        c->status = tw_la_bad(NULL, c->who, number, "%s", sentence);
}

void tw_check_uplo(tw_check *c, int number, twill_uplo uplo)
{
    check_letter(c, number, uplo == TWILL_LOWER || uplo == TWILL_UPPER,
                 "(uplo) must be TWILL_LOWER or TWILL_UPPER");
}

void tw_check_trans(tw_check *c, int number, twill_trans trans)
{
    check_letter(c, number,
                 trans == TWILL_NO_TRANS || trans == TWILL_TRANS || trans == TWILL_CONJ_TRANS,
                 "(trans) must be TWILL_NO_TRANS, TWILL_TRANS or TWILL_CONJ_TRANS");
}

void tw_check_side(tw_check *c, int number, twill_side side)
{
    check_letter(c, number, side == TWILL_LEFT || side == TWILL_RIGHT,
                 "(side) must be TWILL_LEFT or TWILL_RIGHT");
}

void tw_check_diag(tw_check *c, int number, twill_diag diag)
{
    check_letter(c, number, diag == TWILL_NON_UNIT || diag == TWILL_UNIT,
                 "(diag) must be TWILL_NON_UNIT or TWILL_UNIT");
}

void tw_check_matrix(tw_check *c, int number, twill_array *a, const twill_array *like)
{
    const tw_blas *blas;
    if (c->status != TWILL_OK)
        return;
    if (!a)
        c->status = tw_la_bad(NULL, c->who, number, "is NULL; it must be a matrix");
    else if (a->type == TWILL_BYTES || a->pattern.ndim != 2)
        c->status = tw_la_bad(NULL, c->who, number,
                              "is no matrix of type FLOAT32, FLOAT64, COMPLEX64 or COMPLEX128");
    else if (like && (a->type != like->type || a->context != like->context))
        c->status = tw_la_bad(NULL, c->who, number,
                              "differs from the matrices before it in its type or context");
    else
        c->status = tw_la_check(c->who, a);
    if (c->status == TWILL_OK && a->ld > INT_MAX)
        c->status =
            tw_fail(TWILL_ERR_UNSUPPORTED, "%s: leading dimension %lld is too large for the BLAS",
                    c->who, (long long)a->ld);
    if (c->status == TWILL_OK)
        c->status = tw_blas_get(a->context, &blas);
}

void tw_check_stores(tw_check *c, int number, const twill_array *a, twill_uplo uplo)
{
    if (c->status != TWILL_OK)
        return;
    twill_uplo stored = twill_array_uplo(a);
    if (stored != TWILL_GENERAL && stored != uplo)
        c->status = tw_la_bad(NULL, c->who, number, "stores only its %s triangle",
                              stored == TWILL_LOWER ? "lower" : "upper");
}

void tw_check_scalar(tw_check *c, int number, twill_scalar x, const twill_array *a)
{
    if (c->status == TWILL_OK && x.im != 0.0 && !tw_la_complex(a->type))
        c->status =
            tw_la_bad(NULL, c->who, number, "has an imaginary part, and the matrices are real");
}

void tw_check_result(tw_check *c, int number, const twill_array *result, const twill_array *factor)
{
    if (c->status == TWILL_OK && (result == factor || tw_array_overlaps(result, factor)))
        c->status = tw_la_bad(NULL, c->who, number,
                              "is the result and must be another array than the factors, and no "
                              "part of them");
}

void tw_check_cuts(tw_check *c, int number, const char *name, const twill_array *a, int da,
                   const twill_array *b, int db)
{
    if (c->status != TWILL_OK)
        return;
    const twill_pattern *p = &a->pattern, *q = &b->pattern;
    int64_t size = p->extent[da];
    if (size != q->extent[db])
        c->status =
            tw_la_bad(NULL, c->who, number, "(%s) is %lld for one matrix and %lld for another",
                      name, (long long)size, (long long)q->extent[db]);
    else if (!tw_can_fit(a, da, b, db))
        c->status =
            tw_la_bad(NULL, c->who, number,
                      "(%s) is cut into tiles of %lld for one matrix and of %lld for another", name,
                      (long long)p->block[da], (long long)q->block[db]);
}
