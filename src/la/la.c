/* What the algorithms share. */
#include "la/la.h"

#include "base/abi.h"
#include "engine/engine.h"
#include "engine/use.h"
#include "front/stf/ranks.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

twill_status tw_la_check_options(const twill_la_options *options)
{
    return options ? TW_ABI_CHECK(twill_la_options, branches, options) : TWILL_OK;
}

/* Routines whose tasks find all they need on several ranks; NULL-terminated. */
static const char *const distributed[] = {"fill_random",
                                          "fill_hermitian",
                                          "fill_symmetric",
                                          "fill_spd",
                                          "fill_spd_cond",
                                          "matrix_read",
                                          "matrix_write",
                                          "set",
                                          "scale",
                                          "add",
                                          "copy",
                                          "transpose",
                                          "norm",
                                          "norm_symmetric",
                                          "norm_hermitian",
                                          "norm_triangular",
                                          "digest",
                                          "gemm",
                                          "symm",
                                          "hemm",
                                          "syrk",
                                          "herk",
                                          "syr2k",
                                          "her2k",
                                          "trmm",
                                          "trsm",
                                          "potrf",
                                          "potrs",
                                          "posv",
                                          "potri",
                                          "pocon",
                                          "potrf_residual",
                                          "trtri",
                                          "lauum",
                                          "getrf",
                                          "getrs",
                                          "gesv",
                                          "getri",
                                          "gecon",
                                          "getrf_info",
                                          "twill_pivots_create",
                                          "geqrf",
                                          "gelqf",
                                          "unmqr",
                                          "unmlq",
                                          "ungqr",
                                          "unglq",
                                          "gels",
                                          "posv_mixed",
                                          "gesv_mixed",
                                          NULL};

/* Symmetric and Hermitian matrices that are indefinite: pivots move rows and columns at once, all
 * over the matrix (see decisions/0014). */
static const char *const indefinite[] = {"sytrf", "hetrf", "sytrs", "hetrs", "sysv", "hesv", NULL};

static bool is_among(const char *const *names, const char *who)
{
    while (*names && strcmp(*names, who))
        names++;
    return *names;
}

static twill_status check_ranks(const char *who, const twill_array *a)
{
    if (tw_likely(!a->context->remote) || is_among(distributed, who))
        return TWILL_OK;
    return tw_fail(TWILL_ERR_UNSUPPORTED, "%s: this is for one rank, and there are %d%s", who,
                   a->shared->ranks,
                   is_among(indefinite, who) ? "; gesv solves such systems on several" : "");
}

twill_status tw_la_check(const char *who, twill_array *a)
{
    if (!a)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the matrix is NULL", who);
    if (a->type == TWILL_BYTES || a->pattern.ndim != 2)
        return tw_fail(
            TWILL_ERR_ARGUMENT,
            "%s: the array is not a matrix of type FLOAT32, FLOAT64, COMPLEX64 or COMPLEX128", who);
    if (a->pattern.order & TWILL_ROW_MAJOR_ELEMENTS)
        return tw_fail(TWILL_ERR_UNSUPPORTED,
                       "%s: the elements of the matrix are in row-major order, and linear algebra "
                       "wants column-major order; blocks and ranks may be in either",
                       who);
    if (tw_use_maps(a))
        return tw_fail(TWILL_ERR_STUCK,
                       "%s: this thread has mapped part of the matrix and would wait "
                       "for itself; call twill_unmap first",
                       who);
    return check_ranks(who, a);
}

twill_status tw_la_check_square(const char *who, twill_array *a)
{
    twill_status status = tw_la_check(who, a);
    if (status != TWILL_OK)
        return status;
    const twill_pattern *p = &a->pattern;
    if (p->extent[0] != p->extent[1] || p->block[0] != p->block[1])
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "%s: the matrix is %lld by %lld in tiles of %lld by %lld; "
                       "both must be square",
                       who, (long long)p->extent[0], (long long)p->extent[1],
                       (long long)p->block[0], (long long)p->block[1]);
    return TWILL_OK;
}

twill_status tw_la_check_blas(const char *who, twill_array *a)
{
    const tw_blas *blas;
    twill_status status = tw_la_check_square(who, a);
    if (status == TWILL_OK && a->ld > INT_MAX)
        status =
            tw_fail(TWILL_ERR_UNSUPPORTED, "%s: leading dimension %lld is too large for the BLAS",
                    who, (long long)a->ld);
    return status == TWILL_OK ? tw_blas_get(a->context, &blas) : status;
}

twill_status tw_la_bad(int64_t *info, const char *who, int number, const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (info)
        *info = -number;
    return tw_fail(TWILL_ERR_ARGUMENT, "%s: argument %d %s", who, number, text);
}

tw_element tw_la_element(twill_type type, twill_scalar x)
{
    tw_element e;
    if (type == TWILL_FLOAT32 || type == TWILL_COMPLEX64) {
        e.f32[0] = (float)x.re;
        e.f32[1] = (float)x.im;
    } else {
        e.f64[0] = x.re;
        e.f64[1] = x.im;
    }
    return e;
}

twill_flow tw_la_tile(const twill_task *t, int arg)
{
    return (twill_flow){twill_task_data(t, arg), twill_task_ld(t, arg), twill_task_rows(t, arg),
                        twill_task_cols(t, arg)};
}

const tw_kernels *tw_la_kernels(const twill_task *t, int arg)
{
    const twill_array *a = t->slots[arg].u.tile->array;
    const tw_blas *blas = tw_blas_find(a->context);
    return &blas->kernels[a->type];
}

int64_t tw_la_mt(const twill_array *a)
{
    return twill_pattern_blocks(twill_array_pattern(a), 0);
}

int64_t tw_la_nt(const twill_array *a)
{
    return twill_pattern_blocks(twill_array_pattern(a), 1);
}

static twill_status check_outside(const twill *tw)
{
    return tw_self(tw)
               ? tw_fail(TWILL_ERR_STATE, "a task cannot wait for linear algebra: insert it into a "
                                          "nested graph (twill_nest) instead")
               : TWILL_OK;
}

twill_status tw_la_run_graph(twill_graph *g, int64_t *info)
{
    twill_status status = check_outside(g->tw);
    if (status == TWILL_OK)
        status = twill_ptg_run(g);
    if (status == TWILL_OK)
        status = twill_wait(g);
    if (status == TWILL_ERR_NUMERICAL)
        status = TWILL_OK;
    if (status == TWILL_OK && info)
        *info = twill_graph_info(g);
    twill_graph_free(g);
    return status;
}

twill_status tw_la_run(twill *tw, tw_la_insert *insert, void *arg, int64_t *info)
{
    twill_graph *g;
    twill_status status = check_outside(tw);
    if (status == TWILL_OK)
        status = twill_stf_begin(tw, &g);
    if (status != TWILL_OK)
        return status;
    status = insert(g, arg);
    if (status != TWILL_OK && g->shared)
        (void)tw_stf_missed(g, status);
    twill_status ended = twill_wait(g);
    if (info)
        *info = twill_graph_info(g);
    twill_graph_free(g);
    return status == TWILL_OK || ended != TWILL_OK ? ended : status;
}
