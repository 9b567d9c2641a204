/* Inverse of a Hermitian positive definite matrix from its Cholesky factor: L^-H L^-1, both steps
 * in one graph. */
#include "la/cholesky/triangle.h"

twill_status twill_potri_insert(twill_graph *g, twill_uplo uplo, twill_array *a,
                                const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    twill_status status = tw_triangle_check(NULL, "potri", uplo, a);
    if (status == TWILL_OK)
        status = twill_trtri_insert(g, uplo, TWILL_NON_UNIT, a, options);
    return status == TWILL_OK ? twill_lauum_insert(g, uplo, a, options) : status;
}

typedef struct call {
    twill_uplo uplo;
    twill_array *a;
} call;

static twill_status insert_all(twill_graph *g, void *arg)
{
    const call *o = arg;
    return twill_potri_insert(g, o->uplo, o->a, NULL);
}

static int64_t invert_whole(const tw_kernels *k, const twill_flow *x, const void *uplo)
{
    int64_t info = tw_trtri_whole(k, x, uplo);
    return info ? info : tw_lauum_whole(k, x, uplo);
}

twill_status twill_potri(twill_uplo uplo, twill_array *a, int64_t *info)
{
    int64_t found = 0;
    char option = (char)uplo;
    tw_direct d = {"potri", invert_whole, &option, {{a, TWILL_READ_WRITE}}};
    twill_status status = tw_triangle_check(info, "potri", uplo, a);
    if (status != TWILL_OK || tw_direct_done(&d, info, &status))
        return status;
    status = tw_trtri_look(uplo, a, &found);
    if (status == TWILL_OK && found == 0)
        status = tw_triangle_run(twill_array_context(a), insert_all, &(call){uplo, a}, &found);
    if (status == TWILL_OK && info)
        *info = found;
    return status;
}
