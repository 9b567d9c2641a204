/* Executors besides the workers: their tasks, where data is, and what is learned. */
#include "simulate/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- costs ----------------------------------------------------------------------------------- */

static double seconds_on(const tw_machine *m, int64_t number, int d)
{
    const tw_model_task *task = &m->model->tasks[number];
    const twill_simulation *s = m->s;
    return d == 0 ? task->seconds
                  : s->device(s->arg, m->model->classes[task->cls], task->seconds, d);
}

uint16_t tw_virtual_mask(const tw_machine *m, int64_t number)
{
    unsigned mask = 1;
    for (int d = 1; d <= m->s->devices; d++)
        mask |= (unsigned)(seconds_on(m, number, d) > 0) << d;
    int place = m->model->tasks[number].place;
    return (uint16_t)(place < 0 ? mask : mask & (1u << place));
}

static tw_rating *rating_of(const tw_machine *m, const tw_virtual_task *task)
{
    const tw_model_task *model = &m->model->tasks[task->number];
    tw_rated *cls = tw_capability_class(m->learned, m->model->classes[model->cls], 1.5);
    return cls ? tw_rated_at(cls, model->bytes) : NULL;
}

/* As if there had been a run before. */
static bool learn_all(tw_machine *m)
{
    for (int64_t i = 0; i < m->model->ntasks; i++) {
        tw_rating *r = rating_of(m, &(tw_virtual_task){.number = i});
        for (int d = 0; r && d <= m->s->devices; d++)
            for (int k = 0; k < 3 && tw_virtual_mask(m, i) >> d & 1; k++)
                tw_rating_note(r, d, seconds_on(m, i, d));
        if (!r)
            return false;
    }
    return true;
}

static const tw_virtual_task *task_of(const twill_item *item)
{
    return (const tw_virtual_task *)(const void *)item;
}

/* Where there is nobody to choose between, costs are known. */
double tw_virtual_cost(const twill_sched_env *env, const twill_item *item, int d)
{
    const tw_machine *m = env->engine;
    const tw_virtual_task *task = task_of(item);
    if (m->s->devices == 0)
        return d == 0 ? m->model->tasks[task->number].seconds : 0;
    const tw_rating *r = rating_of(m, task);
    return r ? tw_rating_seconds(r, d) : 0;
}

bool tw_virtual_explore(const twill_sched_env *env, const twill_item *item, int d)
{
    tw_rating *r = rating_of(env->engine, task_of(item));
    return r && tw_rating_explore(r, d);
}

double tw_virtual_now(const twill_sched_env *env)
{
    return ((const tw_machine *)env->engine)->now;
}

/* ---- opening --------------------------------------------------------------------------------- */

bool tw_virtual_open(tw_machine *m)
{
    char name[20];
    m->valid = calloc((size_t)m->model->ndata + 1, sizeof *m->valid);
    m->learned = tw_capability_open();
    for (int d = 0; m->learned && d <= m->s->devices; d++) {
        snprintf(name, sizeof name, "device %d", d);
        if (tw_capability_kind(m->learned, name) != d)
            return false;
    }
    for (int64_t i = 0; m->valid && i < m->model->ndata; i++)
        m->valid[i] = 1;
    return m->valid && m->learned && (!m->s->known || learn_all(m));
}

void tw_virtual_close(tw_machine *m)
{
    free(m->valid);
    tw_capability_close(m->learned);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Copies go between a device and the host. */
static double copy(const tw_machine *m, double bytes, int d)
{
    return d == 0 || !m->s->copy ? 0 : m->s->copy(m->s->arg, bytes, d);
}

/* Seconds until a datum is valid on d. */
static double fetch(const tw_machine *m, int64_t datum, int d)
{
    uint32_t valid = m->valid[datum];
    double bytes = m->model->bytes[datum];
    if (valid >> d & 1)
        return 0;
    return copy(m, bytes, d) + (valid & 1 ? 0 : copy(m, bytes, __builtin_ctz(valid)));
}

double tw_virtual_transfer(const twill_sched_env *env, const twill_item *item, int d)
{
    const tw_machine *m = env->engine;
    const tw_model_task *task = &m->model->tasks[task_of(item)->number];
    double seconds = 0;
    for (int i = 0; i < task->uses; i++)
        seconds += fetch(m, m->model->uses[task->first_use + i].datum, d);
    return seconds;
}

double tw_virtual_bring(tw_machine *m, const tw_virtual_task *virtual, int d)
{
    const tw_model_task *task = &m->model->tasks[virtual->number];
    double seconds = 0;
    for (int i = 0; i < task->uses; i++) {
        int64_t datum = m->model->uses[task->first_use + i].datum;
        uint32_t before = m->valid[datum];
        seconds += fetch(m, datum, d);
        m->valid[datum] |= 1u | 1u << d;
        m->cost.bytes += m->model->bytes[datum] * __builtin_popcount(m->valid[datum] & ~before);
    }
    return seconds;
}

void tw_virtual_learn(tw_machine *m, const tw_virtual_task *virtual, int d)
{
    const tw_model_task *task = &m->model->tasks[virtual->number];
    for (int i = 0; i < task->uses; i++) {
        const tw_model_use *use = &m->model->uses[task->first_use + i];
        if (use->writes)
            m->valid[use->datum] = 1u << d;
    }
    tw_rating *r = m->s->devices ? rating_of(m, virtual) : NULL;
    if (r)
        tw_rating_note(r, d, virtual->seconds);
}

/* ---- running --------------------------------------------------------------------------------- */

static void begin(tw_machine *m, int d, tw_virtual_task *task)
{
    tw_virtual_device *v = &m->device[d];
    double copies = tw_virtual_bring(m, task, d);
    v->link = (v->link > m->now ? v->link : m->now) + copies;
    task->seconds = seconds_on(m, task->number, d);
    v->ready[v->n] = copies > 0 ? v->link : m->now;
    v->task[v->n++] = task;
}

void tw_virtual_take(tw_machine *m)
{
    int ahead = m->s->ahead ? m->s->ahead : 2;
    for (int d = 1; d <= m->s->devices; d++)
        while (m->device[d].n < ahead) {
            twill_item *item = m->ops->pop(m->policy, m->env.workers + d);
            if (!item)
                break;
            begin(m, d, (tw_virtual_task *)(void *)item);
        }
}

int tw_virtual_next(const tw_machine *m, double *end)
{
    int next = 0;
    for (int d = 1; d <= m->s->devices; d++) {
        const tw_virtual_device *v = &m->device[d];
        if (v->n == 0)
            continue;
        double begun = v->freed > v->ready[0] ? v->freed : v->ready[0];
        if (next == 0 || begun + v->task[0]->seconds < *end) {
            next = d;
            *end = begun + v->task[0]->seconds;
        }
    }
    return next;
}

tw_virtual_task *tw_virtual_end(tw_machine *m, int d)
{
    tw_virtual_device *v = &m->device[d];
    tw_virtual_task *task = v->task[0];
    v->n--;
    memmove(v->task, v->task + 1, (size_t)v->n * sizeof *v->task);
    memmove(v->ready, v->ready + 1, (size_t)v->n * sizeof *v->ready);
    v->freed = m->now;
    task->begin = m->now - task->seconds;
    task->worker = m->env.workers + d - 1;
    return task;
}
