/* The tasks of a stencil. */
#include "array/stencil.h"

#include "data/strided.h"

#include <string.h>

static tw_strided copy_of(const tw_stencil *s, const tw_parcel *p)
{
    tw_strided c = {.ndim = s->ndim, .element = s->size, .type = s->type, .what = TW_STRIDED_COPY};
    memcpy(c.extent, p->extent, sizeof c.extent);
    return c;
}

void tw_stencil_steps(const tw_stencil *s, const int64_t *extent, int64_t unit, int64_t *step)
{
    for (int k = 0; k < s->ndim; k++) {
        int d = s->fastest ? s->ndim - 1 - k : k;
        step[d] = unit;
        unit *= extent[d];
    }
}

/* Repeated dimensions have one element in the source. */
static void source_steps(const tw_stencil *s, const tw_parcel *p, int64_t ld, int64_t *step)
{
    int64_t source[TWILL_DIMS] = {0}, size = (int64_t)s->size;
    for (int d = 0; d < s->ndim; d++)
        source[d] = p->repeated >> d & 1 ? 1 : p->extent[d];
    tw_stencil_steps(s, source, size, step);
    for (int d = 0; d < s->ndim; d++)
        step[d] = p->repeated >> d & 1 || p->source == 0 ? 0
                  : p->packed                            ? step[d]
                              : tw_corner_step(&p->corner, d, ld, s->size);
}

static void unpack(const twill_task *t, const tw_stencil_job *j, const tw_parcel *p, char *box)
{
    const tw_stencil *s = j->s;
    tw_strided c = copy_of(s, p);
    int64_t ld = p->source ? twill_task_ld(t, p->source) : 0;
    c.from = p->source ? twill_task_data(t, p->source) : s->outside;
    if (p->source && !p->packed)
        c.from += tw_corner_offset(&p->corner, ld, s->size);
    source_steps(s, p, ld, c.from_step);
    for (int d = 0; d < s->ndim; d++)
        c.to_step[d] = j->step[d] * (int64_t)s->size;
    c.to = box + p->to * (int64_t)s->size;
    tw_strided_run(c);
}

static twill_outcome pack_body(twill_task *t)
{
    const tw_parcel *p = twill_task_data(t, 2);
    const tw_stencil *s = *(const tw_stencil *const *)twill_task_data(t, 3);
    tw_parcel once = *p;
    int64_t ld = twill_task_ld(t, 1);
    for (int d = 0; d < s->ndim; d++)
        once.extent[d] = p->repeated >> d & 1 ? 1 : p->extent[d];
    tw_strided c = copy_of(s, &once);
    c.from = (char *)twill_task_data(t, 1) + tw_corner_offset(&p->corner, ld, s->size);
    c.to = twill_task_data(t, 0);
    for (int d = 0; d < s->ndim; d++)
        c.from_step[d] = tw_corner_step(&p->corner, d, ld, s->size);
    tw_stencil_steps(s, once.extent, (int64_t)s->size, c.to_step);
    tw_strided_run(c);
    return TWILL_DONE;
}

static void call_body(const twill_task *t, const tw_stencil_job *j, const char *box)
{
    const tw_stencil *s = j->s;
    int64_t ld = twill_task_ld(t, 0), i[TWILL_DIMS] = {0}, size = (int64_t)s->size;
    char *tile = (char *)twill_task_data(t, 0) + tw_corner_offset(&j->corner, ld, s->size);
    twill_stencil_line line = {.n = j->extent[s->fastest], .dim = s->fastest};
    memcpy(line.step, j->step, sizeof line.step);
    for (bool more = true; more;) {
        int64_t from = j->first, to = 0;
        for (int d = 0; d < s->ndim; d++) {
            from += i[d] * j->step[d];
            to += i[d] * tw_corner_step(&j->corner, d, ld, s->size);
            line.index[d] = j->at[d] + i[d];
        }
        line.from = box + from * size;
        line.to = tile + to;
        s->body(&line, s->arg);
        more = false;
        for (int d = 0; d < s->ndim && !more; d++) {
            if (d == s->fastest)
                continue;
            more = ++i[d] < j->extent[d];
            i[d] = more ? i[d] : 0;
        }
    }
}

/* Arguments: the tile, those of the sources, the job, parcels, and room for the larger box. */
static twill_outcome stencil_body(twill_task *t)
{
    int arg = 1;
    while (twill_task_array(t, arg))
        arg++;
    const tw_stencil_job *j = twill_task_data(t, arg);
    const tw_parcel *p = twill_task_data(t, arg + 1);
    char *box = twill_task_data(t, arg + 2);
    for (int64_t n = 0; n < j->parcels; n++)
        unpack(t, j, &p[n], box);
    call_body(t, j, box);
    return TWILL_DONE;
}

const twill_class tw_stencil_pack = {
    .size = sizeof(twill_class), .name = "halo", .chores = {TWILL_CPU(pack_body)}};
const twill_class tw_stencil_set = {
    .size = sizeof(twill_class), .name = "stencil", .chores = {TWILL_CPU(stencil_body)}};
