/* Lines of elements, and a task for each tile. */
#include "array/lines.h"

#include <string.h>

/* ---- the lines of a tile ----------------------------------------------------------------- */

tw_lines tw_lines_of(const twill_view *v, const int64_t *block)
{
    const twill_pattern *p = &v->array->pattern;
    tw_lines lines = {.ndim = p->ndim,
                      .order = (int)(p->order & TWILL_ROW_MAJOR_ELEMENTS),
                      .element = v->array->element};
    tw_view_section(v, block, &lines.section);
    for (int d = 0; d < p->ndim; d++)
        lines.origin[d] = block[d] * p->block[d];
    return lines;
}

bool tw_lines_are_all(const tw_lines *lines)
{
    bool all = true;
    for (int d = 0; d < lines->ndim; d++)
        all = all && lines->section.extent[d] == lines->section.whole[d];
    return all;
}

static int dim_of(const tw_lines *lines, int k)
{
    return lines->order ? lines->ndim - 1 - k : k;
}

/* Which column of the tile the coordinates `at` of the section are in. */
static int64_t column_of(const tw_lines *lines, const int64_t *at)
{
    int64_t column = 0, apart = 1;
    for (int k = 1; k < lines->ndim; k++) {
        int d = dim_of(lines, k);
        column += (lines->section.inside[d] + at[d]) * apart;
        apart *= lines->section.whole[d];
    }
    return column;
}

/* The next line; false after the last. */
static bool next(const tw_lines *lines, int64_t *at)
{
    for (int k = 1; k < lines->ndim; k++) {
        int d = dim_of(lines, k);
        if (++at[d] < lines->section.extent[d])
            return true;
        at[d] = 0;
    }
    return false;
}

void tw_lines_visit(const tw_lines *lines, tw_host_bytes tile, twill_line_body *visit, void *arg)
{
    const tw_section *s = &lines->section;
    int first = dim_of(lines, 0);
    int64_t at[TWILL_DIMS] = {0};
    twill_line line = {.n = s->extent[first], .dim = first};
    do {
        int64_t offset = s->inside[first] + column_of(lines, at) * tile.ld;
        line.data = (char *)tile.data + (size_t)offset * lines->element;
        for (int d = 0; d < lines->ndim; d++)
            line.index[d] = lines->origin[d] + s->inside[d] + at[d];
        visit(&line, arg);
    } while (next(lines, at));
}

/* ---- the tiles of a view ----------------------------------------------------------------- */

static bool is_mine(const twill_array *a, int64_t number, int64_t *block)
{
    tw_array_block(a, number, block);
    return twill_pattern_owner(&a->pattern, block) == a->shared->rank;
}

static void insert_tile(int64_t number, void *arg)
{
    tw_tiles *t = arg;
    int64_t block[TWILL_DIMS];
    if (t->status != TWILL_OK || !is_mine(t->view->array, number, block))
        return;
    tw_lines lines = tw_lines_of(t->view, block);
    t->status = t->insert(t, tw_array_nth(t->view->array, number), &lines);
    t->n++;
}

typedef struct count {
    const twill_array *array;
    int64_t n;
} count;

static void count_tile(int64_t number, void *arg)
{
    count *c = arg;
    int64_t block[TWILL_DIMS];
    c->n += is_mine(c->array, number, block);
}

int64_t tw_tiles_count(const twill_view *v)
{
    twill_view root = tw_view_in_root(*v);
    count c = {root.array, 0};
    tw_view_tiles(&root, count_tile, &c);
    return c.n;
}

twill_status tw_tiles_run(const char *who, twill_view v,
                          twill_status (*insert)(tw_tiles *t, twill_tile *tile,
                                                 const tw_lines *lines),
                          void *arg)
{
    twill_status status = tw_array_check_elements(who, &v, true);
    twill_view root = v;
    tw_tiles t = {.view = &root, .status = TWILL_OK, .insert = insert, .arg = arg};
    if (status == TWILL_OK)
        status = tw_stf_begin_alone(v.array->context, &t.graph);
    if (status != TWILL_OK)
        return status;
    root = tw_view_in_root(v);
    tw_view_tiles(&root, insert_tile, &t);
    status = twill_wait(t.graph);
    twill_graph_free(t.graph);
    return t.status != TWILL_OK ? t.status : status;
}

/* ---- for each ---------------------------------------------------------------------------- */

typedef struct each {
    tw_lines lines;
    twill_line_body *body;
    void *arg;
} each;

typedef struct wanted {
    twill_access mode;
    twill_line_body *body;
    void *arg;
} wanted;

static twill_outcome each_body(twill_task *t)
{
    const each *e = twill_task_data(t, 1);
    tw_host_bytes tile = {twill_task_data(t, 0), twill_task_ld(t, 0)};
    tw_lines_visit(&e->lines, tile, e->body, e->arg);
    return TWILL_DONE;
}

static const twill_class each_class = {
    .size = sizeof(twill_class), .name = "for_each", .chores = {TWILL_CPU(each_body)}};

static twill_arg use_of(twill_tile *tile, const tw_lines *lines, twill_access mode)
{
    bool rest = mode == TWILL_WRITE && !tw_lines_are_all(lines);
    return twill_arg_tile(tw_use_kind(rest ? TWILL_READ_WRITE : mode), tile);
}

static twill_status insert_each(tw_tiles *t, twill_tile *tile, const tw_lines *lines)
{
    const wanted *w = t->arg;
    each e = {*lines, w->body, w->arg};
    return twill_insert(t->graph, &each_class, use_of(tile, lines, w->mode), TWILL_VALUE(e));
}

twill_status twill_for_each(twill_view v, twill_access mode, twill_line_body *body, void *arg)
{
    wanted w = {mode, body, arg};
    if (!body)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_for_each: there is no body");
    if (mode < TWILL_READ || mode > TWILL_READ_WRITE)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_for_each: there is no access mode %d", (int)mode);
    return tw_tiles_run("twill_for_each", v, insert_each, &w);
}

/* ---- for each box ------------------------------------------------------------------------ */

static twill_box box_of(const tw_lines *lines, tw_host_bytes tile)
{
    const tw_section *s = &lines->section;
    int64_t apart = 1, offset = 0;
    twill_box box = {.ndim = lines->ndim};
    for (int k = 0; k < lines->ndim; k++) {
        int d = dim_of(lines, k);
        box.extent[d] = s->extent[d];
        box.index[d] = lines->origin[d] + s->inside[d];
        box.step[d] = apart;
        offset += s->inside[d] * apart;
        apart *= k == 0 ? tile.ld : s->whole[d];
    }
    box.data = (char *)tile.data + (size_t)offset * lines->element;
    return box;
}

typedef struct boxes {
    twill_access mode;
    twill_box_body *body;
    void *arg;
} boxes;

typedef struct one_box {
    tw_lines lines;
    twill_box_body *body;
    void *arg;
} one_box;

static twill_outcome box_body(twill_task *t)
{
    const one_box *o = twill_task_data(t, 1);
    tw_host_bytes tile = {twill_task_data(t, 0), twill_task_ld(t, 0)};
    twill_box box = box_of(&o->lines, tile);
    o->body(&box, o->arg);
    return TWILL_DONE;
}

static const twill_class box_class = {
    .size = sizeof(twill_class), .name = "for_each_box", .chores = {TWILL_CPU(box_body)}};

static twill_status insert_box(tw_tiles *t, twill_tile *tile, const tw_lines *lines)
{
    const boxes *b = t->arg;
    one_box o = {*lines, b->body, b->arg};
    return twill_insert(t->graph, &box_class, use_of(tile, lines, b->mode), TWILL_VALUE(o));
}

twill_status twill_for_each_box(twill_view v, twill_access mode, twill_box_body *body, void *arg)
{
    boxes b = {mode, body, arg};
    if (!body)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_for_each_box: there is no body");
    if (mode < TWILL_READ || mode > TWILL_READ_WRITE)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_for_each_box: there is no access mode %d",
                       (int)mode);
    return tw_tiles_run("twill_for_each_box", v, insert_box, &b);
}

/* ---- fill -------------------------------------------------------------------------------- */

typedef struct filling {
    const void *element;
    size_t size;
} filling;

/* Twice as many each time. */
static void fill_line(const twill_line *line, void *arg)
{
    const filling *f = arg;
    size_t all = (size_t)line->n * f->size, done = f->size;
    memcpy(line->data, f->element, f->size);
    for (; done < all; done *= 2)
        memcpy((char *)line->data + done, line->data, done < all - done ? done : all - done);
}

twill_status twill_fill(twill_view v, const void *element)
{
    filling f = {element, v.array ? v.array->element : 0};
    if (!element)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_fill: there is no element");
    return tw_tiles_run("twill_fill", v, insert_each, &(wanted){TWILL_WRITE, fill_line, &f});
}

/* ---- generate ---------------------------------------------------------------------------- */

typedef struct generating {
    twill_generator *make;
    void *arg;
    size_t size;
} generating;

static void generate_line(const twill_line *line, void *arg)
{
    const generating *g = arg;
    char *element = line->data;
    int64_t index[TWILL_DIMS];
    memcpy(index, line->index, sizeof index);
    for (int64_t i = 0; i < line->n; i++, element += g->size, index[line->dim]++)
        g->make(element, index, g->arg);
}

twill_status twill_generate(twill_view v, twill_generator *make, void *arg)
{
    generating g = {make, arg, v.array ? v.array->element : 0};
    if (!make)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_generate: there is no function");
    return tw_tiles_run("twill_generate", v, insert_each,
                        &(wanted){TWILL_WRITE, generate_line, &g});
}
