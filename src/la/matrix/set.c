/* Setting and scaling parts of matrices. */
#include "la/kernel/numbers.h"
#include "la/matrix/uplo.h"

/* ---- set --------------------------------------------------------------------------------- */

typedef struct values {
    twill_scalar other, diagonal;
    twill_uplo uplo;
} values;

static void set_column(void *data, twill_type type, int64_t at, int64_t n, twill_scalar x)
{
    double pattern[2 * TW_NUMBERS];
    bool is_complex = tw_la_complex(type);
    int64_t most = n < TW_NUMBERS ? n : TW_NUMBERS;
    for (int64_t i = 0; i < most; i++) {
        pattern[is_complex ? 2 * i : i] = x.re;
        if (is_complex)
            pattern[2 * i + 1] = x.im;
    }
    for (int64_t i = 0; i < n; i += TW_NUMBERS)
        tw_numbers_store(data, type, at + i, pattern, n - i < most ? n - i : most);
}

static twill_outcome set_body(twill_task *t)
{
    const values *v = twill_task_data(t, 1);
    twill_type type = twill_array_type(twill_task_array(t, 0));
    int64_t rows = twill_task_rows(t, 0), ld = twill_task_ld(t, 0);
    int64_t i0 = twill_task_int(t, 2), j0 = twill_task_int(t, 3);
    void *data = twill_task_data(t, 0);
    for (int64_t j = 0; j < twill_task_cols(t, 0); j++) {
        tw_span span = tw_uplo_rows(v->uplo, i0, rows, j0 + j);
        set_column(data, type, span.first + j * ld, span.end - span.first, v->other);
        int64_t diagonal = j0 + j - i0;
        if (diagonal >= 0 && diagonal < rows)
            set_column(data, type, diagonal + j * ld, 1, v->diagonal);
    }
    return TWILL_DONE;
}

static const twill_class set_class = {
    .size = sizeof(twill_class), .name = "set", .chores = {TWILL_CPU(set_body)}};

/* Scalars are arguments 2 and 3. */
static twill_status check(const char *who, twill_uplo *uplo, twill_scalar x, twill_scalar y,
                          twill_array *a)
{
    twill_status status = tw_la_check(who, a);
    if (status == TWILL_OK)
        status = tw_uplo_resolve(who, 1, a, uplo);
    if (status == TWILL_OK)
        status = tw_la_check_scalar(who, 2, a, x);
    return status == TWILL_OK ? tw_la_check_scalar(who, 3, a, y) : status;
}

twill_status twill_set_insert(twill_graph *g, twill_uplo uplo, twill_scalar other,
                              twill_scalar diagonal, twill_array *a)
{
    twill_status status = check("set", &uplo, other, diagonal, a);
    if (status != TWILL_OK)
        return status;
    values v = {other, diagonal, uplo};
    return tw_uplo_each_tile(g, &set_class, a, uplo, TWILL_WRITE, TWILL_VALUE(v));
}

typedef struct set_order {
    twill_uplo uplo;
    twill_scalar other, diagonal;
    twill_array *a;
} set_order;

static twill_status insert_set(twill_graph *g, void *arg)
{
    const set_order *o = arg;
    return twill_set_insert(g, o->uplo, o->other, o->diagonal, o->a);
}

twill_status twill_set(twill_uplo uplo, twill_scalar other, twill_scalar diagonal, twill_array *a)
{
    twill_status status = check("set", &uplo, other, diagonal, a);
    if (status != TWILL_OK)
        return status;
    set_order o = {uplo, other, diagonal, a};
    return tw_la_run(twill_array_context(a), insert_set, &o, NULL);
}

twill_status twill_fill_identity(twill_array *a)
{
    return twill_set(TWILL_GENERAL, twill_real(0.0), twill_real(1.0), a);
}

/* ---- scale ------------------------------------------------------------------------------- */

typedef struct factor {
    twill_scalar alpha;
    twill_uplo uplo;
} factor;

static void scale_column(void *data, twill_type type, int64_t at, int64_t n, twill_scalar alpha)
{
    double x[2 * TW_NUMBERS];
    for (int64_t i = 0; i < n; i += TW_NUMBERS) {
        int64_t count = n - i < TW_NUMBERS ? n - i : TW_NUMBERS;
        tw_numbers_load(x, data, type, at + i, 1, count);
        tw_numbers_scale(x, alpha, tw_la_complex(type), count);
        tw_numbers_store(data, type, at + i, x, count);
    }
}

static twill_outcome scale_body(twill_task *t)
{
    const factor *f = twill_task_data(t, 1);
    twill_type type = twill_array_type(twill_task_array(t, 0));
    int64_t ld = twill_task_ld(t, 0), i0 = twill_task_int(t, 2), j0 = twill_task_int(t, 3);
    for (int64_t j = 0; j < twill_task_cols(t, 0); j++) {
        tw_span span = tw_uplo_rows(f->uplo, i0, twill_task_rows(t, 0), j0 + j);
        scale_column(twill_task_data(t, 0), type, span.first + j * ld, span.end - span.first,
                     f->alpha);
    }
    return TWILL_DONE;
}

static const twill_class scale_class = {
    .size = sizeof(twill_class), .name = "scale", .chores = {TWILL_CPU(scale_body)}};

twill_status twill_scale_insert(twill_graph *g, twill_uplo uplo, twill_scalar alpha, twill_array *a)
{
    twill_status status = check("scale", &uplo, alpha, alpha, a);
    if (status != TWILL_OK)
        return status;
    if (alpha.re == 0.0 && alpha.im == 0.0)
        return twill_set_insert(g, uplo, alpha, alpha, a);
    factor f = {alpha, uplo};
    return tw_uplo_each_tile(g, &scale_class, a, uplo, TWILL_READ_WRITE, TWILL_VALUE(f));
}

typedef struct scale_order {
    twill_uplo uplo;
    twill_scalar alpha;
    twill_array *a;
} scale_order;

static twill_status insert_scale(twill_graph *g, void *arg)
{
    const scale_order *o = arg;
    return twill_scale_insert(g, o->uplo, o->alpha, o->a);
}

twill_status twill_scale(twill_uplo uplo, twill_scalar alpha, twill_array *a)
{
    twill_status status = check("scale", &uplo, alpha, alpha, a);
    if (status != TWILL_OK)
        return status;
    scale_order o = {uplo, alpha, a};
    return tw_la_run(twill_array_context(a), insert_scale, &o, NULL);
}
