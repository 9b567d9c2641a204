/* Solving with the factors of LU. */
#include "la/blas/calls.h"
#include "la/fit.h"
#include "la/lu/lu.h"

#include <twill/level3.h>

static const tw_lu_numbers getrs = {
    .who = "getrs", .order = 2, .a = 4, .ipiv = 6, .b = 7, .ldb = 8};
static const tw_lu_numbers gesv = {.who = "gesv", .order = 1, .a = 3, .ipiv = 5, .b = 6, .ldb = 7};

typedef struct call {
    twill_trans trans;
    twill_array *a, *ipiv, *b;
    const twill_la_options *options;
} call;

/* B := P^T B, or P B. */
static twill_status insert_swaps(twill_graph *g, const call *o, bool backward)
{
    int64_t steps = tw_la_mt(o->ipiv);
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < tw_la_nt(o->b) && steps > 0 && status == TWILL_OK; j++)
        status = tw_lu_insert_swap(g, o->b, j, o->ipiv, 0, steps, backward);
    return status;
}

static twill_status insert_solve(twill_graph *g, const call *o, twill_uplo uplo)
{
    return twill_trsm_insert(g, TWILL_LEFT, uplo, o->trans,
                             uplo == TWILL_LOWER ? TWILL_UNIT : TWILL_NON_UNIT, twill_real(1.0),
                             o->a, o->b, o->options);
}

static twill_status insert_steps(twill_graph *g, const call *o)
{
    bool plain = o->trans == TWILL_NO_TRANS;
    twill_status status = plain ? insert_swaps(g, o, false) : TWILL_OK;
    if (status == TWILL_OK)
        status = insert_solve(g, o, plain ? TWILL_LOWER : TWILL_UPPER);
    if (status == TWILL_OK)
        status = insert_solve(g, o, plain ? TWILL_UPPER : TWILL_LOWER);
    return status == TWILL_OK && !plain ? insert_swaps(g, o, true) : status;
}

/* On a B that fits. */
static twill_status insert_fitted(twill_graph *g, call *o,
                                  twill_status (*steps)(twill_graph *g, const call *o))
{
    tw_fit fit[2];
    tw_fit_system(fit, &o->a, 0, &o->b, 0);
    twill_status status = tw_fit_begin(g, fit, 2);
    if (status == TWILL_OK)
        status = steps(g, o);
    return tw_fit_end(g, fit, 2, status);
}

static twill_status insert(twill_graph *g, void *arg)
{
    return insert_fitted(g, arg, insert_steps);
}

/* ---- small matrices ---------------------------------------------------------------------- */

static void swap_whole(const tw_kernels *k, const twill_flow *pivots, const twill_flow *b,
                       bool backward)
{
    const int64_t *with = pivots->data;
    size_t step = (size_t)b->ld * k->size;
    for (int64_t i = 0; i < b->rows; i++) {
        int64_t row = backward ? b->rows - 1 - i : i;
        char *x = (char *)b->data + (size_t)row * k->size;
        char *y = (char *)b->data + (size_t)(with[row] - 1) * k->size;
        if (x != y)
            tw_swap_rows(&(tw_swap){x, y, step, step}, 1, k->size, 0, b->cols);
    }
}

void tw_lu_solve_whole(const tw_kernels *k, char trans, const twill_flow *factor,
                       const twill_flow *rows)
{
    tw_tile_view a = tw_view_of(factor), b = tw_view_of(rows);
    const tw_triangle lower = {'L', 'L', trans, 'U'}, upper = {'L', 'U', trans, 'N'};
    tw_call_trsm(k, trans == 'N' ? lower : upper, k->one, &a, &b);
    tw_call_trsm(k, trans == 'N' ? upper : lower, k->one, &a, &b);
}

/* Factor, pivots, B. */
static int64_t getrs_whole(const tw_kernels *k, const twill_flow *x, const void *arg)
{
    char trans = *(const char *)arg;
    bool plain = trans == 'N';
    if (plain)
        swap_whole(k, &x[1], &x[2], false);
    tw_lu_solve_whole(k, trans, &x[0], &x[2]);
    if (!plain)
        swap_whole(k, &x[1], &x[2], true);
    return 0;
}

static int64_t gesv_whole(const tw_kernels *k, const twill_flow *x, const void *arg)
{
    int64_t info = tw_getrf_whole(k, x, NULL);
    return info ? info : getrs_whole(k, x, arg);
}

/* ---- solve ------------------------------------------------------------------------------- */

static twill_status check(const call *o)
{
    if (o->trans != TWILL_NO_TRANS && o->trans != TWILL_TRANS && o->trans != TWILL_CONJ_TRANS)
        return tw_la_bad(NULL, "getrs", 1,
                         "(trans) must be TWILL_NO_TRANS, TWILL_TRANS or TWILL_CONJ_TRANS");
    return tw_lu_check_solve(&getrs, o->a, o->ipiv, o->b, NULL);
}

twill_status twill_getrs_insert(twill_graph *g, twill_trans trans, twill_array *a,
                                twill_array *ipiv, twill_array *b, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    call o = {trans, a, ipiv, b, options};
    twill_status status = check(&o);
    return status == TWILL_OK ? insert(g, &o) : status;
}

twill_status twill_getrs(twill_trans trans, twill_array *a, twill_array *ipiv, twill_array *b)
{
    call o = {trans, a, ipiv, b, NULL};
    char option = (char)trans;
    tw_direct d = {"getrs",
                   getrs_whole,
                   &option,
                   {{a, TWILL_READ}, {ipiv, TWILL_READ}, {b, TWILL_READ_WRITE}}};
    twill_status status = check(&o);
    if (status != TWILL_OK || tw_direct_done(&d, NULL, &status))
        return status;
    return tw_la_run(twill_array_context(a), insert, &o, NULL);
}

/* ---- factor and solve -------------------------------------------------------------------- */

/* B is carried through the factorization as further columns of A, which does to it what solving
 * with L would: what is left is U. */
static twill_status insert_both(twill_graph *g, const call *o)
{
    twill_status status = tw_getrf_insert(g, o->a, o->ipiv, o->b, o->options);
    return status == TWILL_OK ? insert_solve(g, o, TWILL_UPPER) : status;
}

twill_status twill_gesv_insert(twill_graph *g, twill_array *a, twill_array *ipiv, twill_array *b,
                               const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    call o = {TWILL_NO_TRANS, a, ipiv, b, options};
    twill_status status = tw_lu_check_solve(&gesv, a, ipiv, b, NULL);
    return status == TWILL_OK ? insert_fitted(g, &o, insert_both) : status;
}

/* LAPACK leaves B alone when there is no solution, so one must know before it is touched. */
twill_status twill_gesv(twill_array *a, twill_array *ipiv, twill_array *b, int64_t *info)
{
    int64_t found = 0;
    tw_direct d = {"gesv",
                   gesv_whole,
                   "N",
                   {{a, TWILL_READ_WRITE}, {ipiv, TWILL_WRITE}, {b, TWILL_READ_WRITE}}};
    twill_status status = tw_lu_check_solve(&gesv, a, ipiv, b, info);
    if (status != TWILL_OK || tw_direct_done(&d, info, &status))
        return status;
    status = twill_getrf(a, ipiv, &found);
    if (status == TWILL_OK && found == 0)
        status = twill_getrs(TWILL_NO_TRANS, a, ipiv, b);
    if (status == TWILL_OK && info)
        *info = found;
    return status;
}
