/* Which tiles a part has, and how their elements travel: section after section in the order of
 * tiles, each without gaps and in the order of the array's elements. */
#include "engine/reach/inside.h"

#include "base/mix.h"

#include <string.h>

size_t tw_reach_section_bytes(const twill_array *a, const tw_section *section)
{
    size_t bytes = a->element;
    for (int d = 0; d < a->pattern.ndim; d++)
        bytes *= (size_t)section->extent[d];
    return bytes;
}

/* ---- the tiles of a part ----------------------------------------------------------------- */

typedef struct walk {
    const tw_reach_part *part;
    tw_reach_visit *visit;
    void *arg;
} walk;

static void look_at(int64_t number, void *arg)
{
    const walk *x = arg;
    const tw_reach_part *part = x->part;
    twill_array *a = part->view.array;
    int64_t block[TWILL_DIMS];
    tw_section section;
    if (number < part->first || number > part->last)
        return;
    tw_array_block(a, number, block);
    if (twill_pattern_owner(&a->pattern, block) != part->owner)
        return;
    tw_view_section(&part->view, block, &section);
    if (!part->several || tw_reach_section_bytes(a, &section) <= TW_REACH_SMALL)
        x->visit(a, number, &section, x->arg);
}

void tw_reach_each(const tw_reach_part *part, tw_reach_visit *visit, void *arg)
{
    walk x = {part, visit, arg};
    tw_view_tiles(&part->view, look_at, &x);
}

typedef struct size {
    size_t bytes;
    int64_t tiles;
} size;

static void add_size(twill_array *a, int64_t number, const tw_section *section, void *arg)
{
    size *s = arg;
    (void)number;
    s->bytes += tw_reach_section_bytes(a, section);
    s->tiles++;
}

size_t tw_reach_bytes(const tw_reach_part *part, int64_t *tiles)
{
    size s = {0};
    tw_reach_each(part, add_size, &s);
    *tiles = s.tiles;
    return s.bytes;
}

/* ---- moving ------------------------------------------------------------------------------ */

/* A box of memory with these steps, and the same without gaps. */
static tw_strided box_of(const twill_array *a, const tw_section *section, const int64_t *step,
                         char *at, char *packed, bool into_box)
{
    const twill_pattern *p = &a->pattern;
    int first = tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, 0);
    tw_strided s = {.ndim = p->ndim,
                    .element = a->element,
                    .type = a->type,
                    .to = into_box ? at : packed,
                    .from = into_box ? packed : at};
    memcpy(s.extent, section->extent, sizeof s.extent);
    memcpy(into_box ? s.to_step : s.from_step, step, sizeof s.to_step);
    tw_section_steps(p, section->extent, section->extent[first], a->element,
                     into_box ? s.from_step : s.to_step);
    return s;
}

bool tw_reach_is_line(const twill_array *a, const tw_section *section, const int64_t *step)
{
    return tw_strided_is_line(box_of(a, section, step, NULL, NULL, true));
}

typedef struct moving {
    tw_reach_what what;
    char *packed;
    const tw_reach_memory *memory;
} moving;

static char *find_in_tile(twill_array *a, int64_t number, const tw_section *section, int64_t *step)
{
    const tw_host_bytes *host = &tw_array_nth(a, number)->value.host;
    tw_section_steps(&a->pattern, section->whole, host->ld, a->element, step);
    return tw_section_at(&a->pattern, section->whole, section->inside, *host, a->element);
}

char *tw_reach_line_in_tile(twill_array *a, int64_t number, const tw_section *section)
{
    int64_t step[TWILL_DIMS];
    char *at = find_in_tile(a, number, section, step);
    return tw_reach_is_line(a, section, step) ? at : NULL;
}

static void move_tile(twill_array *a, int64_t number, const tw_section *section, void *arg)
{
    moving *m = arg;
    int64_t step[TWILL_DIMS];
    char *at = find_in_tile(a, number, section, step);
    tw_strided s = box_of(a, section, step, at, m->packed, m->what != TW_REACH_GET);
    s.what = m->what == TW_REACH_ADD ? TW_STRIDED_ADD : TW_STRIDED_COPY;
    tw_strided_run(s);
    m->packed += tw_reach_section_bytes(a, section);
}

void tw_reach_move_tiles(const tw_reach_part *part, tw_reach_what what, char *packed)
{
    tw_reach_each(part, move_tile, &(moving){what, packed, NULL});
}

static void move_memory(twill_array *a, int64_t number, const tw_section *section, void *arg)
{
    moving *m = arg;
    char *at = m->memory->at;
    (void)number;
    for (int d = 0; d < a->pattern.ndim; d++)
        at += section->at[d] * m->memory->step[d];
    tw_strided_run(box_of(a, section, m->memory->step, at, m->packed, m->what == TW_REACH_GET));
    m->packed += tw_reach_section_bytes(a, section);
}

void tw_reach_move_memory(const tw_reach_part *part, tw_reach_what what,
                          const tw_reach_memory *memory, char *packed)
{
    tw_reach_each(part, move_memory, &(moving){what, packed, memory});
}

/* ---- the same array? --------------------------------------------------------------------- */

uint64_t tw_reach_print(const twill_array *a)
{
    const twill_pattern *p = &a->pattern;
    uint64_t print = tw_mix((uint64_t)p->ndim + 8 * (uint64_t)a->type + 64 * a->element);
    for (int d = 0; d < p->ndim; d++) {
        const int64_t word[] = {p->extent[d], p->block[d], p->grid[d],
                                p->source[d], p->super[d], p->order};
        for (size_t i = 0; i < sizeof word / sizeof *word; i++)
            print = tw_mix(print ^ (uint64_t)word[i]);
    }
    return tw_mix(print ^ (uint64_t)p->first ^ (p->owner ? UINT64_C(1) << 62 : 0));
}
