/* What is told about tasks. */
#include "engine/engine.h"

/* The integers among the arguments: what tells one task of a class from another, if it has no
 * better way to say so. */
static void list_integers(const twill_task *t, twill_about *about)
{
    for (uint32_t i = 0; i < t->nslots && about->parameters < TWILL_PARAMETERS; i++)
        if (t->slots[i].kind == TWILL_ARG_INT)
            about->parameter[about->parameters++] = t->slots[i].u.integer;
}

static void describe(const twill_task *t, twill_about *about)
{
    if (t->graph->ops->describe)
        t->graph->ops->describe(t, about);
    else if (!t->cls->describe)
        list_integers(t, about);
    about->flops = t->cost.flops;
    about->bytes = t->cost.bytes;
    if (t->cls->describe)
        t->cls->describe(t, about);
}

void tw_tell_begin(tw_worker *w, const twill_task *t)
{
    twill_about about;
    about.parameters = 0;
    describe(t, &about);
    int n = about.parameters < 0                  ? 0
            : about.parameters > TWILL_PARAMETERS ? TWILL_PARAMETERS
                                                  : about.parameters;
    tw_event_about told = {.cls = t->cls,
                           .name = t->cls->name ? t->cls->name : "(no name)",
                           .parameters = t->cls->parameters,
                           .front = t->graph->ops->name,
                           .graph = t->graph->serial,
                           .priority = t->item.priority,
                           .flops = (float)about.flops,
                           .bytes = (float)about.bytes,
                           .n = n};
    for (int i = 0; i < n; i++)
        told.parameter[i] = about.parameter[i];
    tw_tell(
        &w->tw->sink,
        (tw_event){
            .subject = t, .kind = TW_EVENT_BEGIN, .worker = w->index, .peer = -1, .about = &told});
}

void tw_tell_enable(tw_worker *w, const twill_task *t, const twill_task *by)
{
    tw_tell(
        &w->tw->sink,
        (tw_event){
            .subject = t, .other = by, .kind = TW_EVENT_ENABLE, .worker = w->index, .peer = -1});
}

void tw_tell_grant(tw_worker *w, const twill_task *t)
{
    if (!(atomic_load_explicit(&t->flags, memory_order_relaxed) & TW_TASK_USE))
        tw_tell_enable(w, t, w->releasing);
}

void tw_tell_ready(tw_worker *w, const tw_ready *ready, const twill_task *by)
{
    for (const twill_item *i = ready->head; i; i = i->next)
        tw_tell_enable(w, (const twill_task *)i, by);
}

const twill_task *tw_inserter(const tw_worker *w)
{
    return tw_self(w->tw) == w ? atomic_load_explicit(&w->running, memory_order_relaxed) : NULL;
}
