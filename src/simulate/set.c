/* The critical set: workers 0 .. members-1, which run one critical task after the other. */
#include "simulate/machine.h"

/* For the trace, if there is to be one. */
static void note_size(tw_machine *m)
{
    if (!m->s->trace)
        return;
    if (!tw_simulate_room(&m->sizes, m->nsizes, &m->size_room, sizeof *m->sizes)) {
        m->lost_sizes = true;
        return;
    }
    m->sizes[m->nsizes++] = (tw_virtual_size){m->now, m->members, m->wanted};
}

static void set_members(tw_machine *m, int members)
{
    m->cost.cost_reserved += m->members * (m->now - m->reserved_since);
    m->reserved_since = m->now;
    m->cost.changes += m->members != members;
    for (int w = 0; w < m->env.workers; w++)
        if (w < members)
            m->worker[w].state = TW_MEMBER;
        else if (m->worker[w].state == TW_MEMBER)
            m->worker[w].state = TW_IDLE;
    m->members = members;
    note_size(m);
}

/* All at once, when the last of the recruits has finished what it did. */
static void grow(tw_machine *m)
{
    int w = m->members;
    while (w < m->wanted && m->worker[w].state != TW_BUSY)
        w++;
    if (w == m->wanted && m->running == 0)
        set_members(m, m->wanted);
}

static void follow(tw_machine *m)
{
    if (m->wanted < m->members && m->running == 0)
        set_members(m, m->wanted);
    else if (m->wanted > m->members)
        grow(m);
    for (int w = m->wanted; w < m->env.workers; w++)
        if (m->worker[w].state == TW_RECRUIT)
            m->worker[w].state = TW_IDLE;
}

void tw_set_resize(tw_machine *m, int wanted)
{
    wanted = wanted < m->env.workers ? wanted : m->env.workers - 1;
    bool changes = wanted != m->wanted;
    m->wanted = wanted;
    if (changes)
        note_size(m);
    follow(m);
}

/* What the policy keeps for the worker alone is for others: it will not come for it soon. */
static void publish(tw_machine *m, int w)
{
    twill_item *item =
        m->ops->has_own && m->ops->has_own(m->policy, w) ? m->ops->pop(m->policy, w) : NULL;
    if (!item)
        return;
    item->next = NULL;
    m->ops->push(m->policy, w, item, 1, false);
}

bool tw_set_takes(tw_machine *m, int w)
{
    tw_virtual_worker *self = &m->worker[w];
    if (self->state == TW_IDLE && w < m->wanted && w >= m->members) {
        publish(m, w);
        self->state = TW_RECRUIT;
        grow(m);
    }
    return self->state != TW_IDLE;
}

/* The highest first; on one path there is never a choice. */
void tw_set_push(tw_machine *m, tw_virtual_task *task)
{
    twill_item **at = (twill_item **)(void *)&m->head;
    while (*at && (*at)->priority >= task->item.priority)
        at = &(*at)->next;
    task->item.next = *at;
    *at = &task->item;
}

static tw_virtual_task *dequeue(tw_machine *m)
{
    tw_virtual_task *task = m->head;
    if (!task)
        return NULL;
    m->head = (tw_virtual_task *)(void *)task->item.next;
    task->item.next = NULL;
    m->path_begun++;
    return task;
}

tw_virtual_task *tw_set_pop(tw_machine *m, int w)
{
    if (m->members > 0 || !m->head)
        return NULL;
    publish(m, w);
    return dequeue(m);
}

static int members_for(tw_machine *m)
{
    const twill_simulation *s = m->s;
    if (m->mode == TWILL_MODE_PRESCRIBED) {
        int64_t last = s->prescribed_count - 1;
        int wanted = s->prescribed[m->path_begun < last ? m->path_begun : last];
        tw_set_resize(m, wanted > 1 ? wanted : 1);
    }
    return m->members;
}

/* Seconds that the set takes for a task. */
static double seconds_of(const tw_machine *m, const tw_virtual_task *task, int members)
{
    const tw_model_task *model = &m->model->tasks[task->number];
    const twill_simulation *s = m->s;
    if (members < 2)
        return model->seconds;
    double (*team)(void *, const char *, double, int) = s->team ? s->team : twill_simulate_seed;
    return team(s->arg, m->model->classes[model->cls], model->seconds, members) +
           2 * s->barrier * (members - 1);
}

void tw_set_begin(tw_machine *m)
{
    if (!m->head || m->running > 0)
        return;
    int members = members_for(m);
    if (members == 0)
        return;
    tw_virtual_task *task = dequeue(m);
    m->running = members;
    task->seconds = seconds_of(m, task, members);
    task->begin = m->now + m->s->dispatch;
    task->members = members;
    m->worker[0].task = task;
    m->worker[0].end = task->begin + task->seconds;
}

void tw_set_end(tw_machine *m, tw_virtual_task *task)
{
    double busy = m->running * task->seconds;
    m->cost.busy_reserved += busy;
    m->cost.busy_critical += busy;
    int members = m->running;
    m->running = 0;
    tw_set_control(m, task, members);
    follow(m);
}

void tw_set_control(tw_machine *m, const tw_virtual_task *task, int members)
{
    if (m->mode != TWILL_MODE_ADAPTIVE)
        return;
    int idle = 0;
    for (int w = 0; w < m->env.workers; w++)
        idle += m->worker[w].state == TW_IDLE;
    const char *kind = m->model->classes[m->model->tasks[task->number].cls];
    tw_set_resize(m,
                  twill_controller_note(m->controller, kind, members, task->begin, m->now, idle));
}
