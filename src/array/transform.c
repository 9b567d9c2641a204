/* Algorithms over two views: transform, permute, equal. */
#include "array/zip.h"

#include <complex.h>
#include <stdatomic.h>
#include <string.h>

/* ---- transform --------------------------------------------------------------------------- */

typedef struct making {
    twill_maker *make;
    void *arg;
} making;

static void make_line(const twill_zip_line *lines, void *arg)
{
    const making *m = arg;
    char *to = lines->data[0];
    const char *from = lines->data[1];
    for (int64_t i = 0; i < lines->n; i++, to += lines->step[0], from += lines->step[1])
        m->make(to, from, m->arg);
}

twill_status twill_transform(twill_view from, twill_view to, twill_maker *make, void *arg)
{
    const twill_view views[] = {to, from};
    making m = {make, arg};
    tw_zip z;
    if (!make)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_transform: there is no function");
    twill_status status = tw_zip_open(&z, "twill_transform", 2, views,
                                      (const twill_access[]){TWILL_WRITE, TWILL_READ}, NULL);
    return status == TWILL_OK ? tw_zip_run(&z, make_line, &m) : status;
}

/* ---- permute ----------------------------------------------------------------------------- */

static void copy_line(const twill_zip_line *lines, void *arg)
{
    size_t size = *(const size_t *)arg;
    char *to = lines->data[0];
    const char *from = lines->data[1];
    for (int64_t i = 0; i < lines->n; i++, to += lines->step[0], from += lines->step[1]) {
        if (size == sizeof(double))
            memcpy(to, from, sizeof(double)); /* one instruction, where any size is a call */
        else
            memcpy(to, from, size);
    }
}

/* Each dimension once. */
static bool are_axes(const int *axes, int ndim)
{
    int seen = 0;
    for (int d = 0; d < ndim; d++)
        seen |= axes[d] >= 0 && axes[d] < ndim ? 1 << axes[d] : 0;
    return seen == (1 << ndim) - 1;
}

twill_status twill_permute(twill_view from, twill_view to, const int *axes)
{
    const twill_view views[] = {to, from};
    int ndim = twill_view_ndim(from), over[TWILL_DIMS] = {0};
    tw_zip z;
    for (int d = 0; d < ndim; d++)
        over[d] = ndim - 1 - d;
    if (axes && !are_axes(axes, ndim))
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_permute: axes must name each of the %d "
                       "dimensions of the views once",
                       ndim);
    twill_status status =
        tw_zip_open(&z, "twill_permute", 2, views, (const twill_access[]){TWILL_WRITE, TWILL_READ},
                    axes ? axes : over);
    if (status == TWILL_OK &&
        (from.array->type != to.array->type || from.array->element != to.array->element))
        status = tw_fail(TWILL_ERR_ARGUMENT, "twill_permute: the views differ in the type of their "
                                             "elements");
    return status == TWILL_OK ? tw_zip_run(&z, copy_line, &to.array->element) : status;
}

/* ---- equal ------------------------------------------------------------------------------- */

typedef struct comparing {
    twill_type type;
    size_t size;
    atomic_bool differ;
} comparing;

#define DIFFER(name, number)                             \
    static bool name(const void *x, const void *y)       \
    {                                                    \
        return *(const number *)x != *(const number *)y; \
    }
DIFFER(differ_float, float)
DIFFER(differ_double, double)
DIFFER(differ_complex_float, float complex)
DIFFER(differ_complex_double, double complex)
#undef DIFFER

static void compare_line(const twill_zip_line *lines, void *arg)
{
    static bool (*const differ[])(const void *,
                                  const void *) = {[TWILL_FLOAT32] = differ_float,
                                                   [TWILL_FLOAT64] = differ_double,
                                                   [TWILL_COMPLEX64] = differ_complex_float,
                                                   [TWILL_COMPLEX128] = differ_complex_double};
    comparing *c = arg;
    const char *x = lines->data[0], *y = lines->data[1];
    bool other = false;
    for (int64_t i = 0; i < lines->n && !other; i++, x += lines->step[0], y += lines->step[1])
        other = c->type == TWILL_BYTES ? memcmp(x, y, c->size) != 0 : differ[c->type](x, y);
    if (other)
        atomic_store_explicit(&c->differ, true, memory_order_relaxed); /* read after the wait */
}

twill_status twill_equal(twill_view v, twill_view w, bool *answer)
{
    const twill_view views[] = {v, w};
    tw_zip z;
    if (!answer)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_equal: there is no place for the answer");
    twill_status status = tw_zip_open(&z, "twill_equal", 2, views,
                                      (const twill_access[]){TWILL_READ, TWILL_READ}, NULL);
    if (status == TWILL_OK &&
        (v.array->type != w.array->type || v.array->element != w.array->element))
        status = tw_fail(TWILL_ERR_ARGUMENT, "twill_equal: the views differ in the type of their "
                                             "elements");
    if (status != TWILL_OK)
        return status;
    comparing c = {.type = v.array->type, .size = v.array->element};
    status = tw_zip_run(&z, compare_line, &c);
    bool differ = atomic_load_explicit(&c.differ, memory_order_relaxed);
    if (!z.alone)
        status = tw_array_any(v.array->context, status, &differ);
    if (status == TWILL_OK)
        *answer = !differ;
    return status;
}
