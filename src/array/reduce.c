/* Reductions: a partial result for each tile, combined in the order of tiles. */
#include "array/lines.h"
#include "array/run.h"

#include <stdlib.h>
#include <string.h>

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

/* ---- over ranks -------------------------------------------------------------------------- */

/* Partial results of all ranks, one rank after the other: where the next one of each is. */
typedef struct gathered {
    const twill_array *array;
    const twill_reducer *reducer;
    int64_t *sizes, *next; /* of each rank, in bytes */
    char *all;
    void *result;
} gathered;

static int64_t owner_of(const twill_array *a, int64_t number)
{
    int64_t block[TWILL_DIMS];
    for (int d = 0; d < TWILL_DIMS; d++) {
        block[d] = number % a->blocks[d];
        number /= a->blocks[d];
    }
    return twill_pattern_owner(&a->pattern, block);
}

static void count_bytes(int64_t number, void *arg)
{
    gathered *x = arg;
    x->sizes[owner_of(x->array, number)] += (int64_t)x->reducer->size;
}

static void combine_next(int64_t number, void *arg)
{
    gathered *x = arg;
    int64_t *next = &x->next[owner_of(x->array, number)];
    x->reducer->combine(x->result, x->all + *next, x->reducer->arg);
    *next += (int64_t)x->reducer->size;
}

static void close_up(const twill_reducer *r, char *partials, int64_t tiles)
{
    for (int64_t n = 1; n < tiles; n++)
        memmove(partials + (size_t)n * r->size, partials + (size_t)n * room_of(r), r->size);
}

/* Bring the partial results of all ranks together, and combine them in the order of tiles. */
static twill_status combine_all(twill_view v, twill_status status, reducing *own, void *result)
{
    const twill_reducer *r = own->reducer;
    twill_view root = tw_view_in_root(v);
    int64_t ranks = v.array->shared->ranks, all = 0;
    gathered x = {.array = root.array, .reducer = r, .result = result};
    x.sizes = calloc((size_t)ranks * 2, sizeof *x.sizes);
    if (!x.sizes) /* the others wait for as many bytes as there are: fail in their graph */
        return tw_array_gather(v.array->context,
                               tw_fail(TWILL_ERR_MEMORY, "no memory for the results of all ranks"),
                               1, NULL, own->partials, NULL);
    x.next = x.sizes + ranks;
    tw_view_tiles(&root, count_bytes, &x);
    for (int64_t k = 0; k < ranks; all += x.sizes[k++])
        x.next[k] = all;
    x.all = malloc((size_t)all + 1);
    if (status == TWILL_OK && !x.all)
        status = tw_fail(TWILL_ERR_MEMORY, "no memory for the results of all ranks");
    if (status == TWILL_OK)
        close_up(r, own->partials, x.sizes[v.array->shared->rank] / (int64_t)r->size);
    status = tw_array_gather(v.array->context, status, 0, x.sizes, own->partials, x.all);
    if (status == TWILL_OK) {
        r->begin(result, r->arg);
        tw_view_tiles(&root, combine_next, &x);
    }
    free(x.all);
    free(x.sizes);
    return status;
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
    status = x.partials ? tw_tiles_run("twill_reduce", v, insert_partial, &x)
                        : tw_fail(TWILL_ERR_MEMORY,
                                  "no memory for the partial results of %lld "
                                  "tiles",
                                  (long long)tiles);
    if (tw_view_is_shared(&v) && twill_view_size(v) > 0) {
        status = combine_all(v, status, &x, result);
    } else if (status == TWILL_OK) {
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
