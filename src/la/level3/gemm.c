/* Products of whole matrices: gemm, and symm and hemm, where one factor is stored as a triangle. */
#include "la/check.h"
#include "la/level3/product.h"

#include <twill/level3.h>

/* ---- gemm ---------------------------------------------------------------------------------- */

static tw_factor general(twill_array *a, twill_trans trans)
{
    return (tw_factor){a, (char)trans, TWILL_GENERAL, 0};
}

static twill_status plan_gemm(twill_trans transa, twill_trans transb, twill_scalar alpha,
                              twill_array *a, twill_array *b, twill_scalar beta, twill_array *c,
                              tw_product *p)
{
    tw_check check = {"gemm", TWILL_OK};
    int ta = transa != TWILL_NO_TRANS, tb = transb != TWILL_NO_TRANS;
    tw_check_trans(&check, 1, transa);
    tw_check_trans(&check, 2, transb);
    tw_check_matrix(&check, 7, a, NULL);
    tw_check_matrix(&check, 9, b, a);
    tw_check_matrix(&check, 12, c, a);
    tw_check_stores(&check, 7, a, TWILL_GENERAL);
    tw_check_stores(&check, 9, b, TWILL_GENERAL);
    tw_check_stores(&check, 12, c, TWILL_GENERAL);
    tw_check_scalar(&check, 6, alpha, a);
    tw_check_scalar(&check, 11, beta, a);
    tw_check_result(&check, 12, c, a);
    tw_check_result(&check, 12, c, b);
    tw_check_cuts(&check, 3, "m", c, 0, a, ta);
    tw_check_cuts(&check, 4, "n", c, 1, b, !tb);
    tw_check_cuts(&check, 5, "k", a, !ta, b, tb);
    if (check.status == TWILL_OK)
        *p = (tw_product){.who = check.who,
                          .alpha = alpha,
                          .beta = beta,
                          .x = general(a, transa),
                          .y = general(b, transb),
                          .c = c,
                          .uplo = TWILL_GENERAL,
                          .inner = twill_array_pattern(a)->extent[!ta],
                          .call = tw_call_gemm,
                          .options = {(char)transa, (char)transb}};
    return check.status;
}

twill_status twill_gemm(twill_trans transa, twill_trans transb, twill_scalar alpha, twill_array *a,
                        twill_array *b, twill_scalar beta, twill_array *c)
{
    tw_product p;
    twill_status status = plan_gemm(transa, transb, alpha, a, b, beta, c, &p);
    return status == TWILL_OK ? tw_product_run(&p) : status;
}

twill_status twill_gemm_insert(twill_graph *graph, twill_trans transa, twill_trans transb,
                               twill_scalar alpha, twill_array *a, twill_array *b,
                               twill_scalar beta, twill_array *c, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    tw_product p;
    twill_status status = plan_gemm(transa, transb, alpha, a, b, beta, c, &p);
    return status == TWILL_OK ? tw_product_insert(graph, &p) : status;
}

/* ---- symm and hemm ------------------------------------------------------------------------- */

static twill_status plan_symm(bool hermitian, twill_side side, twill_uplo uplo, twill_scalar alpha,
                              twill_array *a, twill_array *b, twill_scalar beta, twill_array *c,
                              tw_product *p)
{
    tw_check check = {hermitian ? "hemm" : "symm", TWILL_OK};
    bool left = side == TWILL_LEFT;
    tw_check_side(&check, 1, side);
    tw_check_uplo(&check, 2, uplo);
    tw_check_matrix(&check, 6, a, NULL);
    tw_check_matrix(&check, 8, b, a);
    tw_check_matrix(&check, 11, c, a);
    tw_check_stores(&check, 6, a, uplo);
    tw_check_stores(&check, 8, b, TWILL_GENERAL);
    tw_check_stores(&check, 11, c, TWILL_GENERAL);
    tw_check_scalar(&check, 5, alpha, a);
    tw_check_scalar(&check, 10, beta, a);
    tw_check_result(&check, 11, c, a);
    tw_check_result(&check, 11, c, b);
    tw_check_cuts(&check, 3, "m", c, 0, b, 0);
    tw_check_cuts(&check, 4, "n", c, 1, b, 1);
    tw_check_cuts(&check, left ? 3 : 4, "the order of A", a, 0, c, !left);
    tw_check_cuts(&check, left ? 3 : 4, "the order of A", a, 1, c, !left);
    tw_check_cuts(&check, left ? 3 : 4, "the order of A", a, 0, b, !left);
    if (check.status != TWILL_OK)
        return check.status;
    tw_factor mirrored = {a, 'N', uplo, hermitian ? 'C' : 'T'}, other = general(b, TWILL_NO_TRANS);
    *p = (tw_product){.who = check.who,
                      .alpha = alpha,
                      .beta = beta,
                      .x = left ? mirrored : other,
                      .y = left ? other : mirrored,
                      .c = c,
                      .uplo = TWILL_GENERAL,
                      .inner = twill_array_pattern(a)->extent[0],
                      .diagonal = hermitian ? &tw_step_hemm : &tw_step_symm,
                      .call = hermitian ? tw_call_hemm : tw_call_symm,
                      .options = {(char)side, (char)uplo}};
    return TWILL_OK;
}

twill_status twill_symm(twill_side side, twill_uplo uplo, twill_scalar alpha, twill_array *a,
                        twill_array *b, twill_scalar beta, twill_array *c)
{
    tw_product p;
    twill_status status = plan_symm(false, side, uplo, alpha, a, b, beta, c, &p);
    return status == TWILL_OK ? tw_product_run(&p) : status;
}

twill_status twill_symm_insert(twill_graph *graph, twill_side side, twill_uplo uplo,
                               twill_scalar alpha, twill_array *a, twill_array *b,
                               twill_scalar beta, twill_array *c, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    tw_product p;
    twill_status status = plan_symm(false, side, uplo, alpha, a, b, beta, c, &p);
    return status == TWILL_OK ? tw_product_insert(graph, &p) : status;
}

twill_status twill_hemm(twill_side side, twill_uplo uplo, twill_scalar alpha, twill_array *a,
                        twill_array *b, twill_scalar beta, twill_array *c)
{
    tw_product p;
    twill_status status = plan_symm(true, side, uplo, alpha, a, b, beta, c, &p);
    return status == TWILL_OK ? tw_product_run(&p) : status;
}

twill_status twill_hemm_insert(twill_graph *graph, twill_side side, twill_uplo uplo,
                               twill_scalar alpha, twill_array *a, twill_array *b,
                               twill_scalar beta, twill_array *c, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    tw_product p;
    twill_status status = plan_symm(true, side, uplo, alpha, a, b, beta, c, &p);
    return status == TWILL_OK ? tw_product_insert(graph, &p) : status;
}
