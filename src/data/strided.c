/* Copies between two boxes of memory. */
#include "data/strided.h"

#include <complex.h>
#include <string.h>

/* ---- fewer dimensions -------------------------------------------------------------------- */

static void swap(int64_t *x, int a, int b)
{
    int64_t kept = x[a];
    x[a] = x[b];
    x[b] = kept;
}

/* What is written is walked along as it lies in memory: the nearest elements first. */
static void sort(tw_strided *s)
{
    for (int i = 1; i < s->ndim; i++)
        for (int k = i; k > 0 && s->to_step[k] < s->to_step[k - 1]; k--) {
            swap(s->extent, k, k - 1);
            swap(s->to_step, k, k - 1);
            swap(s->from_step, k, k - 1);
        }
}

static void merge(tw_strided *s)
{
    int n = 0;
    for (int d = 0; d < s->ndim; d++) {
        if (s->extent[d] == 1)
            continue;
        bool joined = n > 0 && s->to_step[d] == s->to_step[n - 1] * s->extent[n - 1] &&
                      s->from_step[d] == s->from_step[n - 1] * s->extent[n - 1];
        if (joined) {
            s->extent[n - 1] *= s->extent[d];
            continue;
        }
        s->extent[n] = s->extent[d];
        s->to_step[n] = s->to_step[d];
        s->from_step[n++] = s->from_step[d];
    }
    s->ndim = n;
}

bool tw_strided_is_line(tw_strided s)
{
    int64_t element = (int64_t)s.element;
    sort(&s);
    merge(&s);
    return s.ndim == 0 || (s.ndim == 1 && s.to_step[0] == element && s.from_step[0] == element);
}

/* ---- one line of elements ---------------------------------------------------------------- */

static void copy_each(const tw_strided *s, char *to, const char *from)
{
    for (int64_t i = 0; i < s->extent[0]; i++, to += s->to_step[0], from += s->from_step[0]) {
        if (s->element == sizeof(double))
            memcpy(to, from, sizeof(double)); /* one instruction, where any size is a call */
        else
            memcpy(to, from, s->element);
    }
}

#define ADD(name, number)                                                 \
    static void name(const tw_strided *s, char *to, const char *from)     \
    {                                                                     \
        for (int64_t i = 0; i < s->extent[0]; i++) {                      \
            *(number *)(void *)to += *(const number *)(const void *)from; \
            to += s->to_step[0];                                          \
            from += s->from_step[0];                                      \
        }                                                                 \
    }
ADD(add_float, float)
ADD(add_double, double)
ADD(add_complex_float, float complex)
ADD(add_complex_double, double complex)
#undef ADD

static void run_line(const tw_strided *s, char *to, const char *from)
{
    static void (*const adds[])(const tw_strided *, char *,
                                const char *) = {[TWILL_FLOAT32] = add_float,
                                                 [TWILL_FLOAT64] = add_double,
                                                 [TWILL_COMPLEX64] = add_complex_float,
                                                 [TWILL_COMPLEX128] = add_complex_double};
    int64_t element = (int64_t)s->element;
    if (s->what == TW_STRIDED_ADD)
        adds[s->type](s, to, from);
    else if (s->to_step[0] == element && s->from_step[0] == element)
        memcpy(to, from, (size_t)(s->extent[0] * element));
    else
        copy_each(s, to, from);
}

/* ---- all of them ------------------------------------------------------------------------- */

void tw_strided_run(tw_strided s)
{
    int64_t at[TWILL_DIMS] = {0};
    for (int d = 0; d < s.ndim; d++)
        if (s.extent[d] == 0)
            return;
    sort(&s);
    merge(&s);
    if (s.ndim == 0) {
        s.extent[0] = s.ndim = 1;
        s.to_step[0] = s.from_step[0] = (int64_t)s.element;
    }
    for (;;) {
        run_line(&s, s.to, s.from);
        int d = 1;
        for (; d < s.ndim && ++at[d] == s.extent[d]; d++) {
            s.to -= s.to_step[d] * (s.extent[d] - 1);
            s.from -= s.from_step[d] * (s.extent[d] - 1);
            at[d] = 0;
        }
        if (d >= s.ndim)
            return;
        s.to += s.to_step[d];
        s.from += s.from_step[d];
    }
}
