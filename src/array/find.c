/* Tests of elements: how many pass, whether all, some or none do, and where the first one is. */
#include "array/lines.h"

#include <complex.h>
#include <string.h>

/* ---- tests of elements ------------------------------------------------------------------- */

typedef struct question {
    twill_test *true_of;
    void *arg;
    bool wanted; /* the answer that counts */
    size_t element;
} question;

static void begin_count(void *result, void *arg)
{
    (void)arg;
    *(int64_t *)result = 0;
}

static void add_count(void *result, const twill_line *line, void *arg)
{
    const question *q = arg;
    const char *at = line->data;
    for (int64_t i = 0; i < line->n; i++, at += q->element)
        *(int64_t *)result += q->true_of(at, q->arg) == q->wanted;
}

static void combine_count(void *into, const void *from, void *arg)
{
    (void)arg;
    *(int64_t *)into += *(const int64_t *)from;
}

static twill_status count(const char *who, twill_view v, question q, int64_t *n)
{
    twill_reducer r = {sizeof r, sizeof *n, begin_count, add_count, combine_count, &q};
    if (!q.true_of)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: there is nothing to ask", who);
    q.element = v.array ? v.array->element : 0;
    return twill_reduce(v, &r, n);
}

twill_status twill_count_of(twill_view v, twill_test *true_of, void *arg, int64_t *n)
{
    return count("twill_count_of", v, (question){true_of, arg, true, 0}, n);
}

twill_status twill_any_of(twill_view v, twill_test *true_of, void *arg, bool *answer)
{
    int64_t n;
    twill_status status = count("twill_any_of", v, (question){true_of, arg, true, 0}, &n);
    if (status == TWILL_OK)
        *answer = n > 0;
    return status;
}

twill_status twill_none_of(twill_view v, twill_test *true_of, void *arg, bool *answer)
{
    bool any;
    twill_status status = twill_any_of(v, true_of, arg, &any);
    if (status == TWILL_OK)
        *answer = !any;
    return status;
}

twill_status twill_all_of(twill_view v, twill_test *true_of, void *arg, bool *answer)
{
    int64_t n;
    twill_status status = count("twill_all_of", v, (question){true_of, arg, false, 0}, &n);
    if (status == TWILL_OK)
        *answer = n == 0;
    return status;
}

/* ---- the first one ----------------------------------------------------------------------- */

static void begin_first(void *result, void *arg)
{
    (void)arg;
    *(int64_t *)result = INT64_MAX;
}

typedef struct search {
    question question;
    const twill_pattern *pattern;
} search;

static void add_first(void *result, const twill_line *line, void *arg)
{
    const search *s = arg;
    const char *at = line->data;
    int64_t *first = result, index[TWILL_DIMS], i = 0;
    memcpy(index, line->index, sizeof index);
    if (twill_pattern_index(s->pattern, index) > *first)
        return;
    while (i < line->n && !s->question.true_of(at, s->question.arg)) {
        at += s->question.element;
        i++;
    }
    index[line->dim] += i;
    int64_t number = i < line->n ? twill_pattern_index(s->pattern, index) : INT64_MAX;
    *first = number < *first ? number : *first;
}

static void combine_first(void *into, const void *from, void *arg)
{
    (void)arg;
    int64_t *first = into, other = *(const int64_t *)from;
    *first = other < *first ? other : *first;
}

static twill_status find(const char *who, twill_view v, question q, bool *found, int64_t *index)
{
    int64_t first;
    if (!q.true_of || !found || !index)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: an argument is NULL", who);
    twill_status status = tw_array_check_elements(who, &v, true);
    if (status != TWILL_OK)
        return status;
    q.element = v.array->element;
    search s = {q, &v.array->root->pattern};
    twill_reducer r = {sizeof r, sizeof first, begin_first, add_first, combine_first, &s};
    status = twill_reduce(v, &r, &first);
    if (status != TWILL_OK)
        return status;
    *found = first < INT64_MAX;
    if (*found)
        twill_pattern_coords(s.pattern, first, index);
    return TWILL_OK;
}

twill_status twill_find_if(twill_view v, twill_test *true_of, void *arg, bool *found,
                           int64_t *index)
{
    return find("twill_find_if", v, (question){true_of, arg, true, 0}, found, index);
}

/* ---- the first one that equals another --------------------------------------------------- */

typedef struct wanted {
    const void *element;
    size_t size;
} wanted;

static bool equals_float(const void *x, void *arg)
{
    return *(const float *)x == *(const float *)((const wanted *)arg)->element;
}

static bool equals_double(const void *x, void *arg)
{
    return *(const double *)x == *(const double *)((const wanted *)arg)->element;
}

static bool equals_complex_float(const void *x, void *arg)
{
    return *(const float complex *)x == *(const float complex *)((const wanted *)arg)->element;
}

static bool equals_complex_double(const void *x, void *arg)
{
    return *(const double complex *)x == *(const double complex *)((const wanted *)arg)->element;
}

static bool equals_bytes(const void *x, void *arg)
{
    const wanted *w = arg;
    return memcmp(x, w->element, w->size) == 0;
}

twill_status twill_find(twill_view v, const void *element, bool *found, int64_t *index)
{
    static twill_test *const equals[] = {[TWILL_BYTES] = equals_bytes,
                                         [TWILL_FLOAT32] = equals_float,
                                         [TWILL_FLOAT64] = equals_double,
                                         [TWILL_COMPLEX64] = equals_complex_float,
                                         [TWILL_COMPLEX128] = equals_complex_double};
    wanted w = {element, v.array ? v.array->element : 0};
    question q = {equals[v.array ? v.array->type : TWILL_BYTES], &w, true, 0};
    return find("twill_find", v, element ? q : (question){0}, found, index);
}
