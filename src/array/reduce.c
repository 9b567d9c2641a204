/* Reductions: a partial result for each tile, combined in the order of tiles. */
#include "array/lines.h"

#include <stdlib.h>

/* ---- any --------------------------------------------------------------------------------- */

typedef struct reducing {
    const twill_reducer *reducer;
    char *partials;
} reducing;

typedef struct partial {
    tw_lines lines;
    const twill_reducer *reducer;
    void *result;
} partial;

static void add_line(const twill_line *line, void *arg)
{
    const partial *p = arg;
    p->reducer->add(p->result, line, p->reducer->arg);
}

static twill_outcome reduce_body(twill_task *t)
{
    partial *p = twill_task_data(t, 1);
    tw_host_bytes tile = {twill_task_data(t, 0), twill_task_ld(t, 0)};
    p->reducer->begin(p->result, p->reducer->arg);
    tw_lines_visit(&p->lines, tile, add_line, p);
    return TWILL_DONE;
}

static const twill_class reduce_class = {
    .size = sizeof(twill_class), .name = "reduce", .chores = {TWILL_CPU(reduce_body)}};

/* Results that other workers write are on other lines. */
static size_t room_of(const twill_reducer *r)
{
    return tw_whole_lines(r->size);
}

static twill_status insert_partial(tw_tiles *t, twill_tile *tile, const tw_lines *lines)
{
    const reducing *r = t->arg;
    partial p = {*lines, r->reducer, r->partials + (size_t)t->n * room_of(r->reducer)};
    return twill_insert(t->graph, &reduce_class, TWILL_R(tile), TWILL_VALUE(p));
}

static twill_status check(const twill_reducer *r, const void *result)
{
    if (!r || !result)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_reduce: an argument is NULL");
    if (r->struct_size < sizeof *r || r->size == 0 || !r->begin || !r->add || !r->combine)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_reduce: the reducer needs its struct_size, a size, begin, add and "
                       "combine");
    return TWILL_OK;
}

twill_status twill_reduce(twill_view v, const twill_reducer *r, void *result)
{
    twill_status status = check(r, result);
    if (status == TWILL_OK)
        status = tw_array_check_elements("twill_reduce", &v, true);
    if (status != TWILL_OK)
        return status;
    int64_t tiles = tw_tiles_count(&v);
    reducing x = {r, aligned_alloc(TW_LINE, (size_t)(tiles + 1) * room_of(r))};
    if (!x.partials)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the partial results of %lld tiles",
                       (long long)tiles);
    status = tw_tiles_run("twill_reduce", v, insert_partial, &x);
    if (status == TWILL_OK) {
        r->begin(result, r->arg);
        for (int64_t n = 0; n < tiles; n++)
            r->combine(result, x.partials + (size_t)n * room_of(r), r->arg);
    }
    free(x.partials);
    return status;
}

/* ---- real numbers ------------------------------------------------------------------------ */

static double number_at(const twill_line *line, int64_t i, bool single)
{
    return single ? ((const float *)line->data)[i] : ((const double *)line->data)[i];
}

static twill_status check_real(const char *who, const twill_view *v, bool *single)
{
    twill_status status = tw_array_check_elements(who, v, true);
    if (status != TWILL_OK)
        return status;
    *single = v->array->type == TWILL_FLOAT32;
    if (!*single && v->array->type != TWILL_FLOAT64)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: elements must be of type FLOAT32 or FLOAT64", who);
    return TWILL_OK;
}

static void begin_sum(void *result, void *arg)
{
    (void)arg;
    *(double *)result = 0;
}

static void add_sum(void *result, const twill_line *line, void *arg)
{
    const bool *single = arg;
    double sum = 0;
    for (int64_t i = 0; i < line->n; i++)
        sum += number_at(line, i, *single);
    *(double *)result += sum;
}

static void combine_sum(void *into, const void *from, void *arg)
{
    (void)arg;
    *(double *)into += *(const double *)from;
}

twill_status twill_view_sum(twill_view v, double *sum)
{
    bool single;
    twill_status status = check_real("twill_view_sum", &v, &single);
    twill_reducer r = {sizeof r, sizeof *sum, begin_sum, add_sum, combine_sum, &single};
    return status == TWILL_OK ? twill_reduce(v, &r, sum) : status;
}

/* The largest element so far, or with its sign turned the smallest. */
typedef struct extreme {
    double value;
    int64_t index[TWILL_DIMS];
    bool any;
} extreme;

typedef struct search {
    bool single;
    double sign;
} search;

static void begin_extreme(void *result, void *arg)
{
    (void)arg;
    *(extreme *)result = (extreme){.any = false};
}

static void add_extreme(void *result, const twill_line *line, void *arg)
{
    extreme *e = result;
    const search *s = arg;
    for (int64_t i = 0; i < line->n; i++) {
        double x = s->sign * number_at(line, i, s->single);
        if (!(e->any ? x > e->value : x == x))
            continue;
        e->any = true;
        e->value = x;
        for (int d = 0; d < TWILL_DIMS; d++)
            e->index[d] = line->index[d] + (d == line->dim ? i : 0);
    }
}

static void combine_extreme(void *into, const void *from, void *arg)
{
    (void)arg;
    const extreme *other = from;
    extreme *e = into;
    if (other->any && (!e->any || other->value > e->value))
        *e = *other;
}

static twill_status find_extreme(const char *who, twill_view v, double sign, double *value,
                                 int64_t *index)
{
    search s = {.sign = sign};
    extreme found;
    twill_reducer r = {sizeof r, sizeof found, begin_extreme, add_extreme, combine_extreme, &s};
    twill_status status = check_real(who, &v, &s.single);
    if (status == TWILL_OK)
        status = twill_reduce(v, &r, &found);
    if (status == TWILL_OK && !found.any)
        status = tw_fail(TWILL_ERR_ARGUMENT, "%s: there are no numbers in the view", who);
    if (status != TWILL_OK)
        return status;
    *value = sign * found.value;
    for (int d = 0; index && d < v.array->pattern.ndim; d++)
        index[d] = found.index[d];
    return TWILL_OK;
}

twill_status twill_view_min(twill_view v, double *least, int64_t *index)
{
    return find_extreme("twill_view_min", v, -1, least, index);
}

twill_status twill_view_max(twill_view v, double *most, int64_t *index)
{
    return find_extreme("twill_view_max", v, 1, most, index);
}

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

twill_status twill_all_of(twill_view v, twill_test *true_of, void *arg, bool *answer)
{
    int64_t n;
    twill_status status = count("twill_all_of", v, (question){true_of, arg, false, 0}, &n);
    if (status == TWILL_OK)
        *answer = n == 0;
    return status;
}
