/* Traces of several ranks as one: times on one clock, rows one rank after the other, tasks in the
 * order in which they began, and what a message made ready is enabled by whoever sent it. */
#include "trace/merge.h"

#include <stdlib.h>

twill_status tw_merge_no_memory(void)
{
    return tw_fail(TWILL_ERR_MEMORY, "no memory for a trace of all ranks");
}

/* ---- tasks --------------------------------------------------------------------------------- */

typedef struct place {
    double start;
    int part;
    int64_t task;
} place;

static int by_start(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->part != y->part)
        return x->part - y->part;
    return (x->task > y->task) - (x->task < y->task);
}

static void copy_task(const tw_merge *m, const place *from, int64_t to)
{
    const tw_merge_part *p = &m->parts[from->part];
    const twill_trace *t = p->t;
    twill_trace *w = m->whole;
    int64_t i = from->task;
    w->start[to] = t->start[i] + p->shift;
    w->end[to] = t->end[i] + p->shift;
    w->ready[to] = t->ready[i] + p->shift;
    w->by[to] = t->by[i] < 0 ? t->by[i] : (int32_t)p->task[t->by[i]];
    w->priority[to] = t->priority[i];
    w->flops[to] = t->flops[i];
    w->bytes[to] = t->bytes[i];
    w->row[to] = (uint16_t)(p->row + t->row[i]);
    w->cls[to] = p->cls[t->cls[i]];
    w->graph[to] = p->graph[t->graph[i]];
    w->nparameters[to] = t->nparameters[i];
    w->critical[to] = t->critical[i];
    w->team[to] = t->team[i];
    for (int k = 0; k < t->nparameters[i]; k++)
        w->parameter[k][to] = t->parameter[k][i];
    w->message[to] = t->message[i] ? t->message[i] + (uint32_t)p->point : 0;
}

/* Within a rank the order stays, so that tasks still come after those that enabled them. */
static bool merge_tasks(tw_merge *m)
{
    twill_trace *w = m->whole;
    int64_t n = 0;
    for (int r = 0; r < m->n; r++)
        n += m->parts[r].t->ntasks;
    place *places = malloc((size_t)(n + 1) * sizeof *places);
    if (!places || n > INT32_MAX || !tw_trace_room(w, &w->ntasks, n)) {
        free(places);
        return false;
    }
    n = 0;
    for (int r = 0; r < m->n; r++)
        for (int64_t i = 0; i < m->parts[r].t->ntasks; i++)
            places[n++] = (place){m->parts[r].t->start[i] + m->parts[r].shift, r, i};
    qsort(places, (size_t)n, sizeof *places, by_start);
    for (int64_t i = 0; i < n; i++)
        m->parts[places[i].part].task[places[i].task] = i;
    for (int64_t i = 0; i < n; i++)
        copy_task(m, &places[i], i);
    free(places);
    return true;
}

/* ---- rows, states and points --------------------------------------------------------------- */

static int64_t add_state(twill_trace *w, int64_t row, double start, double end, int kind)
{
    int64_t i = w->nstates++;
    w->state_start[i] = start;
    w->state_end[i] = end;
    w->state_row[i] = (uint16_t)row;
    w->state_kind[i] = (uint8_t)kind;
    return i;
}

static void copy_state(twill_trace *w, const tw_merge_part *p, int64_t from)
{
    const twill_trace *t = p->t;
    int64_t i = add_state(w, p->row + t->state_row[from], t->state_start[from] + p->shift,
                          t->state_end[from] + p->shift, t->state_kind[from]);
    uint32_t task = t->state_task[from];
    w->state_task[i] = task ? (uint32_t)p->task[task - 1] + 1 : 0;
    w->state_member[i] = t->state_member[from];
}

/* Before the first task of a rank, and after its last one, its workers have nothing to do. */
static void fill_ends(const tw_merge *m, const tw_merge_part *p)
{
    twill_trace *w = m->whole;
    for (int64_t r = 0; r < p->t->nrows; r++) {
        if (p->shift > 0)
            add_state(w, p->row + r, 0, p->shift, TW_STATE_SLEEP);
        if (p->shift + p->t->span < w->span)
            add_state(w, p->row + r, p->shift + p->t->span, w->span, TW_STATE_SLEEP);
    }
}

static bool merge_states(const tw_merge *m)
{
    twill_trace *w = m->whole;
    int64_t n = 2 * m->rows;
    for (int r = 0; r < m->n; r++)
        n += m->parts[r].t->nstates;
    if (!tw_trace_room(w, &w->nstates, n) || !tw_trace_room(w, &w->nrow, m->rows))
        return false;
    w->nstates = 0;
    for (int r = 0; r < m->n; r++) {
        const tw_merge_part *p = &m->parts[r];
        for (int64_t i = 0; i < p->t->nrows; i++) {
            w->row_kind[p->row + i] = p->t->row_kind[i];
            w->row_rank[p->row + i] = p->t->row_rank[i];
            w->row_cores[p->row + i] = p->t->row_cores[i];
        }
        for (int64_t i = 0; i < p->t->nstates; i++)
            copy_state(w, p, i);
        fill_ends(m, p);
    }
    return true;
}

static bool merge_points(const tw_merge *m)
{
    twill_trace *w = m->whole;
    const tw_merge_part *last = &m->parts[m->n - 1];
    if (!tw_trace_room(w, &w->npoints, last->point + last->t->npoints))
        return false;
    for (int r = 0; r < m->n; r++) {
        const tw_merge_part *p = &m->parts[r];
        for (int64_t i = 0; i < p->t->npoints; i++) {
            int64_t at = p->point + i;
            uint32_t task = p->t->point_task[i];
            w->point_time[at] = p->t->point_time[i] + p->shift;
            w->point_amount[at] = p->t->point_amount[i];
            w->point_row[at] = (uint16_t)(p->row + p->t->point_row[i]);
            w->point_kind[at] = p->t->point_kind[i];
            w->point_peer[at] = p->t->point_peer[i];
            w->point_id[at] = p->t->point_id[i];
            w->point_task[at] = task ? (uint32_t)p->task[task - 1] + 1 : 0;
        }
    }
    return true;
}

/* ---- memory: the sum over the ranks --------------------------------------------------------- */

typedef struct change {
    double time, more;
} change;

static int by_time(const void *a, const void *b)
{
    const change *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static bool merge_memory(const tw_merge *m)
{
    twill_trace *w = m->whole;
    int64_t n = 0;
    double bytes = 0;
    for (int r = 0; r < m->n; r++)
        n += m->parts[r].t->nmemory;
    change *changes = malloc((size_t)(n + 1) * sizeof *changes);
    if (!changes || !tw_trace_room(w, &w->nmemory, n)) {
        free(changes);
        return false;
    }
    n = 0;
    for (int r = 0; r < m->n; r++) {
        const twill_trace *t = m->parts[r].t;
        for (int64_t i = 0; i < t->nmemory; i++)
            changes[n++] = (change){t->memory_time[i] + m->parts[r].shift,
                                    t->memory_bytes[i] - (i ? t->memory_bytes[i - 1] : 0)};
    }
    qsort(changes, (size_t)n, sizeof *changes, by_time);
    for (int64_t i = 0; i < n; i++) {
        bytes += changes[i].more;
        w->memory_time[i] = changes[i].time;
        w->memory_bytes[i] = bytes > 0 ? bytes : 0;
    }
    free(changes);
    return true;
}

/* ---- critical sets ------------------------------------------------------------------------- */

typedef struct resize {
    double time;
    int part;
    int64_t entry;
} resize;

static int by_time_and_part(const void *a, const void *b)
{
    const resize *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->part != y->part)
        return x->part - y->part;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

/* One per rank, in the order of time; their first rows say whose they are. */
static bool merge_sets(const tw_merge *m)
{
    twill_trace *w = m->whole;
    int64_t n = 0;
    for (int r = 0; r < m->n; r++)
        n += m->parts[r].t->nset;
    resize *all = malloc((size_t)(n + 1) * sizeof *all);
    if (!all || !tw_trace_room(w, &w->nset, n)) {
        free(all);
        return false;
    }
    n = 0;
    for (int r = 0; r < m->n; r++)
        for (int64_t i = 0; i < m->parts[r].t->nset; i++)
            all[n++] = (resize){m->parts[r].t->set_time[i] + m->parts[r].shift, r, i};
    qsort(all, (size_t)n, sizeof *all, by_time_and_part);
    for (int64_t i = 0; i < n; i++) {
        const tw_merge_part *p = &m->parts[all[i].part];
        w->set_time[i] = all[i].time;
        w->set_row[i] = (uint16_t)(p->row + p->t->set_row[all[i].entry]);
        w->set_members[i] = p->t->set_members[all[i].entry];
        w->set_wanted[i] = p->t->set_wanted[all[i].entry];
    }
    free(all);
    return true;
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* Where things go, and times on the clock of the earliest. False: no memory. */
static bool arrange(tw_merge *m, twill_trace *const *parts, int n)
{
    double first = 0;
    m->parts = calloc((size_t)n + 1, sizeof *m->parts);
    if (!m->parts)
        return false;
    for (int r = 0; r < n; r++)
        if (parts[r]) {
            first = m->n == 0 || parts[r]->origin < first ? parts[r]->origin : first;
            m->parts[m->n++].t = parts[r];
        }
    int64_t point = 0;
    for (int r = 0; r < m->n; r++) {
        tw_merge_part *p = &m->parts[r];
        p->shift = 1e9 * (p->t->origin - first);
        p->point = point;
        point += p->t->npoints;
        p->task = malloc((size_t)(p->t->ntasks + 1) * sizeof *p->task);
        if (!p->task)
            return false;
    }
    return point <= INT32_MAX;
}

static void set_facts(tw_merge *m)
{
    twill_trace *w = m->whole;
    w->peak = m->parts[0].t->peak;
    w->bandwidth = m->parts[0].t->bandwidth;
    w->origin = m->parts[0].t->origin - 1e-9 * m->parts[0].shift;
    for (int r = 0; r < m->n; r++) {
        const tw_merge_part *p = &m->parts[r];
        w->lost += p->t->lost;
        if (p->shift + p->t->span > w->span)
            w->span = p->shift + p->t->span;
    }
}

twill_status tw_trace_merge(twill_trace *const *parts, int n, twill_trace **trace)
{
    tw_merge m = {0};
    twill_status status = TWILL_OK;
    if (!arrange(&m, parts, n))
        status = tw_merge_no_memory();
    else if (m.n == 0)
        status = tw_fail(TWILL_ERR_STATE, "no rank has recorded anything");
    if (status == TWILL_OK)
        status = tw_merge_names(&m);
    if (status == TWILL_OK) {
        set_facts(&m);
        bool good = merge_tasks(&m) && merge_states(&m) && merge_points(&m) && merge_memory(&m) &&
                    merge_sets(&m) && tw_merge_edges(&m);
        status = good ? TWILL_OK : tw_merge_no_memory();
    }
    for (int r = 0; r < m.n; r++) {
        free(m.parts[r].task);
        free(m.parts[r].cls);
        free(m.parts[r].graph);
    }
    free(m.parts);
    if (status == TWILL_OK)
        *trace = m.whole;
    else
        twill_trace_free(m.whole);
    return status;
}
