/* Updates of a triangle: syrk and herk with one matrix, syr2k and her2k with two. */
#include "la/check.h"
#include "la/level3/product.h"

#include <twill/level3.h>

/* What the four differ in. */
typedef struct kind {
    const char *name;
    const twill_class *step;
    tw_product_call *call;
    bool hermitian, two;
} kind;

static const kind syrk = {"syrk", &tw_step_syrk, tw_call_syrk, false, false};
static const kind herk = {"herk", &tw_step_herk, tw_call_herk, true, false};
static const kind syr2k = {"syr2k", &tw_step_syr2k, tw_call_syr2k, false, true};
static const kind her2k = {"her2k", &tw_step_her2k, tw_call_her2k, true, true};

/* The wrong kind of transpose is refused, but of real matrices both are the same. */
static void check_trans(tw_check *check, bool hermitian, twill_trans trans, const twill_array *a)
{
    tw_check_trans(check, 2, trans);
    if (check->status == TWILL_OK && a && tw_la_complex(twill_array_type(a)) &&
        trans == (hermitian ? TWILL_TRANS : TWILL_CONJ_TRANS))
        check->status = tw_la_bad(NULL, check->who, 2, "(trans) must be TWILL_NO_TRANS or %s",
                                  hermitian ? "TWILL_CONJ_TRANS" : "TWILL_TRANS");
}

static twill_status check_update(const kind *k, twill_uplo uplo, twill_trans trans,
                                 twill_scalar alpha, twill_array *a, twill_array *b,
                                 twill_scalar beta, twill_array *c)
{
    tw_check check = {k->name, TWILL_OK};
    int t = trans != TWILL_NO_TRANS, number = k->two ? 11 : 9;
    tw_check_uplo(&check, 1, uplo);
    check_trans(&check, k->hermitian, trans, a);
    tw_check_matrix(&check, 6, a, NULL);
    if (k->two)
        tw_check_matrix(&check, 8, b, a);
    tw_check_matrix(&check, number, c, a);
    tw_check_stores(&check, 6, a, TWILL_GENERAL);
    tw_check_stores(&check, 8, b, TWILL_GENERAL);
    tw_check_stores(&check, number, c, uplo);
    tw_check_scalar(&check, 5, alpha, a);
    tw_check_scalar(&check, number - 1, beta, a);
    tw_check_result(&check, number, c, a);
    tw_check_result(&check, number, c, b);
    tw_check_cuts(&check, 3, "n", c, 0, c, 1);
    tw_check_cuts(&check, 3, "n", c, 0, a, t);
    if (k->two) {
        tw_check_cuts(&check, 3, "n", c, 0, b, t);
        tw_check_cuts(&check, 3, "n", a, t, b, t);
        tw_check_cuts(&check, 4, "k", a, !t, b, !t);
    }
    return check.status;
}

/* A as the first factor, and as the second. */
static tw_factor first(twill_array *a, twill_trans trans)
{
    return (tw_factor){a, (char)trans, TWILL_GENERAL, 0};
}

static tw_factor second(twill_array *a, twill_trans trans, bool hermitian)
{
    char flipped = hermitian ? 'C' : 'T';
    return (tw_factor){a, trans == TWILL_NO_TRANS ? flipped : 'N', TWILL_GENERAL, 0};
}

/* `b` is `a` when there is only one. */
static twill_status plan(const kind *k, twill_uplo uplo, twill_trans trans, twill_scalar alpha,
                         twill_array *a, twill_array *b, twill_scalar beta, twill_array *c,
                         tw_product *p)
{
    twill_status status = check_update(k, uplo, trans, alpha, a, b, beta, c);
    if (status != TWILL_OK)
        return status;
    *p = (tw_product){.who = k->name,
                      .alpha = alpha,
                      .beta = beta,
                      .x = first(a, trans),
                      .y = second(b, trans, k->hermitian),
                      .c = c,
                      .uplo = uplo,
                      .inner = twill_array_pattern(a)->extent[trans == TWILL_NO_TRANS],
                      .diagonal = k->step,
                      .call = k->call,
                      .options = {(char)uplo, (char)trans},
                      .hermitian = k->hermitian};
    if (k->two) {
        p->x2 = first(b, trans);
        p->y2 = second(a, trans, k->hermitian);
        p->alpha2 = (twill_scalar){alpha.re, k->hermitian ? -alpha.im : alpha.im};
    }
    return TWILL_OK;
}

static twill_status run(const kind *k, twill_uplo uplo, twill_trans trans, twill_scalar alpha,
                        twill_array *a, twill_array *b, twill_scalar beta, twill_array *c)
{
    tw_product p;
    twill_status status = plan(k, uplo, trans, alpha, a, b, beta, c, &p);
    return status == TWILL_OK ? tw_product_run(&p) : status;
}

static twill_status insert(const kind *k, twill_graph *g, twill_uplo uplo, twill_trans trans,
                           twill_scalar alpha, twill_array *a, twill_array *b, twill_scalar beta,
                           twill_array *c)
{
    tw_product p;
    twill_status status = plan(k, uplo, trans, alpha, a, b, beta, c, &p);
    return status == TWILL_OK ? tw_product_insert(g, &p) : status;
}

twill_status twill_syrk(twill_uplo uplo, twill_trans trans, twill_scalar alpha, twill_array *a,
                        twill_scalar beta, twill_array *c)
{
    return run(&syrk, uplo, trans, alpha, a, a, beta, c);
}

twill_status twill_syrk_insert(twill_graph *graph, twill_uplo uplo, twill_trans trans,
                               twill_scalar alpha, twill_array *a, twill_scalar beta,
                               twill_array *c, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return insert(&syrk, graph, uplo, trans, alpha, a, a, beta, c);
}

twill_status twill_herk(twill_uplo uplo, twill_trans trans, double alpha, twill_array *a,
                        double beta, twill_array *c)
{
    return run(&herk, uplo, trans, twill_real(alpha), a, a, twill_real(beta), c);
}

twill_status twill_herk_insert(twill_graph *graph, twill_uplo uplo, twill_trans trans, double alpha,
                               twill_array *a, double beta, twill_array *c,
                               const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return insert(&herk, graph, uplo, trans, twill_real(alpha), a, a, twill_real(beta), c);
}

twill_status twill_syr2k(twill_uplo uplo, twill_trans trans, twill_scalar alpha, twill_array *a,
                         twill_array *b, twill_scalar beta, twill_array *c)
{
    return run(&syr2k, uplo, trans, alpha, a, b, beta, c);
}

twill_status twill_syr2k_insert(twill_graph *graph, twill_uplo uplo, twill_trans trans,
                                twill_scalar alpha, twill_array *a, twill_array *b,
                                twill_scalar beta, twill_array *c, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return insert(&syr2k, graph, uplo, trans, alpha, a, b, beta, c);
}

twill_status twill_her2k(twill_uplo uplo, twill_trans trans, twill_scalar alpha, twill_array *a,
                         twill_array *b, double beta, twill_array *c)
{
    return run(&her2k, uplo, trans, alpha, a, b, twill_real(beta), c);
}

twill_status twill_her2k_insert(twill_graph *graph, twill_uplo uplo, twill_trans trans,
                                twill_scalar alpha, twill_array *a, twill_array *b, double beta,
                                twill_array *c, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return insert(&her2k, graph, uplo, trans, alpha, a, b, twill_real(beta), c);
}
