/* Tasks that move elements, and what their ends are. */
#include "array/move.h"
#include "array/zip.h"

#include <string.h>

/* ---- one task ---------------------------------------------------------------------------- */

static char *resolve(const twill_task *t, int arg, const tw_move *m, const tw_move_end *e,
                     int64_t *step)
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
    const tw_move *m = twill_task_data(t, last);
    tw_strided s = m->s;
    s.to = resolve(t, 0, m, &m->to, s.to_step);
    s.from = resolve(t, m->from_arg, m, &m->from, s.from_step);
    tw_strided_run(s);
    return TWILL_DONE;
}

const twill_class tw_mover = {
    .size = sizeof(twill_class), .name = "copy", .chores = {TWILL_CPU(move_body)}};

/* ---- ends -------------------------------------------------------------------------------- */

/* Elements of a tile, from these on. */
tw_move_end tw_move_tile(const twill_view *v, const tw_section *section)
{
    const twill_pattern *p = &v->array->pattern;
    int dims[TWILL_DIMS], n = tw_view_left(v, dims);
    int64_t cols[TWILL_DIMS] = {0}, apart = 1;
    tw_move_end e = {.row = section->inside[tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, 0)]};
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

/* Memory for the whole view, without gaps. */
tw_reach_memory tw_memory_of(const twill_view *v, const void *memory)
{
    const twill_pattern *p = &v->array->pattern;
    int first = tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, 0);
    tw_reach_memory m = {.at = (char *)(uintptr_t)memory};
    tw_section_steps(p, v->extent, v->extent[first], v->array->element, m.step);
    return m;
}

/* The same from the first element of the section on. */
tw_move_end tw_move_memory(const twill_view *v, const tw_section *section, const tw_reach_memory *m)
{
    int dims[TWILL_DIMS], n = tw_view_left(v, dims);
    tw_move_end e = {.memory = m->at};
    for (int i = 0; i < n; i++) {
        e.step[i] = m->step[dims[i]];
        e.memory += section->at[dims[i]] * m->step[dims[i]];
    }
    return e;
}

tw_strided tw_move_elements(const twill_view *v, const tw_section *section, tw_strided_what what)
{
    int dims[TWILL_DIMS];
    tw_strided s = {.ndim = tw_view_left(v, dims),
                    .element = v->array->element,
                    .type = v->array->type,
                    .what = what};
    for (int i = 0; i < s.ndim; i++)
        s.extent[i] = section->extent[dims[i]];
    return s;
}

bool tw_section_is_whole(const twill_view *v, const tw_section *section)
{
    bool whole = true;
    for (int d = 0; d < v->array->pattern.ndim; d++)
        whole = whole && section->extent[d] == section->whole[d];
    return whole;
}

twill_tile *tw_move_find(const twill_view *v, int64_t number, tw_section *section)
{
    int64_t block[TWILL_DIMS];
    twill_tile *tile = tw_array_nth(v->array, number);
    tw_tile_block(tile, block);
    tw_view_section(v, block, section);
    return tile;
}
