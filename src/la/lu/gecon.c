/* Condition of a matrix from its LU factors. */
#include "la/condition.h"
#include "la/lu/lu.h"

#include <twill/level3.h>

typedef struct call {
    twill_array *a, *x;
    twill_trans trans;
} call;

static twill_status insert(twill_graph *g, void *arg)
{
    const call *o = arg;
    bool plain = o->trans == TWILL_NO_TRANS;
    twill_uplo first = plain ? TWILL_LOWER : TWILL_UPPER;
    twill_status status = TWILL_OK;
    for (int i = 0; i < 2 && status == TWILL_OK; i++) {
        twill_uplo uplo = i == 0 ? first : plain ? TWILL_UPPER : TWILL_LOWER;
        twill_diag diag = uplo == TWILL_LOWER ? TWILL_UNIT : TWILL_NON_UNIT;
        status = twill_trsm_insert(g, TWILL_LEFT, uplo, o->trans, diag, twill_real(1.0), o->a, o->x,
                                   NULL);
    }
    return status;
}

/* The same for small matrices. */
static int64_t solve_whole(const tw_kernels *k, const twill_flow *x, const void *arg)
{
    tw_lu_solve_whole(k, *(const char *)arg, &x[0], &x[1]);
    return 0;
}

typedef struct factors {
    twill_array *a;
    bool infinity;
} factors;

/* Interchanged rows of A are interchanged columns of its inverse, and no norm sees these: pivots
 * are not needed. */
static twill_status solve(void *arg, twill_array *x, bool adjoint)
{
    const factors *f = arg;
    call o = {f->a, x, adjoint != f->infinity ? TWILL_CONJ_TRANS : TWILL_NO_TRANS};
    char option = (char)o.trans;
    tw_direct d = {"gecon", solve_whole, &option, {{f->a, TWILL_READ}, {x, TWILL_READ_WRITE}}};
    twill_status status;
    return tw_direct_done(&d, NULL, &status) ? status
                                             : tw_la_run(twill_array_context(x), insert, &o, NULL);
}

twill_status twill_gecon(twill_norm_kind norm, twill_array *factor, double anorm, double *rcond)
{
    static const tw_lu_numbers numbers = {.who = "gecon", .a = 3};
    if (norm != TWILL_NORM_ONE && norm != TWILL_NORM_INF)
        return tw_la_bad(NULL, "gecon", 1, "(norm) must be TWILL_NORM_ONE or TWILL_NORM_INF");
    twill_status status = tw_lu_check_matrix(&numbers, numbers.a, factor, NULL);
    if (status != TWILL_OK)
        return status;
    const twill_pattern *p = twill_array_pattern(factor);
    if (p->extent[0] != p->extent[1])
        return tw_la_bad(NULL, "gecon", 2, "(the order) is not one: the matrix is %lld by %lld",
                         (long long)p->extent[0], (long long)p->extent[1]);
    if (!(anorm >= 0))
        return tw_la_bad(NULL, "gecon", 5, "(anorm) must not be negative, nor NaN");
    if (!rcond)
        return tw_la_bad(NULL, "gecon", 6, "(rcond) is NULL");
    return tw_condition(factor, anorm, solve, &(factors){factor, norm == TWILL_NORM_INF}, rcond);
}
