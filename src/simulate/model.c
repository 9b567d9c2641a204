/* Making a model, and taking one from a trace. */
#include "simulate/model.h"

#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

twill_status tw_simulate_no_memory(void)
{
    return tw_fail(TWILL_ERR_MEMORY, "no memory for a model of a run");
}

bool tw_simulate_room(void *list, int64_t n, int64_t *room, size_t size)
{
    void **at = list;
    if (n < *room)
        return true;
    int64_t more = *room ? 2 * *room : 64;
    void *bigger = realloc(*at, (size_t)more * size);
    if (!bigger)
        return false;
    *at = bigger;
    *room = more;
    return true;
}

twill_status twill_model_make(twill_model **model)
{
    twill_model *m = calloc(1, sizeof *m);
    if (!m)
        return tw_simulate_no_memory();
    *model = m;
    return TWILL_OK;
}

void twill_model_free(twill_model *m)
{
    if (!m)
        return;
    for (int64_t i = 0; i < m->nclasses; i++)
        free(m->classes[i]);
    free(m->classes);
    free(m->uses);
    free(m->bytes);
    free(m->edges);
    free(m->tasks);
    free(m);
}

/* The number of a class, a new one if need be; -1: no memory. */
static int64_t class_of(twill_model *m, const char *name)
{
    for (int64_t i = m->nclasses - 1; i >= 0; i--)
        if (strcmp(m->classes[i], name) == 0)
            return i;
    if (!tw_simulate_room(&m->classes, m->nclasses, &m->class_room, sizeof *m->classes))
        return -1;
    m->classes[m->nclasses] = strdup(name);
    return m->classes[m->nclasses] ? m->nclasses++ : -1;
}

twill_status twill_model_task(twill_model *m, const char *cls, double seconds, int64_t *task)
{
    if (!(seconds >= 0) || !cls)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_model_task: a task has a class, and takes no seconds or more");
    int64_t number = class_of(m, cls);
    if (number < 0 || !tw_simulate_room(&m->tasks, m->ntasks, &m->task_room, sizeof *m->tasks))
        return tw_simulate_no_memory();
    m->tasks[m->ntasks] = (tw_model_task){.seconds = seconds, .cls = (int32_t)number, .place = -1};
    *task = m->ntasks++;
    return TWILL_OK;
}

twill_status twill_model_edge(twill_model *m, int64_t from, int64_t to)
{
    if (from < 0 || to >= m->ntasks || from >= to)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_model_edge: %lld to %lld: edges go from a task to one that was added "
                       "later, and there are %lld",
                       (long long)from, (long long)to, (long long)m->ntasks);
    if (!tw_simulate_room(&m->edges, m->nedges, &m->edge_room, sizeof *m->edges))
        return tw_simulate_no_memory();
    m->edges[m->nedges++] = (tw_model_edge){from, to};
    return TWILL_OK;
}

/* The task that was added last; NULL when `right` is false, or there is none. */
static tw_model_task *last_task(twill_model *m, const char *function, bool right)
{
    if (right && m->ntasks > 0)
        return &m->tasks[m->ntasks - 1];
    tw_fail(TWILL_ERR_ARGUMENT, "%s: %s", function,
            right ? "there is no task yet" : "a number is negative");
    return NULL;
}

twill_status twill_model_place(twill_model *m, int device)
{
    tw_model_task *task = last_task(m, "twill_model_place", device >= 0);
    if (!task)
        return TWILL_ERR_ARGUMENT;
    task->place = device;
    return TWILL_OK;
}

twill_status twill_model_data(twill_model *m, int64_t datum, double bytes, bool writes)
{
    tw_model_task *task = last_task(m, "twill_model_data", datum >= 0 && bytes >= 0);
    if (!task)
        return TWILL_ERR_ARGUMENT;
    while (m->ndata <= datum) {
        if (!tw_simulate_room(&m->bytes, m->ndata, &m->data_room, sizeof *m->bytes))
            return tw_simulate_no_memory();
        m->bytes[m->ndata++] = 0;
    }
    if (!tw_simulate_room(&m->uses, m->nuses, &m->use_room, sizeof *m->uses))
        return tw_simulate_no_memory();
    if (task->uses++ == 0)
        task->first_use = m->nuses;
    m->uses[m->nuses++] = (tw_model_use){datum, writes};
    m->bytes[datum] = bytes;
    task->bytes += bytes;
    return TWILL_OK;
}

int64_t twill_model_tasks(const twill_model *m)
{
    return m->ntasks;
}

static twill_status load(const twill_trace *t, twill_model *m)
{
    twill_status status = TWILL_OK;
    for (int64_t i = 0; i < t->ntasks && status == TWILL_OK; i++) {
        int64_t task;
        double seconds = (t->end[i] - t->start[i]) * 1e-9;
        status = twill_model_task(m, tw_class_name(t, t->cls[i]), seconds > 0 ? seconds : 0, &task);
        if (status == TWILL_OK)
            m->tasks[task].priority = t->priority[i];
    }
    /* A task may have begun before another that it waited for only if the two were nested. */
    for (int64_t e = 0; e < t->nedges && status == TWILL_OK; e++)
        if (t->edge_from[e] < t->edge_to[e])
            status = twill_model_edge(m, t->edge_from[e], t->edge_to[e]);
    return status;
}

twill_status twill_model_load(const twill_trace *trace, twill_model **model)
{
    twill_model *m = NULL;
    twill_status status = twill_model_make(&m);
    if (status != TWILL_OK)
        return status;
    status = load(trace, m);
    if (status == TWILL_OK)
        *model = m;
    else
        twill_model_free(m);
    return status;
}
