/* Prefixes along a dimension: tiles by themselves, what all before a tile come to, and both
 * together. */
#include "array/zip.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

/* ---- combining --------------------------------------------------------------------------- */

#define ADD(name, number)                                     \
    static void name(void *into, const void *from, void *arg) \
    {                                                         \
        (void)arg;                                            \
        *(number *)into += *(const number *)from;             \
    }
ADD(add_float, float)
ADD(add_double, double)
ADD(add_complex_float, float complex)
ADD(add_complex_double, double complex)
#undef ADD

static twill_combiner *const adds[] = {[TWILL_FLOAT32] = add_float,
                                       [TWILL_FLOAT64] = add_double,
                                       [TWILL_COMPLEX64] = add_complex_float,
                                       [TWILL_COMPLEX128] = add_complex_double};

/* ---- tasks ------------------------------------------------------------------------------- */

typedef struct scan {
    int ndim, along;
    size_t size; /* of an element */
    const void *neutral;
    twill_combiner *combine;
    void *arg;
} scan;

/* Of one box: its lines along the dimension, one after the other. */
typedef struct walk {
    const scan *scan;
    tw_corner corner;
    int64_t extent[TWILL_DIMS];
} walk;

typedef struct line {
    char *first;
    int64_t n, step, number;
} line;

typedef void visit_line(const walk *w, const line *l, char *before, char *room);

/* `before` has an element for each line, or is NULL. `room` is an element of scratch. */
static void visit(const walk *w, twill_task *t, char *before, char *room, visit_line *one)
{
    const scan *s = w->scan;
    int64_t ld = twill_task_ld(t, 0), i[TWILL_DIMS] = {0};
    char *tile = (char *)twill_task_data(t, 0) + tw_corner_offset(&w->corner, ld, s->size);
    line l = {.n = w->extent[s->along], .step = tw_corner_step(&w->corner, s->along, ld, s->size)};
    for (bool more = true; more; l.number++) {
        l.first = tile;
        for (int d = 0; d < s->ndim; d++)
            l.first += i[d] * tw_corner_step(&w->corner, d, ld, s->size);
        one(w, &l, before ? before + l.number * (int64_t)s->size : NULL, room);
        more = false;
        for (int d = 0; d < s->ndim && !more; d++) {
            if (d == s->along)
                continue;
            more = ++i[d] < w->extent[d];
            i[d] = more ? i[d] : 0;
        }
    }
}

static void scan_line(const walk *w, const line *l, char *before, char *room)
{
    const scan *s = w->scan;
    (void)before;
    for (int64_t i = 1; i < l->n; i++) {
        char *x = l->first + i * l->step;
        memcpy(room, x - l->step, s->size);
        s->combine(room, x, s->arg);
        memcpy(x, room, s->size);
    }
}

/* What all before the next tile come to: what came before this one, and its last element. */
static void carry_line(const walk *w, const line *l, char *next, char *before)
{
    const scan *s = w->scan;
    const char *last = l->first + (l->n - 1) * l->step;
    if (before)
        memcpy(next, before + l->number * (int64_t)s->size, s->size);
    else if (s->neutral)
        memcpy(next, s->neutral, s->size);
    else
        memcpy(next, last, s->size);
    if (before || s->neutral)
        s->combine(next, last, s->arg);
}

static void finish_line(const walk *w, const line *l, char *before, char *room)
{
    const scan *s = w->scan;
    const char *start = before ? before : s->neutral;
    int64_t shift = s->neutral ? 1 : 0; /* without the element itself */
    for (int64_t i = l->n - 1; i >= shift; i--) {
        char *x = l->first + i * l->step;
        memcpy(room, start, s->size);
        s->combine(room, x - shift * l->step, s->arg);
        memcpy(x, room, s->size);
    }
    if (s->neutral)
        memcpy(l->first, start, s->size);
}

/* Arguments: the tile, the walk, scratch or what comes of it, and what came before if anything. */
static twill_outcome scan_body(twill_task *t)
{
    visit(twill_task_data(t, 1), t, NULL, twill_task_data(t, 2), scan_line);
    return TWILL_DONE;
}

static twill_outcome carry_body(twill_task *t)
{
    visit(twill_task_data(t, 1), t, twill_task_data(t, 2), twill_task_data(t, 3), carry_line);
    return TWILL_DONE;
}

static twill_outcome finish_body(twill_task *t)
{
    visit(twill_task_data(t, 1), t, twill_task_data(t, 3), twill_task_data(t, 2), finish_line);
    return TWILL_DONE;
}

static const twill_class scan_class = {
    .size = sizeof(twill_class), .name = "scan", .chores = {TWILL_CPU(scan_body)}};
static const twill_class carry_class = {
    .size = sizeof(twill_class), .name = "carry", .chores = {TWILL_CPU(carry_body)}};
static const twill_class finish_class = {
    .size = sizeof(twill_class), .name = "scan_on", .chores = {TWILL_CPU(finish_body)}};

/* ---- all of them ------------------------------------------------------------------------- */

typedef struct scanning {
    const tw_zip *zip;
    scan scan;
    twill_status status;
    tw_zip_list list;
    twill_graph *graph;
    twill_array *carries; /* of each box */
    int64_t n;
} scanning;

static walk walk_of(const scanning *x, const tw_zip_box *box)
{
    walk w = {.scan = &x->scan, .corner = box->corner[0]};
    memcpy(w.extent, box->extent, sizeof w.extent);
    return w;
}

static twill_status insert_scan(const tw_zip *z, const tw_zip_box *box, void *arg)
{
    const scanning *x = arg;
    walk w = walk_of(x, box);
    (void)z;
    return twill_insert(x->graph, &scan_class, TWILL_RW(box->tile[0]), TWILL_VALUE(w),
                        TWILL_SCRATCH(x->scan.size));
}

/* A tile is before the one behind it in the order of boxes, whatever the dimension. */
static twill_status insert_rest(const tw_zip *z, const tw_zip_box *box, void *arg)
{
    scanning *x = arg;
    int along = x->scan.along;
    bool first = box->at[along] == 0;
    bool last = box->at[along] + box->extent[along] == z->view[0].extent[z->dim[0][along]];
    int64_t n = x->n++;
    twill_tile *before = first ? NULL : twill_tile_at(x->carries, n - x->list.apart[along], 0);
    walk w = walk_of(x, box);
    twill_arg came = first ? TWILL_END : TWILL_R(before);
    twill_status status = TWILL_OK;
    if (!last)
        status = twill_insert(x->graph, &carry_class, TWILL_R(box->tile[0]), TWILL_VALUE(w),
                              TWILL_W(twill_tile_at(x->carries, n, 0)), came);
    if (status == TWILL_OK && (!first || x->scan.neutral))
        status = twill_insert(x->graph, &finish_class, TWILL_RW(box->tile[0]), TWILL_VALUE(w),
                              TWILL_SCRATCH(x->scan.size), came);
    return status;
}

static twill_status insert_all(twill_graph *g, void *arg)
{
    scanning *x = arg;
    twill_status status = x->status;
    x->graph = g;
    if (status == TWILL_OK)
        status = tw_array_scratch(g, &x->list.owners, x->list.largest * (int64_t)x->scan.size,
                                  &x->carries);
    if (status == TWILL_OK)
        status = tw_zip_boxes(x->zip, insert_scan, x);
    return status == TWILL_OK ? tw_zip_boxes(x->zip, insert_rest, x) : status;
}

/* ---- the API ----------------------------------------------------------------------------- */

twill_status twill_scan(twill_view v, int d, const void *neutral, twill_combiner *combine,
                        void *arg)
{
    tw_zip z;
    twill_status status =
        tw_zip_open(&z, "twill_scan", 1, &v, (const twill_access[]){TWILL_READ_WRITE}, NULL);
    if (status != TWILL_OK)
        return status;
    if (d < 0 || d >= z.ndim)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_scan: there is no dimension %d of %d", d, z.ndim);
    if (!combine && v.array->type == TWILL_BYTES)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_scan: elements of type BYTES cannot be added; "
                                           "give a function that combines them");
    if (twill_view_size(v) == 0)
        return TWILL_OK;
    scanning x = {.zip = &z,
                  .scan = {.ndim = z.ndim,
                           .along = d,
                           .size = v.array->element,
                           .neutral = neutral,
                           .combine = combine ? combine : adds[v.array->type],
                           .arg = arg}};
    x.status = tw_zip_list_open(&z, d, &x.list);
    status = tw_array_run(v.array->context, z.alone, insert_all, &x);
    free(x.list.rank);
    return status;
}
