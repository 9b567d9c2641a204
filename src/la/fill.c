/* Matrices to work on: entry (i, j) depends on seed, i and j alone. */
#include "base/mix.h"
#include "la/la.h"

#include <complex.h>

typedef struct recipe {
    uint64_t seed;
    bool mirrored;  /* entry (i, j) with i < j is that of (j, i), */
    bool hermitian; /* or its conjugate */
    double shift;   /* added to the diagonal */
} recipe;

static double uniform(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53 - 0.5;
}

static double complex entry(const recipe *r, int64_t i, int64_t j, bool is_complex)
{
    bool mirrored = r->mirrored && i < j;
    uint64_t row = (uint64_t)(mirrored ? j : i), column = (uint64_t)(mirrored ? i : j);
    uint64_t bits = tw_mix(tw_mix(r->seed ^ tw_mix(column)) + row);
    double re = uniform(bits), im = is_complex ? uniform(tw_mix(~bits)) : 0.0;
    if (i == j) {
        re += r->shift;
        im = r->hermitian ? 0.0 : im;
    }
    return re + (mirrored && r->hermitian ? -im : im) * I;
}

static void put(void *data, twill_type type, int64_t at, double complex x)
{
    switch (type) {
    case TWILL_F32:
        ((float *)data)[at] = (float)creal(x);
        break;
    case TWILL_C32:
        ((float complex *)data)[at] = (float complex)x;
        break;
    case TWILL_C64:
        ((double complex *)data)[at] = x;
        break;
    default:
        ((double *)data)[at] = creal(x);
        break;
    }
}

static twill_outcome fill_body(twill_task *t)
{
    const recipe *r = *(const recipe *const *)twill_task_data(t, 1);
    twill_type type = twill_array_type(twill_task_array(t, 0));
    int64_t rows = twill_task_rows(t, 0), cols = twill_task_cols(t, 0), ld = twill_task_ld(t, 0);
    int64_t i0 = twill_task_int(t, 2), j0 = twill_task_int(t, 3);
    void *data = twill_task_data(t, 0);
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++)
            put(data, type, i + j * ld, entry(r, i0 + i, j0 + j, tw_la_complex(type)));
    return TWILL_DONE;
}

static const twill_class fill = {.name = "fill", .cpu = fill_body};

typedef struct order {
    twill_array *a;
    const recipe *r;
} order;

static twill_status insert_fill(twill_graph *g, void *arg)
{
    const order *o = arg;
    return tw_la_each_tile(g, &fill, o->a, TWILL_GENERAL, TWILL_ARG_WRITE, o->r);
}

static twill_status run(twill_array *a, const recipe *r)
{
    return tw_la_run(twill_array_context(a), insert_fill, &(order){a, r}, NULL);
}

twill_status twill_fill_random(twill_array *a, uint64_t seed)
{
    twill_status status = tw_la_check("fill", a);
    return status == TWILL_OK ? run(a, &(recipe){seed, false, false, 0.0}) : status;
}

twill_status twill_fill_hermitian(twill_array *a, uint64_t seed)
{
    twill_status status = tw_la_check_square("fill", a);
    return status == TWILL_OK ? run(a, &(recipe){seed, true, true, 0.0}) : status;
}

twill_status twill_fill_symmetric(twill_array *a, uint64_t seed)
{
    twill_status status = tw_la_check_square("fill", a);
    return status == TWILL_OK ? run(a, &(recipe){seed, true, false, 0.0}) : status;
}

twill_status twill_fill_spd(twill_array *a, uint64_t seed)
{
    twill_status status = tw_la_check_square("fill", a);
    double n = status == TWILL_OK ? (double)twill_array_pattern(a)->extent[0] : 0.0;
    return status == TWILL_OK ? run(a, &(recipe){seed, true, true, n}) : status;
}
