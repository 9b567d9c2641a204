/* The routines for symmetric and Hermitian indefinite matrices: arguments, and who calls whom. */
#include "la/indefinite/indefinite.h"

#include <stdlib.h>

/* e or ipiv: one column, tiled as the rows of A are. */
static twill_status check_column(int64_t *info, const char *who, twill_array *a, twill_array *x,
                                 size_t element, int number)
{
    if (!x)
        return tw_la_bad(info, who, number, "is NULL");
    const twill_pattern *p = twill_array_pattern(a), *q = twill_array_pattern(x);
    if (q->ndim != 2 || q->extent[0] != p->extent[0] || q->extent[1] != 1 ||
        q->block[0] != p->block[0] || twill_array_element(x) != element)
        return tw_la_bad(info, who, number,
                         "must be %lld by 1 in tiles of %lld by 1, of elements of %zu bytes",
                         (long long)p->extent[0], (long long)p->block[0], element);
    return TWILL_OK;
}

twill_status tw_indefinite_check(int64_t *info, const char *who, const tw_indefinite *x, int number)
{
    twill_status status = tw_triangle_check(info, who, x->uplo, x->a);
    if (status == TWILL_OK && x->b)
        status = tw_triangle_check_rhs(info, who, x->uplo, x->a, x->b, number + 3);
    if (status == TWILL_OK)
        status = check_column(info, who, x->a, x->e, twill_array_element(x->a), number);
    if (status == TWILL_OK && twill_array_type(x->e) != twill_array_type(x->a))
        status = tw_la_bad(info, who, number, "(e) must be of the type of the matrix");
    if (status == TWILL_OK)
        status = check_column(info, who, x->a, x->ipiv, sizeof(int64_t), number + 1);
    return status;
}

/* A failure of what comes before in the graph is told by twill_wait. */
static twill_status inserted(twill_status status)
{
    return status == TWILL_ERR_NUMERICAL ? TWILL_OK : status;
}

/* ---- factor ------------------------------------------------------------------------------ */

static twill_status insert_factor(twill_graph *g, const char *who, tw_indefinite x,
                                  const twill_la_options *options)
{
    twill_status status = tw_indefinite_check(NULL, who, &x, 5);
    return status == TWILL_OK ? inserted(tw_indefinite_factor(g, &x, options)) : status;
}

static twill_status factor_all(twill_graph *g, void *arg)
{
    return inserted(tw_indefinite_factor(g, arg, NULL));
}

static twill_status factor(const char *who, tw_indefinite x, int64_t *info)
{
    tw_direct d = {who,
                   tw_indefinite_factor_whole,
                   &x,
                   {{x.a, TWILL_READ_WRITE}, {x.e, TWILL_WRITE}, {x.ipiv, TWILL_WRITE}}};
    twill_status status = tw_indefinite_check(info, who, &x, 5);
    if (status != TWILL_OK || tw_direct_done(&d, info, &status))
        return status;
    return tw_triangle_run(twill_array_context(x.a), factor_all, &x, info);
}

twill_status twill_sytrf(twill_uplo uplo, twill_array *a, twill_array *e, twill_array *ipiv,
                         int64_t *info)
{
    return factor("sytrf", (tw_indefinite){false, uplo, a, e, ipiv, NULL}, info);
}

twill_status twill_hetrf(twill_uplo uplo, twill_array *a, twill_array *e, twill_array *ipiv,
                         int64_t *info)
{
    return factor("hetrf", (tw_indefinite){true, uplo, a, e, ipiv, NULL}, info);
}

twill_status twill_sytrf_insert(twill_graph *g, twill_uplo uplo, twill_array *a, twill_array *e,
                                twill_array *ipiv, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return insert_factor(g, "sytrf", (tw_indefinite){false, uplo, a, e, ipiv, NULL}, options);
}

twill_status twill_hetrf_insert(twill_graph *g, twill_uplo uplo, twill_array *a, twill_array *e,
                                twill_array *ipiv, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return insert_factor(g, "hetrf", (tw_indefinite){true, uplo, a, e, ipiv, NULL}, options);
}

/* ---- solve ------------------------------------------------------------------------------- */

static twill_status check_solve(const char *who, const tw_indefinite *x)
{
    twill_status status = tw_triangle_check_rhs(NULL, who, x->uplo, x->a, x->b, 9);
    return status == TWILL_OK ? tw_indefinite_check(NULL, who, x, 6) : status;
}

static twill_status insert_solve(twill_graph *g, const char *who, tw_indefinite x,
                                 const twill_la_options *options)
{
    twill_status status = check_solve(who, &x);
    return status == TWILL_OK ? inserted(tw_indefinite_solve(g, &x, options)) : status;
}

static twill_status solve_all(twill_graph *g, void *arg)
{
    return tw_indefinite_solve(g, arg, NULL);
}

static twill_status solve(const char *who, tw_indefinite x)
{
    tw_direct d = {
        who,
        tw_indefinite_solve_whole,
        &x,
        {{x.a, TWILL_READ}, {x.e, TWILL_READ}, {x.ipiv, TWILL_READ}, {x.b, TWILL_READ_WRITE}}};
    twill_status status = check_solve(who, &x);
    if (status != TWILL_OK || tw_direct_done(&d, NULL, &status))
        return status;
    return tw_la_run(twill_array_context(x.a), solve_all, &x, NULL);
}

twill_status twill_sytrs(twill_uplo uplo, twill_array *a, twill_array *e, twill_array *ipiv,
                         twill_array *b)
{
    return solve("sytrs", (tw_indefinite){false, uplo, a, e, ipiv, b});
}

twill_status twill_hetrs(twill_uplo uplo, twill_array *a, twill_array *e, twill_array *ipiv,
                         twill_array *b)
{
    return solve("hetrs", (tw_indefinite){true, uplo, a, e, ipiv, b});
}

twill_status twill_sytrs_insert(twill_graph *g, twill_uplo uplo, twill_array *a, twill_array *e,
                                twill_array *ipiv, twill_array *b, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return insert_solve(g, "sytrs", (tw_indefinite){false, uplo, a, e, ipiv, b}, options);
}

twill_status twill_hetrs_insert(twill_graph *g, twill_uplo uplo, twill_array *a, twill_array *e,
                                twill_array *ipiv, twill_array *b, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return insert_solve(g, "hetrs", (tw_indefinite){true, uplo, a, e, ipiv, b}, options);
}

/* ---- both -------------------------------------------------------------------------------- */

static twill_status insert_both(twill_graph *g, const char *who, tw_indefinite x,
                                const twill_la_options *options)
{
    twill_status status = check_solve(who, &x);
    if (status == TWILL_OK)
        status = tw_indefinite_factor(g, &x, options);
    if (status == TWILL_OK)
        status = tw_indefinite_solve(g, &x, options);
    return inserted(status);
}

static twill_status both_all(twill_graph *g, void *arg)
{
    const tw_indefinite *x = arg;
    return insert_both(g, x->hermitian ? "hesv" : "sysv", *x, NULL);
}

/* Small matrices: nobody asks for the factor, so LAPACK's will do. */
static int64_t both_whole(const tw_kernels *k, const twill_flow *x, const void *arg)
{
    enum { BLOCK = 32 };
    const tw_indefinite *o = arg;
    char uplo = (char)o->uplo;
    int n = (int)x[0].rows, nrhs = (int)x[1].cols, lwork = n * BLOCK, info;
    int lda = (int)x[0].ld, ldb = (int)x[1].ld;
    char *work = malloc((size_t)lwork * k->size + (size_t)n * sizeof(int));
    if (!work)
        return TW_DIRECT_NO_MEMORY;
    int *pivots = (int *)(void *)(work + (size_t)lwork * k->size);
    (o->hermitian ? k->hesv : k->sysv)(&uplo, &n, &nrhs, x[0].data, &lda, pivots, x[1].data, &ldb,
                                       work, &lwork, &info, 1);
    free(work);
    return info;
}

/* With e and ipiv of its own. */
static twill_status both(const char *who, tw_indefinite x, int64_t *info)
{
    tw_direct d = {who, both_whole, &x, {{x.a, TWILL_READ_WRITE}, {x.b, TWILL_READ_WRITE}}};
    twill_status status = tw_triangle_check_rhs(info, who, x.uplo, x.a, x.b, 8);
    if (status != TWILL_OK || tw_direct_done(&d, info, &status))
        return status;
    status = tw_la_column_like(x.a, twill_array_type(x.a), 0, &x.e);
    if (status == TWILL_OK)
        status = tw_la_column_like(x.a, TWILL_BYTES, sizeof(int64_t), &x.ipiv);
    if (status == TWILL_OK)
        status = tw_triangle_run(twill_array_context(x.a), both_all, &x, info);
    twill_array_free(x.e);
    twill_array_free(x.ipiv);
    return status;
}

twill_status twill_sysv(twill_uplo uplo, twill_array *a, twill_array *b, int64_t *info)
{
    return both("sysv", (tw_indefinite){false, uplo, a, NULL, NULL, b}, info);
}

twill_status twill_hesv(twill_uplo uplo, twill_array *a, twill_array *b, int64_t *info)
{
    return both("hesv", (tw_indefinite){true, uplo, a, NULL, NULL, b}, info);
}

twill_status twill_sysv_insert(twill_graph *g, twill_uplo uplo, twill_array *a, twill_array *e,
                               twill_array *ipiv, twill_array *b, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return insert_both(g, "sysv", (tw_indefinite){false, uplo, a, e, ipiv, b}, options);
}

twill_status twill_hesv_insert(twill_graph *g, twill_uplo uplo, twill_array *a, twill_array *e,
                               twill_array *ipiv, twill_array *b, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return insert_both(g, "hesv", (tw_indefinite){true, uplo, a, e, ipiv, b}, options);
}
