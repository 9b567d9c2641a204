/* Random matrices to work on: entry (i, j) depends on seed, i and j alone. */
#include "la/matrix/fill.h"

#include "base/mix.h"
#include "la/kernel/numbers.h"
#include "la/matrix/uplo.h"

/* ---- by any rule ------------------------------------------------------------------------- */

typedef struct rule {
    tw_entries *entries;
    const void *recipe;
    twill_uplo uplo;
} rule;

static twill_outcome fill_body(twill_task *t)
{
    const rule *r = twill_task_data(t, 1);
    twill_type type = twill_array_type(twill_task_array(t, 0));
    int64_t i0 = twill_task_int(t, 2), j0 = twill_task_int(t, 3), ld = twill_task_ld(t, 0);
    for (int64_t j = 0; j < twill_task_cols(t, 0); j++) {
        tw_span span = tw_uplo_rows(r->uplo, i0, twill_task_rows(t, 0), j0 + j);
        for (int64_t i = span.first; i < span.end; i += TW_NUMBERS) {
            int64_t n = span.end - i < TW_NUMBERS ? span.end - i : TW_NUMBERS;
            double x[2 * TW_NUMBERS];
            r->entries(r->recipe, i0 + i, j0 + j, n, tw_la_complex(type), x);
            tw_numbers_store(twill_task_data(t, 0), type, i + j * ld, x, n);
        }
    }
    return TWILL_DONE;
}

static const twill_class fill = {
    .size = sizeof(twill_class), .name = "fill", .chores = {TWILL_CPU(fill_body)}};

typedef struct call {
    twill_array *a;
    rule r;
} call;

static twill_status insert_fill(twill_graph *g, void *arg)
{
    const call *o = arg;
    return tw_uplo_each_tile(g, &fill, o->a, o->r.uplo, TWILL_WRITE, TWILL_VALUE(o->r));
}

twill_status tw_fill(twill_array *a, tw_entries *entries, const void *recipe)
{
    call o = {a, {entries, recipe, twill_array_uplo(a)}};
    return tw_la_run(twill_array_context(a), insert_fill, &o, NULL);
}

/* ---- at random --------------------------------------------------------------------------- */

typedef enum mirror { PLAIN, SYMMETRIC, HERMITIAN } mirror;

typedef struct recipe {
    uint64_t seed;
    mirror mirror;
    double shift; /* added to the diagonal */
} recipe;

/* What all entries of a column have in common. */
static uint64_t column_bits(const recipe *r, int64_t j)
{
    return tw_mix(r->seed ^ tw_mix((uint64_t)j));
}

static void random_entries(const void *arg, int64_t i, int64_t j, int64_t n, bool is_complex,
                           double *x)
{
    const recipe *r = arg;
    uint64_t own = column_bits(r, j);
    for (int64_t end = i + n; i < end; i++) {
        bool mirrored = r->mirror != PLAIN && i < j;
        uint64_t bits =
            mirrored ? tw_mix(column_bits(r, i) + (uint64_t)j) : tw_mix(own + (uint64_t)i);
        *x++ = tw_uniform(bits) + (i == j ? r->shift : 0.0);
        if (!is_complex)
            continue;
        double im = tw_uniform(tw_mix(~bits));
        *x++ = r->mirror != HERMITIAN ? im : i == j ? 0.0 : mirrored ? -im : im;
    }
}

twill_status twill_fill_random(twill_array *a, uint64_t seed)
{
    twill_status status = tw_la_check("fill_random", a);
    return status == TWILL_OK ? tw_fill(a, random_entries, &(recipe){seed, PLAIN, 0.0}) : status;
}

static twill_status fill_mirrored(const char *who, twill_array *a, recipe r, bool definite)
{
    twill_status status = tw_la_check_order(who, a);
    if (status == TWILL_OK && definite)
        r.shift = (double)twill_array_pattern(a)->extent[0];
    return status == TWILL_OK ? tw_fill(a, random_entries, &r) : status;
}

twill_status twill_fill_hermitian(twill_array *a, uint64_t seed)
{
    return fill_mirrored("fill_hermitian", a, (recipe){seed, HERMITIAN, 0.0}, false);
}

twill_status twill_fill_symmetric(twill_array *a, uint64_t seed)
{
    return fill_mirrored("fill_symmetric", a, (recipe){seed, SYMMETRIC, 0.0}, false);
}

twill_status twill_fill_spd(twill_array *a, uint64_t seed)
{
    return fill_mirrored("fill_spd", a, (recipe){seed, HERMITIAN, 0.0}, true);
}
