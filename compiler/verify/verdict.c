/* Verdicts, and small things that the proofs share. */
#include "verify/proof.h"

#include <string.h>

enum { MOST_FINDINGS = 20 };

void verdict_refute(verdict *v, const finding *f)
{
    v->state = REFUTED;
    for (int i = 0; i < v->finding_count; i++) {
        const finding *g = &v->findings[i];
        bool same = g->at.line == f->at.line && g->also.line == f->also.line;
        bool swapped = g->at.line == f->also.line && g->also.line == f->at.line;
        if (same || swapped)
            return;
    }
    if (!verdict_is_full(v))
        ARENA_ADD(v->memory, v->findings, v->finding_count, *f);
}

void verdict_warn(verdict *v, const finding *f)
{
    if (v->warning_count < MOST_FINDINGS)
        ARENA_ADD(v->memory, v->warnings, v->warning_count, *f);
}

bool verdict_is_full(const verdict *v)
{
    return v->finding_count == MOST_FINDINGS;
}

void verdict_open(verdict *v, const char *why)
{
    if (v->state == PROVED) {
        v->state = OPEN;
        v->why = why;
    }
}

static const char *reason(const poly *p)
{
    if (p->cause)
        return arena_print(p->memory, "%s:%d: '%s' is not affine", p->file->source->path,
                           (int)p->cause->at.line, ir_text_of(p->memory, p->cause));
    return poly_is_late(p) ? "it would take too long" : "it is too hard";
}

void verdict_answer(verdict *v, poly *p, poly_answer answer, const finding *f)
{
    if (answer == CONFIRMED)
        verdict_refute(v, f);
    else if (answer == UNSURE)
        verdict_open(v, reason(p));
}

bool keep_finding(poly *p, finding *f, bool is)
{
    if (is)
        f->text = arena_print(p->memory, "%s", f->text);
    return is;
}

task task_at(const ir_file *f, int class, const int64_t *point)
{
    task t = {.class = class};
    int count = f->classes[class].param_count;
    if (count <= MOST_PARAMETERS)
        memcpy(t.args, point, sizeof *point * (size_t)count);
    return t;
}

isl_map *waiting(const poly *p, const poly_dep *d)
{
    if (d->dep->out || d->dep->target != IR_TO_TASK)
        return NULL;
    isl_map *map = isl_map_reverse(isl_map_copy(d->map));
    return isl_map_intersect_domain(map, isl_set_copy(p->classes[d->dep->class].space));
}
