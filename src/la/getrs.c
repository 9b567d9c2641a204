/* Solving with the factors of LU. */
#include "la/lu.h"

#include <twill/level3.h>

static const tw_lu_numbers getrs = {
    .who = "getrs", .order = 2, .a = 4, .ipiv = 6, .b = 7, .ldb = 8};
static const tw_lu_numbers gesv = {.who = "gesv", .order = 1, .a = 3, .ipiv = 5, .b = 6, .ldb = 7};

typedef struct order {
    twill_trans trans;
    twill_array *a, *ipiv, *b;
    const twill_la_options *options;
} order;

/* B := P^T B, or P B. */
static twill_status insert_swaps(twill_graph *g, const order *o, bool backward)
{
    int64_t steps = tw_la_mt(o->ipiv);
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < tw_la_nt(o->b) && steps > 0 && status == TWILL_OK; j++)
        status = tw_lu_insert_swap(g, o->b, j, o->ipiv, 0, steps, backward);
    return status;
}

static twill_status insert_solve(twill_graph *g, const order *o, twill_uplo uplo)
{
    return twill_trsm_insert(g, TWILL_LEFT, uplo, o->trans,
                             uplo == TWILL_LOWER ? TWILL_UNIT : TWILL_NON_UNIT, twill_real(1.0),
                             o->a, o->b, o->options);
}

static twill_status insert(twill_graph *g, void *arg)
{
    const order *o = arg;
    bool plain = o->trans == TWILL_NO_TRANS;
    twill_status status = plain ? insert_swaps(g, o, false) : TWILL_OK;
    if (status == TWILL_OK)
        status = insert_solve(g, o, plain ? TWILL_LOWER : TWILL_UPPER);
    if (status == TWILL_OK)
        status = insert_solve(g, o, plain ? TWILL_UPPER : TWILL_LOWER);
    return status == TWILL_OK && !plain ? insert_swaps(g, o, true) : status;
}

static twill_status check(const order *o)
{
    if (o->trans != TWILL_NO_TRANS && o->trans != TWILL_TRANS && o->trans != TWILL_CONJ_TRANS)
        return tw_la_bad(NULL, "getrs", 1,
                         "(trans) must be TWILL_NO_TRANS, TWILL_TRANS or TWILL_CONJ_TRANS");
    return tw_lu_check_solve(&getrs, o->a, o->ipiv, o->b, NULL);
}

twill_status twill_getrs_insert(twill_graph *g, twill_trans trans, twill_array *a,
                                twill_array *ipiv, twill_array *b, const twill_la_options *options)
{
    order o = {trans, a, ipiv, b, options};
    twill_status status = check(&o);
    return status == TWILL_OK ? insert(g, &o) : status;
}

twill_status twill_getrs(twill_trans trans, twill_array *a, twill_array *ipiv, twill_array *b)
{
    order o = {trans, a, ipiv, b, NULL};
    twill_status status = check(&o);
    return status == TWILL_OK ? tw_la_run(twill_array_context(a), insert, &o, NULL) : status;
}

/* ---- factor and solve -------------------------------------------------------------------- */

/* B is carried through the factorization as further columns of A, which does to it what solving
 * with L would: what is left is U. */
twill_status twill_gesv_insert(twill_graph *g, twill_array *a, twill_array *ipiv, twill_array *b,
                               const twill_la_options *options)
{
    order o = {TWILL_NO_TRANS, a, ipiv, b, options};
    twill_status status = tw_lu_check_solve(&gesv, a, ipiv, b, NULL);
    if (status == TWILL_OK)
        status = tw_getrf_insert(g, a, ipiv, b, options);
    return status == TWILL_OK ? insert_solve(g, &o, TWILL_UPPER) : status;
}

/* LAPACK leaves B alone when there is no solution, so one must know before it is touched. */
twill_status twill_gesv(twill_array *a, twill_array *ipiv, twill_array *b, int64_t *info)
{
    int64_t found = 0;
    twill_status status = tw_lu_check_solve(&gesv, a, ipiv, b, info);
    if (status == TWILL_OK)
        status = twill_getrf(a, ipiv, &found);
    if (status == TWILL_OK && found == 0)
        status = twill_getrs(TWILL_NO_TRANS, a, ipiv, b);
    if (status == TWILL_OK && info)
        *info = found;
    return status;
}
