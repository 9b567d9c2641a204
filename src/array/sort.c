/* Sorting: each tile by itself, then Batcher's odd-even merging, where two tiles take the place of
 * two elements: the one with the lower number keeps the smaller half. */
#include "array/zip.h"

#include "base/minmax.h"

#include <stdlib.h>
#include <string.h>

/* ---- comparing --------------------------------------------------------------------------- */

#define COMPARE(name, number)                                  \
    static int name(const void *x, const void *y, void *arg)   \
    {                                                          \
        number a = *(const number *)x, b = *(const number *)y; \
        (void)arg;                                             \
        return a < b ? -1 : a > b ? 1 : (a != a) - (b != b);   \
    }
COMPARE(compare_float, float)
COMPARE(compare_double, double)
#undef COMPARE

/* ---- tasks ------------------------------------------------------------------------------- */

typedef struct order {
    twill_comparer *compare;
    void *arg;
    size_t size;
} order;

/* Elements of a tile that are sorted. */
typedef struct run {
    tw_corner corner;
    int64_t n;
} run;

typedef struct place {
    char *first;
    int64_t step;
} place;

static place place_of(const twill_task *t, int arg, const run *r, size_t size)
{
    int64_t ld = twill_task_ld(t, arg);
    return (place){(char *)twill_task_data(t, arg) + tw_corner_offset(&r->corner, ld, size),
                   tw_corner_step(&r->corner, 0, ld, size)};
}

static void move(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n,
                 size_t size)
{
    if (to_step == (int64_t)size && from_step == to_step)
        memcpy(to, from, (size_t)n * size);
    else
        for (int64_t i = 0; i < n; i++, to += to_step, from += from_step)
            memcpy(to, from, size);
}

/* Merge sort: from the elements and back, with as much room. What is equal stays in its order. */
static void merge(const order *o, char *to, const char *x, int64_t n, const char *y, int64_t m)
{
    for (; n > 0 && m > 0; to += o->size) {
        bool second = o->compare(x, y, o->arg) > 0;
        memcpy(to, second ? y : x, o->size);
        *(second ? &y : &x) += o->size;
        *(second ? &m : &n) -= 1;
    }
    memcpy(to, n > 0 ? x : y, (size_t)(n + m) * o->size);
}

static void insertion_sort(const order *o, char *x, int64_t n, char *room)
{
    for (int64_t i = 1; i < n; i++) {
        int64_t k = i;
        while (k > 0 &&
               o->compare(x + (size_t)(k - 1) * o->size, x + (size_t)i * o->size, o->arg) > 0)
            k--;
        if (k == i)
            continue;
        memcpy(room, x + (size_t)i * o->size, o->size);
        memmove(x + (size_t)(k + 1) * o->size, x + (size_t)k * o->size, (size_t)(i - k) * o->size);
        memcpy(x + (size_t)k * o->size, room, o->size);
    }
}

/* `x` has the elements, and `room` is as large; the result is in x. */
static void merge_sort(const order *o, char *x, int64_t n, char *room)
{
    enum { SMALL = 12 };
    if (n <= SMALL) {
        insertion_sort(o, x, n, room);
        return;
    }
    int64_t half = n / 2;
    char *y = x + (size_t)half * o->size;
    merge_sort(o, x, half, room);
    merge_sort(o, y, n - half, room);
    if (o->compare(y - o->size, y, o->arg) <= 0)
        return;
    memcpy(room, x, (size_t)half * o->size);
    /* the first half has gone to the room, and the result never overtakes the second one */
    const char *a = room;
    for (int64_t left = half, right = n - half; left > 0; x += o->size) {
        bool second = right > 0 && o->compare(a, y, o->arg) > 0;
        memcpy(x, second ? y : a, o->size);
        *(second ? (const char **)&y : &a) += o->size;
        *(second ? &right : &left) -= 1;
    }
}

static twill_outcome sort_body(twill_task *t)
{
    const run *r = twill_task_data(t, 1);
    const order *o = *(const order *const *)twill_task_data(t, 2);
    place p = place_of(t, 0, r, o->size);
    char *room = twill_task_data(t, 3), *copy = room + (size_t)r->n * o->size;
    if (p.step == (int64_t)o->size) {
        merge_sort(o, p.first, r->n, room);
        return TWILL_DONE;
    }
    move(copy, (int64_t)o->size, p.first, p.step, r->n, o->size);
    merge_sort(o, copy, r->n, room);
    move(p.first, p.step, copy, (int64_t)o->size, r->n, o->size);
    return TWILL_DONE;
}

/* Two sorted tiles: the smaller elements into the first one. */
static twill_outcome merge_body(twill_task *t)
{
    const run *r = twill_task_data(t, 2);
    const order *o = *(const order *const *)twill_task_data(t, 3);
    int64_t n = r[0].n, m = r[1].n, size = (int64_t)o->size;
    place p = place_of(t, 0, &r[0], o->size), q = place_of(t, 1, &r[1], o->size);
    char *room = twill_task_data(t, 4), *x = room, *y = room + n * size, *to = y + m * size;
    if (o->compare(p.first + (n - 1) * p.step, q.first, o->arg) <= 0)
        return TWILL_DONE;
    move(x, size, p.first, p.step, n, o->size);
    move(y, size, q.first, q.step, m, o->size);
    merge(o, to, x, n, y, m);
    move(p.first, p.step, to, size, n, o->size);
    move(q.first, q.step, to + n * size, size, m, o->size);
    return TWILL_DONE;
}

static const twill_class sort_class = {
    .size = sizeof(twill_class), .name = "sort", .chores = {TWILL_CPU(sort_body)}};
static const twill_class merge_class = {
    .size = sizeof(twill_class), .name = "merge", .chores = {TWILL_CPU(merge_body)}};

/* ---- all of them ------------------------------------------------------------------------- */

typedef struct sorting {
    const tw_zip *zip;
    order order;
    const order *shared; /* what tasks get */
    twill_graph *graph;
    int64_t n;
    twill_tile **tile;
    run *run;
    twill_status status;
} sorting;

static twill_status insert_sort(const tw_zip *z, const tw_zip_box *box, void *arg)
{
    sorting *x = arg;
    run r = {box->corner[0], box->extent[0]};
    (void)z;
    x->tile[x->n] = box->tile[0];
    x->run[x->n++] = r;
    return twill_insert(x->graph, &sort_class, TWILL_RW(box->tile[0]), TWILL_VALUE(r),
                        TWILL_VALUE(x->shared), TWILL_SCRATCH((size_t)r.n * 2 * x->order.size));
}

static twill_status insert_merge(sorting *x, int64_t low, int64_t high)
{
    run both[] = {x->run[low], x->run[high]};
    size_t room = (size_t)(both[0].n + both[1].n) * 2 * x->order.size;
    return twill_insert(x->graph, &merge_class, TWILL_RW(x->tile[low]), TWILL_RW(x->tile[high]),
                        TWILL_VALUE(both), TWILL_VALUE(x->shared), TWILL_SCRATCH(room));
}

/* The comparisons of Batcher's network. The first and the last tile may have fewer elements: that
 * is as if they began with the smallest and ended with the largest ones, which never move. */
static twill_status insert_network(sorting *x)
{
    twill_status status = TWILL_OK;
    for (int64_t p = 1; p < x->n; p *= 2)
        for (int64_t k = p; k >= 1; k /= 2)
            for (int64_t j = k % p; j + k < x->n; j += 2 * k)
                for (int64_t i = 0; i < tw_min(k, x->n - j - k) && status == TWILL_OK; i++)
                    if ((i + j) / (2 * p) == (i + j + k) / (2 * p))
                        status = insert_merge(x, i + j, i + j + k);
    return status;
}

static twill_status insert_all(twill_graph *g, void *arg)
{
    sorting *x = arg;
    x->graph = g;
    if (x->status != TWILL_OK)
        return x->status;
    twill_status status = tw_zip_boxes(x->zip, insert_sort, x);
    return status == TWILL_OK ? insert_network(x) : status;
}

/* ---- the API ----------------------------------------------------------------------------- */

twill_status twill_sort(twill_view v, twill_comparer *compare, void *arg)
{
    static twill_comparer *const numbers[TWILL_COMPLEX128 + 1] = {
        [TWILL_FLOAT32] = compare_float, [TWILL_FLOAT64] = compare_double};
    tw_zip z;
    twill_status status =
        tw_zip_open(&z, "twill_sort", 1, &v, (const twill_access[]){TWILL_READ_WRITE}, NULL);
    if (status != TWILL_OK)
        return status;
    if (z.ndim != 1)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_sort: the view has %d dimensions, and must have one", z.ndim);
    sorting x = {.zip = &z,
                 .order = {compare ? compare : numbers[v.array->type], arg, v.array->element}};
    if (!x.order.compare)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_sort: only elements of type FLOAT32 and FLOAT64 "
                                           "have an order; give a function that compares");
    int64_t tiles = twill_view_blocks(z.view[0], 0);
    x.shared = &x.order;
    x.tile = malloc((size_t)(tiles + 1) * sizeof *x.tile);
    x.run = malloc((size_t)(tiles + 1) * sizeof *x.run);
    x.status = x.tile && x.run ? TWILL_OK
                               : tw_fail(TWILL_ERR_MEMORY,
                                         "twill_sort: no memory for a list of "
                                         "%lld tiles",
                                         (long long)tiles);
    status = tw_array_run(v.array->context, z.alone, insert_all, &x);
    free(x.tile);
    free(x.run);
    return status;
}
