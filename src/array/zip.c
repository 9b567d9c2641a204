/* Several views element by element: a task for each box that lies in one tile of each. */
#include "array/zip.h"

#include "base/minmax.h"

#include <stdlib.h>

/* ---- corners ----------------------------------------------------------------------------- */

int tw_view_left(const twill_view *v, int *dims)
{
    int n = 0;
    for (int d = 0; d < v->array->pattern.ndim; d++)
        if (!(v->sliced >> d & 1))
            dims[n++] = d;
    return n;
}

tw_corner tw_corner_of(const twill_view *v, const tw_section *section, const int *dim, int ndim)
{
    const twill_pattern *p = &v->array->pattern;
    int64_t cols[TWILL_DIMS] = {0}, apart = 1;
    tw_corner c = {.row = section->inside[tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, 0)]};
    for (int k = 1; k < p->ndim; k++) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, k);
        cols[d] = apart;
        c.col += section->inside[d] * apart;
        apart *= section->whole[d];
    }
    for (int i = 0; i < ndim; i++)
        c.cols[i] = cols[dim[i]];
    return c;
}

/* ---- boxes ------------------------------------------------------------------------------- */

/* A box that is being cut by the tiles of one view after the other. */
typedef struct cutting {
    const tw_zip *zip;
    int k;           /* the view that cuts now */
    twill_view part; /* what it has of the box */
    tw_zip_box *box;
    tw_zip_visit *visit;
    void *arg;
    twill_status status;
} cutting;

static void cut(cutting *c);

static void cut_by_tile(int64_t number, void *arg)
{
    cutting *c = arg;
    const tw_zip *z = c->zip;
    tw_zip_box box = *c->box, *whole = c->box;
    int64_t block[TWILL_DIMS];
    tw_section section;
    if (c->status != TWILL_OK)
        return;
    box.tile[c->k] = tw_array_nth(c->part.array, number);
    tw_tile_block(box.tile[c->k], block);
    tw_view_section(&c->part, block, &section);
    for (int d = 0; d < z->ndim; d++) {
        box.at[d] += section.at[z->dim[c->k][d]];
        box.extent[d] = section.extent[z->dim[c->k][d]];
    }
    c->box = &box;
    c->k++;
    twill_view part = c->part;
    cut(c);
    c->part = part;
    c->k--;
    c->box = whole;
}

/* What view k has of the box. */
static twill_view part_of(const tw_zip *z, int k, const tw_zip_box *box)
{
    twill_view part = z->view[k];
    for (int d = 0; d < z->ndim; d++) {
        part.start[z->dim[k][d]] += box->at[d];
        part.extent[z->dim[k][d]] = box->extent[d];
    }
    return part;
}

/* Now that the box is small enough for all: where it begins in each tile. */
static void find_corners(const tw_zip *z, tw_zip_box *box)
{
    for (int k = 0; k < z->n; k++) {
        twill_view part = part_of(z, k, box);
        int64_t block[TWILL_DIMS];
        tw_section s;
        tw_tile_block(box->tile[k], block);
        tw_view_section(&part, block, &s);
        box->corner[k] = tw_corner_of(&part, &s, z->dim[k], z->ndim);
        box->whole[k] = true;
        for (int d = 0; d < part.array->pattern.ndim; d++)
            box->whole[k] = box->whole[k] && s.extent[d] == s.whole[d];
    }
}

static void cut(cutting *c)
{
    if (c->k == c->zip->n) {
        find_corners(c->zip, c->box);
        c->status = c->visit(c->zip, c->box, c->arg);
        return;
    }
    c->part = part_of(c->zip, c->k, c->box);
    tw_view_tiles(&c->part, cut_by_tile, c);
}

twill_status tw_zip_boxes(const tw_zip *z, tw_zip_visit *visit, void *arg)
{
    tw_zip_box all = {.at = {0}};
    cutting c = {.zip = z, .box = &all, .visit = visit, .arg = arg, .status = TWILL_OK};
    for (int d = 0; d < z->ndim; d++)
        all.extent[d] = z->view[0].extent[z->dim[0][d]];
    cut(&c);
    return c.status;
}

/* ---- all boxes of one view --------------------------------------------------------------- */

typedef struct listing {
    tw_zip_list *list;
    int along;
} listing;

static twill_status list_box(const tw_zip *z, const tw_zip_box *box, void *arg)
{
    const listing *x = arg;
    tw_zip_list *list = x->list;
    int64_t size = 1;
    for (int d = 0; d < z->ndim; d++)
        size *= d == x->along ? 1 : box->extent[d];
    list->largest = tw_max(list->largest, size);
    if (list->rank)
        list->rank[list->owners.n] = tw_tile_owner(box->tile[0]);
    list->owners.n++;
    return TWILL_OK;
}

twill_status tw_zip_list_open(const tw_zip *z, int along, tw_zip_list *list)
{
    listing x = {list, along};
    *list = (tw_zip_list){.largest = 0};
    (void)tw_zip_boxes(z, list_box, &x);
    list->rank = malloc((size_t)(list->owners.n + 1) * sizeof *list->rank);
    if (!list->rank)
        return tw_fail(TWILL_ERR_MEMORY, "%s: no memory for a list of %lld tiles", z->who,
                       (long long)list->owners.n);
    list->owners = (tw_array_owners){0, list->rank};
    (void)tw_zip_boxes(z, list_box, &x);
    int64_t apart = 1; /* tiles are visited with the first dimension fastest */
    for (int d = 0; d < z->ndim; d++) {
        list->apart[d] = apart;
        apart *= twill_view_blocks(z->view[0], d);
    }
    return TWILL_OK;
}

/* ---- checks ------------------------------------------------------------------------------ */

typedef struct meeting {
    const twill_view *view, *other;
    bool meet;
} meeting;

static void look_at_tile(int64_t number, void *arg)
{
    meeting *x = arg;
    tw_section a, b;
    int64_t block[TWILL_DIMS];
    tw_tile_block(tw_array_nth(x->view->array, number), block);
    tw_view_section(x->view, block, &a);
    tw_view_section(x->other, block, &b);
    bool common = true;
    for (int d = 0; d < x->view->array->pattern.ndim; d++)
        common = common && b.extent[d] > 0 && a.inside[d] < b.inside[d] + b.extent[d] &&
                 b.inside[d] < a.inside[d] + a.extent[d];
    x->meet = x->meet || common;
}

bool tw_views_meet(const twill_view *v, const twill_view *w)
{
    twill_view a = tw_view_in_root(*v), b = tw_view_in_root(*w);
    meeting x = {&a, &b, false};
    if (a.array == b.array)
        tw_view_tiles(&a, look_at_tile, &x);
    return x.meet;
}

static bool is_same(const twill_view *v, const twill_view *w)
{
    bool same = v->array == w->array && v->sliced == w->sliced && v->local == w->local;
    for (int d = 0; d < TWILL_DIMS && same; d++)
        same = v->start[d] == w->start[d] && v->extent[d] == w->extent[d];
    return same;
}

static twill_status check_pair(const tw_zip *z, int k, bool turned)
{
    const twill_view *first = &z->view[0], *other = &z->view[k];
    if (first->array->context != other->array->context)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the arrays are of different contexts", z->who);
    for (int d = 0; d < z->ndim; d++) {
        int64_t n = first->extent[z->dim[0][d]], m = other->extent[z->dim[k][d]];
        if (n != m)
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "%s: along dimension %d views 0 and %d have %lld and %lld elements",
                           z->who, d, k, (long long)n, (long long)m);
    }
    for (int i = 0; i < k; i++) {
        bool written = (z->mode[i] | z->mode[k]) & TWILL_WRITE;
        if (written && (turned || !is_same(&z->view[i], other)) &&
            tw_views_meet(&z->view[i], other))
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "%s: views %d and %d overlap, and one of them is written", z->who, i, k);
    }
    return TWILL_OK;
}

static twill_status check_view(tw_zip *z, int k, const twill_view *v, const int *axes)
{
    int left[TWILL_DIMS];
    twill_status status = tw_array_check_elements(z->who, v, true);
    if (status != TWILL_OK)
        return status;
    int ndim = tw_view_left(v, left);
    if (k > 0 && ndim != z->ndim)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: views 0 and %d have %d and %d dimensions", z->who,
                       k, z->ndim, ndim);
    z->ndim = ndim;
    z->alone = z->alone || !tw_view_is_shared(v);
    z->view[k] = tw_view_in_root(*v);
    for (int d = 0; d < ndim; d++)
        z->dim[k][d] = left[axes ? axes[d] : d];
    return TWILL_OK;
}

twill_status tw_zip_open(tw_zip *z, const char *who, int n, const twill_view *views,
                         const twill_access *modes, const int *axes)
{
    *z = (tw_zip){.who = who, .n = n};
    twill_status status = TWILL_OK;
    for (int k = 0; k < n && status == TWILL_OK; k++) {
        z->mode[k] = modes[k];
        if (modes[k] < TWILL_READ || modes[k] > TWILL_READ_WRITE)
            status =
                tw_fail(TWILL_ERR_ARGUMENT, "%s: there is no access mode %d", who, (int)modes[k]);
        if (status == TWILL_OK)
            status = check_view(z, k, &views[k], k == n - 1 ? axes : NULL);
        if (status == TWILL_OK)
            status = check_pair(z, k, axes != NULL);
    }
    for (int k = 0; k < n && status == TWILL_OK; k++) /* of which others own nothing */
        if (z->alone)
            status = tw_view_check_local(&z->view[k]);
    bool last = status == TWILL_OK && z->view[0].array->pattern.order & TWILL_ROW_MAJOR_ELEMENTS;
    z->fastest = last && z->ndim > 0 ? z->ndim - 1 : 0;
    return status;
}

/* ---- tasks ------------------------------------------------------------------------------- */

typedef struct zip_task {
    tw_zip_box box;
    size_t element[TWILL_VIEWS];
    int n, ndim, fastest;
    twill_zip_body *body;
    void *arg;
} zip_task;

/* The next line of the box; false after the last. */
static bool next(const zip_task *z, int64_t *i)
{
    for (int d = 0; d < z->ndim; d++) {
        if (d == z->fastest)
            continue;
        if (++i[d] < z->box.extent[d])
            return true;
        i[d] = 0;
    }
    return false;
}

static twill_outcome zip_body(twill_task *t)
{
    const zip_task *z = twill_task_data(t, 0);
    int64_t i[TWILL_DIMS] = {0}, step[TWILL_VIEWS][TWILL_DIMS];
    char *first[TWILL_VIEWS];
    twill_zip_line lines = {
        .n = z->ndim ? z->box.extent[z->fastest] : 1, .views = z->n, .dim = z->fastest};
    for (int k = 0; k < z->n; k++) {
        int64_t ld = twill_task_ld(t, k + 1);
        const tw_corner *c = &z->box.corner[k];
        first[k] = (char *)twill_task_data(t, k + 1) + tw_corner_offset(c, ld, z->element[k]);
        for (int d = 0; d < z->ndim; d++)
            step[k][d] = tw_corner_step(c, d, ld, z->element[k]);
        lines.step[k] = z->ndim ? step[k][z->fastest] : 0;
    }
    do {
        for (int d = 0; d < z->ndim; d++)
            lines.index[d] = z->box.at[d] + i[d];
        for (int k = 0; k < z->n; k++) {
            char *at = first[k];
            for (int d = 0; d < z->ndim; d++)
                at += i[d] * step[k][d];
            lines.data[k] = at;
        }
        z->body(&lines, z->arg);
    } while (next(z, i));
    return TWILL_DONE;
}

static const twill_class zip_class = {
    .size = sizeof(twill_class), .name = "for_each_of", .chores = {TWILL_CPU(zip_body)}};

typedef struct zipping {
    const tw_zip *zip;
    twill_graph *graph;
    twill_zip_body *body;
    void *arg;
} zipping;

static twill_status insert_box(const tw_zip *z, const tw_zip_box *box, void *arg)
{
    const zipping *x = arg;
    twill_arg args[TWILL_VIEWS + 2];
    zip_task task = {*box, {0}, z->n, z->ndim, z->fastest, x->body, x->arg};
    args[0] = TWILL_VALUE(task);
    for (int k = 0; k < z->n; k++) {
        bool rest = z->mode[k] == TWILL_WRITE && !box->whole[k];
        task.element[k] = z->view[k].array->element;
        args[k + 1] =
            twill_arg_tile(tw_use_kind(rest ? TWILL_READ_WRITE : z->mode[k]), box->tile[k]);
    }
    args[z->n + 1] = TWILL_END;
    return twill_insert_args(x->graph, &zip_class, args);
}

static twill_status insert_zip(twill_graph *g, void *arg)
{
    zipping *x = arg;
    x->graph = g;
    return tw_zip_boxes(x->zip, insert_box, x);
}

twill_status tw_zip_run(const tw_zip *z, twill_zip_body *body, void *arg)
{
    zipping x = {.zip = z, .body = body, .arg = arg};
    return tw_array_run(z->view[0].array->context, z->alone, insert_zip, &x);
}

/* ---- the API ----------------------------------------------------------------------------- */

twill_status twill_for_each_of(int n, const twill_view *views, const twill_access *modes,
                               twill_zip_body *body, void *arg)
{
    tw_zip z;
    if (n < 1 || n > TWILL_VIEWS)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_for_each_of: %d views, and it takes 1 to %d", n,
                       (int)TWILL_VIEWS);
    if (!views || !modes || !body)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_for_each_of: an argument is NULL");
    twill_status status = tw_zip_open(&z, "twill_for_each_of", n, views, modes, NULL);
    return status == TWILL_OK ? tw_zip_run(&z, body, arg) : status;
}
