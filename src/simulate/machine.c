/* The machine of a simulation: workers, their clock, and what they do. */
#include "simulate/machine.h"

#include "base/lock.h"
#include "sched/sched.h"

#include <stdlib.h>
#include <string.h>

/* ---- what policies are told --------------------------------------------------------------------
 */

static const int *env_neighbours(const twill_sched_env *env, int w)
{
    return ((tw_machine *)env->engine)->worker[w].neighbours;
}

static void env_stolen(const twill_sched_env *env, int w, int victim, int n)
{
    (void)env, (void)w, (void)victim, (void)n;
}

/* Whoever is idle looks after each end of a task anyway. */
static void env_visible(const twill_sched_env *env, int n)
{
    (void)env, (void)n;
}

/* ---- making ------------------------------------------------------------------------------------
 */

static const twill_sched_ops *find_policy(const char *name)
{
    for (const twill_sched_ops *const *s = tw_schedulers; *s; s++)
        if (strcmp((*s)->name, name ? name : tw_schedulers[0]->name) == 0)
            return *s;
    return NULL;
}

static void make_tasks(tw_machine *m)
{
    bool given = false;
    for (int64_t i = 0; i < m->model->ntasks; i++)
        given |= m->model->tasks[i].priority != 0;
    for (int64_t i = 0; i < m->model->ntasks; i++) {
        int64_t height = m->layout.height[i];
        int32_t high = height < INT32_MAX ? (int32_t)height : INT32_MAX;
        m->tasks[i] = (tw_virtual_task){
            .item = {NULL, given ? m->model->tasks[i].priority : high, -1, tw_virtual_mask(m, i)},
            .number = i,
            .by = -1,
            .members = 1,
            .waits = m->layout.inputs[i]};
    }
}

/* In a circle: of a machine that is not there, nothing else is known. */
static void make_workers(tw_machine *m, int workers)
{
    for (int w = 0; w < workers; w++) {
        m->worker[w].neighbours = m->order + (size_t)w * (size_t)workers;
        for (int i = 1; i < workers; i++)
            m->worker[w].neighbours[i - 1] = (w + i) % workers;
    }
}

static twill_status open_policy(tw_machine *m)
{
    m->env = (twill_sched_env){.size = sizeof m->env,
                               .workers = m->s->workers,
                               .seed = 1,
                               .neighbours = env_neighbours,
                               .stolen = env_stolen,
                               .visible = env_visible,
                               .cost = tw_virtual_cost,
                               .transfer = tw_virtual_transfer,
                               .explore = tw_virtual_explore,
                               .now = tw_virtual_now,
                               .devices = m->s->devices,
                               .engine = m};
    twill_status status = m->ops->open(&m->env, &m->policy);
    if (status != TWILL_OK)
        m->policy = NULL;
    return status;
}

twill_status tw_machine_open(tw_machine *m, const twill_model *model, const twill_simulation *s,
                             twill_mode mode)
{
    *m = (tw_machine){.model = model, .s = s, .mode = mode, .ops = find_policy(s->sched)};
    if (!m->ops)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_simulate: there is no scheduler '%s'", s->sched);
    if (s->devices && !m->ops->devices)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_simulate: scheduler %s does not know devices; cw and dmda do",
                       m->ops->name);
    size_t n = (size_t)s->workers;
    bool there = tw_layout_open(&m->layout, model);
    m->tasks = calloc((size_t)model->ntasks + 1, sizeof *m->tasks);
    m->worker = calloc(n, sizeof *m->worker);
    m->order = calloc(n * n, sizeof *m->order);
    there = tw_virtual_open(m) && there;
    if (!there || !m->tasks || !m->worker || !m->order) {
        tw_machine_close(m);
        return tw_fail(TWILL_ERR_MEMORY, "no memory to simulate %d workers", s->workers);
    }
    make_tasks(m);
    make_workers(m, s->workers);
    twill_status status = twill_controller_new(s->workers, &m->controller);
    if (status == TWILL_OK)
        status = open_policy(m);
    if (status != TWILL_OK)
        tw_machine_close(m);
    return status;
}

void tw_machine_close(tw_machine *m)
{
    if (m->policy)
        m->ops->close(m->policy);
    twill_controller_free(m->controller);
    tw_layout_close(&m->layout);
    tw_virtual_close(m);
    free(m->tasks);
    free(m->worker);
    free(m->order);
    free(m->sizes);
}

/* ---- tasks -------------------------------------------------------------------------------------
 */

/* It is ready; worker w has seen to that, and pops next if `soon`. */
static void make_ready(tw_machine *m, tw_virtual_task *task, int w, bool soon)
{
    task->ready = m->now;
    if (m->layout.critical[task->number] && m->mode != TWILL_MODE_REGULAR)
        tw_set_push(m, task);
    else
        m->ops->push(m->policy, w, &task->item, 1, soon);
}

static void begin(tw_machine *m, int w, tw_virtual_task *task, double delay)
{
    tw_virtual_worker *self = &m->worker[w];
    task->seconds = m->model->tasks[task->number].seconds;
    self->state = TW_BUSY;
    self->task = task;
    task->worker = w;
    task->begin = m->now + delay + tw_virtual_bring(m, task, 0);
    self->end = task->begin + task->seconds;
}

void tw_machine_count(tw_machine *m, const tw_virtual_task *task, int device)
{
    twill_simulated *c = &m->cost;
    bool critical = m->layout.critical[task->number];
    m->done++;
    c->tasks++;
    c->critical_tasks += critical;
    if (critical)
        c->critical_seconds += task->seconds;
    if (task->path > c->longest_seconds) {
        c->longest_seconds = task->path;
        c->longest_tasks = task->path_tasks;
    }
    c->device_tasks[device]++;
    c->device_busy[device] += task->seconds;
}

static void count(tw_machine *m, const tw_virtual_task *task, int w)
{
    twill_simulated *c = &m->cost;
    tw_machine_count(m, task, 0);
    if (m->worker[w].state == TW_MEMBER)
        return; /* the set counts what it did */
    c->busy_other += task->seconds;
    *(m->layout.critical[task->number] ? &c->busy_critical : &c->busy_ordinary) += task->seconds;
}

/* What it took ends the longest path so far to each task that waited for it. */
static void release(tw_machine *m, tw_virtual_task *task, int w, bool soon)
{
    const tw_layout *l = &m->layout;
    for (int64_t s = l->first[task->number]; s < l->first[task->number + 1]; s++) {
        tw_virtual_task *next = &m->tasks[l->next[s]];
        if (task->path > next->path || next->path_tasks == 0) {
            next->path = task->path;
            next->path_tasks = task->path_tasks;
        }
        next->by = task->number;
        if (--next->waits == 0)
            make_ready(m, next, w, soon);
    }
}

static void end(tw_machine *m, int w)
{
    tw_virtual_worker *self = &m->worker[w];
    tw_virtual_task *task = self->task;
    task->path += task->seconds;
    task->path_tasks++;
    self->task = NULL;
    bool member = self->state == TW_MEMBER;
    count(m, task, w);
    if (!member)
        self->state = TW_IDLE;
    if (member)
        tw_set_end(m, task);
    else if (m->layout.critical[task->number])
        tw_set_control(m, task, 0);
    bool pops = !member && !tw_set_takes(m, w);
    tw_virtual_learn(m, task, 0);
    release(m, task, w, pops);
}

static void end_on_device(tw_machine *m, int d)
{
    tw_virtual_task *task = tw_virtual_end(m, d);
    task->path += task->seconds;
    task->path_tasks++;
    tw_machine_count(m, task, d);
    tw_virtual_learn(m, task, d);
    release(m, task, m->env.workers, false);
}

/* ---- the clock ---------------------------------------------------------------------------------
 */

static bool take(tw_machine *m, int w, double delay)
{
    if (m->worker[w].state == TW_BUSY || tw_set_takes(m, w))
        return true;
    tw_virtual_task *task = tw_set_pop(m, w);
    if (!task)
        task = (tw_virtual_task *)(void *)m->ops->pop(m->policy, w);
    if (task)
        begin(m, w, task, delay);
    return task;
}

/* Devices first, then whoever has just ended a task, then all that are idle. */
static void give_work(tw_machine *m, int first)
{
    tw_virtual_take(m);
    if (first >= 0)
        take(m, first, m->s->dispatch);
    tw_set_begin(m);
    for (int w = 0; w < m->env.workers; w++)
        if (!take(m, w, m->s->wake))
            break;
}

/* The worker whose task is the next to end, or -1. */
static int next_end(const tw_machine *m)
{
    int next = -1;
    for (int w = 0; w < m->env.workers; w++)
        if (m->worker[w].task && (next < 0 || m->worker[w].end < m->worker[next].end))
            next = w;
    return next;
}

static void add_up(tw_machine *m)
{
    twill_simulated *c = &m->cost;
    c->workers = m->env.workers;
    c->seconds = m->now;
    c->cost = c->workers * c->seconds;
    c->cost_reserved += m->members * (m->now - m->reserved_since);
    c->cost_other = c->cost - c->cost_reserved;
    c->utilisation = c->cost > 0 ? (c->busy_reserved + c->busy_other) / c->cost : 1;
}

twill_status tw_machine_run(tw_machine *m)
{
    for (int64_t i = 0; i < m->model->ntasks; i++)
        if (m->tasks[i].waits == 0)
            make_ready(m, &m->tasks[i], 0, false);
    int w = -1, d;
    do {
        double on_device;
        give_work(m, w);
        w = next_end(m);
        d = tw_virtual_next(m, &on_device);
        if (d > 0 && (w < 0 || on_device < m->worker[w].end)) {
            m->now = on_device;
            end_on_device(m, d);
            w = -1;
        } else if (w >= 0) {
            m->now = m->worker[w].end;
            end(m, w);
        }
    } while (w >= 0 || d > 0);
    add_up(m);
    if (m->done < m->model->ntasks)
        return tw_fail(TWILL_ERR_STUCK, "twill_simulate: %lld of %lld tasks did not run",
                       (long long)(m->model->ntasks - m->done), (long long)m->model->ntasks);
    return TWILL_OK;
}
