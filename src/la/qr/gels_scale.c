/* Scaling of least squares problems. */
#include "la/qr/gels_scale.h"

#include "engine/engine.h"
#include "la/kernel/blocks.h"
#include "la/kernel/norm_tile.h"
#include "la/qr/gels_ranks.h"

#include <float.h>
#include <math.h>

/* ---- the largest entry ------------------------------------------------------------------- */

static double size_of(const tw_kernels *k, const void *element)
{
    if (k->single) {
        const float *x = element;
        return k->complex ? hypotf(x[0], x[1]) : fabsf(x[0]);
    }
    const double *x = element;
    return k->complex ? hypot(x[0], x[1]) : fabs(x[0]);
}

static void set_zero(void *into, int64_t rows, int64_t cols, int64_t ld)
{
    (void)rows, (void)cols, (void)ld;
    *(double *)into = 0.0;
}

static void keep_larger(void *into, int64_t ld_into, const void *from, int64_t ld_from,
                        int64_t rows, int64_t cols)
{
    (void)ld_into, (void)ld_from, (void)rows, (void)cols;
    *(double *)into = tw_larger(*(double *)into, *(const double *)from);
}

static const twill_reduction largest = {
    .size = sizeof(twill_reduction), .name = "max", .zero = set_zero, .combine = keep_larger};

/* Of the first rows. */
static double largest_entry(const tw_kernels *k, const twill_flow *a, int64_t rows)
{
    double most = 0.0;
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t i = 0; i < rows; i++)
            most = tw_larger(most, size_of(k, tw_at(k, a->data, i, j, a->ld)));
    return most;
}

/* Arguments: norm. */
static twill_outcome reset_body(twill_task *t)
{
    *(double *)twill_task_data(t, 0) = 0.0;
    return TWILL_DONE;
}

/* Arguments: tile, norm, rows that count. */
static twill_outcome norm_body(twill_task *t)
{
    twill_flow a = tw_la_tile(t, 0);
    double *norm = twill_task_data(t, 1);
    *norm = tw_larger(*norm, largest_entry(tw_la_kernels(t, 0), &a, twill_task_int(t, 2)));
    return TWILL_DONE;
}

static const twill_class reset = {
    .size = sizeof(twill_class), .name = "reset", .chores = {TWILL_CPU(reset_body)}};
static const twill_class norm_class = {.size = sizeof(twill_class),
                                       .name = "norm",
                                       .chores = {TWILL_CPU(norm_body)},
                                       .parameters = "rows"};

/* ---- scaling ----------------------------------------------------------------------------- */

/* What a matrix with this largest entry is scaled to; the same when it is left alone. */
static double target(const tw_kernels *k, double norm)
{
    double least = k->single ? FLT_MIN / FLT_EPSILON : DBL_MIN / DBL_EPSILON;
    if (norm > 0.0 && norm < least)
        return least;
    return norm > 1.0 / least ? 1.0 / least : norm;
}

/* The first rows of a tile times to / from, without overflow on the way. */
static void multiply(const tw_kernels *k, const twill_flow *a, int64_t count, double from,
                     double to)
{
    float narrow[2] = {(float)from, (float)to};
    int rows = (int)count, cols = (int)a->cols, ld = (int)a->ld, none = 0, info;
    if (from == to || isnan(from) || rows == 0)
        return;
    if (k->single)
        k->lascl("G", &none, &none, &narrow[0], &narrow[1], &rows, &cols, a->data, &ld, &info, 1);
    else
        k->lascl("G", &none, &none, &from, &to, &rows, &cols, a->data, &ld, &info, 1);
}

/* Arguments: tile, norm, rows that count. */
static twill_outcome scale_body(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    twill_flow a = tw_la_tile(t, 0);
    double norm = *(const double *)twill_task_data(t, 1);
    multiply(k, &a, twill_task_int(t, 2), norm, target(k, norm));
    return TWILL_DONE;
}

void tw_unscale_whole(const tw_kernels *k, const twill_flow *x, int64_t rows, double norm_a,
                      double norm_b)
{
    if (norm_a == 0.0) {
        tw_block_clear(k, (int)x->rows, (int)x->cols, x->data, (int)x->ld);
        return;
    }
    multiply(k, x, rows, norm_a, target(k, norm_a));
    multiply(k, x, rows, target(k, norm_b), norm_b);
}

double tw_scale_whole(const tw_kernels *k, const twill_flow *a, int64_t rows)
{
    double norm = largest_entry(k, a, rows);
    multiply(k, a, rows, norm, target(k, norm));
    return norm;
}

/* Arguments: tile of X, norms of A and B, rows that count. */
static twill_outcome unscale_body(twill_task *t)
{
    twill_flow x = tw_la_tile(t, 0);
    tw_unscale_whole(tw_la_kernels(t, 0), &x, twill_task_int(t, 3),
                     *(const double *)twill_task_data(t, 1),
                     *(const double *)twill_task_data(t, 2));
    return TWILL_DONE;
}

static const twill_class scale = {.size = sizeof(twill_class),
                                  .name = "scale",
                                  .chores = {TWILL_CPU(scale_body)},
                                  .parameters = "rows"};
static const twill_class unscale = {.size = sizeof(twill_class),
                                    .name = "unscale",
                                    .chores = {TWILL_CPU(unscale_body)},
                                    .parameters = "rows"};

/* ---- inserting --------------------------------------------------------------------------- */

twill_status tw_scales_fit(const twill_array *a, twill_array **scales)
{
    twill_pattern p = tw_pattern_like(&a->pattern, 1, 3, 1, 1);
    if (*scales && tw_pattern_is_like(&p, &(*scales)->pattern))
        return TWILL_OK;
    twill_array_free(*scales);
    *scales = NULL;
    return twill_array_create(a->context, &p, TWILL_FLOAT64, 0, scales);
}

int64_t tw_gels_rows(const twill_array *a, int64_t i, int64_t rows)
{
    const twill_pattern *p = twill_array_pattern(a);
    int64_t left = rows - i * p->block[0], have = twill_pattern_block_extent(p, 0, i);
    return left < 0 ? 0 : left < have ? left : have;
}

static twill_status insert_norms(twill_graph *g, const tw_scaled *s)
{
    twill_status status = twill_insert(g, &reset, TWILL_W(s->norm));
    if (g->shared && status == TWILL_OK)
        return tw_gels_largest(g, &norm_class, s->a, s->rows, s->norm);
    for (int64_t j = 0; j < tw_la_nt(s->a); j++)
        for (int64_t i = 0; i < tw_la_mt(s->a) && status == TWILL_OK; i++)
            status = twill_insert(g, &norm_class, TWILL_R(twill_tile_at(s->a, i, j)),
                                  TWILL_REDUCE(s->norm, &largest),
                                  TWILL_INT(tw_gels_rows(s->a, i, s->rows)));
    return status;
}

twill_status tw_scale_insert(twill_graph *g, const tw_scaled *s)
{
    twill_status status = insert_norms(g, s);
    for (int64_t j = 0; j < tw_la_nt(s->a); j++)
        for (int64_t i = 0; i < tw_la_mt(s->a) && status == TWILL_OK; i++)
            status = twill_insert(g, &scale, TWILL_RW(twill_tile_at(s->a, i, j)), TWILL_R(s->norm),
                                  TWILL_INT(tw_gels_rows(s->a, i, s->rows)));
    return status;
}

twill_status tw_unscale_insert(twill_graph *g, twill_array *x, int64_t rows, twill_tile *norm_a,
                               twill_tile *norm_b)
{
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < tw_la_nt(x); j++)
        for (int64_t i = 0; i < tw_la_mt(x) && status == TWILL_OK; i++)
            status = twill_insert(g, &unscale, TWILL_RW(twill_tile_at(x, i, j)), TWILL_R(norm_a),
                                  TWILL_R(norm_b), TWILL_INT(tw_gels_rows(x, i, rows)));
    return status;
}
