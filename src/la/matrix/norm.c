/* Norms of general, triangular, symmetric and Hermitian matrices. */
#include "la/direct.h"
#include "la/kernel/norm_tile.h"
#include "la/matrix/total.h"

#include <stdlib.h>

static const twill_class norm_class = {
    .size = sizeof(twill_class), .name = "norm", .chores = {TWILL_CPU(tw_norm_body)}};

typedef struct call {
    twill_array *a;
    tw_norm norm;
    int64_t nt;
    void *memory;
    int64_t words; /* of memory */
} call;

/* ---- putting contributions together ------------------------------------------------------ */

static double largest_tile(const call *o)
{
    double largest = 0.0;
    for (int64_t k = 0; k < o->norm.mt * o->nt; k++)
        largest = tw_larger(o->norm.largest[k], largest);
    return largest;
}

static double root_of_tiles(const call *o)
{
    tw_squares sum = {0.0, 0.0, 0.0};
    for (int64_t k = 0; k < o->norm.mt * o->nt; k++) {
        sum.large += o->norm.squares[k].large;
        sum.usual += o->norm.squares[k].usual;
        sum.small += o->norm.squares[k].small;
    }
    return tw_squares_root(sum);
}

/* Add lines of sums up, the first one being the result. */
static void add_lines(double *sum, const double *lines, int64_t first, int64_t count, int64_t n)
{
    for (int64_t k = first; k < count; k++)
        for (int64_t i = 0; i < n; i++)
            sum[i] += lines[k * n + i];
}

static double largest_sum(const call *o)
{
    const tw_norm *norm = &o->norm;
    double largest = 0.0, *sum = norm->columns ? norm->columns : norm->rows;
    int64_t n = norm->columns ? norm->n : norm->m;
    if (norm->columns)
        add_lines(sum, norm->columns, 1, norm->mt, norm->n);
    if (norm->rows)
        add_lines(sum, norm->rows, norm->columns ? 0 : 1, o->nt, norm->m);
    for (int64_t i = 0; i < n; i++)
        largest = tw_larger(sum[i], largest);
    return largest;
}

/* ---- a norm ------------------------------------------------------------------------------ */

/* Zeros for the contributions of all tiles. */
static twill_status make_room(call *o)
{
    tw_norm *norm = &o->norm;
    size_t tiles = (size_t)(norm->mt * o->nt);
    bool columns = norm->kind == TWILL_NORM_ONE || (norm->kind == TWILL_NORM_INF && norm->mirrored);
    bool rows = norm->kind == TWILL_NORM_INF || (norm->kind == TWILL_NORM_ONE && norm->mirrored);
    size_t in_columns = columns ? (size_t)(norm->mt * norm->n) : 0;
    size_t in_rows = rows ? (size_t)(o->nt * norm->m) : 0;
    size_t numbers = norm->kind == TWILL_NORM_MAX   ? tiles
                     : norm->kind == TWILL_NORM_FRO ? tiles * sizeof(tw_squares) / sizeof(double)
                                                    : in_columns + in_rows;
    o->memory = calloc(numbers, sizeof(double));
    if (!o->memory)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the sums of a norm");
    o->words = (int64_t)numbers;
    norm->largest = norm->kind == TWILL_NORM_MAX ? o->memory : NULL;
    norm->squares = norm->kind == TWILL_NORM_FRO ? o->memory : NULL;
    norm->columns = columns ? o->memory : NULL;
    norm->rows = rows ? (double *)o->memory + in_columns : NULL;
    return TWILL_OK;
}

/* In here a rank that has no memory fails the graph, and the others learn of it. */
static twill_status insert_norm(twill_graph *g, void *arg)
{
    call *o = arg;
    const tw_norm *norm = &o->norm;
    twill_status status = make_room(o);
    if (status != TWILL_OK)
        return status;
    return tw_uplo_each_tile(g, &norm_class, o->a, norm->uplo, TWILL_READ, TWILL_VALUE(norm));
}

/* A tile contributes on the rank that owns it. */
static twill_status run_norm(call *o)
{
    twill *tw = twill_array_context(o->a);
    twill_status status = tw_la_run(tw, insert_norm, o, NULL);
    return status == TWILL_OK ? tw_total(tw, o->memory, o->words) : status;
}

static int64_t norm_whole(const tw_kernels *unused, const twill_flow *x, const void *arg)
{
    call *o = (call *)(uintptr_t)arg;
    (void)unused;
    if (make_room(o) != TWILL_OK)
        return TW_DIRECT_NO_MEMORY;
    tw_norm_tile(&o->norm, twill_array_type(o->a), x, 0, 0);
    return 0;
}

static twill_status compute(twill_array *a, tw_norm norm, double *value)
{
    const twill_pattern *p = twill_array_pattern(a);
    call o = {.a = a, .norm = norm, .nt = tw_la_nt(a)};
    o.norm.m = p->extent[0];
    o.norm.n = p->extent[1];
    o.norm.mb = p->block[0];
    o.norm.nb = p->block[1];
    o.norm.mt = tw_la_mt(a);
    if (o.norm.mt * o.nt == 0) {
        *value = 0.0;
        return TWILL_OK;
    }
    tw_direct d = {"norm", norm_whole, &o, {{a, TWILL_READ}}};
    twill_status status;
    if (!tw_direct_done(&d, NULL, &status))
        status = run_norm(&o);
    if (status == TWILL_OK)
        *value = norm.kind == TWILL_NORM_MAX   ? largest_tile(&o)
                 : norm.kind == TWILL_NORM_FRO ? root_of_tiles(&o)
                                               : largest_sum(&o);
    free(o.memory);
    return status;
}

/* ---- the API ----------------------------------------------------------------------------- */

static twill_status check_kind(const char *who, twill_norm_kind kind)
{
    if (kind == TWILL_NORM_MAX || kind == TWILL_NORM_ONE || kind == TWILL_NORM_INF ||
        kind == TWILL_NORM_FRO)
        return TWILL_OK;
    return tw_la_bad(NULL, who, 1, "is no kind of norm: TWILL_NORM_MAX, ONE, INF and FRO are");
}

static twill_status check_triangle(const char *who, twill_norm_kind kind, twill_uplo uplo)
{
    twill_status status = check_kind(who, kind);
    if (status == TWILL_OK && uplo != TWILL_LOWER && uplo != TWILL_UPPER)
        status = tw_la_bad(NULL, who, 2, "(uplo) must be TWILL_LOWER or TWILL_UPPER");
    return status;
}

twill_status twill_norm(twill_norm_kind kind, twill_array *a, double *value)
{
    twill_status status = check_kind("norm", kind);
    if (status == TWILL_OK)
        status = tw_la_check("norm", a);
    if (status != TWILL_OK)
        return status;
    return compute(a, (tw_norm){.kind = kind, .uplo = twill_array_uplo(a)}, value);
}

twill_status twill_norm_triangular(twill_norm_kind kind, twill_uplo uplo, twill_diag diag,
                                   twill_array *a, double *value)
{
    const char *who = "norm_triangular";
    twill_status status = check_triangle(who, kind, uplo);
    if (status == TWILL_OK && diag != TWILL_UNIT && diag != TWILL_NON_UNIT)
        status = tw_la_bad(NULL, who, 3, "(diag) must be TWILL_UNIT or TWILL_NON_UNIT");
    if (status == TWILL_OK)
        status = tw_la_check(who, a);
    if (status == TWILL_OK)
        status = tw_uplo_resolve(who, 2, a, &uplo);
    if (status != TWILL_OK)
        return status;
    return compute(a, (tw_norm){.kind = kind, .uplo = uplo, .unit = diag == TWILL_UNIT}, value);
}

static twill_status mirrored(const char *who, twill_norm_kind kind, twill_uplo uplo, bool hermitian,
                             twill_array *a, double *value)
{
    twill_status status = check_triangle(who, kind, uplo);
    if (status == TWILL_OK)
        status = tw_la_check_order(who, a);
    if (status == TWILL_OK)
        status = tw_uplo_resolve(who, 2, a, &uplo);
    if (status != TWILL_OK)
        return status;
    return compute(
        a, (tw_norm){.kind = kind, .uplo = uplo, .mirrored = true, .real_only = hermitian}, value);
}

twill_status twill_norm_symmetric(twill_norm_kind kind, twill_uplo uplo, twill_array *a,
                                  double *value)
{
    return mirrored("norm_symmetric", kind, uplo, false, a, value);
}

twill_status twill_norm_hermitian(twill_norm_kind kind, twill_uplo uplo, twill_array *a,
                                  double *value)
{
    return mirrored("norm_hermitian", kind, uplo, true, a, value);
}
