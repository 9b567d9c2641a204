/* Copies: a task for each tile, or pair of tiles, in a graph of their own. */
#include "array/array.h"
#include "array/strided.h"

#include <stdlib.h>
#include <string.h>

struct twill_future {
    twill_graph *graph;
};

/* ---- one task ---------------------------------------------------------------------------- */

/* One end of a move: bytes of a tile, whose distance between columns is known when the task runs,
 * or memory. */
typedef struct end {
    char *memory;             /* NULL: a tile */
    int64_t row, col;         /* of the first element in the tile */
    int64_t cols[TWILL_DIMS]; /* from an element to the next, in columns; 0: in rows, one */
    int64_t step[TWILL_DIMS]; /* of memory, in bytes */
} end;

typedef struct move {
    tw_strided s; /* all but the places */
    end to, from;
    int from_arg; /* of the task */
} move;

static char *resolve(const twill_task *t, int arg, const move *m, const end *e, int64_t *step)
{
    int64_t element = (int64_t)m->s.element, ld = twill_task_ld(t, arg);
    for (int d = 0; d < m->s.ndim; d++)
        step[d] = e->memory ? e->step[d] : e->cols[d] ? e->cols[d] * ld * element : element;
    return e->memory ? e->memory
                     : (char *)twill_task_data(t, arg) + (e->row + e->col * ld) * element;
}

static twill_outcome move_body(twill_task *t)
{
    int last = 0; /* the move comes after the tiles */
    while (twill_task_array(t, last))
        last++;
    const move *m = twill_task_data(t, last);
    tw_strided s = m->s;
    s.to = resolve(t, 0, m, &m->to, s.to_step);
    s.from = resolve(t, m->from_arg, m, &m->from, s.from_step);
    tw_strided_run(s);
    return TWILL_DONE;
}

static const twill_class mover = {
    .size = sizeof(twill_class), .name = "copy", .chores = {TWILL_CPU(move_body)}};

/* ---- ends -------------------------------------------------------------------------------- */

/* Dimensions that are left, in the array. */
static int left_of(const twill_view *v, int *dims)
{
    int n = 0;
    for (int d = 0; d < v->array->pattern.ndim; d++)
        if (!(v->sliced >> d & 1))
            dims[n++] = d;
    return n;
}

/* Elements of a tile, from these on. */
static end tile_end(const twill_view *v, const tw_section *section)
{
    const twill_pattern *p = &v->array->pattern;
    int dims[TWILL_DIMS], n = left_of(v, dims);
    int64_t cols[TWILL_DIMS] = {0}, apart = 1;
    end e = {.row = section->inside[tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, 0)]};
    for (int k = 1; k < p->ndim; k++) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, k);
        cols[d] = apart;
        e.col += section->inside[d] * apart;
        apart *= section->whole[d];
    }
    for (int i = 0; i < n; i++)
        e.cols[i] = cols[dims[i]];
    return e;
}

/* Memory for the whole view, from the first element of the section on. */
static end memory_end(const twill_view *v, const tw_section *section, const void *memory)
{
    const twill_pattern *p = &v->array->pattern;
    int dims[TWILL_DIMS], n = left_of(v, dims);
    int64_t apart = (int64_t)v->array->element, offset = 0;
    end e = {.memory = (char *)(uintptr_t)memory};
    for (int k = 0; k < n; k++) {
        int i = p->order & TWILL_ROW_MAJOR_ELEMENTS ? n - 1 - k : k;
        e.step[i] = apart;
        offset += section->at[dims[i]] * apart;
        apart *= v->extent[dims[i]];
    }
    e.memory += offset;
    return e;
}

static tw_strided elements_of(const twill_view *v, const tw_section *section, tw_strided_what what)
{
    int dims[TWILL_DIMS];
    tw_strided s = {.ndim = left_of(v, dims),
                    .element = v->array->element,
                    .type = v->array->type,
                    .what = what};
    for (int i = 0; i < s.ndim; i++)
        s.extent[i] = section->extent[dims[i]];
    return s;
}

static bool is_whole(const twill_view *v, const tw_section *section)
{
    bool whole = true;
    for (int d = 0; d < v->array->pattern.ndim; d++)
        whole = whole && section->extent[d] == section->whole[d];
    return whole;
}

/* ---- between a view and memory ----------------------------------------------------------- */

typedef enum direction { GET, PUT, ADD } direction;

/* A copy that is being begun; of a transfer the part of `from` that goes to one tile of `to`. */
typedef struct beginning {
    twill_graph *graph;
    twill_status status;
    twill_view view, from;
    const void *memory;
    direction direction;
    twill_tile *tile; /* of a transfer: the one that it goes to, and where */
    tw_section section;
} beginning;

static twill_tile *tile_of(const twill_view *v, int64_t number, tw_section *section)
{
    int64_t block[TWILL_DIMS];
    twill_tile *tile = tw_array_nth(v->array, number);
    tw_tile_block(tile, block);
    tw_view_section(v, block, section);
    return tile;
}

static void begin_tile(int64_t number, void *arg)
{
    beginning *b = arg;
    tw_section section;
    twill_tile *tile = tile_of(&b->view, number, &section);
    if (b->status != TWILL_OK)
        return;
    bool get = b->direction == GET;
    end there = tile_end(&b->view, &section), here = memory_end(&b->view, &section, b->memory);
    move m = {.s = elements_of(&b->view, &section, b->direction == ADD),
              .to = get ? here : there,
              .from = get ? there : here};
    twill_arg_kind kind = get ? TWILL_ARG_READ
                          : b->direction == PUT && is_whole(&b->view, &section)
                              ? TWILL_ARG_WRITE
                              : TWILL_ARG_READ_WRITE;
    b->status = twill_insert(b->graph, &mover, twill_arg_tile(kind, tile), TWILL_VALUE(m));
}

/* ---- between views ----------------------------------------------------------------------- */

/* The part of a tile at `at` of its section, with these extents, in the order of dimensions that
 * views have left. */
static tw_section part_of(const twill_view *v, const tw_section *whole, const twill_view *w,
                          const tw_section *other)
{
    int mine[TWILL_DIMS], theirs[TWILL_DIMS], n = left_of(v, mine);
    tw_section part = *whole;
    left_of(w, theirs);
    for (int i = 0; i < n; i++) {
        part.inside[mine[i]] += other->at[theirs[i]];
        part.extent[mine[i]] = other->extent[theirs[i]];
    }
    return part;
}

static void begin_pair(int64_t number, void *arg)
{
    beginning *b = arg;
    tw_section there;
    twill_tile *tile = tile_of(&b->from, number, &there);
    tw_section here = part_of(&b->view, &b->section, &b->from, &there);
    if (b->status != TWILL_OK)
        return;
    move m = {.s = elements_of(&b->view, &here, TW_STRIDED_COPY),
              .to = tile_end(&b->view, &here),
              .from = tile_end(&b->from, &there),
              .from_arg = tile != b->tile};
    twill_arg to = is_whole(&b->view, &here) ? TWILL_W(b->tile) : TWILL_RW(b->tile);
    b->status = tile == b->tile ? twill_insert(b->graph, &mover, TWILL_RW(tile), TWILL_VALUE(m))
                                : twill_insert(b->graph, &mover, to, TWILL_R(tile), TWILL_VALUE(m));
}

static void begin_tile_of_pairs(int64_t number, void *arg)
{
    beginning *b = arg;
    twill_view all = b->from;
    int mine[TWILL_DIMS], theirs[TWILL_DIMS], n = left_of(&b->view, mine);
    b->tile = tile_of(&b->view, number, &b->section);
    left_of(&b->from, theirs);
    for (int i = 0; i < n; i++) {
        b->from.start[theirs[i]] += b->section.at[mine[i]];
        b->from.extent[theirs[i]] = b->section.extent[mine[i]];
    }
    tw_view_tiles(&b->from, begin_pair, b);
    b->from = all;
}

/* ---- checks ------------------------------------------------------------------------------ */

twill_status tw_array_check_elements(const char *who, const twill_view *v, bool wait)
{
    twill_status status = tw_view_check(v);
    if (status != TWILL_OK)
        return status;
    if (tw_in_task(v->array->context))
        return tw_fail(TWILL_ERR_STATE, "%s is not possible inside a task", who);
    if (v->array->root->stored != TW_FULL)
        return tw_fail(TWILL_ERR_UNSUPPORTED,
                       "%s: the matrix stores only a triangle; twill_map gives all of it", who);
    if (wait && tw_use_maps(v->array))
        return tw_fail(TWILL_ERR_STUCK,
                       "%s: this thread has mapped part of the array and would wait for itself; "
                       "call twill_unmap first",
                       who);
    return TWILL_OK;
}

/* The same, or others own some of it. */
static twill_status check_own(const char *who, const twill_view *v, bool wait)
{
    twill_status status = tw_array_check_elements(who, v, wait);
    return status == TWILL_OK ? tw_view_check_local(v) : status;
}

static twill_status check_memory(const char *who, const twill_view *v, const void *memory,
                                 direction direction, bool wait)
{
    twill_status status = check_own(who, v, wait);
    if (status != TWILL_OK)
        return status;
    if (!memory && twill_view_size(*v) > 0)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: there is no memory: the pointer is NULL", who);
    if (direction == ADD && v->array->type == TWILL_BYTES)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: elements of type BYTES cannot be added", who);
    return TWILL_OK;
}

typedef struct meeting {
    const twill_view *view, *other;
    bool overlap;
} meeting;

static void look_at_tile(int64_t number, void *arg)
{
    meeting *x = arg;
    tw_section a, b;
    int64_t block[TWILL_DIMS];
    tw_tile_block(tile_of(x->view, number, &a), block);
    tw_view_section(x->other, block, &b);
    bool common = true;
    for (int d = 0; d < x->view->array->pattern.ndim; d++)
        common = common && b.extent[d] > 0 && a.inside[d] < b.inside[d] + b.extent[d] &&
                 b.inside[d] < a.inside[d] + a.extent[d];
    x->overlap = x->overlap || common;
}

static twill_status check_pair(const char *who, twill_view from, twill_view to)
{
    const twill_array *a = from.array, *b = to.array;
    int n = twill_view_ndim(from);
    if (a->context != b->context || a->type != b->type || a->element != b->element)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "%s: the arrays differ in the type of their elements or in their context",
                       who);
    if (n != twill_view_ndim(to))
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the views have %d and %d dimensions", who, n,
                       twill_view_ndim(to));
    for (int d = 0; d < n; d++)
        if (twill_view_extent(from, d) != twill_view_extent(to, d))
            return tw_fail(
                TWILL_ERR_ARGUMENT, "%s: dimension %d of the views has %lld and %lld elements", who,
                d, (long long)twill_view_extent(from, d), (long long)twill_view_extent(to, d));
    from = tw_view_in_root(from);
    to = tw_view_in_root(to);
    meeting x = {&to, &from, false};
    if (from.array == to.array)
        tw_view_tiles(&to, look_at_tile, &x);
    return x.overlap ? tw_fail(TWILL_ERR_ARGUMENT, "%s: the views overlap", who) : TWILL_OK;
}

/* ---- futures ----------------------------------------------------------------------------- */

static twill_status open_future(twill *tw, twill_future **out)
{
    twill_future *f = malloc(sizeof *f);
    if (!f)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a future");
    twill_status status = tw_stf_begin_alone(tw, &f->graph);
    if (status == TWILL_OK)
        *out = f;
    else
        free(f);
    return status;
}

/* What has been begun is over before a failure is told. */
static twill_status hand_over(twill_future *f, twill_status status, twill_future **out)
{
    if (status == TWILL_OK) {
        *out = f;
        return TWILL_OK;
    }
    twill_graph_free(f->graph);
    free(f);
    return status;
}

static twill_status begin_copy(twill_view v, const void *memory, direction direction,
                               twill_future **out)
{
    twill_future *f = NULL;
    twill_status status = open_future(v.array->context, &f);
    if (status != TWILL_OK)
        return status;
    beginning b = {.graph = f->graph,
                   .status = TWILL_OK,
                   .view = tw_view_in_root(v),
                   .memory = memory,
                   .direction = direction};
    tw_view_tiles(&b.view, begin_tile, &b);
    return hand_over(f, b.status, out);
}

static twill_status begin_transfer(twill_view from, twill_view to, twill_future **out)
{
    twill_future *f = NULL;
    twill_status status = open_future(to.array->context, &f);
    if (status != TWILL_OK)
        return status;
    beginning b = {.graph = f->graph,
                   .status = TWILL_OK,
                   .view = tw_view_in_root(to),
                   .from = tw_view_in_root(from)};
    tw_view_tiles(&b.view, begin_tile_of_pairs, &b);
    return hand_over(f, b.status, out);
}

twill_status twill_future_wait(twill_future *f)
{
    if (!f)
        return TWILL_OK;
    twill_status status = twill_wait(f->graph);
    if (status == TWILL_ERR_STUCK || status == TWILL_ERR_STATE)
        return status; /* it still goes on */
    twill_graph_free(f->graph);
    free(f);
    return status;
}

twill_status twill_future_wait_all(twill_future **futures, int n)
{
    twill_status first = TWILL_OK;
    for (int i = 0; i < n; i++) {
        twill_status status = twill_future_wait(futures[i]);
        first = first == TWILL_OK ? status : first;
    }
    return first;
}

static bool asked_again(void *arg)
{
    return ++*(int *)arg > 1;
}

bool twill_future_test(twill_future *f)
{
    int asked = 0;
    if (!f || tw_graph_idle(f->graph))
        return true;
    if (!tw_in_task(f->graph->tw))
        tw_wait(f->graph->tw, &(tw_goal){asked_again, &asked});
    return tw_graph_idle(f->graph);
}

/* ---- the API ----------------------------------------------------------------------------- */

static twill_status copy(const char *who, twill_view v, const void *memory, direction direction,
                         twill_future **out)
{
    twill_future *f = NULL;
    twill_status status = check_memory(who, &v, memory, direction, !out);
    if (status == TWILL_OK)
        status = begin_copy(v, memory, direction, &f);
    if (status == TWILL_OK && out)
        *out = f;
    return status == TWILL_OK && !out ? twill_future_wait(f) : status;
}

static twill_status transfer(const char *who, twill_view from, twill_view to, twill_future **out)
{
    twill_future *f = NULL;
    twill_status status = check_own(who, &from, !out);
    if (status == TWILL_OK)
        status = check_own(who, &to, !out);
    if (status == TWILL_OK)
        status = check_pair(who, from, to);
    if (status == TWILL_OK)
        status = begin_transfer(from, to, &f);
    if (status == TWILL_OK && out)
        *out = f;
    return status == TWILL_OK && !out ? twill_future_wait(f) : status;
}

static twill_status no_future(const char *who)
{
    return tw_fail(TWILL_ERR_ARGUMENT, "%s: there is no place for the future", who);
}

twill_status twill_get(twill_view v, void *memory)
{
    return copy("twill_get", v, memory, GET, NULL);
}

twill_status twill_put(const void *memory, twill_view v)
{
    return copy("twill_put", v, memory, PUT, NULL);
}

twill_status twill_accumulate(const void *memory, twill_view v)
{
    return copy("twill_accumulate", v, memory, ADD, NULL);
}

twill_status twill_transfer(twill_view from, twill_view to)
{
    return transfer("twill_transfer", from, to, NULL);
}

twill_status twill_get_async(twill_view v, void *memory, twill_future **f)
{
    return f ? copy("twill_get_async", v, memory, GET, f) : no_future("twill_get_async");
}

twill_status twill_put_async(const void *memory, twill_view v, twill_future **f)
{
    return f ? copy("twill_put_async", v, memory, PUT, f) : no_future("twill_put_async");
}

twill_status twill_accumulate_async(const void *memory, twill_view v, twill_future **f)
{
    return f ? copy("twill_accumulate_async", v, memory, ADD, f)
             : no_future("twill_accumulate_async");
}

twill_status twill_transfer_async(twill_view from, twill_view to, twill_future **f)
{
    return f ? transfer("twill_transfer_async", from, to, f) : no_future("twill_transfer_async");
}
