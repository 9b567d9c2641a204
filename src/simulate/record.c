/* A virtual run as a trace, as if it had been recorded. */
#include "simulate/machine.h"
#include "trace/analysis/analysis.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>

/* What a worker did, in the order of time: a task, alone or as a member of a team. */
typedef struct piece {
    double start, end;
    int row, member;
    int64_t task; /* its number in the trace */
} piece;

typedef struct record {
    const tw_machine *m;
    twill_trace *t;
    int64_t *order;  /* tasks by the times at which they began, */
    int64_t *number; /* and where in that order each is */
    piece *pieces;
    int64_t npieces;
} record;

static double ns(double seconds)
{
    return 1e9 * seconds;
}

/* ---- tasks ------------------------------------------------------------------------------------
 */

static int by_begin(const void *a, const void *b)
{
    const tw_virtual_task *const *x = a, *const *y = b;
    if ((*x)->begin != (*y)->begin)
        return (*x)->begin < (*y)->begin ? -1 : 1;
    return ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

static bool sort_tasks(record *r)
{
    int64_t n = r->m->model->ntasks;
    const tw_virtual_task **list = malloc((size_t)(n + 1) * sizeof *list);
    r->order = malloc((size_t)(n + 1) * sizeof *r->order);
    r->number = malloc((size_t)(n + 1) * sizeof *r->number);
    bool good = list && r->order && r->number;
    for (int64_t i = 0; good && i < n; i++)
        list[i] = &r->m->tasks[i];
    if (good)
        qsort(list, (size_t)n, sizeof(void *), by_begin);
    for (int64_t i = 0; good && i < n; i++) {
        r->order[i] = list[i]->number;
        r->number[list[i]->number] = i;
    }
    free(list);
    return good;
}

static void fill_task(const record *r, int64_t i)
{
    const tw_virtual_task *task = &r->m->tasks[r->order[i]];
    twill_trace *t = r->t;
    t->start[i] = ns(task->begin);
    t->end[i] = ns(task->begin + task->seconds);
    t->ready[i] = ns(task->ready < task->begin ? task->ready : task->begin);
    t->by[i] = task->by < 0 ? TW_BY_PROGRAM : (int32_t)r->number[task->by];
    t->priority[i] = task->item.priority;
    t->row[i] = (uint16_t)task->worker;
    t->cls[i] = (uint16_t)r->m->model->tasks[task->number].cls;
    t->critical[i] = r->m->layout.critical[task->number];
    t->team[i] = (uint16_t)task->members;
}

/* By targets and then by sources, each once. */
static int by_target(const void *a, const void *b)
{
    const tw_model_edge *x = a, *y = b;
    int64_t order = x->to != y->to ? x->to - y->to : x->from - y->from;
    return (order > 0) - (order < 0);
}

static bool fill_edges(const record *r)
{
    const twill_model *m = r->m->model;
    tw_model_edge *edges = malloc((size_t)(m->nedges + 1) * sizeof *edges);
    if (!edges || !tw_trace_room(r->t, &r->t->nedges, m->nedges)) {
        free(edges);
        return false;
    }
    for (int64_t e = 0; e < m->nedges; e++)
        edges[e] = (tw_model_edge){r->number[m->edges[e].from], r->number[m->edges[e].to]};
    qsort(edges, (size_t)m->nedges, sizeof *edges, by_target);
    r->t->nedges = 0;
    for (int64_t e = 0; e < m->nedges; e++) {
        if (e > 0 && by_target(&edges[e - 1], &edges[e]) == 0)
            continue;
        r->t->edge_from[r->t->nedges] = (uint32_t)edges[e].from;
        r->t->edge_to[r->t->nedges++] = (uint32_t)edges[e].to;
    }
    free(edges);
    return true;
}

/* ---- workers ----------------------------------------------------------------------------------
 */

static int by_row(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    if (x->row != y->row)
        return x->row - y->row;
    return (x->start > y->start) - (x->start < y->start);
}

static bool list_pieces(record *r)
{
    const twill_trace *t = r->t;
    int64_t n = 0;
    for (int64_t i = 0; i < t->ntasks; i++)
        n += t->team[i];
    r->pieces = malloc((size_t)(n + 1) * sizeof *r->pieces);
    if (!r->pieces)
        return false;
    for (int64_t i = 0; i < t->ntasks; i++)
        for (int k = 0; k < t->team[i]; k++)
            r->pieces[r->npieces++] = (piece){t->start[i], t->end[i], t->row[i] + k, k, i};
    qsort(r->pieces, (size_t)r->npieces, sizeof *r->pieces, by_row);
    return true;
}

static void add_state(twill_trace *t, tw_state kind, double start, double end, const piece *p)
{
    if (end <= start)
        return;
    int64_t i = t->nstates++;
    t->state_start[i] = start;
    t->state_end[i] = end;
    t->state_kind[i] = (uint8_t)kind;
    t->state_row[i] = (uint16_t)p->row;
    if (kind != TW_STATE_TEAM)
        return;
    t->state_task[i] = (uint32_t)p->task + 1;
    t->state_member[i] = (uint16_t)p->member;
}

/* A worker that does nothing sleeps. */
static bool fill_states(const record *r)
{
    twill_trace *t = r->t;
    const piece *p = r->pieces, *end = p + r->npieces;
    if (!tw_trace_room(t, &t->nstates, 2 * r->npieces + t->nrows))
        return false;
    t->nstates = 0;
    for (int row = 0; row < t->nrows; row++) {
        double last = 0;
        for (; p < end && p->row == row; p++) {
            add_state(t, TW_STATE_SLEEP, last, p->start, p);
            if (p->member > 0)
                add_state(t, TW_STATE_TEAM, p->start, p->end, p);
            last = p->end;
        }
        add_state(t, TW_STATE_SLEEP, last, t->span, &(piece){.row = row});
    }
    return true;
}

static bool fill_set(const record *r)
{
    twill_trace *t = r->t;
    if (!tw_trace_room(t, &t->nset, r->m->nsizes))
        return false;
    for (int64_t i = 0; i < t->nset; i++) {
        t->set_time[i] = ns(r->m->sizes[i].time);
        t->set_members[i] = (uint16_t)r->m->sizes[i].members;
        t->set_wanted[i] = (uint16_t)r->m->sizes[i].wanted;
    }
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------
 */

static twill_status set_names(const record *r)
{
    const twill_model *m = r->m->model;
    twill_trace *t = r->t;
    char text[128];
    int workers = r->m->env.workers;
    snprintf(text, sizeof text, "virtual run on %d workers, mode %s", workers,
             r->m->s->mode ? r->m->s->mode : "regular");
    twill_status status = tw_trace_set_text(t, TW_TEXT_TITLE, text);
    for (int64_t i = 0; i < t->nrows && status == TWILL_OK; i++) {
        if (i < workers)
            snprintf(text, sizeof text, "worker %d", (int)i);
        else
            snprintf(text, sizeof text, "device %d", (int)i - workers + 1);
        status = tw_trace_set_text(t, TW_TEXTS + i, text);
    }
    for (int64_t i = 0; i < m->nclasses && status == TWILL_OK; i++)
        status = tw_trace_set_text(t, TW_TEXTS + t->nrows + i, m->classes[i]);
    return status;
}

static twill_status fill(record *r)
{
    const tw_machine *m = r->m;
    twill_trace *t = r->t;
    int64_t n = m->model->ntasks;
    t->span = ns(m->now);
    if (!sort_tasks(r) || !tw_trace_room(t, &t->nrow, t->nrows) || !tw_trace_room(t, &t->ntasks, n))
        return tw_simulate_no_memory();
    for (int64_t i = 0; i < n; i++)
        fill_task(r, i);
    for (int64_t i = m->env.workers; i < t->nrows; i++)
        t->row_kind[i] = TW_ROW_DEVICE;
    if (!fill_edges(r) || !list_pieces(r) || !fill_states(r) || !fill_set(r))
        return tw_simulate_no_memory();
    tw_trace_set_cores(t, m->env.workers);
    return set_names(r);
}

twill_status tw_machine_record(const tw_machine *m, twill_trace **trace)
{
    int64_t classes = m->model->nclasses ? m->model->nclasses : 1;
    record r = {.m = m, .t = tw_trace_make(m->env.workers + m->s->devices, classes, 1)};
    if (!r.t)
        return tw_simulate_no_memory();
    twill_status status = fill(&r);
    if (status == TWILL_OK)
        status = tw_analyse(r.t);
    free(r.order);
    free(r.number);
    free(r.pieces);
    if (status == TWILL_OK)
        *trace = r.t;
    else
        twill_trace_free(r.t);
    return status;
}
